//! The static evaluation of a node, before anything is searched: what is known of the
//! ending, else what the evaluator says, corrected by experience.

use crate::board::draw::FIFTY_MOVES_PLIES;
use crate::board::{Board, Move};
use crate::eval::endings;
use crate::score::{self, DRAW, NO_EVAL, Score};

use super::correction::Indices;
use super::frame::StaticEval;
use super::params::fifty_move;
use super::searcher::Searcher;
use super::transposition::Entry;

impl Searcher<'_> {
    /// Evaluates the node and keeps the result in its frame. A fresh evaluation goes
    /// into the transposition table at once.
    pub(super) fn evaluate_node(
        &mut self,
        board: &Board,
        ply: usize,
        entry: Option<Entry>,
        indices: &Indices,
        was_pv: bool,
    ) -> StaticEval {
        let clock = self.clock_rule.clock(self.note_reversible_plies(board, ply));
        if board.in_check() {
            self.frames.at(ply).static_eval = StaticEval::NONE;
            return StaticEval::NONE;
        }
        let known = endings::known(board);
        let (raw, correction, corrected) = if let Some(known) = known {
            (known, 0, known)
        } else {
            let raw = match entry {
                Some(entry) if entry.eval != NO_EVAL => entry.eval,
                _ => self.evaluator.evaluate(board),
            };
            let correction = self.correction.at(indices);
            (raw, correction, corrected(raw, clock, correction))
        };
        let refined = match entry {
            Some(entry) if entry.improves_on(corrected) && !score::is_decisive(entry.score) => {
                entry.score
            }
            _ => corrected,
        };
        if entry.is_none() {
            let entry =
                Entry { mv: Move::NONE, score: DRAW, eval: raw, depth: 0, bound: None, pv: was_pv };
            self.task.table.store(self.table_key(board.key()), ply, entry);
        }
        let is_known = known.is_some();
        let static_eval = StaticEval { raw, corrected, correction, refined, is_known };
        self.frames.at(ply).static_eval = static_eval;
        static_eval
    }

    /// Plies since the last capture or pawn move; noted in the node's frame.
    fn note_reversible_plies(&mut self, board: &Board, ply: usize) -> u16 {
        let parent = self.frames.before(ply, 1);
        let before = (ply > 0).then_some((parent.mv, parent.reversible));
        let clock = reversible_plies(board.halfmove(), before);
        self.frames.at(ply).reversible = clock;
        clock
    }

    /// What a position out of check is worth where nothing more can be learnt about it.
    pub(super) fn evaluate_last(&mut self, board: &Board) -> Score {
        endings::known(board).unwrap_or_else(|| self.evaluator.evaluate(board))
    }

    /// Whether the static evaluation is better than at our last turn, or, if we
    /// were in check then, at the turn before that. False in check, and where there
    /// is nothing to compare with.
    pub(super) fn is_improving(&mut self, ply: usize) -> bool {
        let now = self.frames.at(ply).static_eval.corrected;
        let before = [2, 4]
            .map(|back| self.frames.before(ply, back).static_eval.corrected)
            .into_iter()
            .find(|&eval| eval != NO_EVAL);
        now != NO_EVAL && before.is_some_and(|before| now > before)
    }
}

/// Plies since the last capture or pawn move in a position with this clock, if the position
/// `before` had so many when that move was made in it. A null move sets the board's clock
/// back, but brings the draw no further away.
fn reversible_plies(halfmove: u16, before: Option<(Move, u16)>) -> u16 {
    match before {
        Some((mv, plies)) if mv.is_none() || halfmove > 0 => plies.saturating_add(1),
        _ => halfmove,
    }
}

/// An evaluation with this many plies on the fifty-move clock and what the correction history
/// says of it. That was learnt with faded evaluations and does not fade.
fn corrected(eval: Score, clock: u16, correction: Score) -> Score {
    score::clamp_eval(faded(eval, clock) + correction)
}

/// An evaluation with this many plies on the fifty-move clock: the nearer the draw, the less
/// an advantage is worth.
fn faded(eval: Score, clock: u16) -> Score {
    let fade = fifty_move::fade();
    eval * (fade - i32::from(clock.min(FIFTY_MOVES_PLIES))) / fade
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Square;

    #[test]
    fn what_experience_says_does_not_fade() {
        let late = FIFTY_MOVES_PLIES - 10;
        assert!(corrected(200, late, 0) < 200);
        assert_eq!(corrected(200, late, 30), corrected(200, late, 0) + 30);
        assert_eq!(corrected(0, late, -30), -30);
    }

    #[test]
    fn a_null_move_brings_the_draw_no_further_away() {
        let mv = Move::quiet(Square::new(6, 0), Square::new(5, 2));
        assert_eq!(reversible_plies(7, None), 7);
        assert_eq!(reversible_plies(8, Some((mv, 7))), 8);
        assert_eq!(reversible_plies(0, Some((mv, 7))), 0);
        // The board's clock begins anew after a null move, and counts from there.
        assert_eq!(reversible_plies(0, Some((Move::NONE, 7))), 8);
        assert_eq!(reversible_plies(1, Some((mv, 8))), 9);
    }
}
