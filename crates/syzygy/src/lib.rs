#![doc = include_str!("../README.md")]
//!
//! # The tables
//!
//! There are two files for each material. WDL has the outcome, DTZ the distance in plies to the
//! next capture or pawn move (*zeroing*, because it sets the fifty-move clock to zero). Both
//! allow for the fifty-move rule. Positions with castling rights are not in the tables.
//!
//! If another program truncates a file in use, a read beyond its new end terminates the process
//! (SIGBUS). To replace a table safely, rename a new file to its name.
//!
//! `probe.rs` reads values and searches captures, `root.rs` ranks root moves, `files.rs` finds
//! the tables, `map.rs` maps them into memory (the only unsafe call), `table.rs` reads one file,
//! and `index.rs` numbers positions.

mod files;
mod index;
mod map;
mod material;
mod probe;
mod root;
mod table;

use std::ops::Neg;

pub use files::Tablebases;
pub use material::MAX_TABLEBASE_PIECES;
pub use probe::CURSED_PLIES;
pub use root::{RankedMove, Ranking};

/// The outcome of a position with best play, from the side to move's view, with the fifty-move
/// clock at zero.
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
    pub const fn index(self) -> usize {
        self as usize
    }

    /// 1 for a win, cursed or not; -1 for a loss, blessed or not; 0 for a draw.
    #[inline]
    pub const fn sign(self) -> i32 {
        (self as i32 - Wdl::Draw as i32).signum()
    }
}

/// The outcome from the other side's view.
impl Neg for Wdl {
    type Output = Wdl;

    fn neg(self) -> Wdl {
        Wdl::ALL[Wdl::ALL.len() - 1 - self.index()]
    }
}
