//! The exercises solved, with the reason why each solution works. `tests/course.rs` tests them.
//! If you give up on an exercise, copy its function from here to `exercises.rs` and go on.

use std::sync::LazyLock;

use crate::*;

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

/// Chapter 2. Each line ends at the edge, before an own piece, or on an enemy piece. A knight's or
/// a king's line ends after one step.
pub fn targets(squares: &Squares, from: u8) -> Vec<u8> {
    let piece = squares[usize::from(from)];
    let own = piece & (WHITE | BLACK);
    let mut targets = Vec::new();
    for &step in STEPS[kind_index(piece)] {
        let mut sq = from;
        while stays_on_board(sq, step) {
            sq = sq.wrapping_add(step);
            let other = squares[usize::from(sq)];
            if other & own != 0 {
                break;
            }
            targets.push(sq);
            if other != 0 || !slides(piece) {
                break;
            }
        }
    }
    targets
}

/// The table, computed when it is first used.
static TABLE: LazyLock<Table> = LazyLock::new(difference_table);

/// Chapter 3. The sum after n steps is the difference from the square where the piece began, so
/// no square is needed. On a line all kinds have the same step, so storing it twice does no harm.
pub fn difference_table() -> Table {
    let mut table = Table { kinds: [[0; 256]; 2], steps: [0; 256] };
    for kind in KINDS {
        for &step in STEPS[kind_index(kind)] {
            let mut difference = 0_u8;
            for _ in 0..if slides(kind) { 7 } else { 1 } {
                difference = difference.wrapping_add(step);
                table.kinds[0][usize::from(difference)] |= kind;
                table.kinds[1][usize::from(difference)] |= kind;
                if slides(kind) {
                    table.steps[usize::from(difference)] = step;
                }
            }
        }
    }
    for color in [0, 1] {
        for step in PAWN_CAPTURES[color] {
            table.kinds[color][usize::from(step)] |= PAWN;
        }
    }
    table
}

/// Chapter 4. The walk ends at `to`, because the step leads there. So it cannot leave the board,
/// and needs no other test.
pub fn pieces_between(squares: &Squares, from: u8, to: u8, step: u8) -> usize {
    let mut count = 0;
    let mut sq = from.wrapping_add(step);
    while sq != to {
        if squares[usize::from(sq)] != 0 {
            count += 1;
        }
        sq = sq.wrapping_add(step);
    }
    count
}

/// Chapter 4. The lookup and the AND leave only pieces that attack on an empty board. Only a
/// slider can be blocked, so only a slider needs the walk.
pub fn checkers(squares: &Squares, king: u8, enemy: u8) -> Vec<u8> {
    let mut checkers = Vec::new();
    for from in all_squares() {
        let piece = squares[usize::from(from)];
        let difference = usize::from(king.wrapping_sub(from));
        if piece & enemy == 0 || TABLE.kinds[color_index(enemy)][difference] & piece == 0 {
            continue;
        }
        if !slides(piece) || pieces_between(squares, from, king, TABLE.steps[difference]) == 0 {
            checkers.push(from);
        }
    }
    checkers
}

/// Chapter 4. The simple way: make each move and look whether the king is in check. Castling
/// needs two more tests, of the square where the king stands and of the one that it passes.
pub fn legal_moves(position: &Position) -> Vec<Move> {
    let (side, enemy) = (position.side, position.enemy());
    let mut moves = position.pawn_moves();
    for from in all_squares().filter(|&sq| position.at(sq) & side != 0) {
        let targets = targets(&position.squares, from);
        moves.extend(targets.into_iter().map(|to| Move { from, to, promotion: 0 }));
    }
    for (mv, passed) in position.castling_moves() {
        let is_safe = |sq| checkers(&position.squares, sq, enemy).is_empty();
        if is_safe(mv.from) && is_safe(passed) {
            moves.push(mv);
        }
    }
    moves.retain(|&mv| {
        let next = position.make(mv);
        checkers(&next.squares, next.king(side), enemy).is_empty()
    });
    moves
}

/// Chapter 5. The capture gains the first value. Then the other side does the same with the rest
/// of the list, but only if that gains something: else it stops, which is worth 0.
pub fn exchange(values: &[i32]) -> i32 {
    if values.len() < 2 {
        return 0;
    }
    values[0] - exchange(&values[1..]).max(0)
}

/// Chapter 5. Own pieces count, enemy pieces count against: so the sum is the side to move's.
pub fn material(position: &Position) -> i32 {
    let mut sum = 0;
    for piece in all_squares().map(|sq| position.at(sq)).filter(|&piece| piece != 0) {
        let value = VALUES[kind_index(piece)];
        sum += if piece & position.side != 0 { value } else { -value };
    }
    sum
}

/// The evaluation: material, and a little for well-placed pieces.
fn evaluate(position: &Position) -> i32 {
    material(position) + position.placement()
}

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

/// Chapter 7. Like `alpha_beta`, with moves in place of the list. A mate found with more depth
/// left is nearer, so it counts more. The marked lines belong to chapters 8, 9 and 10.
pub fn search(memory: &mut Search, position: &Position, depth: i32, alpha: i32, beta: i32) -> i32 {
    memory.nodes += 1;
    // Chapter 10: this score is not used, so any number will do.
    if memory.is_stopped() {
        return 0;
    }
    // Chapter 8: a position of the game counts as a draw, and a known one is not searched again.
    let key = key(position);
    if memory.seen.contains(&key) {
        return 0;
    }
    let known = memory.probe(key);
    if let Some(entry) = known
        && cuts_off(&entry, depth, alpha, beta)
    {
        return entry.score;
    }
    if depth == 0 {
        return captures(memory, position, alpha, beta);
    }
    let mut moves = legal_moves(position);
    if moves.is_empty() {
        let king = position.king(position.side);
        let is_mate = !checkers(&position.squares, king, position.enemy()).is_empty();
        return if is_mate { -MATE - depth } else { 0 };
    }
    // Chapter 9.
    order(position, &mut moves, known.map(|entry| entry.best));
    let (mut best, mut best_move) = (-INFINITY, moves[0]);
    for mv in moves {
        let next = position.make(mv);
        let score = -search(memory, &next, depth - 1, -beta, -alpha.max(best));
        if score > best {
            (best, best_move) = (score, mv);
        }
        if best >= beta {
            break;
        }
    }
    // Chapter 8. A stopped search knows nothing.
    if !memory.is_stopped() {
        let bound = bound(best, alpha, beta);
        memory.store(Entry { key, best: best_move, score: best, depth, bound });
    }
    best
}

/// Chapter 7. The evaluation is the first score to beat, since the side to move may stop here.
pub fn captures(memory: &mut Search, position: &Position, alpha: i32, beta: i32) -> i32 {
    memory.nodes += 1;
    let mut best = evaluate(position);
    if best >= beta {
        return best;
    }
    let mut moves = legal_moves(position);
    moves.retain(|mv| position.at(mv.to) != 0);
    // Chapter 9.
    order(position, &mut moves, None);
    for mv in moves {
        let score = -captures(memory, &position.make(mv), -beta, -alpha.max(best));
        best = best.max(score);
        if best >= beta {
            break;
        }
    }
    best
}

/// Chapter 8. The exclusive or does not depend on the order, so positions reached by different
/// orders of moves have the same key.
pub fn key(position: &Position) -> u64 {
    let pieces = all_squares().filter(|&sq| position.at(sq) != 0);
    pieces.fold(position.rest(), |key, sq| key ^ number(position.at(sq), sq))
}

/// Chapter 8. After a cutoff, moves were skipped that may be better still. Without a score above
/// alpha, every child was cut off, so each move may be worse than its score.
pub fn bound(score: i32, alpha: i32, beta: i32) -> Bound {
    if score >= beta {
        Bound::AtLeast
    } else if score <= alpha {
        Bound::AtMost
    } else {
        Bound::Exact
    }
}

/// Chapter 8. A value of at least the score is certain to reach beta only if the score does.
pub fn cuts_off(entry: &Entry, depth: i32, alpha: i32, beta: i32) -> bool {
    let is_enough = match entry.bound {
        Bound::Exact => true,
        Bound::AtLeast => entry.score >= beta,
        Bound::AtMost => entry.score <= alpha,
    };
    entry.depth >= depth && is_enough
}

/// Chapter 9. At a score of 0 the whole change counts. At 8192 a bonus changes nothing, so the
/// score never leaves its range. A malus then counts twice.
pub fn update(score: i32, change: i32) -> i32 {
    score + change - score * change.abs() / 8192
}

/// Chapter 9. The smallest number comes first. A victim counts ten times as much as the attacker,
/// so the attacker only decides between equal victims.
pub fn order(position: &Position, moves: &mut [Move], best: Option<Move>) {
    moves.sort_by_key(|&mv| {
        let [attacker, victim] = [position.at(mv.from), position.at(mv.to)];
        if best == Some(mv) {
            -1000
        } else if victim != 0 {
            kind_index(attacker) as i32 - 10 * (kind_index(victim) as i32 + 1)
        } else {
            0
        }
    });
}

/// Chapter 10. Half of the increment only, so that the clock grows if a game is long.
pub fn share(left_ms: u64, increment_ms: u64) -> u64 {
    (left_ms / 30 + increment_ms / 2).min(left_ms.saturating_sub(20)).max(1)
}

/// Chapter 10. Each iteration leaves its best moves in the table, also that of the root. The first
/// legal move is there in case that even depth 1 is not finished.
pub fn go(memory: &mut Search, position: &Position, max_depth: i32) -> Option<Move> {
    let mut best = *legal_moves(position).first()?;
    for depth in 1..=max_depth {
        let score = search(memory, position, depth, -INFINITY, INFINITY);
        if memory.is_stopped() {
            break;
        }
        if let Some(entry) = memory.probe(key(position)) {
            best = entry.best;
        }
        memory.report(depth, score, best);
    }
    Some(best)
}

/// Chapter 11. Bit 2 of the king's number is set on the files e to h. Flipping the three bits of
/// the file mirrors a square.
pub fn feature(king: u8, square: u8, is_enemy: bool, kind: usize) -> usize {
    let square = if king & 4 != 0 { square ^ 7 } else { square };
    let (file, rank) = (usize::from(square & 7), usize::from(square >> 4));
    let owner = if is_enemy { 384 } else { 0 };
    owner + 64 * kind + 8 * rank + file
}
