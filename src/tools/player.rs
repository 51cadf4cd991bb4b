//! A player who thinks about one position after the other on its own thread, with
//! about the same number of nodes for each: for openings that have to be looked at,
//! and for games of the engine against itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fastrand::Rng;

use crate::board::{Board, Game, Move};
use crate::eval::nnue::Network;
use crate::score::Score;
use crate::search::clock::{Clock, Pace};
use crate::search::control::Control;
use crate::search::limits::{Bound, HARD_PER_SOFT_NODES, Limits, Report, SearchEvent};
use crate::search::prober::Probing;
use crate::search::shared::Shared;
use crate::search::threads::Crew;
use crate::search::transposition::TranspositionTable;
use crate::search::{Task, search};
use crate::tablebase::Tablebases;

use super::opening::{self, Unplayed};

/// Size of a player's transposition table in megabytes: room for some moves of a game at a
/// thousand nodes each, and within the cache of a processor.
const HASH_MB: usize = 1;

/// An opening is not searched if the first depth says that one side is further ahead, in
/// centipawns: more than a search makes up for.
const GLANCE_CP: Score = 500;

/// What is settled about every search, in words.
#[must_use]
pub fn rules() -> String {
    format!(
        "hash {HASH_MB} MB, at most {HARD_PER_SOFT_NODES} times the nodes, no bounds; openings within \
         {GLANCE_CP} cp at a glance"
    )
}

/// Thinks about positions. What it says of them follows from what it has been asked
/// since it last forgot everything, and from nothing else.
pub struct Player {
    crew: Crew,
    table: Arc<TranspositionTable>,
    tablebases: Arc<Tablebases>,
    /// Set when there is to be no further move.
    stop: Arc<AtomicBool>,
}

impl Player {
    /// A player that evaluates with `network`; setting `stop` aborts its searches.
    #[must_use]
    pub fn new(network: Arc<Network>, stop: Arc<AtomicBool>) -> Player {
        // A table that is smaller than asked for is a table.
        let (table, _) = TranspositionTable::new(HASH_MB);
        Player {
            crew: Crew::new(network),
            table: Arc::new(table),
            tablebases: Arc::default(),
            stop,
        }
    }

    /// Forgets everything, as before a new game.
    pub fn forget(&mut self) {
        self.crew.clear();
        self.own_table().clear(1);
    }

    /// The table, which nobody else holds between two searches.
    fn own_table(&mut self) -> &mut TranspositionTable {
        Arc::get_mut(&mut self.table).expect("no search is under way")
    }

    /// Finds an opening that a search of about `nodes` nodes holds to be playable; see
    /// [`opening::find`]. What a glance shows to be decided is not searched.
    ///
    /// # Errors
    /// If the player was stopped, or if there is no opening.
    ///
    /// # Panics
    /// If there are no `starts`, or if one of them has no legal move.
    pub fn find_opening(
        &mut self,
        rng: &mut Rng,
        starts: &[Board],
        random_plies: usize,
        nodes: u64,
    ) -> Result<Game, Unplayed> {
        opening::find(rng, starts, random_plies, |game| {
            let (_, glance) = self.think(game, 1)?;
            if glance.abs() > GLANCE_CP {
                return Some(glance);
            }
            self.think(game, nodes).map(|(_, score)| score)
        })
    }

    /// The move that a search of about `nodes` nodes chooses, and the last score from the
    /// side to move's view that was no mere bound. `None` if the player was stopped.
    pub fn think(&mut self, game: &Game, nodes: u64) -> Option<(Move, Score)> {
        if self.is_stopped() {
            return None;
        }
        let limits = Limits { nodes: Some(nodes), ..Limits::default() }.with_soft_nodes();
        let (mut score, mut bound) = (None, None);
        let best = self.search(game, limits, |report| match report.bound {
            Bound::Exact => score = Some(report.score),
            _ => bound = Some(report.score),
        });
        let score = score.or(bound);
        // What a search that was stopped has found depends on when that was.
        if self.is_stopped() { None } else { best.zip(score) }
    }

    /// The nodes of a search to `depth` plies.
    pub fn count_nodes(&mut self, game: &Game, depth: i32) -> u64 {
        let limits = Limits { depth: Some(depth), ..Limits::default() };
        let mut nodes = 0;
        self.search(game, limits, |report| nodes = report.nodes);
        nodes
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Searches a position on this thread; returns the move chosen.
    fn search(
        &mut self,
        game: &Game,
        limits: Limits,
        mut hear: impl FnMut(&Report),
    ) -> Option<Move> {
        self.own_table().new_search();
        let control = Arc::new(Control::shared(Arc::clone(&self.stop)));
        let task = Task {
            game: game.clone(),
            clock: Clock::new(
                &limits,
                game.board().fullmove(),
                0,
                Pace::Time,
                Arc::clone(&control),
            ),
            limits,
            shared: Arc::new(Shared::new(1)),
            multi_pv: 1,
            handicap: None,
            table: Arc::clone(&self.table),
            tablebases: Arc::clone(&self.tablebases),
            probing: Probing::default(),
            control,
        };
        let outcome = search(&task, &mut self.crew, &mut |event| {
            if let SearchEvent::Report(report) = event {
                hear(&report);
            }
        });
        outcome.best
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::eval::nnue::Network;

    fn player(stop: &Arc<AtomicBool>) -> Player {
        Player::new(Network::embedded(), Arc::clone(stop))
    }

    #[test]
    fn a_thought_follows_from_what_was_asked_since_everything_was_forgotten() {
        let (mut player, mut other) = (player(&Arc::default()), player(&Arc::default()));
        let game = Game::default();
        let first = [player.think(&game, 500), player.think(&game, 500)];
        assert!(first[0].is_some());
        player.forget();
        assert_eq!([player.think(&game, 500), player.think(&game, 500)], first);
        assert_eq!([other.think(&game, 500), other.think(&game, 500)], first);
        player.forget();
        let nodes = player.count_nodes(&game, 5);
        player.forget();
        assert_eq!(player.count_nodes(&game, 5), nodes);
    }

    #[test]
    fn a_player_who_is_stopped_leaves_be_it_in_thought() {
        const FOREVER: u64 = u64::MAX;
        let stop = Arc::default();
        let mut player = player(&stop);
        std::thread::scope(|scope| {
            let thought = scope.spawn(move || (player.think(&Game::default(), FOREVER), player));
            std::thread::sleep(Duration::from_millis(50));
            stop.store(true, Ordering::Relaxed);
            let (thought, mut player) = thought.join().expect("it does not panic");
            assert_eq!(thought, None);
            let mut rng = Rng::with_seed(1);
            let found = player.find_opening(&mut rng, &[Board::default()], 8, 50);
            assert_eq!(found, Err(Unplayed::Stopped));
        });
    }
}
