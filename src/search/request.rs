//! The parameters of one search, its deadlines, and the counters that its threads publish.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use carrybit_board::{Board, Game, Move};
use carrybit_syzygy::Tablebases;

use super::clock::{Clock, TimeUnit, US_PER_MS};
use super::limits::Limits;
use super::report::CurrentMove;
use super::settings::Settings;
use super::stop_token::StopToken;
use super::strength::LimitedStrength;
use super::transposition::{TranspositionTable, TtEntry};

/// Sees each interior node after its search, with its entry in the transposition table.
pub type Observer = Arc<dyn Fn(&Board, &TtEntry) + Send + Sync>;

/// The parameters of one search. Each thread has its own copy.
#[derive(Clone)]
pub struct SearchRequest {
    /// The position and the moves before it.
    pub game: Game,
    /// The limits.
    pub limits: Limits,
    /// The user's settings.
    pub settings: Arc<Settings>,
    /// The deadlines, from the limits.
    pub clock: Clock,
    /// One set of counters for each thread to use; those of missing threads stay 0.
    pub shared: Arc<SharedCounters>,
    /// The noise of limited strength; its node budget is part of `limits`.
    pub strength: Option<LimitedStrength>,
    /// The transposition table, shared by all threads.
    pub table: Arc<TranspositionTable>,
    /// The tablebases; there may be none.
    pub tablebases: Arc<Tablebases>,
    /// Stops the search.
    pub stop_token: Arc<StopToken>,
    /// Whether no player will claim a draw by the fifty-move rule.
    pub is_unclaimed: bool,
    /// `None` in play.
    pub observer: Option<Observer>,
}

impl SearchRequest {
    /// A search with one thread at full strength, without tablebases.
    pub fn new(
        game: Game,
        limits: Limits,
        table: Arc<TranspositionTable>,
        stop_token: StopToken,
    ) -> SearchRequest {
        SearchRequest {
            clock: Clock::new(&limits, game.board().fullmove(), Duration::ZERO, TimeUnit::Time),
            game,
            limits,
            settings: Arc::default(),
            shared: Arc::new(SharedCounters::new(1)),
            strength: None,
            table,
            tablebases: Arc::default(),
            stop_token: Arc::new(stop_token),
            is_unclaimed: false,
            observer: None,
        }
    }

    /// Lines to search, if there are that many moves.
    pub(super) fn pv_count(&self) -> usize {
        self.settings.multi_pv.max(self.strength.map_or(1, |strength| strength.lines))
    }

    /// Time used on the clock; `None` while pondering.
    fn on_clock(&self) -> Option<Duration> {
        let on_clock = self.stop_token.on_clock()?;
        Some(match self.clock.time_unit {
            TimeUnit::Time => on_clock,
            TimeUnit::Nodes(per_ms) => {
                Duration::from_micros(self.shared.nodes().saturating_mul(1000) / per_ms)
            }
        })
    }

    /// The hard deadline in nodes, if nodes are counted; `None` while pondering.
    pub(super) fn node_limit(&self) -> Option<u64> {
        self.stop_token.on_clock()?;
        match (self.clock.time_unit, self.clock.hard) {
            (TimeUnit::Nodes(per_ms), Some(hard)) => {
                Some((hard.as_micros() as u64).saturating_mul(per_ms) / US_PER_MS as u64)
            }
            _ => None,
        }
    }

    /// Whether the hard deadline has passed; never while pondering.
    pub(super) fn is_past_hard(&self) -> bool {
        // `None`, while pondering, is less than any deadline.
        self.clock.hard.is_some_and(|hard| self.on_clock() >= Some(hard))
    }

    /// Whether the soft deadline times `scale` had passed before the ponderhit. If so, the move is
    /// played at once, without finishing the iteration.
    pub(super) fn was_pondered_enough(&self, scale: f64) -> bool {
        let pondered = self.stop_token.pondered();
        self.clock.time_unit == TimeUnit::Time
            && self.clock.soft.is_some_and(|soft| pondered >= Some(soft.mul_f64(scale)))
    }

    /// Whether the soft deadline times `scale` has passed; never while pondering.
    pub(super) fn is_past_soft(&self, scale: f64) -> bool {
        let used = match self.clock.time_unit {
            // Time spent pondering counts.
            TimeUnit::Time => self.on_clock().map(|_| self.stop_token.elapsed()),
            TimeUnit::Nodes(_) => self.on_clock(),
        };
        self.clock.soft.is_some_and(|soft| used >= Some(soft.mul_f64(scale)))
    }
}

/// The counters of the threads of one search, the main thread first.
pub struct SharedCounters(pub(super) Box<[ThreadCounters]>);

/// Written only by its own thread. Two cache lines, since processors fetch them in pairs.
#[derive(Default)]
#[repr(align(128))]
pub(super) struct ThreadCounters {
    pub(super) nodes: AtomicU64,
    pub(super) tb_hits: AtomicU64,
    /// The root move being searched, packed in one word; 0 before the first.
    current_move: AtomicU64,
}

impl ThreadCounters {
    pub(super) fn set_current_move(&self, current: CurrentMove) {
        let CurrentMove { mv, number, depth } = current;
        let word = u64::from(mv.to_bits()) | (number as u64) << 16 | (depth as u64) << 32;
        self.current_move.store(word, Relaxed);
    }
}

impl SharedCounters {
    /// For a search with this many threads, at least 1.
    pub fn new(threads: usize) -> SharedCounters {
        SharedCounters((0..threads.max(1)).map(|_| ThreadCounters::default()).collect())
    }

    /// The root move that the main thread is searching; `None` before the first.
    pub fn current_move(&self) -> Option<CurrentMove> {
        let word = self.0[0].current_move.load(Relaxed);
        (word != 0).then(|| CurrentMove {
            mv: Move::from_bits(word as u16),
            number: usize::from((word >> 16) as u16),
            depth: (word >> 32) as i32,
        })
    }

    /// Nodes searched so far, by all threads.
    pub fn nodes(&self) -> u64 {
        self.0.iter().map(|counters| counters.nodes.load(Relaxed)).sum()
    }

    /// Positions found in tablebases so far, by all threads.
    pub fn tablebase_hits(&self) -> u64 {
        self.0.iter().map(|counters| counters.tb_hits.load(Relaxed)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::Instant;
    use crate::search::limits::ClockState;

    #[test]
    fn pondering_counts_as_thinking() {
        let clock = ClockState { time: Duration::from_millis(500), ..ClockState::default() };
        let request = |ponder| {
            let limits = Limits { clock: Some(clock), ..Limits::default() };
            let stop_token = StopToken::new(Instant::now(), false, ponder);
            SearchRequest::new(Game::default(), limits, Arc::default(), stop_token)
        };
        assert!(!request(false).was_pondered_enough(1e-6), "a search without pondering");
        let request = request(true);
        assert!(!request.was_pondered_enough(0.0), "still pondering");
        const HOUR: Duration = Duration::from_secs(3600);
        request.stop_token.ponderhit(Instant::now() + HOUR);
        assert!(request.was_pondered_enough(1.0));
        // The scale applies.
        assert!(!request.was_pondered_enough(1e9));
        assert!(request.was_pondered_enough(0.2));
        assert!(!request.is_past_hard());
    }
}
