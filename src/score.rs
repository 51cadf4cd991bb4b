//! Scores in centipawns from the side to move's view.
//!
//! | score | meaning |
//! |---|---|
//! | up to [`EVAL_LIMIT`] | evaluation |
//! | from [`TABLEBASE_WIN_BOUND`] | tablebase win at ply n: [`TABLEBASE_WIN`] - n |
//! | from [`MATE_BOUND`] | mate at ply n: [`MATE`] - n |

/// Centipawns, or a mate distance, from the side to move's view.
pub type Score = i32;

/// The largest distance from the root in the search, in plies.
pub const MAX_PLY: usize = 240;

/// The deepest iteration, in plies.
pub const MAX_DEPTH: i32 = 240;

/// Greater than every score.
pub const INFINITE: Score = 32_001;

/// Mate at ply 0; mate in `n` plies is `MATE - n`.
pub const MATE: Score = 32_000;

/// Scores of at least this are forced mates.
pub const MATE_BOUND: Score = MATE - MAX_PLY as Score;

/// A tablebase win at ply 0; `TABLEBASE_WIN - n` if a move at ply `n` reaches it.
pub const TABLEBASE_WIN: Score = MATE_BOUND - 1;

/// Scores of at least this are wins, by tablebase or by mate. Up to twice [`MAX_PLY`] is
/// subtracted from a tablebase win: a score from the transposition table has the plies from the
/// root and those from its own node.
pub const TABLEBASE_WIN_BOUND: Score = TABLEBASE_WIN - 2 * MAX_PLY as Score;

/// Static evaluations stay within `-EVAL_LIMIT..=EVAL_LIMIT`.
pub const EVAL_LIMIT: Score = 29_000;

/// A drawn position.
pub const DRAW: Score = 0;

/// Stands for the missing static evaluation of a position in check. (An `Option` would not fit
/// into the 16 bits that an entry of the transposition table has for an evaluation.)
pub const NO_EVAL: Score = 32_002;

// The ranges do not overlap.
const _: () = assert!(EVAL_LIMIT < TABLEBASE_WIN_BOUND && MATE < INFINITE && INFINITE < NO_EVAL);

/// The side to move is mated at `ply` from the root.
#[inline]
pub const fn mated_at(ply: usize) -> Score {
    ply as Score - MATE
}

/// The side to move mates at `ply` from the root.
#[inline]
pub const fn mate_at(ply: usize) -> Score {
    MATE - ply as Score
}

/// The side to move reaches a tablebase win at `ply` from the root.
#[inline]
pub const fn tablebase_win_at(ply: usize) -> Score {
    TABLEBASE_WIN - ply as Score
}

/// Whether the score is a forced win for the side to move: a mate or a tablebase win.
#[inline]
pub const fn is_win(score: Score) -> bool {
    score >= TABLEBASE_WIN_BOUND
}

/// Whether the score is a forced loss for the side to move; see [`is_win`].
#[inline]
pub const fn is_loss(score: Score) -> bool {
    score <= -TABLEBASE_WIN_BOUND
}

/// Whether the score is a forced win for either side; see [`is_win`].
#[inline]
pub const fn is_decisive(score: Score) -> bool {
    is_win(score) || is_loss(score)
}

/// Whether the score is a forced mate for either side.
#[inline]
pub const fn is_mate(score: Score) -> bool {
    score.abs() >= MATE_BOUND
}

/// Moves (not plies) to mate, as UCI counts them: positive if the side to move mates,
/// negative if it gets mated, and zero if it is mated already. `None` if the score is
/// not a mate.
pub fn mate_in_moves(score: Score) -> Option<i32> {
    is_mate(score).then_some((MATE - score.abs() + 1) / 2 * score.signum())
}

/// A static evaluation, clamped to stay out of the range of forced wins.
#[inline]
pub fn clamp_eval(eval: Score) -> Score {
    eval.clamp(-EVAL_LIMIT, EVAL_LIMIT)
}
