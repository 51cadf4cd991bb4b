//! Upcoming repetition: whether the side to move can repeat a position with one move.
//!
//! If one move leads back, the keys of the two positions differ by the side to move and by the
//! keys of one piece on two squares. A cuckoo table has all such differences: for every piece
//! but the pawn, and every two squares between which it can move on an empty board. Idea:
//! Marcel van Kervinck, "The draw by repetition".

use std::sync::LazyLock;

use super::difference::{REACH, STEP};
use super::zobrist;
use super::{Board, Color, Kind, PieceByte, Square};

/// A power of two; less than half of the places are used.
const PLACES: usize = 1 << 13;

/// The change of the key by a reversible move between two squares.
#[derive(Clone, Copy)]
struct CuckooMove {
    /// 0 in an unused place.
    key: u64,
    between: [Square; 2],
}

const UNUSED: CuckooMove = CuckooMove { key: 0, between: [Square::NONE; 2] };

static MOVES: LazyLock<Box<[CuckooMove]>> = LazyLock::new(build);

/// The two places where a key may be stored.
fn places(key: u64) -> [usize; 2] {
    [key as usize % PLACES, (key >> 16) as usize % PLACES]
}

fn build() -> Box<[CuckooMove]> {
    let mut table = vec![UNUSED; PLACES].into_boxed_slice();
    for color in Color::ALL {
        for kind in Kind::ALL.into_iter().filter(|&kind| kind != Kind::Pawn) {
            let piece = PieceByte::new(color, kind);
            for from in Square::all() {
                for to in Square::all().filter(|&to| to > from) {
                    let reach = REACH[color.index()][from.delta_to(to) as usize];
                    if reach & kind.bit() != 0 {
                        let key =
                            zobrist::SIDE ^ zobrist::piece(piece, from) ^ zobrist::piece(piece, to);
                        insert(&mut table, CuckooMove { key, between: [from, to] });
                    }
                }
            }
        }
    }
    table
}

/// Cuckoo insertion: evicts the occupant to its alternative place until one is free. It
/// terminates for the keys of `zobrist`, which are constants.
fn insert(table: &mut [CuckooMove], mut entry: CuckooMove) {
    let mut place = places(entry.key)[0];
    loop {
        core::mem::swap(&mut table[place], &mut entry);
        if entry.key == 0 {
            return;
        }
        let [first, second] = places(entry.key);
        place = if place == first { second } else { first };
    }
}

impl Board {
    /// Whether a pseudo-legal move leads to a position that occurred at or after the root.
    /// `history` and `root` are as for [`is_repetition`](super::draw::is_repetition).
    pub fn has_upcoming_repetition(&self, history: &[u64], root: usize) -> bool {
        let reach = history.len().min(usize::from(self.halfmove()));
        let oldest = root.max(history.len() - reach);
        let Some((last, earlier)) = history[oldest..].split_last() else { return false };
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
        let mut candidates = places(change).map(|place| MOVES[place]).into_iter();
        let Some(found) = candidates.find(|found| found.key == change) else { return false };
        let [a, b] = found.between;
        let from = if self.byte_on(a).is_empty() { b } else { a };
        let on_line = STEP[a.delta_to(b) as usize] != 0;
        self.byte_on(from).is_color(self.side()) && (!on_line || self.is_clear_between(a, b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::is_repetition;
    use crate::random::splitmix64;
    use crate::{Game, Move};

    #[test]
    fn every_cuckoo_move_is_in_one_of_its_places() {
        let filled: Vec<u64> =
            MOVES.iter().map(|found| found.key).filter(|&key| key != 0).collect();
        assert_eq!(filled.len(), 3668);
        assert!(filled.iter().all(|&key| places(key).iter().any(|&at| MOVES[at].key == key)));
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
        assert!(repeats > 20, "the games must contain what is tested: {repeats}");
    }
}
