//! The king pass: the checks, the pins and the safe king steps of the side to move. Apart
//! from castling and en passant, legal generation needs nothing more.
//!
//! Here is what is found, and how a position remembers it. The looking is done by
//! the difference table (`hot/table/king.rs`) or by lanes (`hot/lanes/king.rs`).

/// The checks, the pins and the safe steps of the king of the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct KingPass {
    /// The enemy pieces that give check, a mask over the slots of their list.
    pub checkers: u16,
    /// Our pieces that shield the king from a slider: a mask over the slots of
    /// our list. Such a piece may move only along the line through the king.
    pub pinned: u16,
    /// The steps the king may take, a mask over [`ALL_STEPS`]: on the board, not
    /// onto a piece of ours, not into an attack.
    ///
    /// [`ALL_STEPS`]: super::square::ALL_STEPS
    pub ring: u8,
}

/// What has been found of a position's [`KingPass`], in one word.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(super) struct Seen(u64);

impl Seen {
    /// Nothing yet.
    pub(super) const NOTHING: Seen = Seen(0);
    /// The lowest bit of the pinned slots.
    const PINNED: u32 = 16;
    /// The lowest bit of the ring's steps.
    const RING: u32 = 32;
    /// Set if the checkers are known.
    const CHECKERS_KNOWN: u64 = 1 << 40;
    /// Set if everything is known.
    const ALL_KNOWN: u64 = 1 << 41;

    /// The checkers, and nothing else.
    #[inline]
    pub(super) fn only(checkers: u16) -> Seen {
        Seen(u64::from(checkers) | Seen::CHECKERS_KNOWN)
    }

    /// All of it.
    #[inline]
    pub(super) fn all(pass: KingPass) -> Seen {
        let KingPass { checkers, pinned, ring } = pass;
        let rest = u64::from(pinned) << Seen::PINNED | u64::from(ring) << Seen::RING;
        Seen(u64::from(checkers) | rest | Seen::CHECKERS_KNOWN | Seen::ALL_KNOWN)
    }

    /// The pass, if all of it is known.
    #[inline]
    pub(super) fn pass(self) -> Option<KingPass> {
        (self.0 & Seen::ALL_KNOWN != 0).then_some(KingPass {
            checkers: self.0 as u16,
            pinned: (self.0 >> Seen::PINNED) as u16,
            ring: (self.0 >> Seen::RING) as u8,
        })
    }

    /// [`KingPass::checkers`], if they are known.
    #[inline]
    pub(super) fn checkers(self) -> Option<u16> {
        (self.0 & Seen::CHECKERS_KNOWN != 0).then_some(self.0 as u16)
    }
}
