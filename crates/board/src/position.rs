//! [`Board`]: a whole position in 256 bytes, and the plain queries that its fields answer.
//!
//! `make.rs` has the parts of making a move; the [backend](super::backend) makes moves,
//! generates them and computes attacks.

use core::hash::{Hash, Hasher};

use super::check_info::CachedCheckInfo;
use super::{CheckInfo, Color, Kind, MAX_PIECES, Move, Piece, PieceByte, Square};

pub(super) const KING_SLOT: usize = 0;

/// The length of [`Board::unused`].
pub(super) const UNUSED: usize = 6;

/// The groups of pieces with a Zobrist key of their own, as offsets into
/// [`Board::group_keys`]: pawns, knights and bishops, rooks and queens, kings.
pub(super) const PAWNS: usize = 0;
pub(super) const MINORS: usize = 1;
pub(super) const MAJORS: usize = 2;
pub(super) const KINGS: usize = 3;

/// A position. `Board::default()` is the start position of standard chess.
///
/// Every `Board` comes from a valid FEN or from a legal or null move. So it has one king per side,
/// and the side not to move is not in check. Its text is the FEN; [`Board::diagram`] draws it.
///
/// ```
/// use carrybit_board::{Board, Color, Outcome};
///
/// let board: Board = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1".parse()?;
/// assert_eq!(board.to_string().parse(), Ok(board.clone()));
/// let (a1, rook) = board.pieces().find(|(_, piece)| piece.to_string() == "R").expect("a rook");
/// assert_eq!((a1.to_string(), board.piece_on(a1)), ("a1".to_owned(), Some(rook)));
/// let mated = board.try_play(board.parse_san("Ra8#")?)?;
/// assert_eq!(mated.status(), Some(Outcome::Checkmate(Color::White)));
/// assert_eq!(mated.attackers("g8".parse()?, Color::White).count(), 1);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[must_use]
#[repr(C, align(64))]
pub struct Board {
    /// One byte per square; bytes off the board are always empty.
    pub(super) squares: [PieceByte; 128],
    /// Zobrist keys of each colour's groups of pieces, `[colour * 4 + group]`.
    pub(super) group_keys: [u64; 8],
    /// The squares of each side's pieces; the king in slot 0, captured pieces on
    /// [`Square::NONE`]. A piece never changes its slot.
    pub(super) lists: [[Square; MAX_PIECES]; 2],
    /// Zobrist key of the whole position.
    pub(super) key: u64,
    /// The squares of the rooks that may still castle, `[colour * 2 + side]`;
    /// [`Square::NONE`] for a lost right.
    pub(super) castling_rooks: [Square; 4],
    pub(super) halfmove: u16,
    pub(super) fullmove: u16,
    pub(super) side: Color,
    pub(super) ep: Square,
    /// Vector code writes the state as bytes, so there must be no padding.
    pub(super) unused: [u8; UNUSED],
    /// The check info of the side to move.
    pub(super) check_info: CachedCheckInfo,
}

const _: () = {
    const fn is_shared_between_threads<T: Send + Sync>() {}
    is_shared_between_threads::<Board>();
    is_shared_between_threads::<super::Game>();
    assert!(size_of::<Board>() == 256);
};

impl Board {
    /// Copies the position with its cached check info, by the instructions of the caller.
    #[inline(always)]
    pub(super) fn copy(&self) -> Board {
        // First: an atomic load between the copies of the arrays, as in a derived `clone`, makes
        // the compiler copy them twice.
        let check_info = self.check_info.clone();
        Board { check_info, ..*self }
    }

    /// The piece on `sq`, as for [`Board::byte_on`].
    pub fn piece_on(&self, sq: Square) -> Option<Piece> {
        self.byte_on(sq).piece()
    }

    /// The board without its off-board bytes: one word per rank, with the a-file in the lowest
    /// byte of the word.
    #[inline]
    pub fn packed(&self) -> [u64; 8] {
        core::array::from_fn(|rank| {
            let used: &[PieceByte; 8] = self.squares[16 * rank..].first_chunk().expect("a rank");
            u64::from_le_bytes(used.map(|piece| piece.0))
        })
    }

    /// The side to move; other libraries call it the turn.
    #[doc(alias = "turn")]
    #[doc(alias = "side_to_move")]
    #[inline]
    pub fn side(&self) -> Color {
        self.side
    }

    /// The pieces on the board, White's first, the king first of each side.
    pub fn pieces(&self) -> impl Iterator<Item = (Square, Piece)> + '_ {
        let of_both = Color::ALL.into_iter().flat_map(|color| self.pieces_of(color));
        of_both.filter_map(|(sq, byte)| Some((sq, byte.piece()?)))
    }

    /// The squares of the pieces of one colour and kind, in no particular order.
    ///
    /// ```
    /// use carrybit_board::{Board, Color, Kind, Square};
    ///
    /// let board = Board::default();
    /// assert!(board.squares_of(Color::White, Kind::Rook).eq([Square::A1, Square::H1]));
    /// assert_eq!(board.squares_of(Color::Black, Kind::Pawn).count(), 8);
    /// ```
    pub fn squares_of(&self, color: Color, kind: Kind) -> impl Iterator<Item = Square> + '_ {
        let piece = PieceByte::new(color, kind);
        self.list(color).iter().copied().filter(move |&sq| self.byte_on(sq) == piece)
    }

    /// The number of pieces on the board, 2 to 32.
    #[inline]
    pub fn piece_count(&self) -> usize {
        self.lists.as_flattened().iter().filter(|&&sq| sq != Square::NONE).count()
    }

    /// The king's square.
    #[inline]
    pub fn king(&self, color: Color) -> Square {
        self.lists[color.index()][KING_SLOT]
    }

    /// Zobrist key of the position: pieces, side to move, castling rights, and
    /// the en passant square if a capture there is legal.
    #[inline]
    pub fn key(&self) -> u64 {
        self.key
    }

    fn key_of_both(&self, group: usize) -> u64 {
        self.group_key(Color::White, group) ^ self.group_key(Color::Black, group)
    }

    #[inline]
    pub(super) fn group_key(&self, color: Color, group: usize) -> u64 {
        self.group_keys[color.index() * 4 + group]
    }

    /// Whether `color` has a piece of `group`. An empty group has the key 0. A group with pieces
    /// has it only by chance, once in 2^64 positions, which is ignored.
    fn has_group(&self, color: Color, group: usize) -> bool {
        self.group_key(color, group) != 0
    }

    /// The square behind a pawn that has just moved two ranks, if a capture en passant is legal.
    pub fn en_passant(&self) -> Option<Square> {
        Some(self.ep).filter(|sq| sq.is_on_board())
    }

    /// Plies since the last capture, pawn move or null move. A FEN may start above 100.
    #[inline]
    pub fn halfmove(&self) -> u16 {
        self.halfmove
    }

    /// Number of the move, from 1, counted up after Black's.
    #[inline]
    pub fn fullmove(&self) -> u16 {
        self.fullmove
    }

    /// Plies since the start of the game, computed from the move number.
    pub fn ply(&self) -> usize {
        2 * usize::from(self.fullmove).saturating_sub(1) + self.side.index()
    }

    /// The cached check info, computed by `compute` on the first call.
    #[inline(always)]
    pub(super) fn check_info_by(&self, compute: impl FnOnce(&Board) -> CheckInfo) -> CheckInfo {
        self.check_info.get().unwrap_or_else(|| {
            let info = compute(self);
            self.check_info.set(info);
            info
        })
    }

    /// The kind of piece that a legal move captures, en passant included.
    #[inline]
    pub fn captured_kind(&self, mv: Move) -> Option<Kind> {
        match mv {
            _ if !mv.is_capture() => None,
            _ if mv.is_en_passant() => Some(Kind::Pawn),
            _ => self.byte_on(mv.target()).kind(),
        }
    }

    /// The slot of the piece on `sq` in the piece list of `color`.
    ///
    /// Compares 8 bytes at once: after the xor, the wanted byte is the lowest zero byte, and
    /// the subtraction borrows there first.
    #[inline]
    pub(super) fn slot_of(&self, color: Color, sq: Square) -> usize {
        const LOW: u64 = 0x0101_0101_0101_0101;
        const HIGH: u64 = 0x8080_8080_8080_8080;
        let list = self.list(color);
        let half = |at: usize| -> u64 {
            let bytes: [u8; 8] = core::array::from_fn(|i| list[at + i].0);
            let differs = u64::from_le_bytes(bytes) ^ (LOW * u64::from(sq.0));
            differs.wrapping_sub(LOW) & !differs & HIGH
        };
        let low = half(0);
        let slot =
            if low != 0 { low.trailing_zeros() / 8 } else { 8 + half(8).trailing_zeros() / 8 };
        debug_assert!(slot < MAX_PIECES as u32 && list[slot as usize] == sq);
        slot as usize & (MAX_PIECES - 1)
    }

    /// The byte of the piece on `sq`; empty for [`Square::NONE`] and one step beyond the files a and h.
    /// A square beyond the ranks 1 and 8 is taken for one of the opposite rank.
    #[inline]
    pub fn byte_on(&self, sq: Square) -> PieceByte {
        self.squares[sq.index()]
    }

    /// The piece list of `color`: the king first; [`Square::NONE`] in unused slots.
    #[inline]
    pub fn list(&self, color: Color) -> &[Square; MAX_PIECES] {
        &self.lists[color.index()]
    }

    /// The pieces of `color` on the board, the king first.
    #[inline]
    pub fn pieces_of(&self, color: Color) -> impl Iterator<Item = (Square, PieceByte)> + '_ {
        self.list(color)
            .iter()
            .map(|&sq| (sq, self.byte_on(sq)))
            .filter(|(_, piece)| !piece.is_empty())
    }

    /// Key of the pawns of both sides.
    #[inline]
    pub fn pawn_key(&self) -> u64 {
        self.key_of_both(PAWNS)
    }

    /// Key of all pieces of `color` but the pawns.
    #[inline]
    pub fn non_pawn_key(&self, color: Color) -> u64 {
        [MINORS, MAJORS, KINGS].into_iter().fold(0, |key, group| key ^ self.group_key(color, group))
    }

    /// Key of the knights, bishops and kings of both sides.
    #[inline]
    pub fn minor_key(&self) -> u64 {
        self.key_of_both(MINORS) ^ self.key_of_both(KINGS)
    }

    /// Key of the rooks, queens and kings of both sides.
    #[inline]
    pub fn major_key(&self) -> u64 {
        self.key_of_both(MAJORS) ^ self.key_of_both(KINGS)
    }

    /// Whether `color` has a piece besides king and pawns. Without one, passing
    /// may be the best move (zugzwang).
    #[inline]
    pub fn has_non_pawns(&self, color: Color) -> bool {
        self.has_group(color, MINORS) | self.has_group(color, MAJORS)
    }

    /// Whether `color` has nothing but its king.
    #[inline]
    pub fn has_bare_king(&self, color: Color) -> bool {
        !(self.has_group(color, PAWNS) | self.has_non_pawns(color))
    }

    /// Whether there is a pawn, rook or queen on the board: enough material to mate.
    #[inline]
    pub fn has_pawns_or_majors(&self) -> bool {
        Color::ALL
            .into_iter()
            .any(|color| self.has_group(color, PAWNS) | self.has_group(color, MAJORS))
    }

    /// Whether there is a knight or a bishop on the board.
    #[inline]
    pub fn has_minors(&self) -> bool {
        Color::ALL.into_iter().any(|color| self.has_group(color, MINORS))
    }
}

/// Packs the four squares of [`Board::castling_rooks`] into one word, the first in the lowest byte.
#[inline]
pub(super) fn castling_rooks_word(rooks: [Square; 4]) -> u32 {
    u32::from_le_bytes([rooks[0].0, rooks[1].0, rooks[2].0, rooks[3].0])
}

/// Compares positions and their counters. The order of the piece lists does not matter.
impl PartialEq for Board {
    fn eq(&self, other: &Board) -> bool {
        self.squares == other.squares
            && self.side == other.side
            && self.ep == other.ep
            && self.castling_rooks == other.castling_rooks
            && self.halfmove == other.halfmove
            && self.fullmove == other.fullmove
    }
}

impl Eq for Board {}

/// Hashes the [key](Board::key): positions that differ only in their counters collide.
impl Hash for Board {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key.hash(state);
    }
}
