//! Settings of the engine that take effect at the next search.

use std::time::Duration;

use crate::board::CastlingMode;

use super::prober::Probing;
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
    /// How castling is printed.
    pub castling_mode: CastlingMode,
    /// Whether scores are printed with the chances of win, draw and loss.
    pub show_wdl: bool,
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
            castling_mode: CastlingMode::Standard,
            show_wdl: false,
            probing: Probing::default(),
            strength: Strength::default(),
        }
    }
}
