//! The game of a dialogue: its outcome as text, and the position with the colours exchanged.

use crate::board::{Board, Color, FenError, Game, Outcome};

/// The [outcome](Game::outcome) of a game as text.
pub(super) fn result(game: &Game) -> Option<&'static str> {
    Some(match game.outcome()? {
        Outcome::Checkmate(Color::White) => "Checkmate: White wins",
        Outcome::Checkmate(Color::Black) => "Checkmate: Black wins",
        Outcome::Stalemate => "Stalemate: drawn",
        Outcome::InsufficientMaterial => "Drawn: neither side can mate",
        Outcome::FiftyMoves => "Drawn: fifty moves without a capture or a pawn move",
        Outcome::Threefold => "Drawn: the position occurred three times",
    })
}

/// Turns the board upside down and exchanges the colours of the pieces, the side to move and
/// the castling rights.
///
/// # Errors
/// No case is known: the position stays legal.
pub(super) fn flipped(board: &Board) -> Result<Board, FenError> {
    let fen = board.shredder_fen();
    let mut fields: Vec<String> = fen.split(' ').map(str::to_owned).collect();
    let other_case = |c: char| {
        if c.is_ascii_uppercase() { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() }
    };
    let ranks: Vec<&str> = fields[0].rsplit('/').collect();
    fields[0] = ranks.join("/").chars().map(other_case).collect();
    if let [_, side, castling, ep, ..] = &mut fields[..] {
        *side = if side == "w" { "b" } else { "w" }.to_owned();
        *castling = castling.chars().map(other_case).collect();
        *ep = ep.replace('3', "?").replace('6', "3").replace('?', "6");
    }
    fields.join(" ").parse()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::fen::START;

    fn after(fen: &str, moves: &str) -> Game {
        let mut game = Game::new(fen.parse().expect("a legal position"));
        for text in moves.split_whitespace() {
            game.play_san(text).expect("a legal move");
        }
        game
    }

    #[test]
    fn flipped_position_has_the_colours_exchanged_and_flips_back() {
        for (fen, flipped) in [
            (
                "rnbqkbnr/pppp1ppp/8/8/3Pp3/8/PPP1PPPP/RNBQKBNR b KQkq d3 0 3",
                "rnbqkbnr/ppp1pppp/8/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 3",
            ),
            ("4k2r/8/8/8/8/8/8/R3K3 w Qk - 5 9", "r3k3/8/8/8/8/8/8/4K2R b Kq - 5 9"),
        ] {
            let board = fen.parse().expect("a legal position");
            let other = super::flipped(&board).expect("a legal position");
            assert_eq!(other.fen(), flipped);
            assert_eq!(super::flipped(&other), Ok(board));
        }
    }

    #[test]
    fn results_follow_from_the_rules() {
        const KNIGHTS: &str = "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1";
        for (fen, moves, result) in [
            (START, "f3 e5 g4 Qh4#", Some("Checkmate: Black wins")),
            (START, KNIGHTS, None),
            (START, &format!("{KNIGHTS} Ng8"), Some("Drawn: the position occurred three times")),
            ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "", Some("Stalemate: drawn")),
            ("7k/8/6K1/8/8/8/8/8 b - - 0 1", "", Some("Drawn: neither side can mate")),
            (
                "7k/8/6K1/8/8/8/7p/R7 w - - 99 99",
                "Ra2",
                Some("Drawn: fifty moves without a capture or a pawn move"),
            ),
            // A game that begins after fifty quiet moves goes on.
            ("7k/8/6K1/8/8/8/7p/R7 w - - 100 99", "Ra2 Kg8 Ra3", None),
            ("7k/8/6K1/8/8/8/7p/R7 w - - 148 99", "Ra2 Kg8 Ra3", None),
        ] {
            assert_eq!(super::result(&after(fen, moves)), result, "{fen} {moves}");
        }
    }
}
