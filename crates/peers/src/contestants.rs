//! The move generators in the comparison.

use std::fs;
use std::hint::black_box;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use carrybit_board::cpu::{self, Level};
use carrybit_board::{Board, MoveList, Stage};
use cpu_time::ThreadTime;

/// A move generator. All but Carrybit use bitboards.
pub struct Counter {
    /// The program, and the method for the last ply: the moves are counted without writing them,
    /// or written to a list (bulk counting).
    pub name: String,
    /// Counts the leaves of a FEN to a depth of at least one ply.
    pub count: Box<Count>,
}

type Count = dyn FnMut(&str, u32) -> Counted;

/// The number of leaves and the time in seconds.
type Counted = Result<(u64, f64), String>;

impl Counter {
    fn new(name: impl Into<String>, count: impl FnMut(&str, u32) -> Counted + 'static) -> Counter {
        Counter { name: name.into(), count: Box::new(count) }
    }
}

/// Cozy-chess, with which the others are compared; other programs, unless `brief`; and Carrybit.
pub fn counters(brief: bool) -> Vec<Counter> {
    let mut counters = vec![Counter::new("cozy-chess, counted", |fen, depth| {
        let board: cozy_chess::Board = parse(fen)?;
        Ok(timed(|| cozy(black_box(&board), depth)))
    })];
    if !brief {
        counters.push(Counter::new("chess, counted", |fen, depth| {
            let board: chess::Board = parse(fen)?;
            let depth = depth as usize;
            Ok(timed(|| chess::MoveGen::movegen_perft_test(black_box(&board), depth) as u64))
        }));
        counters.push(Counter::new("shakmaty, written", |fen, depth| {
            let fen: shakmaty::fen::Fen = parse(fen)?;
            let board: shakmaty::Chess = fen
                .into_position(shakmaty::CastlingMode::Standard)
                .map_err(|error| error.to_string())?;
            Ok(timed(|| shakmaty::perft(black_box(&board), depth)))
        }));
        if let Some(mut engine) = Stockfish::find() {
            let name = format!("{}, written", engine.name);
            counters.push(Counter::new(name, move |fen, depth| engine.count(fen, depth)));
        } else {
            eprintln!("no stockfish in the path: skipped");
        }
    }
    for (last_ply, writes) in [("counted", false), ("written", true)] {
        for level in Level::supported() {
            let name = format!("Carrybit {level}, {last_ply}");
            counters.push(Counter::new(name, move |fen, depth| {
                cpu::set_level(level)?;
                let board: Board = parse(fen)?;
                let mut lists = vec![MoveList::new(); depth as usize + 1];
                Ok(timed(|| carrybit(black_box(&board), depth, writes, &mut lists)))
            }));
        }
    }
    counters
}

fn parse<T: std::str::FromStr<Err: std::fmt::Display>>(fen: &str) -> Result<T, String> {
    fen.parse().map_err(|error| format!("{fen}: {error}"))
}

/// The result and its CPU time in seconds, which other programs disturb less than wall time.
fn timed(count: impl FnOnce() -> u64) -> (u64, f64) {
    let start = ThreadTime::now();
    let leaves = count();
    (leaves, start.elapsed().as_secs_f64())
}

/// The leaves of `depth` plies, at least one. Without `writes`, one function counts the last two
/// plies.
fn carrybit(board: &Board, depth: u32, writes: bool, lists: &mut [MoveList]) -> u64 {
    match depth {
        1 if !writes => return board.count_legal(),
        2 if !writes => return board.count_replies(),
        _ => {}
    }
    let (moves, rest) = lists.split_first_mut().expect("a list for each ply");
    moves.clear();
    board.generate(Stage::All, moves);
    if depth == 1 {
        return black_box(moves).len() as u64;
    }
    moves.iter().map(|&mv| carrybit(&board.make(mv), depth - 1, writes, rest)).sum()
}

/// The leaves of `depth` plies, at least one.
fn cozy(board: &cozy_chess::Board, depth: u32) -> u64 {
    let mut leaves = 0;
    board.generate_moves(|moves| {
        if depth == 1 {
            leaves += moves.len() as u64;
            return false;
        }
        for mv in moves {
            let mut child = board.clone();
            child.play_unchecked(mv);
            leaves += cozy(&child, depth - 1);
        }
        false
    });
    leaves
}

/// The installed Stockfish.
struct Stockfish {
    name: String,
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Stockfish {
    /// Starts the program `stockfish`; `None` if it is not in the path.
    fn find() -> Option<Stockfish> {
        let mut child = Command::new("stockfish")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let input = child.stdin.take()?;
        let output = BufReader::new(child.stdout.take()?);
        let mut engine = Stockfish { name: String::new(), child, input, output };
        engine.send("uci").ok()?;
        engine.name = engine.read_after("id name ").ok()?;
        engine.read_after("uciok").ok()?;
        Some(engine)
    }

    /// The time is CPU time if the system reports it, otherwise wall time.
    fn count(&mut self, fen: &str, depth: u32) -> Counted {
        self.send(&format!("position fen {fen}\nisready"))?;
        self.read_after("readyok")?;
        let (used, start) = (self.cpu_seconds(), Instant::now());
        self.send(&format!("go perft {depth}"))?;
        let leaves = self.read_after("Nodes searched: ")?;
        // Wall time first: reading the CPU time is slow.
        let wall = start.elapsed().as_secs_f64();
        let seconds = match (used, self.cpu_seconds()) {
            (Some(before), Some(after)) if after > before => after - before,
            _ => wall,
        };
        Ok((leaves.parse().map_err(|_| format!("Stockfish counted {leaves:?}"))?, seconds))
    }

    /// The CPU time of all threads, on Linux.
    fn cpu_seconds(&self) -> Option<f64> {
        let mut nanoseconds = 0;
        for thread in fs::read_dir(format!("/proc/{}/task", self.child.id())).ok()? {
            let text = fs::read_to_string(thread.ok()?.path().join("schedstat")).ok()?;
            nanoseconds += text.split_whitespace().next()?.parse::<u64>().ok()?;
        }
        Some(nanoseconds as f64 / 1e9)
    }

    fn send(&mut self, line: &str) -> Result<(), String> {
        writeln!(self.input, "{line}").map_err(|error| format!("Stockfish: {error}"))
    }

    /// Reads to the next line that begins with `start`; returns the rest of that line.
    fn read_after(&mut self, start: &str) -> Result<String, String> {
        loop {
            let mut line = String::new();
            match self.output.read_line(&mut line) {
                Ok(0) | Err(_) => return Err("Stockfish has exited".to_owned()),
                Ok(_) => {}
            }
            if let Some(rest) = line.strip_prefix(start) {
                return Ok(rest.trim().to_owned());
            }
        }
    }
}
