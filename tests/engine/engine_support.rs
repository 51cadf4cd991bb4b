//! Shared by these tests: a search from its start to its answer.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use carrybit::Engine;
use carrybit::Game;
use carrybit::internals::search::limits::{ClockState, Limits};
use carrybit::internals::search::report::{BestMove, Report, SearchEvent};
use carrybit::internals::search::strength::Strength;
use carrybit_syzygy::Tablebases;

use crate::support::data_path;

/// A position with many captures, castling on both sides, and pins.
pub(crate) const KIWIPETE: &str =
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

/// A game that begins at this position.
pub(crate) fn game(fen: &str) -> Game {
    Game::new(fen.parse().expect("the test's position is valid"))
}

/// An engine at this position.
pub(crate) fn engine(fen: &str) -> Engine {
    let mut engine = Engine::new();
    engine.set_game(game(fen));
    engine
}

/// The folder of the repository's tablebases.
pub(crate) fn own_folder() -> PathBuf {
    data_path("syzygy")
}

/// Opens tables without problems.
pub(crate) fn open(folder: &Path) -> Tablebases {
    let (tables, problems) = Tablebases::open(&[folder.to_owned()]);
    assert_eq!(problems, Vec::<String>::new());
    tables
}

/// An engine with these tables.
pub(crate) fn engine_with(folder: &Path) -> Engine {
    let mut engine = Engine::new();
    let problems = engine.set_tablebases(&[folder.to_owned()]);
    assert_eq!(problems, Vec::<String>::new());
    engine
}

/// Starts a search. Returns the receiver of its events.
pub(crate) fn start(engine: &mut Engine, limits: Limits) -> Receiver<SearchEvent> {
    let (sender, receiver) = channel();
    engine.go(limits, Instant::now(), move |event| {
        let _ = sender.send(event);
    });
    receiver
}

/// Waits for the end of a search. Returns its reports and its only answer. The answer must have a
/// legal move, or none if there is no legal move. At full strength it begins the last line with
/// rank 1.
pub(crate) fn result(
    engine: &mut Engine,
    events: &Receiver<SearchEvent>,
) -> (Vec<Report>, BestMove) {
    engine.wait();
    let mut reports = Vec::new();
    let mut answers = Vec::new();
    for event in events.try_iter() {
        match event {
            SearchEvent::Report(report) => reports.push(report),
            SearchEvent::Finished(answer) => answers.push(answer),
        }
    }
    assert_eq!(answers.len(), 1, "exactly one answer");
    let answer = answers.remove(0);
    let board = engine.game().board();
    assert_eq!(answer.best.is_some(), board.has_legal_move());
    assert!(answer.best.is_none_or(|mv| board.is_legal(mv)));
    if engine.settings_mut().strength == Strength::default() {
        let line = reports.iter().rfind(|report| report.multi_pv == 1);
        let pv = line.map_or(&[][..], |line| &line.pv);
        assert_eq!(answer.best, pv.first().copied());
        // The ponder move of a line of one move comes from the transposition table.
        assert!(pv.get(1).is_none_or(|&mv| answer.ponder == Some(mv)));
    }
    (reports, answer)
}

/// Searches to the end.
pub(crate) fn search(engine: &mut Engine, limits: Limits) -> (Vec<Report>, BestMove) {
    let events = start(engine, limits);
    result(engine, &events)
}

pub(crate) fn depth(depth: i32) -> Limits {
    Limits::depth(depth)
}

pub(crate) fn nodes(nodes: u64) -> Limits {
    Limits::nodes(nodes)
}

pub(crate) fn move_time(millis: u64) -> Limits {
    Limits::move_time(Duration::from_millis(millis))
}

pub(crate) fn clock(time_ms: u64, increment_ms: u64) -> Limits {
    let [time, increment] = [time_ms, increment_ms].map(Duration::from_millis);
    let clock = Some(ClockState { time, increment, moves_to_go: None });
    Limits { clock, ..Limits::default() }
}

pub(crate) fn infinite() -> Limits {
    Limits { infinite: true, ..Limits::default() }
}
