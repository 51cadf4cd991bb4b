//! Upcoming repetition: whether the side to move can repeat a position with one move.
//!
//! If one move leads back, the keys of the two positions differ by the side to move and by the
//! keys of one piece on two squares. A table has all such differences: for every piece but the
//! pawn, and every two squares between which it can move on an empty board. Idea: Marcel van
//! Kervinck, "The draw by repetition".

use std::sync::LazyLock;

use super::difference::{REACH, STEP};
use super::zobrist;
use super::{Board, Color, Kind, PieceByte, Square};

/// The changes of the key by reversible moves between two squares, in ascending order.
static MOVES: LazyLock<Vec<(u64, [Square; 2])>> = LazyLock::new(|| {
    let mut moves = Vec::new();
    for color in Color::ALL {
        for kind in Kind::ALL.into_iter().filter(|&kind| kind != Kind::Pawn) {
            let piece = PieceByte::new(color, kind);
            for from in Square::all() {
                for to in Square::all().filter(|&to| to > from) {
                    if REACH[color.index()][from.delta_to(to) as usize] & kind.bit() != 0 {
                        let key = zobrist::piece(piece, from) ^ zobrist::piece(piece, to);
                        moves.push((key ^ zobrist::SIDE, [from, to]));
                    }
                }
            }
        }
    }
    moves.sort_unstable();
    moves
});

impl Board {
    /// Whether a pseudo-legal move leads to a position that occurred at or after the root.
    /// `history` and `root` are as for [`is_repetition`](super::draw::is_repetition).
    pub fn has_upcoming_repetition(&self, history: &[u64], root: usize) -> bool {
        let reach = history.len().min(usize::from(self.halfmove()));
        let oldest = root.max(history.len() - reach);
        let line = history.get(oldest..).and_then(<[u64]>::split_last);
        let Some((last, earlier)) = line else { return false };
        // The xor of all key changes by the opponent's moves since the earlier position. One
        // move of ours can lead back only if they cancel out.
        let mut theirs = self.key() ^ last ^ zobrist::SIDE;
        earlier.rchunks_exact(2).any(|pair| {
            theirs ^= pair[0] ^ pair[1] ^ zobrist::SIDE;
            theirs == 0 && self.is_one_move_from(pair[0])
        })
    }

    /// Whether the side to move can reach the position with this key in one move of a piece
    /// other than a pawn.
    fn is_one_move_from(&self, key: u64) -> bool {
        let change = self.key() ^ key;
        let Ok(found) = MOVES.binary_search_by_key(&change, |&(key, _)| key) else { return false };
        let [a, b] = MOVES[found].1;
        let from = if self.byte_on(a).is_empty() { b } else { a };
        let on_line = STEP[a.delta_to(b) as usize] != 0;
        self.byte_on(from).is_color(self.side()) && (!on_line || self.is_clear_between(a, b))
    }
}

#[cfg(test)]
mod tests {
    use crate::Game;
    use crate::draw::is_repetition;
    use crate::random::splitmix64;

    /// Whether some legal move repeats a position at or after the root.
    fn repeats_by_brute_force(game: &Game, root: usize) -> bool {
        let board = game.board();
        let mut keys = game.history().to_vec();
        keys.push(board.key());
        board.legal_moves().iter().any(|&mv| {
            let child = board.make(mv);
            is_repetition(&keys, child.key(), child.halfmove(), root)
        })
    }

    #[test]
    fn random_games_agree_with_brute_force() {
        let mut seed = 88;
        let mut repeats = 0;
        for start in ["4k3/8/8/8/8/8/8/R3K2R w K - 0 1", "3qk3/8/2n5/8/8/5B2/8/3RK3 w - - 0 1"] {
            for _ in 0..100 {
                let mut game = Game::new(start.parse().expect("a valid position"));
                for _ in 0..40 {
                    let moves = game.board().legal_moves();
                    if moves.is_empty() {
                        break;
                    }
                    let found = game.board().has_upcoming_repetition(game.history(), 0);
                    assert_eq!(found, repeats_by_brute_force(&game, 0), "{}", game.board());
                    repeats += u32::from(found);
                    seed += 1;
                    game.play(moves[splitmix64(seed) as usize % moves.len()]);
                }
            }
        }
        assert!(!crate::Board::default().has_upcoming_repetition(&[], 1));
        assert!(repeats > 20, "the games must contain what is tested: {repeats}");
    }
}
