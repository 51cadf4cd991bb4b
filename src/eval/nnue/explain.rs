//! The evaluation explained piece by piece, as the `eval` command prints it.

use crate::score::Score;
use carrybit_board::{Board, Color, Kind, Square};

use super::accumulator::Nnue;
use super::feature_state::FeatureState;
use super::network::SHAPE;

const HEAD: &str = "\
Value of each piece for White = evaluation minus evaluation without it
(threats to others unchanged), in the centipawns (cp) that a search shows
";
const EDGE: &str = "+-------+-------+-------+-------+-------+-------+-------+-------+\n";

impl Nnue {
    /// The board with the value of each piece, and the evaluation. `shown` converts scores to
    /// the centipawns to print. Does not use the stack of accumulators.
    pub fn explain(&self, board: &Board, shown: impl Fn(Score) -> i32) -> String {
        let state = FeatureState::of(board);
        let for_white =
            |eval: Score| shown(if board.side() == Color::White { eval } else { -eval });
        // Always the bucket of the whole board. One piece fewer could select another bucket.
        let bucket = SHAPE.output_bucket(board.piece_count());
        let eval_of = |state: &FeatureState| {
            self.output(&self.compute_from_scratch(board, state), board.side(), bucket)
        };
        let eval = eval_of(&state);
        let mut text = [HEAD, EDGE].concat();
        for rank in (0..8).rev() {
            let mut values = String::new();
            for sq in (0..8).map(|file| Square::new(file, rank)) {
                let piece = board.byte_on(sq);
                let letter = if piece.is_empty() { ' ' } else { piece.letter() };
                text += &format!("|   {letter}   ");
                if piece.is_empty() || piece.is_kind(Kind::King) {
                    values += "|       ";
                } else {
                    let value = eval - eval_of(&state.without(sq.to_64()));
                    values += &format!("|{:>+7}", for_white(value));
                }
            }
            text += &format!("|\n{values}|\n{EDGE}");
        }
        let (eval, side) = (for_white(eval), board.side());
        text + &format!("Evaluation: {eval:+} cp for White; {side:?} is to move\n")
    }
}
