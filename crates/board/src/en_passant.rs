//! En passant: the legality of a capture, and making it.

use super::difference::{REACH, all_between};
use super::sink::Sink;
use super::square::{EAST, WEST};
use super::zobrist;
use super::{Board, Color, Kind, Move, PieceByte, Square};

impl Board {
    /// Emits the legal captures en passant. There must be an en passant square.
    #[inline(never)]
    pub(super) fn generate_en_passant<S: Sink>(&self, mut sink: S) -> S {
        for mv in self.en_passant_captures(self.ep) {
            sink.emit(mv);
        }
        sink
    }

    /// The legal captures of the side to move if `ep` is the en passant square, at most two.
    pub(super) fn en_passant_captures(&self, ep: Square) -> impl Iterator<Item = Move> + '_ {
        let victim = ep.step((!self.side).forward());
        // One of the two squares may be off the board, where no piece stands.
        [victim.step(WEST), victim.step(EAST)]
            .into_iter()
            .filter(move |&from| {
                self.byte_on(from) == PieceByte::new(self.side, Kind::Pawn)
                    && self.is_en_passant_safe(from, ep)
            })
            .map(move |from| Move::en_passant(from, ep))
    }

    /// Whether our king would be safe after our pawn on `from` captured en passant on `ep`.
    /// Two pawns leave their squares at once, which the check info does not cover, so this
    /// tests every enemy piece anew.
    fn is_en_passant_safe(&self, from: Square, ep: Square) -> bool {
        let them = !self.side;
        let king = self.king(self.side);
        let victim = ep.step(them.forward());
        let is_empty =
            |sq: Square| sq != ep && (self.byte_on(sq).is_empty() || sq == from || sq == victim);
        self.list(them).iter().filter(|&&attacker| attacker != victim).all(|&attacker| {
            let piece = self.byte_on(attacker);
            REACH[them.index()][attacker.delta_to(king) as usize] & piece.0 == 0
                || (piece.is_slider() && !all_between(attacker, king, is_empty))
        })
    }

    pub(super) fn take_en_passant(&self, mv: Move) -> Board {
        let (us, them) = (self.side, !self.side);
        let victim = mv.target().step(them.forward());
        let mut next = self.clone();
        next.halfmove = 0;
        next.toggle(PieceByte::new(them, Kind::Pawn), victim);
        next.toggle(PieceByte::new(us, Kind::Pawn), mv.from());
        next.toggle(PieceByte::new(us, Kind::Pawn), mv.target());
        next.lists[us.index()][self.slot_of(us, mv.from())] = mv.target();
        next.lists[them.index()][self.slot_of(them, victim)] = Square::NONE;
        next.end_turn();
        next
    }

    /// Sets the en passant square of a position that has none, if the side to move can
    /// legally capture there.
    pub(super) fn set_ep(&mut self, ep: Square) {
        if self.en_passant_captures(ep).next().is_some() {
            self.ep = ep;
            self.key ^= zobrist::en_passant(ep);
        }
    }

    /// Whether a pawn of `color` stands next to `sq` on the same rank.
    pub(super) fn is_beside_pawn(&self, sq: Square, color: Color) -> bool {
        let pawn = PieceByte::new(color, Kind::Pawn);
        self.byte_on(sq.step(WEST)) == pawn || self.byte_on(sq.step(EAST)) == pawn
    }
}
