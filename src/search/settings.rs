//! Settings of the engine that take effect at the next search.

use std::time::Duration;

use carrybit_syzygy::MAX_TABLEBASE_PIECES;

use super::strength::Strength;

/// The default of `move_overhead`.
pub const DEFAULT_MOVE_OVERHEAD: Duration = Duration::from_millis(10);

/// Settings that a search reads when it starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The number of lines to report, 1 or more.
    pub multi_pv: usize,
    /// Time that each move may lose between engine and GUI.
    pub move_overhead: Duration,
    /// When the tablebases are probed.
    pub probing: Probing,
    /// The strength to play at.
    pub strength: Strength,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            multi_pv: 1,
            move_overhead: DEFAULT_MOVE_OVERHEAD,
            probing: Probing::default(),
            strength: Strength::default(),
        }
    }
}

/// When the tablebases are probed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probing {
    /// Minimum depth for positions with as many pieces as the largest tablebase; those with
    /// fewer are always probed.
    pub min_depth: i32,
    /// Positions with more pieces are not probed.
    pub max_pieces: usize,
    /// Whether the fifty-move rule holds; if not, cursed wins count as wins.
    pub fifty_moves: bool,
}

impl Default for Probing {
    fn default() -> Probing {
        Probing { min_depth: 1, max_pieces: MAX_TABLEBASE_PIECES, fifty_moves: true }
    }
}
