//! The exercises of the course. Each body is a wrong answer that compiles. Replace it, save the
//! file, and run its test in the folder of the repository:
//!
//! ```sh
//! cargo learn square
//! ```
//!
//! The exercises of chapters 1 to 5 and 7 to 10 add up: solved, this file is an engine that
//! plays (`cargo learn game`). If you give up on one, copy the function from `solutions.rs`.
//!
//! `lib.rs` has the constants and types. The most used ones: a piece is a byte, the sum of a kind
//! (`PAWN` to `KING`) and a colour (`WHITE` or `BLACK`), and 0 is an empty square. `Squares` are
//! 128 such bytes.

#![allow(unused, clippy::all, reason = "unfinished answers")]

use std::sync::LazyLock;

use crate::*;

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

/// Chapter 2. The squares to which the knight, bishop, rook, queen or king on `from` can move,
/// whether or not its king is then in check. The order does not matter. No castling.
///
/// `squares[usize::from(sq)]` is the piece on `sq`, and `squares[usize::from(sq)] & WHITE != 0`
/// means that it is white. `STEPS[kind_index(piece)]` has the steps of a piece, and
/// `slides(piece)` is `true` for bishop, rook and queen. (For a pawn `STEPS` has no steps, so
/// the result is an empty list.)
///
/// Example: for a rook on a1 and an own pawn on a2, the result is b1 to h1: `0x01` to `0x07`.
pub fn targets(squares: &Squares, from: u8) -> Vec<u8> {
    let piece = squares[usize::from(from)];
    let own = piece & (WHITE | BLACK); // the bit of the piece's colour
    let mut targets = Vec::new();
    for &step in STEPS[kind_index(piece)] {
        // Your loop. It adds a square with `targets.push(sq);`.
    }
    targets
}

/// The table that your function makes. A `LazyLock` computes its value once, when it is first used;
/// `TABLE.kinds` reads it like the table itself.
static TABLE: LazyLock<Table> = LazyLock::new(difference_table);

/// Chapter 3. The difference table: for each difference of two squares, who attacks along it on
/// an empty board, and the step that leads there.
///
/// `table.kinds[0][i]` is the sum of White's kinds that attack along the difference `i`,
/// `table.kinds[1][i]` of Black's. Only pawns differ: `PAWN_CAPTURES[0]` has White's two steps,
/// `PAWN_CAPTURES[1]` Black's. `table.steps[i]` is the step if `i` leads along a line, else 0.
///
/// `KINDS` is an array of the six kinds, and `PAWN_CAPTURES[0]` of two steps: `for kind in KINDS`,
/// but `for &step in STEPS[kind_index(kind)]`. A difference is a byte, and
/// `usize::from(difference)` its place.
/// `table.kinds[0][place] |= kind;` adds a kind.
///
/// Examples: `table.kinds[0][0x55]` is `BISHOP | QUEEN` and `table.steps[0x55]` is `0x11`.
pub fn difference_table() -> Table {
    let mut table = Table { kinds: [[0; 256]; 2], steps: [0; 256] };
    // Your loops.
    table
}

/// Chapter 4. The number of pieces strictly between two squares that share a line.
///
/// `step` leads from `from` towards `to`, and `from` and `to` do not count themselves.
///
/// Example: king on e1 (`0x04`), rook on e8 (`0x74`), step `0x10`, one pawn on e5: 1.
pub fn pieces_between(squares: &Squares, from: u8, to: u8, step: u8) -> usize {
    99
}

/// Chapter 4. The squares of the pieces of colour `enemy` (`WHITE` or `BLACK`) that give check to
/// a king on `king`, in any order. There may be another piece on `king`, or none.
///
/// Three tests for each enemy piece: look up its difference to the king in
/// `TABLE.kinds[color_index(enemy)]`, AND with the piece, and if it slides, count the pieces
/// between it and the king. `TABLE.steps` has the step, which leads from the piece to the king; a
/// knight's is 0, so walk for sliders only. `all_squares()` are the 64 squares, and
/// `king.wrapping_sub(from)` is a difference.
///
/// Example: in the chapter's position `checkers(&squares, 0x04, BLACK)` is `[0x74]`.
pub fn checkers(squares: &Squares, king: u8, enemy: u8) -> Vec<u8> {
    Vec::new()
}

/// Chapter 4. All legal moves, in any order, by the simple way: make each move, and keep it if
/// the king of the side that moved is not in check then.
///
/// The pieces' moves are your `targets`: `Move { from, to, promotion: 0 }`. `position.pawn_moves()`
/// has those of the pawns. `for (mv, passed) in position.castling_moves()` goes through pairs: a
/// castling whose rights and empty squares are tested already, and the square that the king passes.
/// Keep it only if the king is not in check and no enemy attacks that square.
///
/// `&position.squares` is the board for your functions, `position.at(sq)` the piece on a square, `position.side` the
/// colour to move, `position.enemy()` the other one, `position.make(mv)` the position after a
/// move, `position.king(color)` a king's square. `checkers(...).is_empty()` means no check.
pub fn legal_moves(position: &Position) -> Vec<Move> {
    let mut moves = position.pawn_moves();
    // Add the moves of the other pieces and castling.
    // Then remove those that are illegal: `moves.retain(|&mv| ...)` keeps the moves for which
    // the condition in place of `...` is true.
    moves
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

/// Chapter 5. The value of the own pieces less that of the enemy's, for the side to move.
///
/// `VALUES[kind_index(piece)]` is the value of a piece. An empty square has no kind: skip it.
///
/// Example: if White is a knight up, it is 320 with White to move, and -320 with Black to move.
pub fn material(position: &Position) -> i32 {
    99_999
}

/// The evaluation: material, and a little for well-placed pieces. (No exercise.)
fn evaluate(position: &Position) -> i32 {
    material(position) + position.placement()
}

/// Chapter 6. The lanes that a queen reaches, for all eight rays at once.
///
/// `occupied` has a byte for each ray, and in it a bit for each square, the nearest one lowest:
/// 1 if a piece stands there. The result has the bits of each ray up to and including the first
/// piece. The top bit of each byte, a knight's jump, does not count. `JUMPS` has the top bits,
/// `RAY_STARTS` the lowest ones.
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

/// Chapter 7. Alpha-beta with the moves of chess.
///
/// The loop is that of `alpha_beta`: over `legal_moves(position)`, with `position.make(mv)` as the
/// child and a depth less by 1. `best` begins with `-INFINITY`. Without a legal move the score is
/// `-MATE - depth` if the king is in check (by your `checkers`, as in `legal_moves`), else 0.
///
/// Later chapters add lines where the comments say it.
pub fn search(memory: &mut Search, position: &Position, depth: i32, alpha: i32, beta: i32) -> i32 {
    memory.nodes += 1;
    // Chapter 10: return 0 if the search is stopped.
    // Chapter 8: look into the table.
    if depth == 0 {
        return captures(memory, position, alpha, beta);
    }
    let mut moves = legal_moves(position);
    // Chapter 9: order the moves.
    // Your lines for chapter 7. The last one is `best`, in place of this number.
    // Chapter 8: store the result in the table.
    99_999
}

/// Chapter 7. The quiescence search: like `search`, but only captures, without a limit of depth.
/// (A capture is a move to a square that is not empty.)
///
/// The side to move may stop: `best` begins with the evaluation, and if that reaches beta the
/// function returns it at once. Without captures, the score is the evaluation.
pub fn captures(memory: &mut Search, position: &Position, alpha: i32, beta: i32) -> i32 {
    memory.nodes += 1;
    evaluate(position)
}

/// Chapter 8. The key of a position: the exclusive or of `position.rest()` and of
/// `number(piece, sq)` for each piece and its square.
pub fn key(position: &Position) -> u64 {
    0
}

/// Chapter 8. What a score means that `search` has found with this window.
///
/// Examples: `bound(50, 0, 40)` is `Bound::AtLeast`, `bound(-10, 0, 40)` is `Bound::AtMost`.
pub fn bound(score: i32, alpha: i32, beta: i32) -> Bound {
    Bound::Exact
}

/// Chapter 8. Whether the entry answers a search to `depth` with this window: it was searched at
/// least as deep, and its score is exact, or it is a limit that decides the question.
///
/// When it is true, `search` returns `entry.score`.
pub fn cuts_off(entry: &Entry, depth: i32, alpha: i32, beta: i32) -> bool {
    false
}

/// Chapter 9. A history score after a bonus or malus, with gravity.
///
/// `score` is the old score, -8192 to 8192; `change` is the bonus (above 0) or malus (below 0),
/// in the same range. The change is added, and the old score times the size of the change
/// divided by 8192 is subtracted.
///
/// Example: `update(340, 340)` is 666. `change.abs()` is a number without its sign.
pub fn update(score: i32, change: i32) -> i32 {
    score
}

/// Chapter 9. Sorts moves: first `best` (if there is one), then captures, then the others.
///
/// Captures are in the order of MVV-LVA: the most valuable victim first, and of several attackers
/// of it the least valuable. `moves.sort_by_key(|&mv| ...)` puts the moves with the smallest
/// numbers first, and `kind_index(piece) as i32` is 0 for a pawn to 5 for a king.
pub fn order(position: &Position, moves: &mut [Move], best: Option<Move>) {}

/// Chapter 10. The milliseconds for the next move, if `left_ms` are left on the clock and each move
/// adds `increment_ms`.
///
/// A thirtieth of the clock and half of the increment; but 20 ms must stay on the clock, and the
/// answer is at least 1. `x.min(y)` is the smaller number, and `x.saturating_sub(20)` is 0 where
/// the difference would be below 0.
pub fn share(left_ms: u64, increment_ms: u64) -> u64 {
    0
}

/// Chapter 10. The best move by iterative deepening, or `None` if there is no legal move.
///
/// Begin with the first legal move, in case not even depth 1 is finished in time. Then, for each
/// depth from 1 to `max_depth`, call `search` with the window `-INFINITY` to `INFINITY`. If
/// `memory.is_stopped()` is true then, ignore the result and end. Else take the move of the root's
/// entry, `memory.probe(key(position))`, and call `memory.report(depth, score, best)`.
pub fn go(memory: &mut Search, position: &Position, max_depth: i32) -> Option<Move> {
    None
}

/// Chapter 11. The feature of a piece in White's perspective, within the set of its king bucket.
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
