//! The exercises solved, with the reason why each solution works. `tests/board/learn.rs` tests them.

/// Chapter 1. A shift by four bits moves the rank to the upper half of the byte. The lower half
/// is then 0, so the file fits there. Both are below 8, so bits 3 and 7 stay 0.
pub fn square(file: u8, rank: u8) -> u8 {
    rank << 4 | file
}

/// Chapter 2. Bits 3 and 7 are 0 on every square of the board. A step off it changes one of
/// them, whatever the piece.
pub fn stays_on_board(from: u8, step: u8) -> bool {
    from.wrapping_add(step) & 0x88 == 0
}

/// Chapter 3. A difference is 16 times the ranks plus the files. The remainder of 16 divided by
/// 15 is 1, so a multiple of 15 has ranks plus files = 0: one diagonal. Likewise 16 is one less
/// than 17, so a multiple of 17 has files less ranks = 0: the other diagonal.
pub fn bishop_attacks(from: u8, to: u8) -> bool {
    let difference = i32::from(to) - i32::from(from);
    difference != 0 && (difference % 15 == 0 || difference % 17 == 0)
}

/// Chapter 4. The walk ends at `to`, because the step leads there. So it cannot leave the board,
/// and needs no other test.
pub fn pieces_between(board: &[u8; 128], from: u8, to: u8, step: u8) -> usize {
    let mut count = 0;
    let mut sq = from.wrapping_add(step);
    while sq != to {
        if board[usize::from(sq)] != 0 {
            count += 1;
        }
        sq = sq.wrapping_add(step);
    }
    count
}

/// Chapter 5. The capture gains the first value. Then the other side does the same with the rest
/// of the list, but only if that gains something: else it stops, which is worth 0.
pub fn exchange(values: &[i32]) -> i32 {
    if values.len() < 2 {
        return 0;
    }
    values[0] - exchange(&values[1..]).max(0)
}

/// The last lane of each ray, which holds a knight's jump.
const JUMPS: u64 = 0x8080_8080_8080_8080;

/// The first lane of each ray.
const RAY_STARTS: u64 = 0x0101_0101_0101_0101;

/// Chapter 6. Subtracting 1 flips the bits up to and including the lowest one that is set, and
/// the exclusive or leaves exactly these. With the jumps set, no byte is 0, so none borrows from
/// the next: one subtraction does all eight rays.
pub fn reach(occupied: u64) -> u64 {
    let stopped = occupied | JUMPS;
    stopped ^ (stopped - RAY_STARTS)
}

/// Chapter 7. The child is searched for the other side, so its window is negated and swapped.
/// A score of at least beta ends the loop: the other side will avoid this position.
pub fn alpha_beta(leaves: &[i32], alpha: i32, beta: i32, visited: &mut usize) -> i32 {
    if leaves.len() == 1 {
        *visited += 1;
        return leaves[0];
    }
    let mut best = -1000;
    for child in leaves.chunks(leaves.len() / 3) {
        let score = -alpha_beta(child, -beta, -alpha.max(best), visited);
        best = best.max(score);
        if best >= beta {
            break;
        }
    }
    best
}

/// Chapter 8. At a score of 0 the whole change counts. At 8192 a bonus changes nothing, so the
/// score never leaves its range. A malus then counts twice.
pub fn update(score: i32, change: i32) -> i32 {
    score + change - score * change.abs() / 8192
}

/// Chapter 9. Bit 2 of the king's number is set on the files e to h. Flipping the three bits of
/// the file mirrors a square.
pub fn feature(king: u8, square: u8, is_enemy: bool, kind: usize) -> usize {
    let square = if king & 4 != 0 { square ^ 7 } else { square };
    let (file, rank) = (usize::from(square & 7), usize::from(square >> 4));
    let owner = if is_enemy { 384 } else { 0 };
    owner + 64 * kind + 8 * rank + file
}
