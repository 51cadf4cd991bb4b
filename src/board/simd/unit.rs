//! What the kernels ask of a processor's vector instructions: looking at 64 squares
//! at once, writing what was found, and changing a position.

use crate::board::movegen::Sink;
use crate::board::moves::{Move, MoveList};
use crate::board::piece::{Color, Piece};
use crate::board::square::Square;
use crate::board::{MAX_PIECES, Threats};

use super::lanes::{Geometry, LANES_PER_SLOT};

/// The flags of a pawn's moves that are no promotions, by the lane of its slot.
/// They belong into the byte of the square it leaves.
pub(super) const PAWN_FLAGS: [u8; LANES_PER_SLOT] = {
    let origin = Square::new(0, 0);
    let moves = [
        Move::quiet(origin, origin),
        Move::double_push(origin, origin),
        Move::capture(origin, origin),
        Move::capture(origin, origin),
    ];
    let mut flags = [0; LANES_PER_SLOT];
    let mut lane = 0;
    while lane < LANES_PER_SLOT {
        assert!(moves[lane].to_bits() < 256);
        flags[lane] = moves[lane].to_bits() as u8;
        lane += 1;
    }
    flags
};

/// Instructions that work on many squares at once. Whoever holds one runs on a
/// processor that has them, and AVX2 as well.
pub(super) trait Unit: Copy {
    /// The order of the lanes.
    const GEOMETRY: &'static Geometry;
    /// The board in registers.
    type Squares: Copy;
    /// The 64 lanes around one square.
    type View: Copy;
    /// The lanes around the pieces of one side.
    type PawnView: Copy;
    /// A set of squares in the making.
    type Marks;

    /// Loads the board.
    fn load(self, squares: &[Piece; 128]) -> Self::Squares;
    /// The board with nothing on `from` and `placed` on `to`.
    fn moved(self, squares: &[Piece; 128], from: Square, to: Square, placed: Piece)
    -> [Piece; 128];
    /// The piece lists after a move between these squares, which takes what
    /// stood on `to`.
    fn relist(
        self,
        lists: &[[Square; MAX_PIECES]; 2],
        from: Square,
        to: Square,
    ) -> [[Square; MAX_PIECES]; 2];

    /// The families' keys after these changes: each changes the key of the piece's
    /// family by exclusive or, and none if it is the empty square.
    fn rekey(self, keys: &[u64; 8], changes: [(Piece, u64); 2]) -> [u64; 8];

    /// Looks around `centre`.
    fn view(self, squares: &Self::Squares, centre: Square) -> Self::View;
    /// The lanes on the board without a piece of that colour.
    fn open(self, view: &Self::View, color: Color) -> u64;
    /// The lanes with a piece.
    fn occupied(self, view: &Self::View) -> u64;
    /// The lanes with a piece of that colour.
    fn of(self, view: &Self::View, color: Color) -> u64;
    /// The lanes with a piece of `by` that would attack the centre if nothing
    /// stood between.
    fn attackers(self, view: &Self::View, by: Color) -> u64;

    /// The lanes with a piece that has that bit.
    fn having(self, view: &Self::View, bit: u8) -> u64;

    /// No square is marked.
    fn no_marks(self) -> Self::Marks;
    /// Marks the squares of `lanes` around `centre`. They may be off the board.
    fn mark(self, marks: &mut Self::Marks, centre: Square, lanes: u64);
    /// The marked squares as attacked.
    fn threats(self, marks: Self::Marks) -> Threats;

    /// The lanes of the king's steps, given as [`KingPass::ring`] has them.
    fn ring_lanes(self, ring: u8) -> u64;
    /// The king's steps, as [`KingPass::ring`] has them, to these lanes of his ring.
    fn ring(self, lanes: u64) -> u8;

    /// Looks around all pieces of `list`, as if they were pawns of `us`.
    fn pawn_view(
        self,
        squares: &Self::Squares,
        list: &[Square; MAX_PIECES],
        us: Color,
    ) -> Self::PawnView;
    /// The lanes of the slots that hold a pawn.
    fn pawns(self, view: &Self::PawnView) -> u64;
    /// The first lanes of the slots that hold a knight, bishop, rook or queen.
    fn officers(self, view: &Self::PawnView) -> u64;
    /// The lanes whose square is empty, on the board or off it.
    fn pawn_free(self, view: &Self::PawnView) -> u64;
    /// The lanes whose square holds a piece of that colour.
    fn pawn_of(self, view: &Self::PawnView, color: Color) -> u64;
    /// The lanes whose square is on that rank, 0 to 7, or above or below the
    /// board with the same low bits.
    fn pawn_on_rank(self, view: &Self::PawnView, rank: u8) -> u64;

    /// Writes the moves from `from`, which is the centre of `view`, to `quiets`
    /// and `captures`, in the order of the steps.
    fn write(
        self,
        view: &Self::View,
        from: Square,
        quiets: u64,
        captures: u64,
        writer: &mut Writer<'_>,
    );
    /// Writes the pawns' moves to those lanes, none of them a promotion.
    fn write_pawns(self, view: &Self::PawnView, lanes: u64, writer: &mut Writer<'_>);
}

/// How many moves a unit may write beyond those that count.
pub(super) const SLACK: usize = MoveList::SLACK;

/// Writes moves into a list, many at once. It owns its cursor while it writes,
/// so that the compiler keeps it in a register.
pub(super) struct Writer<'a> {
    pub(super) moves: &'a mut [Move; MoveList::CAPACITY + SLACK],
    pub(super) len: usize,
}

impl Writer<'_> {
    /// Where the next moves go: room for [`SLACK`] of them at least.
    #[inline(always)]
    pub(super) fn room(&mut self) -> &mut [Move; SLACK] {
        let start = self.len % MoveList::CAPACITY;
        self.moves[start..].first_chunk_mut().expect("there is slack behind the last move")
    }

    /// The first `count` moves of the room are to stay.
    #[inline(always)]
    pub(super) fn advance(&mut self, count: u32) {
        self.len += count as usize;
    }
}

impl Sink for Writer<'_> {
    #[inline(always)]
    fn emit_if(&mut self, wanted: bool, mv: Move) {
        self.moves[self.len % MoveList::CAPACITY] = mv;
        self.len += usize::from(wanted);
    }
}
