//! Exchanges with the difference table, which finds the attackers. After each capture, a walk
//! further along the same line finds the slider behind the piece that captured (X-ray attack).

use crate::difference::{DIRECTION, REACH, STEP};
use crate::see::Exchange;
use crate::{Board, Color, Kind, MAX_PIECES, PieceByte, SeeValues, Square};

/// Whether the side to move, which made the first move of `exchange`, reaches the threshold.
pub(in crate::backend) fn see_loop(board: &Board, exchange: Exchange, values: &SeeValues) -> bool {
    let mut sides = Color::ALL.map(|color| Attackers::collect(board, color, exchange));
    let mut balance = exchange.balance;
    let mut turn = !board.side;
    // `balance` belongs to the side that captured last: its gain, less its threshold, if its
    // piece on the square is lost.
    while let Some((attacker, kind)) = sides[turn.index()].pop_cheapest(board) {
        reveal(board, &mut sides, attacker, exchange);
        if kind == Kind::King && sides[(!turn).index()].len > 0 {
            break; // The king cannot capture what is defended.
        }
        turn = !turn;
        balance = -balance - 1 - values[kind.index()];
        if balance >= 0 {
            break; // Ahead even if the piece that has just captured is lost.
        }
    }
    // The side to capture has lost.
    turn != board.side
}

/// The pieces of one side that attack the square, as found so far.
struct Attackers {
    /// The square in the low byte; above it kind and direction. The lowest key captures first.
    keys: [u16; MAX_PIECES],
    len: usize,
}

impl Attackers {
    fn collect(board: &Board, color: Color, exchange: Exchange) -> Attackers {
        let Exchange { to, from: origin, victim, .. } = exchange;
        let mut attackers = Attackers { keys: [0; MAX_PIECES], len: 0 };
        for &from in board.list(color) {
            let piece = board.byte_on(from);
            let reach = REACH[color.index()][from.delta_to(to) as usize];
            if reach & piece.0 == 0 || from == origin || from == victim {
                continue;
            }
            if !piece.is_slider() || board.is_clear_without([origin, victim], from, to) {
                attackers.push(from, piece, to);
            }
        }
        attackers
    }

    fn push(&mut self, sq: Square, piece: PieceByte, to: Square) {
        let from_last = 7 - u16::from(DIRECTION[to.delta_to(sq) as usize]);
        let order = (piece.kind_index() as u16) << 3 | from_last;
        self.keys[self.len % MAX_PIECES] = order << 8 | u16::from(sq.0);
        self.len += 1;
    }

    fn pop_cheapest(&mut self, board: &Board) -> Option<(Square, Kind)> {
        let cheapest = (0..self.len).min_by_key(|&i| self.keys[i % MAX_PIECES])? % MAX_PIECES;
        let sq = Square(self.keys[cheapest] as u8);
        self.len -= 1;
        self.keys[cheapest] = self.keys[self.len % MAX_PIECES];
        Some((sq, board.byte_on(sq).kind()?))
    }
}

/// Adds the slider that stood behind `attacker`, if there is one.
fn reveal(board: &Board, sides: &mut [Attackers; 2], attacker: Square, exchange: Exchange) {
    let Exchange { to, from: origin, victim, .. } = exchange;
    let step = STEP[to.delta_to(attacker) as usize];
    if step == 0 {
        return;
    }
    let mut sq = attacker.step(step);
    while sq.is_on_board() {
        let piece = board.byte_on(sq);
        if let Some(color) = piece.color()
            && sq != origin
            && sq != victim
        {
            if piece.is_slider() && REACH[color.index()][sq.delta_to(to) as usize] & piece.0 != 0 {
                sides[color.index()].push(sq, piece, to);
            }
            return;
        }
        sq = sq.step(step);
    }
}
