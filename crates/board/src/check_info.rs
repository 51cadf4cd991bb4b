//! Check info: the checks, the pins and the safe king moves of the side to move. With it,
//! only castling and en passant need a legality test of their own.
//!
//! `backend/portable/check_info.rs` and `backend/simd/check_info.rs` compute it.

use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The checks, the pins and the safe king moves of the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct CheckInfo {
    /// The enemy pieces that give check, a bit for each slot of their list.
    pub checkers: u16,
    /// Our pieces that shield the king from a slider, a bit for each slot of our list. They
    /// may move only along the line through the king.
    pub pinned: u16,
    /// The legal steps of the king, a bit for each of [`ALL_STEPS`]: on the board, not onto
    /// a piece of ours, not into an attack.
    ///
    /// [`ALL_STEPS`]: super::square::ALL_STEPS
    pub king_moves: u8,
}

/// The part of a position's [`CheckInfo`] that has been computed, in one word. Threads that
/// share a position may overwrite it: each value is correct, and at worst one is computed again.
#[repr(transparent)]
pub(super) struct CachedCheckInfo(AtomicU64);

const PINNED_SHIFT: u32 = 16;
const KING_MOVES_SHIFT: u32 = 32;
const HAS_CHECKERS: u64 = 1 << 40;
const HAS_ALL: u64 = 1 << 41;

impl CachedCheckInfo {
    pub(super) const fn empty() -> CachedCheckInfo {
        CachedCheckInfo(AtomicU64::new(0))
    }

    #[inline]
    pub(super) fn set_checkers(&self, checkers: u16) {
        self.0.store(u64::from(checkers) | HAS_CHECKERS, Relaxed);
    }

    #[inline]
    pub(super) fn set(&self, info: CheckInfo) {
        let CheckInfo { checkers, pinned, king_moves } = info;
        let pinned = u64::from(pinned) << PINNED_SHIFT;
        let king_moves = u64::from(king_moves) << KING_MOVES_SHIFT;
        self.0.store(u64::from(checkers) | pinned | king_moves | HAS_CHECKERS | HAS_ALL, Relaxed);
    }

    #[inline]
    pub(super) fn get(&self) -> Option<CheckInfo> {
        let word = self.0.load(Relaxed);
        (word & HAS_ALL != 0).then_some(CheckInfo {
            checkers: word as u16,
            pinned: (word >> PINNED_SHIFT) as u16,
            king_moves: (word >> KING_MOVES_SHIFT) as u8,
        })
    }

    #[inline]
    pub(super) fn checkers(&self) -> Option<u16> {
        let word = self.0.load(Relaxed);
        (word & HAS_CHECKERS != 0).then_some(word as u16)
    }
}

impl Clone for CachedCheckInfo {
    #[inline]
    fn clone(&self) -> CachedCheckInfo {
        CachedCheckInfo(AtomicU64::new(self.0.load(Relaxed)))
    }
}
