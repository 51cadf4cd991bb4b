//! `peers text`: compares the speed of text and of single operations (FEN, SAN, UCI, playing a
//! move) with cozy-chess and shakmaty.
//!
//! Every row runs over the same positions and moves in one process. The contestants take turns
//! after each block of positions, and every block gets fresh boards, because Carrybit caches
//! checks and pins in a board.

use std::error::Error;
use std::hint::black_box;
use std::time::Duration;

use carrybit_board::random::splitmix64;
use carrybit_board::{Board, Game};
use cpu_time::ThreadTime;

use crate::libraries::{Carrybit, Cozy, Library, Shakmaty};
use crate::{RUNS, median};

/// Positions of a block: few enough for the boards to stay in the first cache.
const BLOCK: usize = 50;

/// Plies of a random game, after which the next begins.
const GAME_PLIES: usize = 120;

/// Positions of random games.
const POSITIONS: usize = 20_000;

/// One position: how it is reached, and a move in it.
struct Sample {
    parent: String,
    last: String,
    fen: String,
    uci: String,
    san: String,
}

/// Some positions as one library stores them.
struct Block<'a, L: Library> {
    boards: Vec<L::Board>,
    moves: &'a [L::Move],
    samples: &'a [Sample],
}

impl<L: Library> Block<'_, L> {
    fn sum(&mut self, of_one: impl Fn(&mut L::Board, L::Move, &Sample) -> u64) -> u64 {
        let each = self.boards.iter_mut().zip(self.moves).zip(self.samples);
        each.map(|((board, &mv), sample)| of_one(board, mv, sample)).sum()
    }
}

/// An operation on each position of a block. The sum of the results is equal for all libraries.
type Operation<L> = fn(&mut Block<'_, L>) -> u64;

fn operations<L: Library>() -> [(&'static str, Operation<L>); 12] {
    fn is_some<T>(found: Option<T>) -> u64 {
        u64::from(black_box(found).is_some())
    }
    fn length(text: String) -> u64 {
        black_box(text).len() as u64
    }
    [
        ("parse UCI, legal", |block| block.sum(|b, _, s| is_some(L::parse_uci(b, &s.uci)))),
        ("print UCI", |block| block.sum(|b, mv, _| length(L::print_uci(b, mv)))),
        ("parse FEN", |block| block.sum(|_, _, s| is_some(L::parse_fen(&s.fen)))),
        // Libraries differ in when they write an en passant square.
        ("print FEN", |block| block.sum(|b, _, _| length(L::print_fen(b)).min(1))),
        ("parse SAN", |block| block.sum(|b, _, s| is_some(L::parse_san(b, &s.san)))),
        ("print SAN", |block| block.sum(|b, mv, _| length(L::print_san(b, mv)))),
        ("play in place", |block| {
            block.sum(|b, mv, _| {
                L::play(b, mv);
                black_box(b);
                0
            })
        }),
        ("play on a copy", |block| block.sum(|b, mv, _| is_some(Some(&L::play_copy(b, mv))))),
        // One clone takes less time than reading the clock for a block.
        ("clone, ten times", |block| {
            block.sum(|b, _, _| {
                (0..10).for_each(|_| {
                    black_box(&b.clone());
                });
                0
            })
        }),
        ("legal moves in a list", |block| block.sum(|b, _, _| L::legal_moves(b))),
        ("count legal moves", |block| block.sum(|b, _, _| L::count(b))),
        ("status", |block| block.sum(|b, _, _| L::is_mate_or_stalemate(b).into())),
    ]
}

/// The samples as one library stores them.
struct Prepared<L: Library> {
    boards: Vec<L::Board>,
    moves: Vec<L::Move>,
}

impl<L: Library> Prepared<L> {
    fn new(samples: &[Sample]) -> Self {
        let prepared = samples.iter().map(|sample| prepare::<L>(sample).expect("a known position"));
        let (boards, moves) = prepared.unzip();
        Prepared { boards, moves }
    }

    /// Runs an operation on a block. Returns the CPU time, without that of reading the clock, and
    /// the sum of the results.
    fn run(&self, row: usize, samples: &[Sample], at: usize, clock: Duration) -> (Duration, u64) {
        let range = at..(at + BLOCK).min(samples.len());
        let boards = self.boards[range.clone()].to_vec();
        let mut block =
            Block::<L> { boards, moves: &self.moves[range.clone()], samples: &samples[range] };
        let (_, operation) = operations()[row];
        let start = ThreadTime::now();
        let sum = operation(&mut block);
        (start.elapsed().saturating_sub(clock), sum)
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
fn random_samples(starts: &[&str]) -> Result<Vec<Sample>, String> {
    let mut samples = Vec::new();
    let (mut game, mut seed) = (Game::default(), 0);
    while samples.len() < POSITIONS {
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

/// Whether all libraries accept the sample: some refuse unreachable checks and long clocks.
fn is_known_to_all(sample: &Sample) -> bool {
    prepare::<Cozy>(sample).is_some() && prepare::<Shakmaty>(sample).is_some()
}

/// The CPU time that reading the clock adds to a block.
fn clock_time() -> Duration {
    const TIMES: u32 = 10_000;
    (0..TIMES).map(|_| ThreadTime::now().elapsed()).sum::<Duration>() / TIMES
}

/// Measures all operations and prints the table.
pub fn run(starts: &[&str]) -> Result<(), Box<dyn Error>> {
    let samples = random_samples(starts)?;
    let carrybit = Prepared::<Carrybit>::new(&samples);
    let cozy = Prepared::<Cozy>::new(&samples);
    let shakmaty = Prepared::<Shakmaty>::new(&samples);
    let clock = clock_time();
    println!("CPU time in ns, {POSITIONS} positions; ratio: above 1, Carrybit is faster");
    println!("than the faster of the two others");
    let names = [Carrybit::NAME, Cozy::NAME, Shakmaty::NAME];
    println!("{:<22} {:>10} {:>10} {:>10} {:>7}", "", names[0], names[1], names[2], "ratio");
    for (row, (name, _)) in operations::<Carrybit>().into_iter().enumerate() {
        let mut times = [const { Vec::new() }; 3];
        let mut ratios = Vec::new();
        for _ in 0..RUNS {
            let mut totals = [Duration::ZERO; 3];
            for at in (0..samples.len()).step_by(BLOCK) {
                let results = [
                    carrybit.run(row, &samples, at, clock),
                    cozy.run(row, &samples, at, clock),
                    shakmaty.run(row, &samples, at, clock),
                ];
                if results.iter().any(|(_, sum)| *sum != results[0].1) {
                    return Err(format!("{name}: the results differ: {results:?}").into());
                }
                totals.iter_mut().zip(&results).for_each(|(total, result)| *total += result.0);
            }
            let per_position = totals.map(|total| total.as_nanos() as f64 / POSITIONS as f64);
            times.iter_mut().zip(per_position).for_each(|(times, time)| times.push(time));
            ratios.push(per_position[1].min(per_position[2]) / per_position[0]);
        }
        let [ours, theirs @ ..] = times.map(median);
        let ratio = median(ratios);
        println!("{name:<22} {ours:>10.1} {:>10.1} {:>10.1} {ratio:>7.2}", theirs[0], theirs[1]);
    }
    Ok(())
}
