//! Where generated moves go: into a list, or into a sum. The same generator does
//! both.

use super::moves::{Move, MoveList};
use super::piece::Kind;
use super::square::Square;

/// Which moves to generate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Captures and promotions to a queen; see [`Move::is_noisy`].
    Noisy,
    /// All other moves.
    Quiet,
    /// Every legal move.
    All,
}

/// [`Stage::Noisy`] as a bit, for use in const generics.
pub(super) const NOISY: u8 = 1;
/// [`Stage::Quiet`] as a bit.
pub(super) const QUIET: u8 = 2;
/// Both stages.
pub(super) const ALL: u8 = NOISY | QUIET;

/// Where generated moves go.
pub(super) trait Sink {
    /// Takes the move if it is `wanted`. Branch-free, because the processor cannot
    /// predict most of these answers.
    fn emit_if(&mut self, wanted: bool, mv: Move);

    /// Takes the move.
    #[inline(always)]
    fn emit(&mut self, mv: Move) {
        self.emit_if(true, mv);
    }
}

/// Writes moves into a list. It owns its cursor while it writes, so that the
/// compiler keeps it in a register.
pub(super) struct Writer<'a> {
    moves: &'a mut [Move; MoveList::CAPACITY + MoveList::SLACK],
    pub(super) len: usize,
}

impl<'a> Writer<'a> {
    /// Appends to `list`, whose length is to be set to `len` at the end.
    #[inline(always)]
    pub(super) fn at_end_of(list: &'a mut MoveList) -> Self {
        Writer { len: list.len, moves: &mut list.moves }
    }

    /// Where the next moves go: room for [`MoveList::SLACK`] of them.
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "for lanes"))]
    #[inline(always)]
    pub(super) fn room(&mut self) -> &mut [Move; MoveList::SLACK] {
        let start = self.len % MoveList::CAPACITY;
        self.moves[start..].first_chunk_mut().expect("there is slack behind the last move")
    }

    /// The first `count` moves of the room are to stay.
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "for lanes"))]
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

/// How many moves a byte can count.
pub(super) const BYTE_MOVES: usize = 1 << u8::BITS;

/// Writes up to [`BYTE_MOVES`] moves into a list: a byte counts them, which takes no
/// mask. Of more it keeps no order, only their number.
pub(super) struct ByteWriter<'a> {
    moves: &'a mut [Move; BYTE_MOVES],
    pub(super) count: usize,
}

impl<'a> ByteWriter<'a> {
    /// Appends to `list`, whose length is to grow by `count` at the end; `None` if it is
    /// too full.
    #[inline(always)]
    pub(super) fn at_end_of(list: &'a mut MoveList) -> Option<Self> {
        let moves = list.moves.get_mut(list.len..)?.first_chunk_mut()?;
        Some(ByteWriter { moves, count: 0 })
    }
}

impl Sink for ByteWriter<'_> {
    #[inline(always)]
    fn emit_if(&mut self, wanted: bool, mv: Move) {
        self.moves[usize::from(self.count as u8)] = mv;
        self.count += usize::from(wanted);
    }
}

/// Counts moves.
pub(super) struct Counter(pub(super) u64);

impl Sink for Counter {
    #[inline(always)]
    fn emit_if(&mut self, wanted: bool, _: Move) {
        self.0 += u64::from(wanted);
    }
}

/// Emits what the stage wants of the promotions from `from` to `to`.
pub(super) fn promotions<const STAGE: u8>(
    sink: &mut impl Sink,
    from: Square,
    to: Square,
    captures: bool,
) {
    if STAGE & NOISY != 0 {
        sink.emit(Move::promotion(from, to, Kind::Queen, captures));
    }
    if STAGE & QUIET != 0 {
        for kind in [Kind::Knight, Kind::Rook, Kind::Bishop] {
            sink.emit(Move::promotion(from, to, kind, captures));
        }
    }
}
