//! Repetitions one move ahead: can the side to move bring back a position that
//! was on the board before?
//!
//! If one move leads back, the keys of the two positions differ by the keys of
//! one piece on two squares. All such differences, for every piece but the pawn
//! and every pair of squares that the difference table lets it move between, are
//! kept in a cuckoo table: each has two places it may lie in. Idea: Marcel van
//! Kervinck, "The draw by repetition".

use std::sync::LazyLock;

use super::color::Color;
use super::difference::{REACH, STEP};
use super::piece::{Kind, Piece};
use super::position::Board;
use super::square::Square;
use super::zobrist;

/// Places of the table (a power of two); less than half are taken.
const PLACES: usize = 1 << 13;

/// A move to and fro, and the key by which it changes a position.
#[derive(Clone, Copy)]
struct Shuttle {
    key: u64,
    between: [Square; 2],
}

const NO_SHUTTLE: Shuttle = Shuttle { key: 0, between: [Square::NONE; 2] };

static SHUTTLES: LazyLock<Box<[Shuttle]>> = LazyLock::new(build);

/// The two places where a key may lie.
#[inline]
fn places(key: u64) -> [usize; 2] {
    [key as usize % PLACES, (key >> 16) as usize % PLACES]
}

fn build() -> Box<[Shuttle]> {
    let mut table = vec![NO_SHUTTLE; PLACES].into_boxed_slice();
    for color in Color::ALL {
        for kind in Kind::ALL.into_iter().filter(|&kind| kind != Kind::Pawn) {
            let piece = Piece::new(color, kind);
            for from in Square::all() {
                for to in Square::all().filter(|&to| to > from) {
                    let reach = REACH[color.index()][from.delta_to(to) as usize];
                    if reach & kind.bit() != 0 {
                        let key =
                            zobrist::SIDE ^ zobrist::piece(piece, from) ^ zobrist::piece(piece, to);
                        insert(&mut table, Shuttle { key, between: [from, to] });
                    }
                }
            }
        }
    }
    table
}

/// Puts a shuttle into its first place; who lay there moves to his other place,
/// and so on. (That this ends depends on the keys, which are constants.)
fn insert(table: &mut [Shuttle], mut shuttle: Shuttle) {
    let mut place = places(shuttle.key)[0];
    loop {
        std::mem::swap(&mut table[place], &mut shuttle);
        if shuttle.key == 0 {
            return;
        }
        let [first, second] = places(shuttle.key);
        place = if place == first { second } else { first };
    }
}

impl Board {
    /// Whether the side to move has a move after which the position is one that
    /// arose at or after the root. `history` and `root` are as for
    /// [`is_repetition`](super::draw::is_repetition). Whether the move would
    /// leave the king in check is not asked.
    #[must_use]
    pub fn can_repeat(&self, history: &[u64], root: usize) -> bool {
        let reach = history.len().min(usize::from(self.halfmove()));
        let oldest = root.max(history.len() - reach);
        let Some((last, earlier)) = history[oldest..].split_last() else { return false };
        // Going back two plies at a time, what the opponent's moves have changed since: one
        // move of ours leads back only where that is nothing.
        let mut theirs = self.key() ^ last ^ zobrist::SIDE;
        earlier.rchunks_exact(2).any(|moved| {
            theirs ^= moved[0] ^ moved[1] ^ zobrist::SIDE;
            theirs == 0 && self.is_one_move_from(moved[0])
        })
    }

    /// Whether a move of a piece of the side to move, not a pawn, leads to the
    /// position with this key.
    fn is_one_move_from(&self, key: u64) -> bool {
        let change = self.key() ^ key;
        let Some(shuttle) = places(change)
            .map(|place| SHUTTLES[place])
            .into_iter()
            .find(|found| found.key == change)
        else {
            return false;
        };
        let [a, b] = shuttle.between;
        let from = if self.piece_on(a).is_empty() { b } else { a };
        let steps = STEP[a.delta_to(b) as usize] != 0;
        self.piece_on(from).is_color(self.side()) && (!steps || self.is_clear_between(a, b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::draw::is_repetition;
    use crate::board::{Game, Move};

    #[test]
    fn every_shuttle_is_found_in_one_of_its_places() {
        let filled: Vec<&Shuttle> = SHUTTLES.iter().filter(|shuttle| shuttle.key != 0).collect();
        assert_eq!(filled.len(), 3668);
        for shuttle in filled {
            assert!(places(shuttle.key).iter().any(|&place| SHUTTLES[place].key == shuttle.key));
        }
    }

    /// Whether some legal move repeats a position at or after the root.
    fn repeats_by_brute_force(game: &Game, root: usize) -> bool {
        let board = game.board();
        let mut keys = game.history().to_vec();
        keys.push(board.key());
        board.legal_moves().iter().any(|&mv: &Move| {
            let child = board.make(mv);
            is_repetition(&keys, child.key(), child.halfmove(), root)
        })
    }

    #[test]
    fn random_games_agree_with_brute_force() {
        let mut rng = fastrand::Rng::with_seed(88);
        let mut repeats = 0;
        for start in ["4k3/8/8/8/8/8/8/R3K2R w K - 0 1", "3qk3/8/2n5/8/8/5B2/8/3RK3 w - - 0 1"] {
            for _ in 0..100 {
                let mut game = Game::new(start.parse().expect("a valid position"));
                for _ in 0..40 {
                    let moves = game.board().legal_moves();
                    if moves.is_empty() {
                        break;
                    }
                    let found = game.board().can_repeat(game.history(), 0);
                    assert_eq!(found, repeats_by_brute_force(&game, 0), "{}", game.board());
                    repeats += u32::from(found);
                    game.play(moves[rng.usize(..moves.len())]);
                }
            }
        }
        assert!(repeats > 20, "the games must contain what is tested: {repeats}");
    }
}
