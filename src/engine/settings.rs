//! Settings of the engine that need no work when they change.

use crate::search::handicap::Strength;
use crate::search::prober::Probing;

/// The move overhead at the start, in milliseconds.
pub const DEFAULT_MOVE_OVERHEAD_MS: u64 = 10;

/// Settings that a search reads when it starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineSettings {
    /// How many lines to report, 1 or more.
    pub multi_pv: usize,
    /// Time lost between clock and engine at each move, in milliseconds.
    pub move_overhead_ms: u64,
    /// Whether castling is always written as king takes rook.
    pub chess960: bool,
    /// When the tablebases are probed.
    pub probing: Probing,
    /// How strongly to play.
    pub strength: Strength,
}

impl Default for EngineSettings {
    fn default() -> EngineSettings {
        EngineSettings {
            multi_pv: 1,
            move_overhead_ms: DEFAULT_MOVE_OVERHEAD_MS,
            chess960: false,
            probing: Probing::default(),
            strength: Strength::default(),
        }
    }
}
