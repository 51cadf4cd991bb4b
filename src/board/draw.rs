//! Draws by the rules: dead positions, fifty moves, repetition.
//!
//! Stalemate is not here: it is the absence of legal moves without check.
//! Neither is the history itself: a [`Game`](super::game::Game) keeps it, and the
//! search adds the positions of its current line behind it.

use super::color::Color;
use super::piece::Kind;
use super::position::Board;

/// A game is drawn after this many plies without a capture or a pawn move, if a player
/// claims it (FIDE Laws, 9.3).
pub const FIFTY_MOVES_PLIES: u16 = 100;

/// A game is drawn after this many plies without a capture or a pawn move, claimed or not
/// (FIDE Laws, 9.6.2).
pub const SEVENTY_FIVE_MOVES_PLIES: u16 = 150;

/// The plies that a search has until the clock draws, if the game has passed the fifty
/// moves.
const PLIES_LEFT_UNCLAIMED: u16 = 50;

/// Earlier occurrences of a position that make its repetition a draw if a player claims it
/// (FIDE Laws, 9.2).
const THREEFOLD: usize = 2;

/// Earlier occurrences of a position that make its repetition a draw, claimed or not (FIDE
/// Laws, 9.6.1).
const FIVEFOLD: usize = 4;

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
        self.is_drawn_at(FIFTY_MOVES_PLIES)
    }

    /// Whether the position is drawn because the halfmove clock has reached `limit` plies.
    /// Mate on the last of them still wins.
    #[inline]
    #[must_use]
    pub fn is_drawn_at(&self, limit: u16) -> bool {
        self.halfmove() >= limit && (!self.in_check() || self.has_legal_move())
    }
}

/// The halfmove clock at which a search from `halfmove` counts a draw:
/// [`FIFTY_MOVES_PLIES`], or 50 plies from now if no player has claimed the draw by then.
/// (With the limit of the 75 moves all moves would be equal near it, again.)
#[must_use]
pub fn clock_limit(halfmove: u16) -> u16 {
    if halfmove < FIFTY_MOVES_PLIES {
        FIFTY_MOVES_PLIES
    } else {
        halfmove.saturating_add(PLIES_LEFT_UNCLAIMED)
    }
}

/// When a search counts positions as drawn by the halfmove clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockRule {
    /// Plies by which the limit exceeds [`FIFTY_MOVES_PLIES`].
    extra_plies: u16,
}

impl ClockRule {
    /// The rule for a search from `board`.
    #[must_use]
    pub fn of(board: &Board) -> ClockRule {
        ClockRule { extra_plies: clock_limit(board.halfmove()) - FIFTY_MOVES_PLIES }
    }

    /// Whether the fifty moves have passed, and no player has claimed the draw.
    #[must_use]
    pub fn is_past_claim(self) -> bool {
        self.extra_plies > 0
    }

    /// The halfmove clock `plies` as if the limit were [`FIFTY_MOVES_PLIES`]. (After a
    /// capture or a pawn move the limit should be 100 again; that it is later is accepted,
    /// as it matters only more than 100 plies on.)
    #[inline]
    #[must_use]
    pub fn clock(self, plies: u16) -> u16 {
        plies.saturating_sub(self.extra_plies)
    }

    /// Whether `board` is drawn by the halfmove clock. Mate on the last ply still wins.
    #[inline]
    #[must_use]
    pub fn is_draw(self, board: &Board) -> bool {
        board.is_drawn_at(FIFTY_MOVES_PLIES + self.extra_plies)
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
/// search's choice: there it takes two, or four, as the rules say. If it is another
/// number, no player has claimed the draw, or the game has not ended at the fifth
/// occurrence, and it goes on.
#[must_use]
pub fn is_repetition(history: &[u64], key: u64, halfmove: u16, root: usize) -> bool {
    let mut seen = 0;
    for index in earlier(history, key, halfmove) {
        if index >= root {
            return true;
        }
        seen += 1;
    }
    seen == THREEFOLD || seen == FIVEFOLD
}

/// Whether the position with this `key` stands for the third time or more, so that a
/// player can claim a draw. `history` and `halfmove` are as for [`is_repetition`].
#[must_use]
pub fn is_threefold(history: &[u64], key: u64, halfmove: u16) -> bool {
    earlier(history, key, halfmove).nth(THREEFOLD - 1).is_some()
}

/// The indices of the positions in `history` with this `key`, the latest first.
#[inline]
fn earlier(history: &[u64], key: u64, halfmove: u16) -> impl Iterator<Item = usize> {
    let reach = history.len().min(usize::from(halfmove));
    let indices = (SHORTEST_CYCLE..=reach).step_by(2).map(|back| history.len() - back);
    indices.filter(move |&index| history[index] == key)
}
