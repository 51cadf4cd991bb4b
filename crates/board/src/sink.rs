//! Sinks for generated moves: a list or a counter. One generator serves both.

use super::{Kind, Move, MoveList, Square};

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

/// The stages as bits, for const generics.
pub(super) const NOISY: u8 = 1;
pub(super) const QUIET: u8 = 2;
pub(super) const ALL: u8 = NOISY | QUIET;

pub(super) trait Sink {
    /// Takes the move if it is `wanted`, without a branch, which would be unpredictable.
    fn emit_if(&mut self, wanted: bool, mv: Move);

    #[inline(always)]
    fn emit(&mut self, mv: Move) {
        self.emit_if(true, mv);
    }

    /// Room to write the next moves to; `None` if they are only counted.
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "for vector code"))]
    fn room(&mut self) -> Option<&mut [Move; MoveList::SLACK]>;

    /// Takes the first `count` moves of the room.
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "for vector code"))]
    fn advance(&mut self, count: u32);
}

/// Writes moves into a list. Owns its cursor, so that the compiler keeps it in a register.
pub(super) struct Writer<'a> {
    moves: &'a mut [Move; MoveList::CAPACITY + MoveList::SLACK],
    pub(super) len: usize,
}

impl<'a> Writer<'a> {
    /// Appends to `list`. At the end, the caller must set `list.len` to this writer's `len`.
    #[inline(always)]
    pub(super) fn at_end_of(list: &'a mut MoveList) -> Self {
        Writer { len: list.len, moves: &mut list.moves }
    }
}

impl Sink for Writer<'_> {
    #[inline(always)]
    fn emit_if(&mut self, wanted: bool, mv: Move) {
        self.moves[self.len % MoveList::CAPACITY] = mv;
        self.len += usize::from(wanted);
    }

    #[inline(always)]
    fn room(&mut self) -> Option<&mut [Move; MoveList::SLACK]> {
        let start = self.len % MoveList::CAPACITY;
        Some(self.moves[start..].first_chunk_mut().expect("there is slack behind the last move"))
    }

    #[inline(always)]
    fn advance(&mut self, count: u32) {
        self.len += count as usize;
    }
}

pub(super) struct Counter(pub(super) u64);

impl Sink for Counter {
    #[inline(always)]
    fn emit_if(&mut self, wanted: bool, _: Move) {
        self.0 += u64::from(wanted);
    }

    #[inline(always)]
    fn room(&mut self) -> Option<&mut [Move; MoveList::SLACK]> {
        None
    }

    #[inline(always)]
    fn advance(&mut self, count: u32) {
        self.0 += u64::from(count);
    }
}

pub(super) fn emit_promotions<const STAGE: u8>(
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
