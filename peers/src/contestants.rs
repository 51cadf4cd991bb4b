//! The programs and crates that count leaves.

use std::fs;
use std::hint::black_box;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use carrybit::board::{Board, MoveList, Stage};
use carrybit::sys::cpu::{self, Level};
use cpu_time::ThreadTime;

/// How the moves of the last ply are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastPly {
    /// The moves are counted without being written; Carrybit has one function for the
    /// last two plies together.
    Counted,
    /// The moves are written into a list, and that is counted.
    Written,
    /// Every move is made, in the loop over the moves, without a call that would only return
    /// 1.
    Made,
}

impl LastPly {
    /// All ways.
    pub const ALL: [LastPly; 3] = [LastPly::Counted, LastPly::Written, LastPly::Made];

    /// The name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            LastPly::Counted => "counted",
            LastPly::Written => "written",
            LastPly::Made => "made",
        }
    }
}

/// A program or crate that counts leaves.
pub enum Counter {
    /// Carrybit with these vector instructions.
    Ours(Level, LastPly),
    /// cozy-chess: a crate on bitboards, MIT.
    Cozy(LastPly),
    /// chess: a crate on bitboards, MIT.
    Chess,
    /// shakmaty: a crate on bitboards, GPL-3.
    Shakmaty,
    /// Stockfish as found on the machine, GPL-3.
    Stockfish(Box<Stockfish>),
}

impl Counter {
    /// The name in tables, with the way of counting.
    pub fn name(&self) -> String {
        match self {
            Counter::Ours(level, way) => format!("Carrybit {level}, {}", way.name()),
            Counter::Cozy(way) => format!("cozy-chess, {}", way.name()),
            Counter::Chess => "chess, counted".to_owned(),
            Counter::Shakmaty => "shakmaty, written".to_owned(),
            Counter::Stockfish(engine) => format!("{}, written", engine.name),
        }
    }

    /// How the moves of the last ply are counted.
    pub fn last_ply(&self) -> LastPly {
        match self {
            Counter::Ours(_, way) | Counter::Cozy(way) => *way,
            Counter::Chess => LastPly::Counted,
            Counter::Shakmaty | Counter::Stockfish(_) => LastPly::Written,
        }
    }

    /// Counts the leaves of `depth` plies from `fen`. Returns their number, and
    /// the seconds it took.
    ///
    /// # Errors
    /// The position cannot be read, or Stockfish does not answer.
    pub fn count(&mut self, fen: &str, depth: u32) -> Result<(u64, f64), String> {
        match self {
            Counter::Ours(level, way) => {
                cpu::set_level(*level)?;
                let board: Board = parse(fen)?;
                let mut lists = vec![MoveList::new(); depth as usize + 1];
                Ok(timed(|| ours(black_box(&board), depth, *way, &mut lists)))
            }
            Counter::Cozy(way) => {
                let board: cozy_chess::Board = parse(fen)?;
                let makes = *way == LastPly::Made;
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

fn parse<T: std::str::FromStr<Err: std::fmt::Display>>(fen: &str) -> Result<T, String> {
    fen.parse().map_err(|error| format!("{fen}: {error}"))
}

/// The result, and its processor time in seconds, which other programs disturb less than
/// the clock's time.
fn timed(count: impl FnOnce() -> u64) -> (u64, f64) {
    let start = ThreadTime::now();
    let leaves = count();
    (leaves, start.elapsed().as_secs_f64())
}

/// One leaf. The compiler must not leave out making it.
fn made<B>(leaf: &B) -> u64 {
    black_box(leaf);
    1
}

/// The leaves of `depth` plies, at least one.
fn ours(board: &Board, depth: u32, way: LastPly, lists: &mut [MoveList]) -> u64 {
    match (depth, way) {
        (1, LastPly::Counted) => return board.count_legal(),
        (2, LastPly::Counted) => return board.count_replies(),
        _ => {}
    }
    let (moves, rest) = lists.split_first_mut().expect("a list for each ply");
    moves.clear();
    board.generate(Stage::All, moves);
    if depth == 1 && way == LastPly::Written {
        return black_box(moves).len() as u64;
    }
    let mut leaves = 0;
    for &mv in moves.iter() {
        let child = board.make(mv);
        leaves += if depth == 1 { made(&child) } else { ours(&child, depth - 1, way, rest) };
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

/// A running Stockfish.
pub struct Stockfish {
    name: String,
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Stockfish {
    /// Starts the program `stockfish`, if there is one on the path.
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
        engine.say("uci").ok()?;
        engine.name = engine.read_after("id name ").ok()?;
        engine.read_after("uciok").ok()?;
        Some(engine)
    }

    /// Stockfish's count, and the seconds from the command to the result: processor time if
    /// the system has it, else by the clock.
    fn count(&mut self, fen: &str, depth: u32) -> Result<(u64, f64), String> {
        self.say(&format!("position fen {fen}\nisready"))?;
        self.read_after("readyok")?;
        let (used, start) = (self.processor_seconds(), Instant::now());
        self.say(&format!("go perft {depth}"))?;
        let leaves = self.read_after("Nodes searched: ")?;
        // By the clock first: reading the processor time takes a moment.
        let by_clock = start.elapsed().as_secs_f64();
        let seconds = match (used, self.processor_seconds()) {
            (Some(before), Some(after)) if after > before => after - before,
            _ => by_clock,
        };
        Ok((leaves.parse().map_err(|_| format!("Stockfish counted {leaves:?}"))?, seconds))
    }

    /// The processor time of all its threads, on Linux.
    fn processor_seconds(&self) -> Option<f64> {
        let mut nanoseconds = 0;
        for thread in fs::read_dir(format!("/proc/{}/task", self.child.id())).ok()? {
            let text = fs::read_to_string(thread.ok()?.path().join("schedstat")).ok()?;
            nanoseconds += text.split_whitespace().next()?.parse::<u64>().ok()?;
        }
        Some(nanoseconds as f64 / 1e9)
    }

    fn say(&mut self, line: &str) -> Result<(), String> {
        writeln!(self.input, "{line}").map_err(|error| format!("Stockfish: {error}"))
    }

    /// Reads up to the next line that begins with `start`; returns the rest of that line.
    fn read_after(&mut self, start: &str) -> Result<String, String> {
        loop {
            let mut line = String::new();
            match self.output.read_line(&mut line) {
                Ok(0) | Err(_) => return Err("Stockfish has left".to_owned()),
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
        // It has exited, or closed its input and may never exit.
        if self.say("quit").is_err() {
            log_failure(self.child.kill());
        }
        log_failure(self.child.wait());
    }
}

fn log_failure<T>(result: std::io::Result<T>) {
    if let Err(error) = result {
        eprintln!("Stockfish: {error}");
    }
}
