//! What a [`Board`] is: everything it keeps, recomputed from its squares.
//!
//! Debug builds check this after each move made; tests call it themselves, by
//! [`Board::check_invariants`].

use super::color::Color;
use super::king_pass::KingPass;
use super::piece::{Kind, Piece};
use super::position::{Board, KING_SLOT, Wing};
use super::square::Square;

impl Board {
    /// Compares lists, keys and state with a full recomputation, and the king pass
    /// that was `found` with the one that is `expected`.
    pub(super) fn compare_with_fresh(
        &self,
        found: KingPass,
        expected: KingPass,
    ) -> Result<(), String> {
        self.check_squares()?;
        self.check_state()?;
        let fresh = Board::assemble(
            self.squares,
            self.side,
            self.rooks,
            self.ep,
            self.halfmove,
            self.fullmove,
        );
        ensure(self.ep == fresh.ep, "an en passant square without a legal capture")?;
        ensure(self.family_keys == fresh.family_keys, "family keys differ")?;
        ensure(self.key == fresh.key, "the key differs")?;
        ensure(found == expected, "the king pass differs")?;
        ensure(!self.is_attacked(self.king(!self.side), self.side), "the king can be taken")
    }

    fn check_squares(&self) -> Result<(), String> {
        let off_board = (0..128).map(Square).filter(|sq| !sq.is_on_board());
        for sq in off_board {
            ensure(self.piece_on(sq).is_empty(), "a piece off the board")?;
        }
        for color in Color::ALL {
            let king = self.piece_on(self.lists[color.index()][KING_SLOT]);
            ensure(king == Piece::new(color, Kind::King), "no king in the king's slot")?;
            let on_board = Square::all().filter(|&sq| self.piece_on(sq).is_color(color));
            let mut listed: Vec<Square> =
                self.list(color).iter().copied().filter(|sq| *sq != Square::NONE).collect();
            listed.sort_unstable();
            ensure(on_board.eq(listed), "list and squares differ")?;
        }
        Ok(())
    }

    fn check_state(&self) -> Result<(), String> {
        for color in Color::ALL {
            for wing in Wing::ALL {
                let rook = self.castling_rook(color, wing);
                if rook == Square::NONE {
                    continue;
                }
                let king = self.king(color);
                let in_place = self.piece_on(rook) == Piece::new(color, Kind::Rook)
                    && rook.rank_for(color) == 0
                    && king.rank_for(color) == 0
                    && (rook > king) == (wing == Wing::King);
                ensure(in_place, "a castling right without king and rook in place")?;
            }
        }
        ensure(self.fullmove > 0, "move number zero")
    }
}

fn ensure(holds: bool, otherwise: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise.to_owned()) }
}
