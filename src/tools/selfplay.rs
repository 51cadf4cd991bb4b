//! Games of the engine against itself.
//!
//! [`opening`] finds where a game begins, [`Player`] plays it, and [`referee`] ends
//! it. All follows from a seed.

pub mod opening;

pub mod referee;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fastrand::Rng;

use crate::board::{Board, Color, Game, Move};
use crate::eval::Evaluator;
use crate::eval::nnue::Network;
use crate::score::Score;
use crate::search::clock::{Clock, Pace};
use crate::search::control::Control;
use crate::search::limits::{Limits, Report, SearchEvent};
use crate::search::tablebase::Probing;
use crate::search::threads::Crew;
use crate::search::transposition::TranspositionTable;
use crate::search::{Task, search};
use crate::tablebase::Tablebases;

use self::opening::Unplayed;
use self::referee::{Ending, Referee};

/// Size of a player's transposition table in megabytes: room for all positions of
/// a game at some thousand nodes for each move.
const HASH_MB: usize = 4;
/// A search ends, complete or not, at so many times the nodes that it is to have.
const HARD_FACTOR: u64 = 8;

/// A game with the scores of its positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Where it began.
    pub start: Board,
    /// The moves played, and what the search that chose each said of the position
    /// before it, in centipawns from White's view.
    pub moves: Vec<(Move, Score)>,
    /// How it ended.
    pub ending: Ending,
}

/// What is settled about every game, in words: another text, other games.
#[must_use]
pub fn rules() -> String {
    let search = format!("hash {HASH_MB} MB, at most {HARD_FACTOR} times the nodes");
    format!("{search}; {}; {}", opening::rules(), referee::rules())
}

/// Whether a position with the move played there is one that an evaluation can
/// learn from: nothing is about to change on the board.
#[must_use]
pub fn is_quiet(board: &Board, mv: Move) -> bool {
    !board.in_check() && !mv.is_capture() && !mv.is_promotion()
}

/// Plays games, one after the other, on its own.
pub struct Player<E> {
    crew: Crew<E>,
    table: Arc<TranspositionTable>,
    tablebases: Arc<Tablebases>,
    /// Set when there is to be no further move.
    stop: Arc<AtomicBool>,
}

impl<E: Evaluator> Player<E> {
    /// A player who evaluates with this network, if with any, and who ends in
    /// the middle of a thought when `stop` is set.
    #[must_use]
    pub fn new(network: Arc<Network>, stop: Arc<AtomicBool>) -> Player<E> {
        // A table that is smaller than asked for is a table.
        let (table, _) = TranspositionTable::new(HASH_MB);
        Player {
            crew: Crew::new(network),
            table: Arc::new(table),
            tablebases: Arc::default(),
            stop,
        }
    }

    /// Plays the game that belongs to `seed`, with about so many nodes for each
    /// move. It depends on nothing else.
    ///
    /// # Errors
    /// If the player was stopped, or if there is no opening.
    pub fn play(&mut self, seed: u64, random_plies: usize, nodes: u64) -> Result<Record, Unplayed> {
        self.forget();
        let mut rng = Rng::with_seed(seed);
        let mut game = self.find_opening(&mut rng, &[Board::default()], random_plies, nodes)?;
        let start = game.board().clone();
        let mut referee = Referee::default();
        let mut moves = Vec::new();
        loop {
            if let Some(ending) = referee::rule(&game) {
                return Ok(Record { start, moves, ending });
            }
            let (mv, score) = self.think(&game, nodes).ok_or(Unplayed::Stopped)?;
            let white_score = if game.board().side() == Color::White { score } else { -score };
            moves.push((mv, white_score));
            if let Some(ending) = referee.hear(white_score, moves.len()) {
                return Ok(Record { start, moves, ending });
            }
            game.play(mv);
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

    /// Finds an opening, looked at with so many nodes times
    /// [`opening::CHECK_FACTOR`]; see [`opening::find`].
    ///
    /// # Errors
    /// If the player was stopped, or if there is no opening.
    pub fn find_opening(
        &mut self,
        rng: &mut Rng,
        starts: &[Board],
        random_plies: usize,
        nodes: u64,
    ) -> Result<Game, Unplayed> {
        opening::find(rng, starts, random_plies, |game| {
            self.think(game, nodes.saturating_mul(opening::CHECK_FACTOR)).map(|(_, score)| score)
        })
    }

    /// The nodes of a search from the start position, so many plies deep.
    pub fn count_nodes(&mut self, depth: i32) -> u64 {
        self.forget();
        let limits = Limits { depth: Some(depth), ..Limits::default() };
        let mut nodes = 0;
        self.search(&Game::default(), limits, |report| nodes = report.nodes);
        nodes
    }

    /// The move that a search of about so many nodes chooses, and its score from
    /// the side to move's view. `None` if the player was stopped.
    fn think(&mut self, game: &Game, nodes: u64) -> Option<(Move, Score)> {
        if self.is_stopped() {
            return None;
        }
        let limits = Limits {
            soft_nodes: Some(nodes),
            nodes: Some(nodes.saturating_mul(HARD_FACTOR)),
            ..Limits::default()
        };
        let mut score = None;
        let best = self.search(game, limits, |report| score = Some(report.score));
        // What a search that was stopped has found depends on when that was.
        if self.is_stopped() { None } else { best.zip(score) }
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
            clock: Clock::new(&limits, 0, Pace::Time, Arc::clone(&control)),
            limits,
            threads: 1,
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
    use super::*;
    use crate::eval::Hce;

    #[test]
    fn a_game_follows_from_its_seed_and_is_legal_to_its_end() {
        let player = || Player::<Hce>::new(Network::embedded(), Arc::default());
        let (mut player, mut other) = (player(), player());
        let first = player.play(1, 8, 50).expect("nobody stops it");
        let second = player.play(2, 8, 50).expect("nobody stops it");
        assert_ne!(first, second);
        assert_eq!(player.play(1, 8, 50).as_ref(), Ok(&first));
        assert_eq!(other.play(2, 8, 50), Ok(second));
        let mut game = Game::new(first.start);
        for (i, &(mv, _)) in first.moves.iter().enumerate() {
            assert!(game.board().is_legal(mv));
            assert_eq!(referee::rule(&game), None, "after {i} moves");
            game.play(mv);
        }
        assert!(first.moves.len() > 10);
    }

    #[test]
    fn a_player_who_is_stopped_leaves_be_it_in_thought() {
        const FOREVER: u64 = u64::MAX;
        let stop = Arc::new(AtomicBool::new(false));
        let mut player = Player::<Hce>::new(Network::embedded(), Arc::clone(&stop));
        std::thread::scope(|scope| {
            let played = scope.spawn(move || (player.play(1, 8, FOREVER), player));
            std::thread::sleep(std::time::Duration::from_millis(50));
            stop.store(true, Ordering::Relaxed);
            let (played, mut player) = played.join().expect("it does not panic");
            assert_eq!(played, Err(Unplayed::Stopped));
            assert_eq!(player.play(1, 8, 50), Err(Unplayed::Stopped));
        });
    }
}
