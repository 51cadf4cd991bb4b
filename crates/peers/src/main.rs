//! Compares the speed of Carrybit's move generation with that of other programs, by perft. Run
//! it with `cargo run --release --locked -p peers`. `peers text` compares FEN, SAN and UCI.
//!
//! Each run measures all programs in turn, so that the two speeds of a ratio are measured at about
//! the same time. The result is the median of several runs. All leaf counts must agree.
//!
//! This program alone is under the GPL (version 3 or later), because it links to shakmaty, which
//! is under the GPL. It is only a benchmark: neither the engine nor the workshop uses it.
#![allow(clippy::print_stdout, reason = "the table is the output")]

mod chart;
mod contestants;
mod libraries;
mod pgn;
mod text;

use std::path::PathBuf;
use std::process::ExitCode;

use carrybit_board::cpu::Level;
use clap::Parser;

use chart::Bar;
use contestants::{Counter, LastPly, Stockfish, median};

/// Name, FEN, and a depth with 2 to 16 million leaves.
const POSITIONS: [(&str, &str, u32); 6] = [
    ("start", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 5),
    ("kiwipete", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 4),
    ("position 4", "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 5),
    ("position 5", "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 4),
    ("position 6", "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", 4),
    ("ending", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 6),
];

/// Compares the perft speed of Carrybit, at each level of vector instructions of this
/// processor, with other move generators
#[derive(Parser)]
#[command(args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// Runs; the result is their median
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,
    /// Plies added to the depth of each position; may be negative
    #[arg(long, default_value_t = 0, allow_negative_numbers = true)]
    depth: i32,
    /// Draw a chart to this SVG file
    #[arg(long, value_name = "FILE")]
    chart: Option<PathBuf>,
    /// Only Carrybit and cozy-chess
    #[arg(long)]
    brief: bool,
}

#[derive(clap::Subcommand)]
enum Command {
    Text(text::Arguments),
    Pgn(pgn::Arguments),
}

fn counters(brief: bool) -> Vec<Counter> {
    let mut counters = vec![Counter::Cozy(LastPly::Counted)];
    if !brief {
        counters.extend([Counter::Chess, Counter::Shakmaty]);
        match Stockfish::find() {
            Some(engine) => counters.push(Counter::Stockfish(Box::new(engine))),
            None => eprintln!("no stockfish in the path: skipped"),
        }
    }
    counters.push(Counter::Cozy(LastPly::Made));
    for last_ply in LastPly::ALL {
        counters.extend(Level::supported().map(|level| Counter::Carrybit(level, last_ply)));
    }
    counters
}

/// The index of the counter to compare with: cozy-chess in the same mode, making the moves of the
/// last ply or only counting them.
fn baseline(counters: &[Counter], index: usize) -> usize {
    let makes = |counter: &Counter| counter.last_ply() == LastPly::Made;
    let fits = |other: &Counter| {
        matches!(other, Counter::Cozy(_)) && makes(other) == makes(&counters[index])
    };
    counters.iter().position(fits).expect("cozy-chess is always included")
}

/// Millions of leaves per second, by counter and run.
fn measure(
    counters: &mut [Counter],
    fen: &str,
    depth: u32,
    runs: u16,
) -> Result<Vec<Vec<f64>>, String> {
    let mut speeds = vec![Vec::new(); counters.len()];
    let mut expected = None;
    for _ in 0..runs {
        for (counter, speeds) in counters.iter_mut().zip(&mut speeds) {
            let (leaves, seconds) = counter.count(fen, depth)?;
            let wanted = *expected.get_or_insert(leaves);
            if leaves != wanted {
                return Err(format!("{} counts {leaves} leaves, not {wanted}", counter.name()));
            }
            speeds.push(leaves as f64 / seconds / 1e6);
        }
    }
    Ok(speeds)
}

fn geometric_mean(values: &[f64]) -> f64 {
    (values.iter().map(|value| value.ln()).sum::<f64>() / values.len() as f64).exp()
}

fn run(arguments: &Arguments) -> Result<(), String> {
    match &arguments.command {
        Some(Command::Text(arguments)) => {
            return text::run(arguments, &POSITIONS.map(|(_, fen, _)| fen));
        }
        Some(Command::Pgn(arguments)) => {
            return pgn::run(arguments).map_err(|error| error.to_string());
        }
        None => {}
    }
    let mut counters = counters(arguments.brief);
    // By counter and position.
    let mut speeds = vec![Vec::new(); counters.len()];
    let mut ratios = vec![Vec::new(); counters.len()];
    for (name, fen, depth) in POSITIONS {
        let depth = depth.saturating_add_signed(arguments.depth).max(1);
        eprintln!("{name}, {depth} plies ...");
        let by_run = measure(&mut counters, fen, depth, arguments.runs)?;
        for index in 0..counters.len() {
            let base = &by_run[baseline(&counters, index)];
            let ratio = by_run[index].iter().zip(base).map(|(speed, base)| speed / base);
            ratios[index].push(median(ratio.collect()));
            speeds[index].push(median(by_run[index].clone()));
        }
    }
    println!("perft in million leaves per second; ratio: the geometric mean of the ratios to");
    println!("cozy-chess with the last ply counted (for \"made\": with the last ply made)");
    print!("{:<26}", "");
    POSITIONS.iter().for_each(|(name, ..)| print!(" {name:>10}"));
    println!(" {:>8}", "ratio");
    let mut bars = Vec::new();
    for (index, counter) in counters.iter().enumerate() {
        print!("{:<26}", counter.name());
        speeds[index].iter().for_each(|speed| print!(" {speed:>10.0}"));
        let value = geometric_mean(&ratios[index]);
        println!(" {value:>8.3}");
        if counter.last_ply() != LastPly::Made {
            let is_carrybit = matches!(counter, Counter::Carrybit(..));
            bars.push(Bar { name: counter.name(), value, is_carrybit });
        }
    }
    if let Some(path) = &arguments.chart {
        bars.sort_by(|a, b| b.value.total_cmp(&a.value));
        let title = "Move generation: leaves per second, cozy-chess = 1";
        chart::draw(&bars, title, path).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
