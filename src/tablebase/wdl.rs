//! What a position is worth to the side to move when both play without fault.

use std::ops::Neg;

/// The outcome of a position with best play, from the side to move's view, as if its
/// fifty-move clock were at zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Wdl {
    /// Lost.
    Loss = 0,
    /// Lost, but drawn by the fifty-move rule.
    BlessedLoss = 1,
    /// Drawn.
    Draw = 2,
    /// Won, but drawn by the fifty-move rule.
    CursedWin = 3,
    /// Won.
    Win = 4,
}

impl Wdl {
    /// All outcomes from the worst to the best.
    pub const ALL: [Wdl; 5] = [Wdl::Loss, Wdl::BlessedLoss, Wdl::Draw, Wdl::CursedWin, Wdl::Win];

    /// 0 for a loss to 4 for a win.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// 1 if the side to move wins, fifty moves or not, -1 if it loses, 0 for a draw.
    #[inline]
    #[must_use]
    pub const fn sign(self) -> i32 {
        match self {
            Wdl::Loss | Wdl::BlessedLoss => -1,
            Wdl::Draw => 0,
            Wdl::CursedWin | Wdl::Win => 1,
        }
    }
}

/// The outcome from the other side's view.
impl Neg for Wdl {
    type Output = Wdl;

    fn neg(self) -> Wdl {
        Wdl::ALL[Wdl::ALL.len() - 1 - self.index()]
    }
}
