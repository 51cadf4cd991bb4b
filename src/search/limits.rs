//! The limits of a search.

use std::time::Duration;

use carrybit_board::{Board, Move};

/// The clock of the side to move. A later version may have more fields: begin with the default.
///
/// ```
/// use std::time::Duration;
///
/// use carrybit::{ClockState, Engine, Limits};
///
/// let [time, increment] = [300, 5].map(Duration::from_millis);
/// let clock = ClockState { time, increment, ..ClockState::default() };
/// let limits = Limits { clock: Some(clock), ..Limits::default() };
/// assert!(Engine::new().best_move(limits).is_some());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockState {
    /// Time left.
    pub time: Duration,
    /// Time credited after each move.
    pub increment: Duration,
    /// Moves until the next time control; `None` for the rest of the game.
    pub moves_to_go: Option<u32>,
}

/// The limits of a search. The first one reached ends it. A later version may have more:
/// begin with one of the functions or with the default, which has none.
///
/// ```
/// use std::time::Duration;
///
/// use carrybit::Limits;
///
/// let limits = Limits { move_time: Some(Duration::from_secs(1)), ..Limits::depth(20) };
/// assert_eq!(limits.depth, Some(20));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// The clock to plan with.
    pub clock: Option<ClockState>,
    /// The time for the move. The search ends 10 ms earlier (after half of it, if that is later),
    /// so that the move is in time.
    pub move_time: Option<Duration>,
    /// Number of iterations, 1 to 240; other numbers are clamped.
    pub depth: Option<i32>,
    /// Nodes of all threads together. The first iteration goes on beyond it, up to 4096 nodes.
    pub nodes: Option<u64>,
    /// No further iteration is started after this many nodes. Self-play and tuning use it: as in
    /// play by the clock, most searches end with a complete iteration.
    pub soft_nodes: Option<u64>,
    /// Ends the search at a mate in this many moves (1 or more) or fewer, for either side.
    pub mate: Option<i32>,
    /// Answer only after a stop; only [`Engine::begin`](crate::Engine::begin) and the UCI dialogue
    /// heed it.
    pub infinite: bool,
    /// Search on the opponent's time: answer only after a ponderhit or a stop; only
    /// [`Engine::begin`](crate::Engine::begin) and the UCI dialogue heed it.
    pub ponder: bool,
    /// The root moves to search; empty for all.
    pub search_moves: Vec<Move>,
}

/// The hard limit of nodes, as a multiple of the soft one.
pub const HARD_PER_SOFT_NODES: u64 = 8;

impl Limits {
    /// A search to this depth, in plies.
    pub fn depth(depth: i32) -> Limits {
        Limits { depth: Some(depth), ..Limits::default() }
    }

    /// A search of this many nodes.
    pub fn nodes(nodes: u64) -> Limits {
        Limits { nodes: Some(nodes), ..Limits::default() }
    }

    /// A search for a mate in this many moves (1 or more), which gives up after `at_most`.
    pub fn mate(moves: u32, at_most: Duration) -> Limits {
        let mate = Some(i32::try_from(moves.max(1)).unwrap_or(i32::MAX));
        Limits { mate, move_time: Some(at_most), ..Limits::default() }
    }

    /// A search of this duration.
    pub fn move_time(time: Duration) -> Limits {
        Limits { move_time: Some(time), ..Limits::default() }
    }

    /// A move for when a search found none; `None` if there is no legal one.
    pub(crate) fn first_move(&self, board: &Board) -> Option<Move> {
        board.legal_moves().into_iter().find(|mv| self.allow(mv))
    }

    /// Whether this root move is to be searched.
    pub(super) fn allow(&self, mv: &Move) -> bool {
        self.search_moves.is_empty() || self.search_moves.contains(mv)
    }

    /// Whether a search reaches one of the limits sooner or later. (There may be no mate.)
    pub(crate) fn is_bounded(&self) -> bool {
        self.clock.is_some()
            || self.move_time.is_some()
            || self.depth.is_some()
            || self.nodes.is_some()
    }

    /// Whether they say when the search ends: also at a mate, or at `stop`.
    pub(crate) fn is_given(&self) -> bool {
        self.is_bounded() || self.mate.is_some() || self.infinite
    }

    /// Makes the limit of nodes soft and adds a hard one, [`HARD_PER_SOFT_NODES`] times as high,
    /// so that no iteration takes forever.
    pub fn with_soft_nodes(self) -> Limits {
        let hard = self.nodes.map(|nodes| nodes.saturating_mul(HARD_PER_SOFT_NODES));
        Limits { soft_nodes: self.nodes, nodes: hard, ..self }
    }
}
