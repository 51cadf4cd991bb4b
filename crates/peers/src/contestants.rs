//! The move generators in the comparison.

use std::fs;
use std::hint::black_box;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use carrybit_board::cpu::{self, Level};
use carrybit_board::{Board, MoveList, Stage};
use cpu_time::ThreadTime;

/// The method for the last ply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastPly {
    /// Counts the moves without writing them. Carrybit has one function for the last two plies.
    Counted,
    /// Writes the moves to a list and counts its entries (bulk counting).
    Written,
    /// Makes every move, in the loop over the moves, without a recursive call.
    Made,
}

impl LastPly {
    pub const ALL: [LastPly; 3] = [LastPly::Counted, LastPly::Written, LastPly::Made];
}

/// A move generator. All but Carrybit use bitboards.
pub enum Counter {
    Carrybit(Level, LastPly),
    /// The crate cozy-chess (MIT).
    Cozy(LastPly),
    /// The crate chess (MIT).
    Chess,
    /// The crate shakmaty (GPL-3).
    Shakmaty,
    /// The installed Stockfish (GPL-3).
    Stockfish(Box<Stockfish>),
}

impl Counter {
    pub fn name(&self) -> String {
        let program = match self {
            Counter::Carrybit(level, _) => &format!("Carrybit {level}"),
            Counter::Cozy(_) => "cozy-chess",
            Counter::Chess => "chess",
            Counter::Shakmaty => "shakmaty",
            Counter::Stockfish(engine) => &engine.name,
        };
        format!("{program}, {}", format!("{:?}", self.last_ply()).to_lowercase())
    }

    pub fn last_ply(&self) -> LastPly {
        match self {
            Counter::Carrybit(_, last_ply) | Counter::Cozy(last_ply) => *last_ply,
            Counter::Chess => LastPly::Counted,
            Counter::Shakmaty | Counter::Stockfish(_) => LastPly::Written,
        }
    }

    /// Counts the leaves of `depth` plies. Returns their number and the time in seconds.
    pub fn count(&mut self, fen: &str, depth: u32) -> Result<(u64, f64), String> {
        match self {
            Counter::Carrybit(level, last_ply) => {
                cpu::set_level(*level)?;
                let board: Board = parse(fen)?;
                let mut lists = vec![MoveList::new(); depth as usize + 1];
                Ok(timed(|| carrybit(black_box(&board), depth, *last_ply, &mut lists)))
            }
            Counter::Cozy(last_ply) => {
                let board: cozy_chess::Board = parse(fen)?;
                let makes = *last_ply == LastPly::Made;
                Ok(timed(|| cozy(black_box(&board), depth, makes)))
            }
            Counter::Chess => {
                let board: chess::Board = parse(fen)?;
                let depth = depth as usize;
                Ok(timed(|| chess::MoveGen::movegen_perft_test(black_box(&board), depth) as u64))
            }
            Counter::Shakmaty => {
                let fen: shakmaty::fen::Fen = parse(fen)?;
                let board: shakmaty::Chess = fen
                    .into_position(shakmaty::CastlingMode::Standard)
                    .map_err(|error| error.to_string())?;
                Ok(timed(|| shakmaty::perft(black_box(&board), depth)))
            }
            Counter::Stockfish(engine) => engine.count(fen, depth),
        }
    }
}

pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
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

/// Counts one leaf, and prevents the compiler from removing it.
fn made<B>(leaf: &B) -> u64 {
    black_box(leaf);
    1
}

/// The leaves of `depth` plies, at least one.
fn carrybit(board: &Board, depth: u32, last_ply: LastPly, lists: &mut [MoveList]) -> u64 {
    match (depth, last_ply) {
        (1, LastPly::Counted) => return board.count_legal(),
        (2, LastPly::Counted) => return board.count_replies(),
        _ => {}
    }
    let (moves, rest) = lists.split_first_mut().expect("a list for each ply");
    moves.clear();
    board.generate(Stage::All, moves);
    if depth == 1 && last_ply == LastPly::Written {
        return black_box(moves).len() as u64;
    }
    let mut leaves = 0;
    for &mv in moves.iter() {
        let child = board.make(mv);
        leaves +=
            if depth == 1 { made(&child) } else { carrybit(&child, depth - 1, last_ply, rest) };
    }
    leaves
}

/// The leaves of `depth` plies, at least one.
fn cozy(board: &cozy_chess::Board, depth: u32, makes: bool) -> u64 {
    let mut leaves = 0;
    if depth == 1 && !makes {
        board.generate_moves(|moves| {
            leaves += moves.len() as u64;
            false
        });
        return leaves;
    }
    board.generate_moves(|moves| {
        for mv in moves {
            let mut child = board.clone();
            child.play_unchecked(mv);
            leaves += if depth == 1 { made(&child) } else { cozy(&child, depth - 1, makes) };
        }
        false
    });
    leaves
}

pub struct Stockfish {
    name: String,
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Stockfish {
    /// Starts the program `stockfish`; `None` if it is not in the path.
    pub fn find() -> Option<Stockfish> {
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

    /// Returns the number of leaves and the time in seconds: CPU time if the system reports it,
    /// otherwise wall time.
    fn count(&mut self, fen: &str, depth: u32) -> Result<(u64, f64), String> {
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

impl Drop for Stockfish {
    fn drop(&mut self) {
        // If sending fails, Stockfish has exited, or has closed its input and may never exit.
        if self.send("quit").is_err() {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}
