//! Castling: rights, legality and making the move, for both backends. (`simd` has its own
//! test of the king's path.)

use super::difference::all_between;
use super::position::{KING_SLOT, castling_rooks_word};
use super::square::{ALL_STEPS, EAST, WEST};
use super::zobrist;
use super::{Board, CheckInfo, Color, Kind, Move, PieceByte, Square};

/// The two sides a king can castle to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum CastlingSide {
    /// Towards the h-file; the king ends on the g-file, the rook on the f-file.
    King = 0,
    /// Towards the a-file; the king ends on the c-file, the rook on the d-file.
    Queen = 1,
}

/// How castling is written, and how [`Board::from_fen`] reads `KQkq`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CastlingMode {
    /// As the king's move, `e1g1`.
    #[default]
    Standard,
    /// As king takes rook, `e1h1`: the form of Chess960.
    Chess960,
}

pub(super) const STANDARD_KING_FILE: u8 = 4;

/// The bits of the king's steps along its rank in [`CheckInfo::king_moves`].
const EAST_BIT: u8 = 1 << 1;
const WEST_BIT: u8 = 1 << 3;
const _: () = assert!(ALL_STEPS[1] == EAST && ALL_STEPS[3] == WEST);

impl CastlingSide {
    /// Both sides, the king's first.
    pub const ALL: [CastlingSide; 2] = [CastlingSide::King, CastlingSide::Queen];

    pub(super) const fn of(castling: Move) -> CastlingSide {
        let is_east = castling.target().0 > castling.from().0;
        if is_east { CastlingSide::King } else { CastlingSide::Queen }
    }

    pub(super) const fn corner_file(self) -> u8 {
        [7, 0][self as usize]
    }

    /// The squares of king and rook after castling on the rank of `king`.
    pub(super) const fn targets(self, king: Square) -> (Square, Square) {
        let (king_file, rook_file) = [(6, 5), (2, 3)][self as usize];
        (Square::new(king_file, king.rank()), Square::new(rook_file, king.rank()))
    }
}

impl Board {
    /// The square of the rook with which `color` may still castle on that side.
    #[inline]
    pub fn castling_rook(&self, color: Color, side: CastlingSide) -> Option<Square> {
        Some(self.castling_rook_or_none(color, side)).filter(|sq| sq.is_on_board())
    }

    /// [`Board::castling_rook`], or [`Square::NONE`].
    #[inline]
    pub(crate) fn castling_rook_or_none(&self, color: Color, side: CastlingSide) -> Square {
        self.castling_rooks[color.index() * 2 + side as usize]
    }

    /// Whether any castling right is left.
    #[inline]
    pub fn has_any_castling_right(&self) -> bool {
        // As one word, not byte by byte.
        castling_rooks_word(self.castling_rooks) != castling_rooks_word([Square::NONE; 4])
    }

    /// Whether `color` may still castle.
    #[inline]
    pub fn has_castling_right(&self, color: Color) -> bool {
        CastlingSide::ALL
            .into_iter()
            .any(|side| self.castling_rook_or_none(color, side) != Square::NONE)
    }

    /// Whether a king or rook that may castle stands elsewhere than in standard chess.
    pub fn has_chess960_castling(&self) -> bool {
        let is_elsewhere = |color, side: CastlingSide| {
            self.castling_rook(color, side).is_some_and(|rook| {
                rook.file() != side.corner_file() || self.king(color).file() != STANDARD_KING_FILE
            })
        };
        Color::ALL
            .into_iter()
            .any(|color| CastlingSide::ALL.into_iter().any(|side| is_elsewhere(color, side)))
    }

    /// Whether castling on that side is legal; `info` is the position's.
    pub(super) fn can_castle(&self, side: CastlingSide, info: CheckInfo) -> bool {
        if info.checkers != 0 {
            return false;
        }
        let king = self.king(self.side);
        let is_safe = |sq: Square| {
            // `castling_target` has tested an empty square next to the king by `king_moves`. The
            // square of the castling rook (Chess960) is not in `king_moves`.
            let is_tested =
                [EAST, WEST].contains(&king.delta_to(sq)) && self.byte_on(sq).is_empty();
            is_tested || !self.is_attacked(sq, !self.side)
        };
        self.castling_target(side, info).is_some_and(|king_to| on_path(king, king_to, is_safe))
    }

    /// The king's target if it castles on that side; `None` if the right is lost, a square
    /// needed is not free, the rook is pinned, or the king's first step leads into an
    /// attack. The caller tests for check and the rest of the king's path.
    #[inline]
    pub(super) fn castling_target(&self, side: CastlingSide, info: CheckInfo) -> Option<Square> {
        let us = self.side;
        let rook = self.castling_rook(us, side)?;
        let king = self.king(us);
        let (king_to, rook_to) = side.targets(king);
        let (step, bit) = if king_to > king { (EAST, EAST_BIT) } else { (WEST, WEST_BIT) };
        if king != king_to && king.step(step) != rook && info.king_moves & bit == 0 {
            return None;
        }
        let is_free = |sq: Square| sq == king || sq == rook || self.byte_on(sq).is_empty();
        let may = on_path(king, king_to, is_free)
            && on_path(rook, rook_to, is_free)
            // A rook that shields its king on the back rank (Chess960) must stay.
            && (info.pinned == 0 || info.pinned >> self.slot_of(us, rook) & 1 == 0);
        may.then_some(king_to)
    }

    pub(super) fn castle(&self, mv: Move) -> Board {
        let us = self.side;
        let (king_from, rook_from) = (mv.from(), mv.target());
        let (king_to, rook_to) = CastlingSide::of(mv).targets(king_from);
        let (king, rook) = (PieceByte::new(us, Kind::King), PieceByte::new(us, Kind::Rook));
        let mut next = self.clone();
        let (rooks, key) = self.rights_after(mv, king);
        next.castling_rooks = rooks;
        next.key ^= key;
        next.halfmove = self.halfmove.saturating_add(1);
        // In Chess960 each may land where the other stood: take both off first.
        next.toggle(king, king_from);
        next.toggle(rook, rook_from);
        next.toggle(king, king_to);
        next.toggle(rook, rook_to);
        let list = &mut next.lists[us.index()];
        list[KING_SLOT] = king_to;
        list[self.slot_of(us, rook_from)] = rook_to;
        next.end_turn();
        next
    }

    /// Whether `mv` is special or may cost a castling right.
    #[inline(always)]
    pub(super) fn is_rare(&self, mv: Move) -> bool {
        mv.is_special() || self.may_lose_rights(self.byte_on(mv.from()), self.byte_on(mv.target()))
    }

    /// Whether a move of `mover` that takes `victim` may cost a castling right.
    #[inline]
    pub(super) fn may_lose_rights(&self, mover: PieceByte, victim: PieceByte) -> bool {
        const CASTLERS: u8 = Kind::King.bit() | Kind::Rook.bit();
        (mover.0 | victim.0) & CASTLERS != 0 && self.has_any_castling_right()
    }

    /// The rooks that may still castle after `mv`, which moves `mover`, and the change of
    /// the key. A right is lost when the king or that rook moves, or the rook is taken.
    #[inline(always)]
    pub(super) fn rights_after(&self, mv: Move, mover: PieceByte) -> ([Square; 4], u64) {
        let (mut rooks, mut key) = (self.castling_rooks, 0);
        for (i, rook) in rooks.iter_mut().enumerate() {
            let color = Color::ALL[i / 2];
            let moves_king = mover == PieceByte::new(color, Kind::King);
            if moves_king || *rook == mv.from() || *rook == mv.target() {
                key ^= zobrist::castling(color, *rook);
                *rook = Square::NONE;
            }
        }
        (rooks, key)
    }
}

/// Whether `holds` is true for all squares from `from` (excluded) to `to` (included), which
/// share a rank.
fn on_path(from: Square, to: Square, holds: impl Fn(Square) -> bool) -> bool {
    from == to || (all_between(from, to, &holds) && holds(to))
}
