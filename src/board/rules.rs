//! The irregular rules of chess: castling, its rights, and en passant. Both
//! implementations of the hot path share them; only the safety of the king's path when
//! castling is also tested on the lanes.

use super::color::Color;
use super::difference::{REACH, STEP};
use super::king_pass::KingPass;
use super::moves::Move;
use super::piece::{Kind, Piece};
use super::position::{Board, KING_SLOT, Wing, rooks_word};
use super::sink::Sink;
use super::square::{ALL_STEPS, Delta, EAST, Square, WEST};
use super::zobrist;

/// Castling.
impl Board {
    /// Whether the side to move, whose king pass is `pass`, may castle on that wing now.
    pub(super) fn can_castle(&self, wing: Wing, pass: KingPass) -> bool {
        if pass.checkers != 0 {
            return false;
        }
        let king = self.king(self.side);
        let is_safe = |sq: Square| match ring_bit(king.delta_to(sq)) {
            // The pass knows the squares next to the king.
            Some(_) if self.piece_on(sq).is_empty() => true,
            _ => !self.is_attacked(sq, !self.side),
        };
        self.castling_goal(wing, pass).is_some_and(|king_to| on_way(king, king_to, is_safe))
    }

    /// Where the king of the side to move goes if it castles on that wing; `None` if
    /// it has lost the right to, a square needed is not free, a pin is in the way, or
    /// the `pass` says that its first step leads into an attack. It must not be in
    /// check; the other squares on its way may be attacked.
    #[inline]
    pub(super) fn castling_goal(&self, wing: Wing, pass: KingPass) -> Option<Square> {
        let us = self.side;
        let rook = self.castling_rook(us, wing);
        if !rook.is_on_board() {
            return None;
        }
        let king = self.king(us);
        let king_to = Square::new(wing.king_file(), king.rank());
        let rook_to = Square::new(wing.rook_file(), king.rank());
        let first = king.step(if king_to > king { EAST } else { WEST });
        let is_told = king != king_to && first != rook;
        if is_told && ring_bit(king.delta_to(first)).is_some_and(|bit| pass.ring & bit == 0) {
            return None;
        }
        let is_free = |sq: Square| sq == king || sq == rook || self.piece_on(sq).is_empty();
        let may = on_way(king, king_to, is_free)
            && on_way(rook, rook_to, is_free)
            // A rook that shields its king on the back rank (Chess960) must stay.
            && (pass.pinned == 0 || pass.pinned >> self.slot_of(us, rook) & 1 == 0);
        may.then_some(king_to)
    }

    /// Whether `mv` is special or may cost a castling right.
    #[inline(always)]
    pub(super) fn is_rare(&self, mv: Move) -> bool {
        mv.is_special() || self.may_lose_rights(self.piece_on(mv.from()), self.piece_on(mv.to()))
    }

    /// Whether a move of `mover` that takes `victim` may cost a castling right.
    #[inline]
    pub(super) fn may_lose_rights(&self, mover: Piece, victim: Piece) -> bool {
        const CASTLERS: u8 = Kind::King.bit() | Kind::Rook.bit();
        (mover.0 | victim.0) & CASTLERS != 0 && self.has_castling_rights()
    }

    /// The rooks that may still castle after `mv`, which moves `mover`, and the
    /// change of the key. Rights go when the king or that rook moves, or the
    /// rook is taken.
    ///
    /// All four are compared at once: a byte below 0x80 carries into its top bit
    /// when 0x7f is added, unless it is 0.
    #[inline(always)]
    pub(super) fn rights_after(&self, mv: Move, mover: Piece) -> ([Square; 4], u64) {
        const LOW: u32 = 0x0101_0101;
        const HIGH: u32 = 0x8080_8080;
        const OF_WHITE: u32 = 0x0000_ffff;
        let rooks = rooks_word(self.rooks);
        let differ = |sq: Square| (rooks ^ (LOW * u32::from(sq.0))) + LOW * 0x7f;
        let mut kept = differ(mv.from()) & differ(mv.to()) & HIGH;
        if mover.is_kind(Kind::King) {
            kept &= if self.side == Color::White { !OF_WHITE } else { OF_WHITE };
        }
        let mut lost = kept ^ HIGH;
        let mut key = 0;
        while lost != 0 {
            let index = lost.trailing_zeros() as usize / 8 % 4;
            key ^= zobrist::castling(Color::ALL[index / 2], self.rooks[index]);
            lost &= lost - 1;
        }
        let kept = (kept >> 7) * 0xff;
        let none = LOW * u32::from(Square::NONE.0);
        (((rooks & kept) | (none & !kept)).to_le_bytes().map(Square), key)
    }
}

/// En passant.
impl Board {
    /// Emits the captures en passant of the side to move. There is a square for them.
    #[inline(never)]
    pub(super) fn en_passant<S: Sink>(&self, mut sink: S) -> S {
        let ep = self.ep;
        for from in self.en_passant_origins(ep) {
            if self.piece_on(from) == Piece::new(self.side, Kind::Pawn)
                && self.is_en_passant_safe(from, ep)
            {
                sink.emit(Move::en_passant(from, ep));
            }
        }
        sink
    }

    /// Whether our king would be safe after our pawn on `from` captured en
    /// passant on `ep`. Two pawns leave their squares at once, which neither the pins nor
    /// the checkers account for, so every enemy piece is asked anew.
    pub(super) fn is_en_passant_safe(&self, from: Square, ep: Square) -> bool {
        let them = !self.side;
        let king = self.lists[self.side.index()][KING_SLOT];
        let victim = ep.step(them.forward());
        let is_empty =
            |sq: Square| sq != ep && (self.piece_on(sq).is_empty() || sq == from || sq == victim);
        self.lists[them.index()].iter().filter(|&&attacker| attacker != victim).all(|&attacker| {
            let piece = self.piece_on(attacker);
            let delta = attacker.delta_to(king);
            if REACH[them.index()][delta as usize] & piece.0 == 0 {
                return true;
            }
            if !piece.is_slider() {
                return false;
            }
            let step = STEP[delta as usize];
            let mut sq = attacker.step(step);
            while is_empty(sq) && sq != king {
                sq = sq.step(step);
            }
            sq != king
        })
    }

    /// Whether some pawn of the side to move may capture en passant on `ep`.
    pub(super) fn has_en_passant(&self, ep: Square) -> bool {
        let pawn = Piece::new(self.side, Kind::Pawn);
        self.en_passant_origins(ep)
            .into_iter()
            .any(|from| self.piece_on(from) == pawn && self.is_en_passant_safe(from, ep))
    }

    /// The two squares from which a pawn of the side to move captures on `ep`;
    /// one may be off the board, where no piece stands.
    #[inline]
    pub(super) fn en_passant_origins(&self, ep: Square) -> [Square; 2] {
        let behind = ep.step((!self.side).forward());
        [behind.step(WEST), behind.step(EAST)]
    }

    /// Whether a pawn of `color` stands next to `sq` on its rank.
    #[inline]
    pub(super) fn is_beside_pawn(&self, sq: Square, color: Color) -> bool {
        let pawn = Piece::new(color, Kind::Pawn);
        self.piece_on(sq.step(WEST)) == pawn || self.piece_on(sq.step(EAST)) == pawn
    }
}

/// The bit of the king's ring that belongs to a step along its rank.
#[inline]
const fn ring_bit(step: Delta) -> Option<u8> {
    const EAST_BIT: u8 = bit_of(EAST);
    const WEST_BIT: u8 = bit_of(WEST);
    match step {
        EAST => Some(EAST_BIT),
        WEST => Some(WEST_BIT),
        _ => None,
    }
}

const fn bit_of(step: Delta) -> u8 {
    let mut i = 0;
    while ALL_STEPS[i] != step {
        i += 1;
    }
    1 << i
}

/// Whether it `holds` for all squares from `from` (excluded) to `to` (included),
/// which share a rank.
#[inline]
fn on_way(from: Square, to: Square, holds: impl Fn(Square) -> bool) -> bool {
    let step = if to > from { EAST } else { WEST };
    let mut sq = from;
    while sq != to {
        sq = sq.step(step);
        if !holds(sq) {
            return false;
        }
    }
    true
}
