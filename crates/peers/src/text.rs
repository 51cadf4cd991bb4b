//! `peers text`: compares the speed of text and of single operations (FEN, SAN, UCI, playing a
//! move) with cozy-chess and shakmaty.
//!
//! Every row runs over the same positions and moves in one process. The contestants take turns
//! after each block of positions, and every block gets fresh boards, because Carrybit caches
//! checks and pins in a board.

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Duration;

use carrybit_board::random::splitmix64;
use carrybit_board::{Board, Game};
use clap::Parser;
use cpu_time::ThreadTime;

use crate::contestants::median;
use crate::libraries::{Carrybit, Cozy, Library, Shakmaty};

/// Positions of a block: few enough for the boards to stay in the first cache.
const BLOCK: usize = 50;

/// Copies of each board: one copy of a block takes less time than reading the clock.
const CLONES: u32 = 16;

/// Plies of a random game, after which the next begins.
const GAME_PLIES: usize = 120;

/// Compares text and single operations with cozy-chess and shakmaty
#[derive(Parser)]
pub struct Arguments {
    /// Positions, one FEN or EPD a line, instead of those of random games
    #[arg(long, value_name = "FILE")]
    epd: Option<PathBuf>,
    /// Positions of random games
    #[arg(long, default_value_t = 20_000)]
    positions: usize,
    /// Rounds; the result is their median
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,
    /// Only rows whose names contain this text
    #[arg(long, default_value = "")]
    only: String,
}

/// One position: how it is reached, and a move in it.
struct Sample {
    parent: String,
    last: String,
    fen: String,
    uci: String,
    san: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Row {
    ParseUci,
    PrintUci,
    ParseFen,
    PrintFen,
    ParseSan,
    PrintSan,
    Play,
    PlayCopy,
    Clone,
    Legal,
    Count,
    Status,
}

impl Row {
    const ALL: [(Row, &str); 12] = [
        (Row::ParseUci, "parse UCI, legal"),
        (Row::PrintUci, "print UCI"),
        (Row::ParseFen, "parse FEN"),
        (Row::PrintFen, "print FEN"),
        (Row::ParseSan, "parse SAN"),
        (Row::PrintSan, "print SAN"),
        (Row::Play, "play in place"),
        (Row::PlayCopy, "play on a copy"),
        (Row::Clone, "clone"),
        (Row::Legal, "legal moves in a list"),
        (Row::Count, "count legal moves"),
        (Row::Status, "status"),
    ];
}

/// The samples as one library stores them.
struct Prepared<L: Library> {
    boards: Vec<L::Board>,
    moves: Vec<L::Move>,
}

impl<L: Library> Prepared<L> {
    fn new(samples: &[Sample]) -> Result<Self, String> {
        let mut prepared = Prepared { boards: Vec::new(), moves: Vec::new() };
        for sample in samples {
            let (board, mv) = prepare::<L>(sample)
                .ok_or_else(|| format!("{} cannot read {}", L::NAME, sample.fen))?;
            prepared.boards.push(board);
            prepared.moves.push(mv);
        }
        Ok(prepared)
    }

    /// Runs one block. Returns the CPU time, without that of reading the clock, and a sum of the
    /// results, equal for all libraries.
    fn run(&self, row: Row, samples: &[Sample], at: usize, clock: Duration) -> (Duration, u64) {
        let block = at..(at + BLOCK).min(samples.len());
        let (samples, moves) = (&samples[block.clone()], &self.moves[block.clone()]);
        let mut boards = self.boards[block].to_vec();
        let start = ThreadTime::now();
        let each = boards.iter().zip(moves).zip(samples);
        let texts = |text: String| {
            black_box(&text);
            text.len() as u64
        };
        let found = |is_found: bool| u64::from(black_box(is_found));
        let sum: u64 = match row {
            Row::ParseUci => {
                each.map(|((b, _), s)| found(black_box(L::parse_uci(b, &s.uci)).is_some())).sum()
            }
            Row::PrintUci => each.map(|((b, &mv), _)| texts(L::print_uci(b, mv))).sum(),
            Row::ParseFen => {
                each.map(|(_, s)| found(black_box(L::parse_fen(&s.fen)).is_some())).sum()
            }
            // Libraries differ in when they write an en passant square.
            Row::PrintFen => each.map(|((b, _), _)| found(texts(L::print_fen(b)) > 0)).sum(),
            Row::ParseSan => {
                each.map(|((b, _), s)| found(black_box(L::parse_san(b, &s.san)).is_some())).sum()
            }
            Row::PrintSan => each.map(|((b, &mv), _)| texts(L::print_san(b, mv))).sum(),
            Row::Play => {
                for (board, &mv) in boards.iter_mut().zip(moves) {
                    L::play(board, mv);
                    black_box(board);
                }
                0
            }
            Row::PlayCopy => {
                each.for_each(|((b, &mv), _)| {
                    black_box(&L::play_copy(b, mv));
                });
                0
            }
            Row::Clone => {
                for board in boards.iter().cycle().take(boards.len() * CLONES as usize) {
                    black_box(&board.clone());
                }
                0
            }
            Row::Legal => each.map(|((b, _), _)| L::legal_moves(b)).sum(),
            Row::Count => each.map(|((b, _), _)| L::count(b)).sum(),
            Row::Status => each.map(|((b, _), _)| found(L::is_mate_or_stalemate(b))).sum(),
        };
        let time = start.elapsed().saturating_sub(clock);
        (if row == Row::Clone { time / CLONES } else { time }, sum)
    }
}

fn prepare<L: Library>(sample: &Sample) -> Option<(L::Board, L::Move)> {
    let mut board = L::parse_fen(&sample.parent)?;
    let last = L::parse_uci(&board, &sample.last)?;
    L::play(&mut board, last);
    let mv = L::parse_uci(&board.clone(), &sample.uci)?;
    let agrees = L::print_san(&board.clone(), mv) == sample.san
        && L::print_uci(&board, mv) == sample.uci
        && L::parse_san(&board.clone(), &sample.san) == Some(mv);
    agrees.then_some((board, mv))
}

/// The sample after a random move in `parent`; `None` if the game ends there.
fn sample(parent: &Board, seed: u64) -> Option<Sample> {
    let pick = |board: &Board, seed: u64| {
        let moves = board.legal_moves();
        (!moves.is_empty()).then(|| moves[splitmix64(seed) as usize % moves.len()])
    };
    let last = pick(parent, 2 * seed)?;
    let board = parent.make(last);
    let mv = pick(&board, 2 * seed + 1)?;
    Some(Sample {
        parent: parent.fen(),
        last: last.to_string(),
        fen: board.fen(),
        uci: mv.to_string(),
        san: board.san(mv),
    })
}

/// Positions of random games from the starts of the perft comparison.
fn random_samples(starts: &[&str], wanted: usize) -> Result<Vec<Sample>, String> {
    let mut samples = Vec::new();
    let (mut game, mut seed) = (Game::default(), 0);
    while samples.len() < wanted {
        seed += 1;
        if seed as usize % GAME_PLIES == 1 || game.outcome().is_some() {
            let start = starts[seed as usize / GAME_PLIES % starts.len()];
            game = Game::new(start.parse().map_err(|error| format!("{start}: {error}"))?);
        }
        if let Some(sample) = sample(game.board(), seed) {
            game.play_uci(&sample.last).map_err(|error| error.to_string())?;
            if is_known_to_all(&sample) {
                samples.push(sample);
            }
        } else {
            game = Game::default();
        }
    }
    Ok(samples)
}

fn read_samples(path: &Path) -> Result<Vec<Sample>, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut samples = Vec::new();
    for (number, line) in text.lines().enumerate() {
        // An EPD has its operations after four fields.
        let fields: Vec<&str> = line.split_whitespace().take(6).collect();
        let is_fen = fields.len() == 6 && fields[4..].iter().all(|f| f.parse::<u16>().is_ok());
        let fen = fields[..fields.len().min(if is_fen { 6 } else { 4 })].join(" ");
        let board: Board = match fen.parse() {
            Ok(board) => board,
            Err(_) if fen.is_empty() => continue,
            Err(error) => return Err(format!("line {}: {error}", number + 1)),
        };
        samples.extend(sample(&board, number as u64).filter(is_known_to_all));
    }
    Ok(samples)
}

/// Whether all libraries accept the sample: some refuse unreachable checks and long clocks.
fn is_known_to_all(sample: &Sample) -> bool {
    prepare::<Cozy>(sample).is_some() && prepare::<Shakmaty>(sample).is_some()
}

/// The CPU time that reading the clock adds to a block.
fn clock_time() -> Duration {
    const TIMES: u32 = 10_000;
    (0..TIMES).map(|_| ThreadTime::now().elapsed()).sum::<Duration>() / TIMES
}

/// Measures all rows and prints the table.
pub fn run(arguments: &Arguments, starts: &[&str]) -> Result<(), String> {
    let samples = match &arguments.epd {
        Some(path) => read_samples(path)?,
        None => random_samples(starts, arguments.positions)?,
    };
    if samples.is_empty() {
        return Err("no position that all libraries accept".to_owned());
    }
    let carrybit = Prepared::<Carrybit>::new(&samples)?;
    let cozy = Prepared::<Cozy>::new(&samples)?;
    let shakmaty = Prepared::<Shakmaty>::new(&samples)?;
    let clock = clock_time();
    println!("CPU time in ns, {} positions; ratio: above 1, Carrybit is faster", samples.len());
    println!("than the faster of the two others");
    let names = [Carrybit::NAME, Cozy::NAME, Shakmaty::NAME];
    println!("{:<22} {:>10} {:>10} {:>10} {:>7}", "", names[0], names[1], names[2], "ratio");
    for (row, name) in Row::ALL.into_iter().filter(|(_, name)| name.contains(&arguments.only)) {
        let mut times = [const { Vec::new() }; 3];
        let mut ratios = Vec::new();
        for _ in 0..arguments.rounds {
            let mut totals = [Duration::ZERO; 3];
            for at in (0..samples.len()).step_by(BLOCK) {
                let results = [
                    carrybit.run(row, &samples, at, clock),
                    cozy.run(row, &samples, at, clock),
                    shakmaty.run(row, &samples, at, clock),
                ];
                if results.iter().any(|(_, sum)| *sum != results[0].1) {
                    return Err(format!("{name}: the results differ: {results:?}"));
                }
                totals.iter_mut().zip(&results).for_each(|(total, result)| *total += result.0);
            }
            let per_position = totals.map(|total| total.as_nanos() as f64 / samples.len() as f64);
            times.iter_mut().zip(per_position).for_each(|(times, time)| times.push(time));
            ratios.push(per_position[1].min(per_position[2]) / per_position[0]);
        }
        let [ours, theirs @ ..] = times.map(median);
        let ratio = median(ratios);
        println!("{name:<22} {ours:>10.1} {:>10.1} {:>10.1} {ratio:>7.2}", theirs[0], theirs[1]);
    }
    Ok(())
}
