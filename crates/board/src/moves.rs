//! Moves in 16 bits, and the list they are generated into.
//!
//! A square of the board leaves bits 3 and 7 of its byte free, so two squares leave four bits
//! for the flags of a move. Castling is "king takes own rook", in standard chess too; only
//! the text form differs.

use core::fmt;

use super::{CastlingSide, Delta, Kind, MAX_PIECES, Square};

/// A move. Its text is that of UCI; a [`Board`](super::Board) reads and writes SAN. The order has
/// no meaning.
///
/// ```
/// use carrybit_board::{Board, CastlingMode};
///
/// let board: Board = "4k3/8/8/8/8/8/8/4K2R w K - 0 1".parse()?;
/// let castling = board.parse_uci("e1g1")?;
/// assert!(castling.is_castling());
/// assert_eq!((castling.from().to_string(), castling.to().to_string()), ("e1".into(), "g1".into()));
/// assert_eq!(castling.to_string(), "e1g1");
/// assert_eq!(castling.uci(CastlingMode::Chess960), "e1h1");
/// assert_eq!(board.san(castling), "O-O");
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
// Bits: from-square in the low byte, target in the high byte, and a flag in the four bits that no
// square of the board uses.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(transparent)]
pub struct Move(u16);

/// The kind of a move: [`Move::kind`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MoveKind {
    /// Neither a capture nor one of the special moves.
    Quiet,
    /// A capture, neither en passant nor with a promotion.
    Capture,
    /// A pawn moves two ranks.
    DoublePush,
    /// A pawn captures a pawn that has just passed its target.
    EnPassant,
    /// Castling on this side.
    Castling(CastlingSide),
    /// A pawn becomes a piece of this kind.
    Promotion {
        /// Knight to queen.
        kind: Kind,
        /// Whether the pawn captures.
        captures: bool,
    },
}

const SQUARES: u16 = 0x7777;
/// Set if the move captures (also en passant, also with a promotion).
const CAPTURE: u16 = 0x0008;
/// Set if the move promotes; the two bits of [`SPECIAL`] then give the kind.
const PROMOTION: u16 = 0x8000;
/// Without [`PROMOTION`]: which special move. With it: which kind.
const SPECIAL: u16 = 0x0880;
const DOUBLE_PUSH: u16 = 0x0080;
const CASTLING: u16 = 0x0800;
const EN_PASSANT: u16 = 0x0880;
/// Bits of [`SPECIAL`] for knight, bishop, rook and queen.
const PROMOTION_KINDS: [u16; 4] = [0x0000, 0x0080, 0x0800, 0x0880];

impl Move {
    #[inline]
    const fn with(from: Square, to: Square, flags: u16) -> Move {
        Move((from.0 as u16 | (to.0 as u16) << 8) | flags)
    }

    /// This quiet move with its to-square one `step` away.
    #[inline(always)]
    pub(super) const fn shifted_by(self, step: Delta) -> Move {
        Move(self.0.wrapping_add((step as u16) << 8))
    }

    #[inline(always)]
    pub(super) const fn as_capture(self) -> Move {
        Move(self.0 | CAPTURE)
    }

    /// The square the piece leaves.
    #[inline]
    pub const fn from(self) -> Square {
        Square((self.0 & SQUARES) as u8)
    }

    /// The square the piece goes to; for castling, the king's new square.
    pub const fn to(self) -> Square {
        if self.is_castling() {
            CastlingSide::of(self).targets(self.from()).0
        } else {
            self.target()
        }
    }

    /// The kind of the move, for a `match`.
    ///
    /// ```
    /// use carrybit_board::{Board, Kind, MoveKind};
    ///
    /// let board: Board = "1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1".parse()?;
    /// let captures = board.parse_san("axb8=Q")?.kind();
    /// assert_eq!(captures, MoveKind::Promotion { kind: Kind::Queen, captures: true });
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    pub const fn kind(self) -> MoveKind {
        if let Some(kind) = self.promotion_kind() {
            return MoveKind::Promotion { kind, captures: self.is_capture() };
        }
        match self.0 & SPECIAL {
            DOUBLE_PUSH => MoveKind::DoublePush,
            CASTLING => MoveKind::Castling(CastlingSide::of(self)),
            EN_PASSANT => MoveKind::EnPassant,
            _ if self.is_capture() => MoveKind::Capture,
            _ => MoveKind::Quiet,
        }
    }

    /// Whether this is a null move, which only [`Game::moves`](super::Game::moves) may contain.
    #[inline]
    pub const fn is_null(self) -> bool {
        self.0 == 0
    }

    /// Whether a piece is captured.
    #[inline]
    pub const fn is_capture(self) -> bool {
        self.0 & CAPTURE != 0
    }

    /// Whether a pawn promotes.
    #[inline]
    pub const fn is_promotion(self) -> bool {
        self.0 & PROMOTION != 0
    }

    /// The kind promoted to.
    #[inline]
    pub const fn promotion_kind(self) -> Option<Kind> {
        if !self.is_promotion() {
            return None;
        }
        // The two bits of `SPECIAL` side by side.
        let number = (self.0 >> 7 & 1) | (self.0 >> 10 & 2);
        Some([Kind::Knight, Kind::Bishop, Kind::Rook, Kind::Queen][number as usize])
    }

    /// Whether this is castling.
    #[inline]
    pub const fn is_castling(self) -> bool {
        self.0 & (PROMOTION | SPECIAL) == CASTLING
    }

    /// Whether this is a capture en passant.
    #[inline]
    pub const fn is_en_passant(self) -> bool {
        self.0 & (PROMOTION | SPECIAL) == EN_PASSANT
    }

    /// Whether a pawn steps two ranks.
    #[inline]
    pub const fn is_double_push(self) -> bool {
        self.0 & (PROMOTION | SPECIAL) == DOUBLE_PUSH
    }

    /// No move. It equals no generated move, and no legality test accepts it.
    pub const NONE: Move = Move(0);

    /// A move without capture or anything special.
    #[inline]
    pub const fn quiet(from: Square, to: Square) -> Move {
        Move::with(from, to, 0)
    }

    /// A capture, not en passant, not promoting.
    #[inline]
    pub const fn capture(from: Square, to: Square) -> Move {
        Move::with(from, to, CAPTURE)
    }

    /// A pawn's first step by two ranks.
    #[inline]
    pub const fn double_push(from: Square, to: Square) -> Move {
        Move::with(from, to, DOUBLE_PUSH)
    }

    /// Castling of the king on `king` with the rook that stands on `rook`.
    #[inline]
    pub const fn castling(king: Square, rook: Square) -> Move {
        Move::with(king, rook, CASTLING)
    }

    /// A capture en passant; `to` is the square passed over.
    #[inline]
    pub const fn en_passant(from: Square, to: Square) -> Move {
        Move::with(from, to, CAPTURE | EN_PASSANT)
    }

    /// A promotion to `kind` (knight to queen), capturing or not.
    #[inline]
    pub const fn promotion(from: Square, to: Square, kind: Kind, captures: bool) -> Move {
        // From 0 for a knight to 3 for a queen, without a bounds check.
        let special = PROMOTION_KINDS[(kind as usize + 3) & 3];
        Move::with(from, to, PROMOTION | special | if captures { CAPTURE } else { 0 })
    }

    /// The move in 16 bits, to store it: the inverse of [`Move::from_bits`]. 0 is a null move.
    ///
    /// ```
    /// use carrybit_board::{Board, Move};
    ///
    /// for mv in Board::default().legal_moves() {
    ///     assert_eq!(Move::from_bits(mv.to_bits()), mv);
    /// }
    /// ```
    #[inline]
    pub const fn to_bits(self) -> u16 {
        self.0
    }

    /// The move with these bits, which may be any value;
    /// [`Board::is_legal`](super::Board::is_legal) tests whether it can be played.
    #[inline]
    pub const fn from_bits(bits: u16) -> Move {
        Move(bits)
    }

    /// The square the piece goes to; for castling, the rook's square.
    #[inline]
    pub const fn target(self) -> Square {
        Square(((self.0 & SQUARES) >> 8) as u8)
    }

    /// Whether this is castling, en passant, a double push or a promotion.
    #[inline]
    pub const fn is_special(self) -> bool {
        self.0 & (PROMOTION | SPECIAL) != 0
    }

    /// Whether the move is noisy: a capture without promotion, or a promotion
    /// to a queen. All others, under-promotions included, are quiet.
    #[inline]
    pub const fn is_noisy(self) -> bool {
        if self.is_promotion() { self.0 & SPECIAL == SPECIAL } else { self.is_capture() }
    }
}

/// The moves of one position: a slice that owns its memory, without an allocation. There are at
/// most 218 in a position of a game, more with fifteen queens.
///
/// ```
/// use carrybit_board::Board;
///
/// let moves = Board::default().legal_moves();
/// assert_eq!(moves.len(), 20);
/// for mv in &moves {
///     assert!(!mv.is_capture());
/// }
/// let to_fourth = moves.into_iter().filter(|mv| mv.to().rank() == 3);
/// assert_eq!(to_fourth.count(), 8);
/// ```
#[derive(Clone)]
pub struct MoveList {
    pub(super) moves: [Move; Self::CAPACITY + Self::SLACK],
    pub(super) len: usize,
}

impl MoveList {
    /// Room after the last move: vector code writes up to 64 moves at once, of which only the
    /// first few may count.
    pub(super) const SLACK: usize = 64;

    /// Room for every position's moves; a power of two, so that a masked index
    /// needs no bounds check.
    pub const CAPACITY: usize = 512;

    /// An empty list.
    pub const fn new() -> MoveList {
        MoveList { moves: [Move::NONE; Self::CAPACITY + Self::SLACK], len: 0 }
    }

    /// Empties the list.
    #[inline]
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Appends a move.
    ///
    /// # Panics
    /// In debug builds, if the list is full.
    #[inline]
    pub fn push(&mut self, mv: Move) {
        debug_assert!(self.len < Self::CAPACITY);
        self.moves[self.len % Self::CAPACITY] = mv;
        self.len += 1;
    }
}

const _: () = {
    const QUEEN_MOVES: usize = 27;
    const KING_MOVES: usize = 10;
    assert!((MAX_PIECES - 1) * QUEEN_MOVES + KING_MOVES <= MoveList::CAPACITY);
    assert!(MoveList::CAPACITY.is_power_of_two());
};

impl Default for MoveList {
    fn default() -> MoveList {
        MoveList::new()
    }
}

impl core::ops::Deref for MoveList {
    type Target = [Move];

    #[inline]
    fn deref(&self) -> &[Move] {
        &self.moves[..self.len.min(Self::CAPACITY)]
    }
}

impl<'a> IntoIterator for &'a MoveList {
    type Item = &'a Move;
    type IntoIter = core::slice::Iter<'a, Move>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl IntoIterator for MoveList {
    type Item = Move;
    type IntoIter = MoveListIter;

    fn into_iter(self) -> MoveListIter {
        let len = self.len();
        self.moves.into_iter().take(len)
    }
}

/// Iterates over the moves of a [`MoveList`].
pub type MoveListIter =
    core::iter::Take<core::array::IntoIter<Move, { MoveList::CAPACITY + MoveList::SLACK }>>;

impl fmt::Debug for MoveList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self).finish()
    }
}
