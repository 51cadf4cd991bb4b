//! The exercises of the course, a function for each chapter from 1 to 9.
//!
//! Each body is a wrong answer that compiles. Replace it, save the file, and run the chapter's
//! test in the folder of the repository (here for chapter 1):
//!
//! ```sh
//! cargo test --locked --test board exercises::chapter_1 -- --ignored
//! ```
//!
//! `solutions.rs` has the same functions solved.

#![allow(unused, clippy::all, reason = "unfinished answers")]

/// Chapter 1. The number of a square: the rank in the upper half of the byte, the file in the
/// lower half.
///
/// `file` and `rank` are 0 to 7: file 0 is the a-file, rank 0 is the first rank.
///
/// Example: `square(4, 3)` is `0x34`, the square e4.
pub fn square(file: u8, rank: u8) -> u8 {
    0
}

/// Chapter 2. Whether a step from a square of the board ends on the board.
///
/// `from` is the number of a square. `step` is a byte to add to it; negative steps are bytes such
/// as `0xF0` (minus 16). Use `from.wrapping_add(step)`: a plain `+` stops the
/// program if the sum is above 255.
///
/// Examples: `stays_on_board(0x37, 0x10)` is `true` (h4 to h5), `stays_on_board(0x37, 0x01)`
/// is `false`.
pub fn stays_on_board(from: u8, step: u8) -> bool {
    false
}

/// Chapter 3. Whether a bishop on `from` attacks `to` on an empty board.
///
/// The first line computes the difference of the two numbers, -119 to 119. No file and no rank
/// is needed. A bishop does not attack its own square.
///
/// Examples: `bishop_attacks(0x11, 0x66)` is `true` (b2 and g7), `bishop_attacks(0x11, 0x61)`
/// is `false` (b2 and b7).
pub fn bishop_attacks(from: u8, to: u8) -> bool {
    let difference = i32::from(to) - i32::from(from);
    false
}

/// Chapter 4. The number of pieces strictly between two squares that share a line.
///
/// `board` has a number for each of the 128 squares: 0 for an empty one, anything else for a
/// piece. `step` leads from `from` towards `to`, and `from` and `to` do not count themselves.
/// `board[usize::from(sq)]` is the number on the square `sq`.
///
/// Example: king on e1 (`0x04`), rook on e8 (`0x74`), step `0x10`, one pawn on e5: 1.
pub fn pieces_between(board: &[u8; 128], from: u8, to: u8, step: u8) -> usize {
    99
}

/// Chapter 5. The gain of the side that captures first on a square, in centipawns.
///
/// `values` are the values of the pieces that stand on the square one after the other, if both
/// sides capture as long as they can: the piece that is there, the first attacker, the second,
/// and so on. Each attacker captures the piece before it in the list. The first capture has been
/// decided on. After it, each side may stop if going on would lose.
///
/// Examples: `exchange(&[100, 500])` is 100, a rook takes a pawn that nothing defends;
/// `exchange(&[100, 500, 100])` is -400, a pawn defends it.
pub fn exchange(values: &[i32]) -> i32 {
    99_999
}

/// The last lane of each ray, which holds a knight's jump.
const JUMPS: u64 = 0x8080_8080_8080_8080;

/// The first lane of each ray.
const RAY_STARTS: u64 = 0x0101_0101_0101_0101;

/// Chapter 6. The lanes that a queen reaches, for all eight rays at once.
///
/// `occupied` has a byte for each ray, and in it a bit for each square, the nearest one lowest:
/// 1 if a piece stands there. The result has the bits of each ray up to and including the first
/// piece. The top bit of each byte, a knight's jump, does not count.
///
/// Example: the lowest byte `0x0A` (pieces on the second and the fourth square) gives `0x03`.
pub fn reach(occupied: u64) -> u64 {
    0
}

/// Chapter 7. The score of a tree by alpha-beta, for the side to move at its root.
///
/// Each position has three moves. `leaves` are the scores of all leaves in order, each for the
/// side to move at the leaf: the first third belongs to the first move, and so on. A single
/// leaf is a finished position. `visited` counts the leaves.
///
/// This body is a search without alpha and beta. It finds the right score, but visits every
/// leaf. Use alpha and beta, and stop the loop as soon as the best score reaches beta.
pub fn alpha_beta(leaves: &[i32], alpha: i32, beta: i32, visited: &mut usize) -> i32 {
    if leaves.len() == 1 {
        *visited += 1;
        return leaves[0];
    }
    let mut best = -1000;
    for child in leaves.chunks(leaves.len() / 3) {
        let score = -alpha_beta(child, alpha, beta, visited);
        best = best.max(score);
    }
    best
}

/// Chapter 8. A history score after a bonus or malus, with gravity.
///
/// `score` is the old score, -8192 to 8192; `change` is the bonus (above 0) or malus (below 0),
/// in the same range. The change is added, and the old score times the size of the change
/// divided by 8192 is subtracted.
///
/// Example: `update(340, 340)` is 666. `change.abs()` is a number without its sign.
pub fn update(score: i32, change: i32) -> i32 {
    score
}

/// Chapter 9. The feature of a piece in White's perspective, within the set of its king bucket.
///
/// `king` is the square of White's king, `square` that of the piece, both as on the board of
/// chapter 1. `kind` is 0 for a pawn, 1 knight, 2 bishop, 3 rook, 4 queen, 5 king. If the king
/// is on the files e to h, the board is mirrored: file a becomes file h, and so on. The feature
/// is 384 for an enemy piece, plus 64 times the kind, plus the square from 0 (a1), 1 (b1) to 63.
///
/// Example: king on e1 (`0x04`), own knight on g1 (`0x06`): `feature(0x04, 0x06, false, 1)` is
/// 65, as g1 mirrored is b1, the square 1.
pub fn feature(king: u8, square: u8, is_enemy: bool, kind: usize) -> usize {
    9999
}
