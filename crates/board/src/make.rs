//! The parts of making a move that the backends and the special moves share.

use super::check_info::CachedCheckInfo;
use super::position::{KINGS, MAJORS, MINORS, PAWNS};
use super::zobrist;
use super::{Board, Kind, MAX_PIECES, Move, PieceByte, Square};

/// The kinds of moves that a backend's `make` plays: those that are not [rare](Board::is_rare), and
/// all but castling and en passant.
pub(super) const ORDINARY: bool = false;
pub(super) const RARE: bool = true;

/// `[piece's byte]`: the index of its group in [`Board::group_keys`]. The empty square may
/// have any index, since its keys are 0.
pub(super) static KEY_INDEX: [u8; 256] = const_array!(256, |byte| {
    const GROUPS: [usize; 8] = [PAWNS, MINORS, MINORS, MAJORS, MAJORS, KINGS, 0, 0];
    let piece = PieceByte(byte as u8);
    (piece.index() / 8 * 4 + GROUPS[piece.kind_index()]) as u8
});

impl PieceByte {
    /// The index of the piece's group in [`Board::group_keys`], below 8.
    #[inline]
    pub(super) const fn key_index(self) -> usize {
        KEY_INDEX[self.0 as usize] as usize % 8
    }
}

impl Board {
    /// Plays a move in place, faster than [`Board::make`] if the old position is not needed.
    ///
    /// The move must be one of the [legal moves](Board::legal_moves); there is no second test.
    /// For moves from outside, use [`Board::try_play`]. An illegal move leaves a position with
    /// which other functions may panic or give wrong results.
    ///
    /// ```
    /// use carrybit_board::Board;
    ///
    /// let mut board = Board::default();
    /// while let Some(&mv) = board.legal_moves().first()
    ///     && board.fullmove() < 10
    /// {
    ///     board.play(mv);
    /// }
    /// assert_eq!(board.ply(), 18);
    /// ```
    ///
    /// # Panics
    /// In debug builds, if the move is not legal. In other builds, the position is then meaningless;
    /// for moves from outside, use [`parse_uci`](Board::parse_uci) or [`is_legal`](Board::is_legal).
    #[inline]
    pub fn play(&mut self, mv: Move) {
        debug_assert!(self.is_legal(mv), "{mv} is not legal in {}", self.shredder_fen());
        if mv.is_castling() || mv.is_en_passant() {
            *self = self.make(mv);
        } else {
            self.play_in_place(mv);
            debug_assert_eq!(self.check_invariants(), Ok(()), "after {mv}");
        }
    }

    /// The position after a null move, which passes the turn; `None` in check, where passing would
    /// leave the king to be captured. The halfmove clock starts anew, so that no position before
    /// counts as repeated.
    ///
    /// ```
    /// use carrybit_board::Board;
    ///
    /// let passed = Board::default().null_move().expect("not in check");
    /// assert_eq!(passed.fen(), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1");
    /// let checked: Board = "4k3/8/8/8/8/8/8/K3R3 b - - 0 1".parse()?;
    /// assert_eq!(checked.null_move(), None);
    /// # Ok::<(), carrybit_board::FenError>(())
    /// ```
    pub fn null_move(&self) -> Option<Board> {
        (!self.in_check()).then(|| self.make_null())
    }

    /// Plays a legal move other than castling and en passant.
    fn play_in_place(&mut self, mv: Move) {
        let (us, them) = (self.side, !self.side);
        let (from, to) = (mv.from(), mv.target());
        let (mover, victim) = (self.byte_on(from), self.byte_on(to));
        let placed = mv.promotion_kind().map_or(mover, |kind| PieceByte::new(us, kind));
        if self.may_lose_rights(mover, victim) {
            let (rooks, key) = self.rights_after(mv, mover);
            self.castling_rooks = rooks;
            self.key ^= key;
        }
        if !victim.is_empty() {
            self.toggle(victim, to);
            let theirs = &mut self.lists[them.index()];
            *theirs = replace(*theirs, to, Square::NONE);
        }
        self.toggle(mover, from);
        self.toggle(placed, to);
        self.lists[us.index()] = replace(self.lists[us.index()], from, to);
        let is_irreversible = !victim.is_empty() || mover.is_kind(Kind::Pawn);
        self.halfmove = if is_irreversible { 0 } else { self.halfmove.saturating_add(1) };
        self.end_turn();
        if mv.is_double_push() && self.is_beside_pawn(to, them) {
            self.set_ep(to.step(them.forward()));
        }
    }

    /// The key after `mv`, to prefetch the TT entry. Exact except for castling,
    /// promotions, en passant captures, double pushes that allow one, and moves that cost a
    /// castling right.
    #[inline]
    pub fn key_after(&self, mv: Move) -> u64 {
        let piece = self.byte_on(mv.from());
        self.key
            ^ zobrist::SIDE
            ^ zobrist::en_passant(self.ep)
            ^ zobrist::piece(piece, mv.from())
            ^ zobrist::piece(piece, mv.target())
            ^ zobrist::piece(self.byte_on(mv.target()), mv.target())
    }

    /// Passes the turn: flips the side, counts the move, drops the en passant square and the check
    /// info.
    #[inline]
    pub(super) fn end_turn(&mut self) {
        self.fullmove = self.fullmove.saturating_add(self.side as u16);
        self.side = !self.side;
        self.key ^= zobrist::SIDE ^ zobrist::en_passant(self.ep);
        self.ep = Square::NONE;
        self.check_info = CachedCheckInfo::empty();
    }

    /// Puts `piece` on an empty square, or takes it off its square. Lists stay unchanged.
    #[inline]
    pub(super) fn toggle(&mut self, piece: PieceByte, sq: Square) {
        let key = zobrist::piece(piece, sq);
        self.key ^= key;
        self.group_keys[piece.key_index()] ^= key;
        self.squares[sq.index()].0 ^= piece.0;
    }
}

/// The piece list with `new` in place of `old`, if it has `old`. Comparing all 16 slots at
/// once is faster than a search.
#[inline(always)]
pub(super) fn replace(
    list: [Square; MAX_PIECES],
    old: Square,
    new: Square,
) -> [Square; MAX_PIECES] {
    list.map(|sq| if sq == old { new } else { sq })
}
