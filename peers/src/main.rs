//! How fast is our move generation beside that of cozy-chess, a fast crate on
//! bitboards? Run with `cargo run --release -p peers`.
//!
//! Five ways of counting leaves run in turn on six positions, several times
//! over; the medians are printed. Only the ratios mean much: each is taken
//! between neighbours in time. All counts are checked against each other.

use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

use carrybit::board::{Board, MoveList, NoObserver, Stage};
use clap::Parser;

/// Name, FEN, and the depth at which the position has some ten million leaves.
const POSITIONS: [(&str, &str, u32); 6] = [
    ("start", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 5),
    ("kiwipete", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 4),
    ("position 4", "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 5),
    ("position 5", "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 4),
    ("position 6", "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", 4),
    ("ending", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 6),
];

/// The ways of counting that are compared.
#[derive(Clone, Copy)]
enum Way {
    /// cozy-chess, the last ply counted without writing moves.
    Cozy,
    /// Ours, the last ply counted without writing moves.
    Counted,
    /// Ours, the last ply's moves written into a list, then counted.
    Written,
    /// cozy-chess, every move made.
    CozyMade,
    /// Ours, every move made.
    Made,
}

const WAYS: [Way; 5] = [Way::Cozy, Way::Counted, Way::Written, Way::CozyMade, Way::Made];
const NAMES: [&str; 5] = ["cozy counted", "counted", "written", "cozy made", "made"];

/// Which of the ways each is compared with.
const BASELINES: [usize; 5] = [0, 0, 0, 3, 3];

/// Compares perft of Carrybit with cozy-chess (which counts the last ply).
#[derive(Parser)]
struct Arguments {
    /// How often everything is run; the medians count
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,
    /// Plies added to (or, if negative, taken off) the depth of each position
    #[arg(long, default_value_t = 0, allow_negative_numbers = true)]
    depth: i32,
}

/// One position on both boards.
struct Subject {
    name: &'static str,
    ours: Board,
    theirs: cozy_chess::Board,
    depth: u32,
}

impl Subject {
    /// Leaves counted that way.
    fn count(&self, way: Way) -> u64 {
        let (ours, depth) = (black_box(&self.ours), self.depth);
        match way {
            Way::Cozy => cozy(black_box(&self.theirs), depth),
            Way::Counted => counted(ours, depth, &mut lists(depth)),
            Way::Written => written(ours, depth, &mut lists(depth)),
            Way::CozyMade => cozy_made(black_box(&self.theirs), depth),
            Way::Made => made(ours, depth, &mut lists(depth)),
        }
    }
}

fn cozy(board: &cozy_chess::Board, depth: u32) -> u64 {
    let mut nodes = 0;
    if depth == 1 {
        board.generate_moves(|moves| {
            nodes += moves.len() as u64;
            false
        });
        return nodes;
    }
    board.generate_moves(|moves| {
        for mv in moves {
            let mut child = board.clone();
            child.play_unchecked(mv);
            nodes += cozy(&child, depth - 1);
        }
        false
    });
    nodes
}

fn cozy_made(board: &cozy_chess::Board, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut nodes = 0;
    board.generate_moves(|moves| {
        for mv in moves {
            let mut child = board.clone();
            child.play_unchecked(mv);
            nodes += cozy_made(&child, depth - 1);
        }
        false
    });
    nodes
}

/// A list for each ply, as an engine keeps them.
fn lists(depth: u32) -> Vec<MoveList> {
    vec![MoveList::new(); depth as usize + 1]
}

/// Generates all moves of `board` into the first list; gives back the others.
fn generate<'a>(board: &Board, lists: &'a mut [MoveList]) -> (&'a MoveList, &'a mut [MoveList]) {
    let (first, rest) = lists.split_first_mut().expect("a list for each ply");
    first.clear();
    board.generate(Stage::All, first);
    (first, rest)
}

fn counted(board: &Board, depth: u32, lists: &mut [MoveList]) -> u64 {
    if depth == 1 {
        return board.count_legal();
    }
    let (moves, rest) = generate(board, lists);
    moves.iter().map(|&mv| counted(&board.make(mv, &mut NoObserver), depth - 1, rest)).sum()
}

fn written(board: &Board, depth: u32, lists: &mut [MoveList]) -> u64 {
    let (moves, rest) = generate(board, lists);
    if depth == 1 {
        return black_box(moves).len() as u64;
    }
    moves.iter().map(|&mv| written(&board.make(mv, &mut NoObserver), depth - 1, rest)).sum()
}

fn made(board: &Board, depth: u32, lists: &mut [MoveList]) -> u64 {
    if depth == 0 {
        return 1;
    }
    let (moves, rest) = generate(board, lists);
    moves.iter().map(|&mv| made(&board.make(mv, &mut NoObserver), depth - 1, rest)).sum()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn geometric_mean(values: &[f64]) -> f64 {
    (values.iter().map(|value| value.ln()).sum::<f64>() / values.len() as f64).exp()
}

/// Millions of leaves a second, by way, for each run.
fn measure(subject: &Subject, runs: u16) -> Result<[Vec<f64>; 5], String> {
    let expected = subject.count(Way::Cozy);
    let mut speeds: [Vec<f64>; 5] = Default::default();
    for _ in 0..runs {
        for (way, speeds) in WAYS.into_iter().zip(&mut speeds) {
            let start = Instant::now();
            let nodes = subject.count(way);
            let seconds = start.elapsed().as_secs_f64();
            if nodes != expected {
                return Err(format!("{}: {nodes} leaves, not {expected}", subject.name));
            }
            speeds.push(nodes as f64 / seconds / 1e6);
        }
    }
    Ok(speeds)
}

fn run(arguments: &Arguments) -> Result<(), String> {
    println!("perft, million leaves a second (ratio to cozy-chess of the same round)");
    print!("{:<11} {:>5}", "position", "depth");
    NAMES.iter().for_each(|name| print!(" {name:>14}"));
    println!();
    let mut ratios: [Vec<f64>; 5] = Default::default();
    for (name, fen, depth) in POSITIONS {
        let subject = Subject {
            name,
            ours: fen.parse().map_err(|error| format!("{name}: {error}"))?,
            theirs: fen.parse().map_err(|error| format!("{name}: {error}"))?,
            depth: depth.saturating_add_signed(arguments.depth).max(1),
        };
        let speeds = measure(&subject, arguments.runs)?;
        print!("{name:<11} {:>5}", subject.depth);
        for (way, ratios) in ratios.iter_mut().enumerate() {
            let by_run =
                speeds[way].iter().zip(&speeds[BASELINES[way]]).map(|(ours, cozy)| ours / cozy);
            let ratio = median(by_run.collect());
            print!(" {:>6.0} ({ratio:>5.3})", median(speeds[way].clone()));
            ratios.push(ratio);
        }
        println!();
    }
    print!("{:<17}", "geometric mean");
    ratios.iter().for_each(|ratios| print!(" {:>14.3}", geometric_mean(ratios)));
    println!();
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
