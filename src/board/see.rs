//! Static exchange evaluation: what a move wins or loses if both sides go on
//! capturing on its square, cheapest piece first; of equal pieces the one whose
//! direction, seen from the square, comes last in the order of steps or jumps.
//!
//! Attackers are collected by the difference table. When one of them has
//! captured, the slider that may stand behind it is found by stepping on along
//! the table's step. Pins are ignored; a king captures only what is no longer
//! defended. A promotion counts for the move itself, not for recaptures.

use super::attacks::{DIRECTION, REACH, STEP};
use super::moves::Move;
use super::piece::{Color, Kind, Piece};
use super::square::Square;
use super::{Board, MAX_PIECES, simd};

/// Values of pawn, knight, bishop, rook, queen and king, in centipawns; the
/// king's must be 0, since it is never lost. Indexed by [`Kind::index`].
pub type SeeValues = [i32; 6];

/// What is left of an exchange once its first move has been made, and is not
/// decided by that.
#[derive(Clone, Copy)]
pub(super) struct Exchange {
    /// The square of the exchange.
    pub(super) to: Square,
    /// Where the first piece came from; empty now.
    pub(super) from: Square,
    /// Where it captured en passant, empty now too; else [`Square::NONE`].
    pub(super) victim: Square,
    /// What the side that made the first move has over the threshold if its piece
    /// on the square is lost: less than 0.
    pub(super) balance: i32,
}

/// The pieces of one side that bear on the square, as found so far.
struct Attackers {
    squares: [Square; MAX_PIECES],
    /// Which of them captures first: by kind, then by direction.
    order: [u8; MAX_PIECES],
    len: usize,
}

impl Attackers {
    const NONE: Attackers =
        Attackers { squares: [Square::NONE; MAX_PIECES], order: [0; MAX_PIECES], len: 0 };

    /// Collects those of `color` in `exchange`.
    fn collect(board: &Board, color: Color, exchange: Exchange) -> Attackers {
        let Exchange { to, from: left, victim, .. } = exchange;
        let mut attackers = Attackers::NONE;
        let reach = &REACH[color.index()];
        for &from in board.list(color) {
            let piece = board.piece_on(from);
            let delta = from.delta_to(to) as usize;
            if reach[delta] & piece.0 == 0 || from == left || from == victim {
                continue;
            }
            if piece.is_slider() {
                let step = STEP[delta];
                let mut sq = from.step(step);
                while sq != to && (board.piece_on(sq).is_empty() || sq == left || sq == victim) {
                    sq = sq.step(step);
                }
                if sq != to {
                    continue;
                }
            }
            attackers.push(from, piece, to);
        }
        attackers
    }

    #[inline]
    fn push(&mut self, sq: Square, piece: Piece, to: Square) {
        let from_last = 7 - DIRECTION[to.delta_to(sq) as usize];
        let order = (piece.kind_index() as u8) << 3 | from_last;
        self.squares[self.len % MAX_PIECES] = sq;
        self.order[self.len % MAX_PIECES] = order;
        self.len += 1;
    }

    /// Takes out the cheapest attacker.
    fn pop_cheapest(&mut self, board: &Board) -> Option<(Square, Kind)> {
        let cheapest = (0..self.len).min_by_key(|&i| self.order[i % MAX_PIECES])? % MAX_PIECES;
        let sq = self.squares[cheapest];
        self.len -= 1;
        self.squares[cheapest] = self.squares[self.len % MAX_PIECES];
        self.order[cheapest] = self.order[self.len % MAX_PIECES];
        Some((sq, board.piece_on(sq).kind()?))
    }
}

impl Board {
    /// Whether the legal move `mv` wins at least `threshold` centipawns in the
    /// exchange on its square, by `values`.
    #[must_use]
    pub fn see_ge(&self, mv: Move, threshold: i32, values: &SeeValues) -> bool {
        if mv.is_castling() {
            return threshold <= 0;
        }
        let (from, to) = (mv.from(), mv.to());
        let mover = self.piece_on(from);
        let mut balance = self.gain(mv, values) - threshold;
        if balance < 0 {
            return false;
        }
        let at_stake = match mv.promotion_kind() {
            Some(kind) => values[kind.index()],
            None => value(mover, values),
        };
        balance -= at_stake;
        if balance >= 0 {
            return true;
        }
        let victim =
            if mv.is_en_passant() { to.step((!self.side).forward()) } else { Square::NONE };
        simd::wins_exchange(self, Exchange { to, from, victim, balance }, values)
    }

    /// Whether the side to move, which made the first move of `exchange`, comes
    /// out of it with the threshold at least: in plain Rust.
    pub(super) fn wins_exchange_portably(&self, exchange: Exchange, values: &SeeValues) -> bool {
        let mut sides = Color::ALL.map(|color| Attackers::collect(self, color, exchange));
        let mut balance = exchange.balance;
        let mut turn = !self.side;
        // From here `balance` is what the side whose turn it is not has over the
        // threshold if its piece on the square is lost.
        while let Some((attacker, kind)) = sides[turn.index()].pop_cheapest(self) {
            self.reveal(&mut sides, attacker, exchange);
            if kind == Kind::King && sides[(!turn).index()].len > 0 {
                break; // The king cannot capture what is defended.
            }
            turn = !turn;
            balance = -balance - 1 - values[kind.index()];
            if balance >= 0 {
                break; // Ahead even if the piece that has just captured is lost.
            }
        }
        // The side whose turn it is cannot or need not capture, and has lost.
        turn != self.side
    }

    /// What `mv` takes and promotes to, in centipawns.
    fn gain(&self, mv: Move, values: &SeeValues) -> i32 {
        let captured = self.captured_kind(mv).map_or(0, |kind| values[kind.index()]);
        let promoted =
            mv.promotion_kind().map_or(0, |kind| values[kind.index()] - values[Kind::Pawn.index()]);
        captured + promoted
    }

    /// Adds the slider that stood behind `attacker`, if there is one.
    fn reveal(&self, sides: &mut [Attackers; 2], attacker: Square, exchange: Exchange) {
        let Exchange { to, from: left, victim, .. } = exchange;
        let step = STEP[to.delta_to(attacker) as usize];
        if step == 0 {
            return;
        }
        let mut sq = attacker.step(step);
        while sq.is_on_board() {
            let piece = self.piece_on(sq);
            if let Some(color) = piece.color()
                && sq != left
                && sq != victim
            {
                if piece.is_slider()
                    && REACH[color.index()][sq.delta_to(to) as usize] & piece.0 != 0
                {
                    sides[color.index()].push(sq, piece, to);
                }
                return;
            }
            sq = sq.step(step);
        }
    }
}

#[inline]
fn value(piece: Piece, values: &SeeValues) -> i32 {
    piece.kind().map_or(0, |kind| values[kind.index()])
}
