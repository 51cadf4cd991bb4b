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

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

use contestants::{Counter, counters};

/// Name, FEN, and a depth with 2 to 16 million leaves.
const POSITIONS: [(&str, &str, u32); 6] = [
    ("start", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 5),
    ("kiwipete", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 4),
    ("position 4", "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 5),
    ("position 5", "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 4),
    ("position 6", "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", 4),
    ("ending", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 6),
];

/// Each result is the median of this many runs.
const RUNS: usize = 7;

/// Compares the perft speed of Carrybit, at each level of vector instructions of this
/// processor, with other move generators
#[derive(Parser)]
#[command(args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// Draw a chart to this SVG file
    #[arg(long, value_name = "FILE")]
    chart: Option<PathBuf>,
    /// Only Carrybit and cozy-chess
    #[arg(long)]
    brief: bool,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Compares text and single operations with cozy-chess and shakmaty
    Text,
    /// Compares reading PGN, and playing the moves of the main lines
    Pgn {
        /// Files of games in UTF-8
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
}

/// Millions of leaves per second, by counter and run.
fn measure(counters: &mut [Counter], fen: &str, depth: u32) -> Result<Vec<Vec<f64>>, String> {
    let mut speeds = vec![Vec::new(); counters.len()];
    let mut expected = None;
    for _ in 0..RUNS {
        for (counter, speeds) in counters.iter_mut().zip(&mut speeds) {
            let (leaves, seconds) = (counter.count)(fen, depth)?;
            let wanted = *expected.get_or_insert(leaves);
            if leaves != wanted {
                return Err(format!("{} counts {leaves} leaves, not {wanted}", counter.name));
            }
            speeds.push(leaves as f64 / seconds / 1e6);
        }
    }
    Ok(speeds)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn geometric_mean(values: &[f64]) -> f64 {
    (values.iter().map(|value| value.ln()).sum::<f64>() / values.len() as f64).exp()
}

fn compare_perft(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let mut counters = counters(arguments.brief);
    // By counter and position.
    let mut speeds = vec![Vec::new(); counters.len()];
    let mut ratios = vec![Vec::new(); counters.len()];
    for (name, fen, depth) in POSITIONS {
        eprintln!("{name}, {depth} plies ...");
        let by_run = measure(&mut counters, fen, depth)?;
        for (index, runs) in by_run.iter().enumerate() {
            let ratio = runs.iter().zip(&by_run[0]).map(|(speed, base)| speed / base);
            ratios[index].push(median(ratio.collect()));
            speeds[index].push(median(runs.clone()));
        }
    }
    println!("perft in million leaves per second; ratio: the geometric mean of the ratios to");
    println!("{}", counters[0].name);
    print!("{:<26}", "");
    POSITIONS.iter().for_each(|(name, ..)| print!(" {name:>10}"));
    println!(" {:>8}", "ratio");
    let mut bars = Vec::new();
    for ((counter, speeds), ratios) in counters.into_iter().zip(speeds).zip(ratios) {
        print!("{:<26}", counter.name);
        speeds.iter().for_each(|speed| print!(" {speed:>10.0}"));
        let ratio = geometric_mean(&ratios);
        println!(" {ratio:>8.3}");
        bars.push((counter.name, ratio));
    }
    if let Some(path) = &arguments.chart {
        bars.sort_by(|a, b| b.1.total_cmp(&a.1));
        let title = "Move generation: leaves per second, cozy-chess = 1";
        chart::draw(&bars, title, path).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = match &arguments.command {
        Some(Command::Text) => text::run(&POSITIONS.map(|(_, fen, _)| fen)),
        Some(Command::Pgn { files }) => pgn::run(files),
        None => compare_perft(&arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
