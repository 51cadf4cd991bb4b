//! The numbers by which a node decides, each named once.
//!
//! Suffixes: `_CP` centipawns, `_PLIES` plies of depth, `_1024` 1/1024ths,
//! `_PER_DEPTH` is multiplied by the depth left, `_MAX_DEPTH` is the greatest
//! depth at which a technique is used.

use crate::board::SeeValues;

/// Values of pawn to king for exchanges, in centipawns.
pub const SEE_VALUES: SeeValues = [100, 320, 330, 500, 900, 0];

/// Half the first aspiration window, in centipawns.
pub const ASPIRATION_CP: i32 = 14;
/// From this iteration on the window is narrow at first.
pub const ASPIRATION_MIN_DEPTH: i32 = 5;
/// A window grown beyond this is opened altogether.
pub const ASPIRATION_OPEN_CP: i32 = 500;
/// How many plies a search that fails high may be shortened by.
pub const ASPIRATION_MAX_REDUCTION: i32 = 3;

/// Reverse futility: the margin for each ply left.
pub const REVERSE_FUTILITY_CP_PER_DEPTH: i32 = 78;
/// Reverse futility is used up to this depth.
pub const REVERSE_FUTILITY_MAX_DEPTH: i32 = 8;

/// Null move: the least depth.
pub const NULL_MOVE_MIN_DEPTH: i32 = 3;
/// Null move: how far above beta the static evaluation must be at depth 0.
pub const NULL_MOVE_MARGIN_CP: i32 = 130;
/// Null move: how much less it may be for each ply left.
pub const NULL_MOVE_CP_PER_DEPTH: i32 = 13;
/// Null move: plies it is reduced by, besides those below.
pub const NULL_MOVE_REDUCTION_PLIES: i32 = 4;
/// Null move: one ply more for so many plies left.
pub const NULL_MOVE_DEPTH_DIV: i32 = 4;
/// Null move: one ply more for so much evaluation above beta.
pub const NULL_MOVE_EVAL_DIV_CP: i32 = 220;
/// Null move: the most plies that the evaluation adds.
pub const NULL_MOVE_EVAL_MAX_PLIES: i32 = 3;

/// Internal iterative reduction: the least depth.
pub const IIR_MIN_DEPTH: i32 = 4;

/// Late moves: how many moves are tried at depth 0 before quiet ones are left
/// out; half of that if things are not improving.
pub const LATE_MOVES_BASE: i32 = 4;
/// Late move pruning is used up to this depth.
pub const LATE_MOVES_MAX_DEPTH: i32 = 8;

/// Futility: the margin at depth 0.
pub const FUTILITY_BASE_CP: i32 = 100;
/// Futility: the margin for each ply left.
pub const FUTILITY_CP_PER_DEPTH: i32 = 80;
/// Futility is used up to this (reduced) depth.
pub const FUTILITY_MAX_DEPTH: i32 = 7;

/// Checks extend a line up to so many plies for each of the iteration's.
pub const CHECK_EXTENSION_PLIES_PER_DEPTH: i32 = 2;

/// Exchanges: how much a quiet move may lose, for each ply left squared.
pub const SEE_QUIET_CP_PER_DEPTH_SQUARED: i32 = 25;
/// Exchanges: how much a capture may lose, for each ply left.
pub const SEE_NOISY_CP_PER_DEPTH: i32 = 90;
/// Exchanges prune moves up to this depth.
pub const SEE_PRUNING_MAX_DEPTH: i32 = 9;

/// One ply, as reductions count.
pub const PLY_1024: i32 = 1024;
/// Reductions: the least depth.
pub const LMR_MIN_DEPTH: i32 = 2;
/// Reductions: the first move (counted from 1) to be reduced.
pub const LMR_MIN_MOVE: i32 = 3;
/// Reduction of quiet moves: constant part.
pub const LMR_QUIET_BASE_1024: i32 = 820;
/// Reduction of quiet moves: the product of logarithms is divided by this.
pub const LMR_QUIET_DIV_1024: i32 = 2300;
/// Reduction of noisy moves: constant part.
pub const LMR_NOISY_BASE_1024: i32 = 200;
/// Reduction of noisy moves: the product of logarithms is divided by this.
pub const LMR_NOISY_DIV_1024: i32 = 3500;
/// Reductions: so much history is worth one ply.
pub const LMR_HISTORY_DIV: i32 = 8192;
/// Reductions: less where the position is, or was, on a principal variation.
pub const LMR_PV_1024: i32 = 1024;
/// Reductions: more in nodes expected to fail high.
pub const LMR_CUTNODE_1024: i32 = 1024;
/// Reductions: more if the evaluation is not improving.
pub const LMR_NOT_IMPROVING_1024: i32 = 512;
/// Reductions: less for a move that gives check.
pub const LMR_CHECK_1024: i32 = 1024;

/// Quiescence: the margin under alpha at which a capture is hopeless.
pub const QUIESCENCE_FUTILITY_CP: i32 = 180;

/// History scores stay within plus and minus this.
pub const HISTORY_MAX: i32 = 8192;
/// History: bonus for each ply left.
pub const HISTORY_BONUS_PER_DEPTH: i32 = 140;
/// History: taken off the bonus.
pub const HISTORY_BONUS_OFFSET: i32 = 80;
/// History: the greatest bonus.
pub const HISTORY_BONUS_MAX: i32 = 1500;

/// Above this the fifty-move clock makes table scores doubtful.
pub const TABLE_MAX_HALFMOVE: u16 = 90;
