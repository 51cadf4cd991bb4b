//! Views: the lanes around a square, as the instructions of a processor fetch them.

use crate::{Color, PieceByte, Square};

use super::geometry::RAY_STARTS;

/// The 64 squares on rays and knight's jumps around one square, a lane each (see `geometry`).
#[derive(Clone, Copy)]
pub(super) struct View<L> {
    /// The pieces on the lanes.
    pub(super) pieces: L,
    /// The lanes on the board.
    pub(super) on_board: u64,
    /// The lanes with a piece.
    pub(super) occupied: u64,
}

/// Instructions that fetch and test the lanes of a view. Holding a value proves that the processor
/// has them.
pub(super) trait ViewBackend: Copy {
    /// The board in registers.
    type Squares: Copy;
    /// The bytes of the 64 lanes of a view.
    type Lanes: Copy;

    fn load(self, squares: &[PieceByte; 128]) -> Self::Squares;

    /// The lanes around `sq`.
    fn view(self, squares: &Self::Squares, sq: Square) -> View<Self::Lanes>;
    /// The lanes with a piece that has this bit.
    fn test(self, view: &View<Self::Lanes>, bit: u8) -> u64;
    /// The lanes with a piece of `by` that attacks the centre on an empty board.
    fn attackers(self, view: &View<Self::Lanes>, by: Color) -> u64;

    /// Which of `lanes` are the first of their ray, as one bit per ray.
    #[inline(always)]
    fn ray_starts(self, lanes: u64) -> u8 {
        // The product moves the bit of byte `i` from `8 * i` to `56 + i`.
        ((lanes & RAY_STARTS).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
    }

    /// The lanes with a piece of that colour.
    #[inline(always)]
    fn of(self, view: &View<Self::Lanes>, color: Color) -> u64 {
        self.test(view, color.bit())
    }

    /// The lanes on the board without a piece of that colour.
    #[inline(always)]
    fn open(self, view: &View<Self::Lanes>, color: Color) -> u64 {
        view.on_board & !self.of(view, color)
    }
}
