//! What a node thinks of its position before it searches: the static
//! evaluation, corrected by experience.

use crate::board::draw::FIFTY_MOVES_PLIES;
use crate::board::{Board, Move};
use crate::eval::Evaluator;
use crate::score::{self, DRAW, NO_EVAL, Score};

use super::Searcher;
use super::correction::Place;
use super::params::fifty_move_fade;
use super::transposition::Entry;

/// The static evaluation of a node in its stages, in centipawns; all
/// [`NO_EVAL`] in check.
#[derive(Clone, Copy, Debug)]
pub struct Judgement {
    /// As the evaluator gave it; this goes into the table.
    pub raw: Score,
    /// With what experience adds, and faded with the fifty-move clock.
    pub corrected: Score,
    /// What experience added.
    pub correction: Score,
    /// The table's score, if that tells more.
    pub eval: Score,
}

impl Judgement {
    /// Nothing is known.
    pub const NONE: Judgement =
        Judgement { raw: NO_EVAL, corrected: NO_EVAL, correction: 0, eval: NO_EVAL };
}

impl<E: Evaluator> Searcher<'_, E> {
    /// The static evaluation of the node, and the better guess that the table's
    /// score may allow; all [`NO_EVAL`] in check. A fresh evaluation goes into
    /// the table at once.
    pub(super) fn evaluate_node(
        &mut self,
        board: &Board,
        ply: usize,
        entry: Option<Entry>,
        place: &Place,
        was_pv: bool,
    ) -> Judgement {
        if board.in_check() {
            self.frames.at(ply).judged = Judgement::NONE;
            return Judgement::NONE;
        }
        let raw = match entry {
            Some(entry) if entry.eval != NO_EVAL => entry.eval,
            _ => self.evaluator.evaluate(board),
        };
        let correction = self.correction.at(place);
        let fade = fifty_move_fade();
        let clock = i32::from(board.halfmove().min(FIFTY_MOVES_PLIES));
        let faded = (raw + correction) * (fade - clock) / fade;
        let corrected = score::clamp_eval(faded);
        let eval = match entry {
            Some(entry) if entry.improves_on(corrected) && !score::is_decisive(entry.score) => {
                entry.score
            }
            _ => corrected,
        };
        if entry.is_none() {
            let entry =
                Entry { mv: Move::NONE, score: DRAW, eval: raw, depth: 0, bound: None, pv: was_pv };
            self.task.table.store(board.key(), ply, entry);
        }
        let judged = Judgement { raw, corrected, correction, eval };
        self.frames.at(ply).judged = judged;
        judged
    }

    /// Whether the static evaluation is better than at our last turn, or, if we
    /// were in check then, at the one before; in check, or if nothing is known,
    /// nothing is assumed.
    pub(super) fn is_improving(&mut self, ply: usize) -> bool {
        let now = self.frames.at(ply).judged.corrected;
        let before = [2, 4]
            .map(|back| self.frames.before(ply, back).judged.corrected)
            .into_iter()
            .find(|&eval| eval != NO_EVAL);
        now != NO_EVAL && before.is_some_and(|before| now > before)
    }
}
