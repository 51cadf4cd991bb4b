//! The evaluation as a picture for people, as the `eval` command prints it.

use std::fmt::Write;

use crate::board::{Board, Color, Kind, Square};
use crate::score::Score;

use super::features::View;
use super::model::Model;
use super::network;
use super::sight::Sight;

/// The edge of a row of squares.
const EDGE: &str = "+-------+-------+-------+-------+-------+-------+-------+-------+";

/// The board with what each piece is worth, and what the position is.
/// `shown` converts scores to the centipawns to be shown.
pub(super) fn picture(model: &Model, board: &Board, shown: impl Fn(Score) -> i32) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write_picture(&mut text, model, board, shown);
    text
}

fn write_picture(
    text: &mut String,
    model: &Model,
    board: &Board,
    shown: impl Fn(Score) -> i32,
) -> std::fmt::Result {
    let sight = Sight::of(board);
    let neurons = model.both_neurons(board);
    let for_white = |eval: Score| shown(if board.side() == Color::White { eval } else { -eval });
    // The same output throughout, so that a worth is not that of another bucket.
    let bucket = network::bucket(board.piece_count());
    let eval = model.output(&neurons, board.side(), bucket);
    writeln!(text, "What each piece is worth for White: by so much the evaluation falls without")?;
    writeln!(text, "it, all others as safe as before, in the centipawns (cp) that a search shows")?;
    writeln!(text, "{EDGE}")?;
    for rank in (0..8).rev() {
        let squares = (0..8).map(|file| Square::new(file, rank));
        let mut worths = String::new();
        for sq in squares {
            let piece = board.piece_on(sq);
            let letter = if piece.is_empty() { ' ' } else { piece.letter() };
            write!(text, "|   {letter}   ")?;
            if piece.is_empty() || piece.is_kind(Kind::King) {
                write!(worths, "|       ")?;
                continue;
            }
            let without = sight.without(sq.to_64());
            let without = Color::ALL.map(|color| model.neurons(&without, View::of(board, color)));
            let worth = eval - model.output(&without, board.side(), bucket);
            write!(worths, "|{:>+7}", for_white(worth))?;
        }
        writeln!(text, "|\n{worths}|\n{EDGE}")?;
    }
    let side = if board.side() == Color::White { "White" } else { "Black" };
    writeln!(text, "Evaluation: {:+} cp for White; {side} is to move", for_white(eval))
}
