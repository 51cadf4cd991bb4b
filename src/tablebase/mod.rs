//! Syzygy endgame tablebases (by Ronald de Man), read by a prober of our own.
//!
//! There are two files for each material. WDL has who wins, DTZ the plies to the next
//! capture or pawn move ("zeroing", as that sets the fifty-move clock to zero). Both take
//! the fifty-move rule into account.
//!
//! Files that are missing, truncated or damaged are left out, with a message, or give no
//! value or a wrong one, but never end the process. Probing needs no locks. Positions with
//! castling rights are not in the tables.
//!
//! One danger remains: files are mapped into memory, and if another program truncates one
//! that is in use, the system ends the process (SIGBUS) when a page beyond the new end is
//! read. Reading files instead of mapping them would take gigabytes. To replace a table
//! safely, rename a new file to its name.
//!
//! [`probe`] searches what the tables leave out, [`root`] ranks moves, `files.rs` finds the
//! tables, `table.rs` reads one file, `index.rs` numbers positions. The search uses all
//! this in [`search::prober`](crate::search::prober).

mod files;

mod index;

mod material;

pub mod probe;

pub mod root;

mod table;

use std::ops::Neg;

pub use files::Tablebases;
pub use material::MAX_TABLEBASE_PIECES;

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
    pub const fn index(self) -> usize {
        self as usize
    }

    /// 1 if the side to move wins, fifty moves or not, -1 if it loses, 0 for a draw.
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
