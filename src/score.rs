//! Scores and everything that is computed with them: mate distances, draws,
//! the form they take in the transposition table.
//!
//! A [`Score`] is in centipawns from the side to move's view. Values beyond
//! [`MATE_BOUND`] are mates: `MATE - n` wins in `n` plies from the root.

/// Centipawns, or a mate distance, from the side to move's view.
pub type Score = i32;

/// The most plies the search goes down from the root.
pub const MAX_PLY: usize = 240;

/// The deepest iteration, in plies.
pub const MAX_DEPTH: i32 = 240;

/// Beyond every score.
pub const INFINITE: Score = 32_001;

/// The side to move has delivered mate; mate in `n` plies is `MATE - n`.
pub const MATE: Score = 32_000;

/// Scores of at least this are forced mates.
pub const MATE_BOUND: Score = MATE - MAX_PLY as Score;

/// Static evaluations stay within `-EVAL_LIMIT..=EVAL_LIMIT`.
pub const EVAL_LIMIT: Score = 29_000;

/// A drawn position.
pub const DRAW: Score = 0;

/// Stands for "not known" where a table has room for a score only.
pub const UNKNOWN: Score = 32_002;

/// The side to move is mated at `ply` from the root.
#[inline]
#[must_use]
pub const fn mated_at(ply: usize) -> Score {
    ply as Score - MATE
}

/// The side to move mates at `ply` from the root.
#[inline]
#[must_use]
pub const fn mate_at(ply: usize) -> Score {
    MATE - ply as Score
}

/// Whether the score is a forced mate for the side to move.
#[inline]
#[must_use]
pub const fn is_win(score: Score) -> bool {
    score >= MATE_BOUND
}

/// Whether the score is a forced mate against the side to move.
#[inline]
#[must_use]
pub const fn is_loss(score: Score) -> bool {
    score <= -MATE_BOUND
}

/// Whether the score is a forced mate for either side.
#[inline]
#[must_use]
pub const fn is_decisive(score: Score) -> bool {
    is_win(score) || is_loss(score)
}

/// Moves (not plies) to mate, as UCI counts them: positive if the side to move
/// mates, negative (or zero, if it is mated already) if it is mated. `None` if
/// the score is no mate.
#[must_use]
pub const fn mate_in_moves(score: Score) -> Option<i32> {
    if is_win(score) {
        Some((MATE - score + 1) / 2)
    } else if is_loss(score) {
        Some(-((MATE + score) / 2))
    } else {
        None
    }
}

/// A static evaluation kept out of the range of mates.
#[inline]
#[must_use]
pub fn clamp_eval(eval: Score) -> Score {
    eval.clamp(-EVAL_LIMIT, EVAL_LIMIT)
}

/// The form in which a score found at `ply` goes into the transposition table:
/// mates count from the node instead of from the root.
#[inline]
#[must_use]
pub const fn to_table(score: Score, ply: usize) -> Score {
    if is_win(score) {
        score + ply as Score
    } else if is_loss(score) {
        score - ply as Score
    } else {
        score
    }
}

/// The inverse of [`to_table`], read at `ply` with `halfmove` plies on the
/// fifty-move clock. `None` if the score is a mate that would come after the
/// hundredth ply: then nothing is known.
#[inline]
#[must_use]
pub const fn from_table(score: Score, ply: usize, halfmove: u16) -> Option<Score> {
    if !is_decisive(score) {
        return Some(score);
    }
    if MATE - score.abs() > 100 - halfmove as Score {
        return None;
    }
    Some(if is_win(score) { score - ply as Score } else { score + ply as Score })
}
