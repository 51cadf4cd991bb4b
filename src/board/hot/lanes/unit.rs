//! What the lanes ask of a processor's vector instructions: looking at 64 squares at
//! once, writing what was found, and changing a position.

use crate::board::color::Color;
use crate::board::piece::{Kind, MAX_PIECES, Piece};
use crate::board::sink::Writer;
use crate::board::square::Square;

/// Knights, as a set of the bits in a [`Piece`].
pub(super) const KNIGHT: u8 = Kind::Knight.bit();
/// Bishops, likewise.
pub(super) const BISHOP: u8 = Kind::Bishop.bit();
/// Rooks, likewise.
pub(super) const ROOK: u8 = Kind::Rook.bit();
/// Queens, likewise.
pub(super) const QUEEN: u8 = Kind::Queen.bit();
/// Every kind but pawn and king.
pub(super) const OFFICERS: u8 = KNIGHT | BISHOP | ROOK | QUEEN;

/// Instructions that work on many squares at once. Holding a value proves that the
/// processor has them, and AVX2 too.
pub(super) trait Unit: Copy {
    /// Whether a view costs less if the kind of the officer is known: then `KINDS`
    /// is always a single kind, else it is always [`OFFICERS`].
    const BY_KIND: bool;
    /// How many views it takes to look around all pawns.
    const PARTS: usize;
    /// How many slots of the piece list belong to one of these views.
    const SLOTS_PER_PART: usize = MAX_PIECES / Self::PARTS;
    /// The board in registers.
    type Squares: Copy;
    /// The 64 lanes around one square.
    type View: Copy;
    /// The pieces of one side, by slot.
    type Men: Copy;
    /// The lanes around the pieces of one part of the slots.
    type PawnView: Copy;

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
    /// Looks around `centre`, where a piece of one of the `KINDS` stands: only the lanes
    /// that these reach are filled in, and only these are ever [`open`](Unit::open). If
    /// `KINDS` is the knight, the first eight lanes are its jumps, in the order of
    /// [`KNIGHT_JUMPS`].
    ///
    /// [`KNIGHT_JUMPS`]: crate::board::square::KNIGHT_JUMPS
    fn view_for<const KINDS: u8>(self, squares: &Self::Squares, centre: Square) -> Self::View;
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

    /// The king's steps, as [`KingPass::ring`] has them, to these lanes of his ring.
    ///
    /// [`KingPass::ring`]: crate::board::king_pass::KingPass::ring
    fn ring(self, lanes: u64) -> u8;

    /// The pieces of `list`.
    fn men(self, squares: &Self::Squares, list: &[Square; MAX_PIECES]) -> Self::Men;
    /// The slots of the men that have one of these bits.
    fn slots_with(self, men: Self::Men, bits: u8) -> u16;
    /// Looks around the men of a part, which come from `list`, as if they were
    /// pawns of `us`.
    fn pawn_view(
        self,
        squares: &Self::Squares,
        list: &[Square; MAX_PIECES],
        men: Self::Men,
        us: Color,
        part: usize,
    ) -> Self::PawnView;
    /// The lanes of the slots that hold a pawn.
    fn pawns(self, view: &Self::PawnView) -> u64;
    /// The lanes whose square is empty, on the board or off it.
    fn pawn_free(self, view: &Self::PawnView) -> u64;
    /// The lanes whose square holds a piece of that colour.
    fn pawn_of(self, view: &Self::PawnView, color: Color) -> u64;
    /// The lanes whose square is on that rank, 0 to 7, or above or below the
    /// board with the same low bits.
    fn pawn_on_rank(self, view: &Self::PawnView, rank: u8) -> u64;

    /// Writes the moves from `from`, which is the centre of `view`, to `quiets`
    /// and `captures`, lane by lane; the view is for these `KINDS`. On each ray they
    /// are all that there are up to the first capture.
    fn write<const KINDS: u8>(
        self,
        view: &Self::View,
        from: Square,
        quiets: u64,
        captures: u64,
        writer: &mut Writer<'_>,
    );
    /// The same with captures only.
    fn write_captures<const KINDS: u8>(
        self,
        view: &Self::View,
        from: Square,
        captures: u64,
        writer: &mut Writer<'_>,
    );
    /// Writes steps of the king, which is the centre of `view`, numbered as by
    /// [`Unit::ring`].
    fn write_steps(
        self,
        view: &Self::View,
        king: Square,
        quiets: u8,
        captures: u8,
        writer: &mut Writer<'_>,
    );
    /// Writes the pawns' moves to those lanes, none of them a promotion.
    fn write_pawns(self, view: &Self::PawnView, lanes: u64, writer: &mut Writer<'_>);
}

/// Defines functions compiled for these instructions, together with everything that is
/// inlined into them. (The brackets hold generic parameters.)
macro_rules! with_features {
    ($features:literal $($(#[$doc:meta])* $visible:vis fn $name:ident [$($generics:tt)*]
        ($($arguments:tt)*) -> $result:ty $body:block)*) => {$(
        $(#[$doc])*
        #[target_feature(enable = $features)]
        $visible fn $name<$($generics)*>($($arguments)*) -> $result $body
    )*};
}

pub(super) use with_features;
