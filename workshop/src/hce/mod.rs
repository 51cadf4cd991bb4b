//! The hand-crafted evaluation, which plays the games that the first network learns
//! from.
//!
//! A position is worth the sum of its terms (see [`terms`]), each of which has
//! one value for the middle game and one for the endgame; the pieces left on the
//! board say how much of each counts. All arithmetic is on integers, and what
//! White has in one position Black has in the mirrored one.
//!
//! The weights in `weights.rs` are written by the tuner ([`tune`](crate::tune)),
//! which runs this very code and listens to it through [`trace`].
//!
//! Reading order: [`sums`] is kept up to date by the moves, `pawns` is looked up by the
//! key of pawns and kings, with `shelter` before these; `pieces` walks over the rest,
//! and from its marks `threats`, `passed` and [`king`] draw their conclusions.
//! [`endgame`] has the last word.

mod geometry;

pub mod tapered;

pub mod terms;

pub mod weights;

pub mod trace;

pub mod sums;

mod shelter;

mod pawns;

mod pieces;

mod threats;

mod passed;

pub mod king;

pub mod endgame;

mod cache;

use carrybit::board::{Board, Color, Kind};
use carrybit::eval::{Evaluator, STACK_LEN, endings};
use carrybit::score::{self, Score};

use self::cache::EvalCache;
use self::endgame::SCALE_FULL;
use self::pawns::{PawnTable, Structure};
use self::pieces::Attacks;
use self::sums::{PHASE_MAX, Sums};
use self::tapered::Tapered;
use self::trace::{DangerTally, Silent, Tally, TermLog, Trace};

/// What the evaluator goes by, in a few words; kept beside the games it has played.
pub const NAME: &str = "hand-crafted evaluation";

/// The hand-crafted evaluator.
pub struct Hce {
    /// The sums of each position from the root to the present one.
    stack: Box<[Sums; STACK_LEN]>,
    /// How far the present position is from the root.
    ply: usize,
    pawn_table: PawnTable,
    cache: EvalCache,
}

impl Hce {
    /// An evaluator with empty caches. It must be [reset](Evaluator::reset) to a
    /// position before it can evaluate.
    #[must_use]
    pub fn new() -> Hce {
        Hce {
            stack: Box::new([Sums::default(); STACK_LEN]),
            ply: 0,
            pawn_table: PawnTable::new(),
            cache: EvalCache::new(),
        }
    }

    /// The running sums of the present position.
    #[must_use]
    pub fn sums(&self) -> &Sums {
        &self.stack[self.ply]
    }

    /// Evaluates without looking into the cache or storing there.
    pub fn evaluate_uncached(&mut self, board: &Board) -> Score {
        if let Some(known) = endings::known(board) {
            return known;
        }
        let sums = &self.stack[self.ply];
        let pawns = self.pawn_table.get(board);
        let value = assess(board, sums, pawns, &mut Silent).blended(sums.phase());
        let white = scaled(value, |strong| endgame::scale(board, sums, pawns, strong));
        score::clamp_eval(if board.side() == Color::White { white } else { -white })
    }
}

impl Default for Hce {
    fn default() -> Hce {
        Hce::new()
    }
}

impl Evaluator for Hce {
    type Changes = Sums;

    fn reset(&mut self, board: &Board) {
        self.ply = 0;
        self.stack[0] = Sums::of(board);
    }

    #[inline]
    fn push(&mut self) -> &mut Sums {
        self.stack[self.ply + 1] = self.stack[self.ply];
        self.ply += 1;
        &mut self.stack[self.ply]
    }

    #[inline]
    fn pop(&mut self) {
        self.ply -= 1;
    }

    fn evaluate(&mut self, board: &Board) -> Score {
        debug_assert!(!board.in_check());
        debug_assert_eq!(*self.sums(), Sums::of(board));
        if let Some(eval) = self.cache.get(board.key()) {
            return eval;
        }
        let eval = self.evaluate_uncached(board);
        self.cache.put(board.key(), eval);
        eval
    }
}

/// All that the terms say about a position, from White's view.
struct Assessment {
    /// The sum of the linear terms.
    linear: Tapered,
    /// The danger to each king, in units of danger.
    danger: [i32; 2],
}

impl Assessment {
    /// Middle game and endgame in one, in centipawns from White's view.
    #[inline]
    fn blended(&self, phase: i32) -> Score {
        let [white, black] = self.danger.map(king::price);
        let value = self.linear - white + black;
        (value.mg() * phase + value.eg() * (PHASE_MAX - phase)) / PHASE_MAX
    }
}

/// A value with the part of it that `scale` grants the side that is ahead.
#[inline]
fn scaled(value: Score, scale: impl Fn(Color) -> i32) -> Score {
    let strong = if value > 0 { Color::White } else { Color::Black };
    value * scale(strong) / SCALE_FULL
}

/// Adds up all terms but those of the pawn structure and of the running sums,
/// which come in as already known; a listening trace hears the latter, too.
fn assess<T: Trace>(board: &Board, sums: &Sums, pawns: &Structure, trace: &mut T) -> Assessment {
    let mut linear = sums.placement + pawns.score;
    let mut danger = [0; 2];
    let mut attacks = [Attacks::new(), Attacks::new()];
    let [white, black] = &mut attacks;
    white.muster(board, pawns, Color::White);
    black.muster(board, pawns, Color::Black);
    let mut tally = Tally::new(Color::White, trace);
    pieces::sweep(board, pawns, Color::White, white, black, &mut tally);
    linear += tally.sum;
    let mut tally = Tally::new(Color::Black, trace);
    pieces::sweep(board, pawns, Color::Black, black, white, &mut tally);
    linear -= tally.sum;
    for (side, ours, theirs) in [(Color::White, &*white, &*black), (Color::Black, black, white)] {
        let mut tally = Tally::new(side, trace);
        threats::add(board, side, ours, theirs, &mut tally);
        passed::add(board, pawns, side, ours, theirs, &mut tally);
        if board.side() == side {
            tally.add(terms::TEMPO.at(0));
        }
        linear += tally.sum.from_white(side);
        let mut tally = DangerTally::new(side, trace);
        king::add_danger(board, pawns, side, ours, theirs, &mut tally);
        danger[side.index()] = tally.sum;
    }
    Assessment { linear, danger }
}

/// A position's evaluation as the tuner needs it.
#[derive(Clone, Debug)]
pub struct Traced {
    /// Every term and how often it counts.
    pub log: TermLog,
    /// The phase, 0 to [`PHASE_MAX`].
    pub phase: i32,
    /// The scale if White, and if Black, is ahead.
    pub scale: [i32; 2],
    /// The value in centipawns from White's view before it is scaled.
    pub unscaled: Score,
}

/// Evaluates a position and writes down every term. `None` if its value is known
/// without counting terms.
#[must_use]
pub fn traced(board: &Board) -> Option<Traced> {
    if endings::known(board).is_some() {
        return None;
    }
    let sums = Sums::of(board);
    let mut log = TermLog::default();
    for side in Color::ALL {
        for (sq, piece) in board.pieces(side) {
            let Some(kind) = piece.kind() else { continue };
            if kind != Kind::King {
                log.linear(side, terms::MATERIAL.at(kind.index()), 1);
            }
            log.linear(side, sums::placement_term(side, kind, sq), 1);
        }
    }
    let pawns = Structure::of(board, &mut log);
    let unscaled = assess(board, &sums, &pawns, &mut log).blended(sums.phase());
    let scale = Color::ALL.map(|strong| endgame::scale(board, &sums, &pawns, strong));
    Some(Traced { log, phase: sums.phase(), scale, unscaled })
}
