//! The position with the colours exchanged.

use carrybit_board::{Board, FenError};

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

    #[test]
    fn flipped_position_has_the_colours_exchanged_and_flips_back() {
        for (fen, expected) in [
            (
                "rnbqkbnr/pppp1ppp/8/8/3Pp3/8/PPP1PPPP/RNBQKBNR b KQkq d3 0 3",
                "rnbqkbnr/ppp1pppp/8/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 3",
            ),
            ("4k2r/8/8/8/8/8/8/R3K3 w Qk - 5 9", "r3k3/8/8/8/8/8/8/4K2R b Kq - 5 9"),
        ] {
            let board = fen.parse().expect("a legal position");
            let other = flipped(&board).expect("a legal position");
            assert_eq!(other.fen(), expected);
            assert_eq!(flipped(&other), Ok(board));
        }
    }
}
