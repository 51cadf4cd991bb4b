//! Draws by the rules: dead positions, fifty moves, repetition.
//!
//! Stalemate is not here: it is the absence of legal moves without check.
//! Neither is the history itself: a [`Game`](super::game::Game) keeps it, and the
//! search adds the positions of its current line behind it.

use super::color::Color;
use super::piece::Kind;
use super::position::Board;

/// A game is drawn after this many plies without a capture or a pawn move.
pub const FIFTY_MOVES_PLIES: u16 = 100;

/// The fewest plies after which a position can come back: both sides go and return.
const SHORTEST_CYCLE: usize = 4;

impl Board {
    /// Whether no sequence of legal moves leads to mate because too little is
    /// left: the bare kings, one knight or bishop, or bishops on squares of one
    /// colour only.
    ///
    /// Two knights against a king are not among these: a mate can be helped.
    #[must_use]
    pub fn is_insufficient_material(&self) -> bool {
        let mut knights = 0;
        let mut bishops_on = [0; 2];
        for (sq, piece) in Color::ALL.into_iter().flat_map(|color| self.pieces(color)) {
            match piece.kind() {
                Some(Kind::King) => {}
                Some(Kind::Knight) => knights += 1,
                Some(Kind::Bishop) => bishops_on[usize::from(sq.is_light())] += 1,
                _ => return false,
            }
        }
        match knights {
            0 => bishops_on.contains(&0),
            1 => bishops_on == [0, 0],
            _ => false,
        }
    }

    /// Whether the position is drawn because each side has made fifty moves
    /// without capture or pawn move. Mate on the last of them still wins.
    #[must_use]
    pub fn is_fifty_move_draw(&self) -> bool {
        self.halfmove() >= FIFTY_MOVES_PLIES && (!self.in_check() || self.has_legal_move())
    }
}

/// Whether the position with this `key` counts as a draw by repetition in a search.
///
/// `history` holds the keys of all positions before this one, oldest first: those
/// of the game, then those of the line searched. `root` is how many there were
/// when the search began, so `history[root]` is the root's own key. `halfmove` is
/// the clock of this position: nothing older than that can be the same.
///
/// One earlier occurrence is enough at or after the root, where the side that
/// came back once can come back again. Positions before the root were not the
/// search's choice: there it takes two, as the rules say. With
/// `root == history.len()` the answer is that of the rules: threefold.
#[must_use]
pub fn is_repetition(history: &[u64], key: u64, halfmove: u16, root: usize) -> bool {
    let reach = history.len().min(usize::from(halfmove));
    let mut seen_before_root = false;
    for back in (SHORTEST_CYCLE..=reach).step_by(2) {
        let index = history.len() - back;
        if history[index] != key {
            continue;
        }
        if index >= root || seen_before_root {
            return true;
        }
        seen_before_root = true;
    }
    false
}
