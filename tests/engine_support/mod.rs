//! Shared by the tests of the engine: a search from its start to its one answer.

// Each test file compiles this module for itself and uses a part of it.
#![allow(dead_code)]

use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;

use carrybit::board::{Game, Move};
use carrybit::engine::Engine;
use carrybit::search::limits::{Limits, Report, SearchEvent};

/// An engine at this position.
pub(crate) fn engine(fen: &str) -> Engine {
    let mut engine = Engine::new();
    engine.set_game(Game::new(fen.parse().expect("the test's position is valid")));
    engine
}

/// Starts a search; what it says is received.
pub(crate) fn start(engine: &mut Engine, limits: Limits) -> Receiver<SearchEvent> {
    let (sender, receiver) = channel();
    engine.go(limits, Instant::now(), move |event| {
        let _ = sender.send(event);
    });
    receiver
}

/// The reports and the move of a search that has ended or is about to. It gives exactly
/// one move, and that is legal.
pub(crate) fn result(engine: &mut Engine, events: &Receiver<SearchEvent>) -> (Vec<Report>, Move) {
    engine.wait();
    let mut reports = Vec::new();
    let mut moves = Vec::new();
    for event in events.try_iter() {
        match event {
            SearchEvent::Report(report) => reports.push(report),
            SearchEvent::Note(note) => panic!("{note}"),
            SearchEvent::Finished(outcome) => moves.push(outcome.best.expect("a move")),
        }
    }
    assert_eq!(moves.len(), 1, "exactly one answer");
    assert!(engine.game().board().is_legal(moves[0]));
    (reports, moves[0])
}

/// Searches to the end: the reports and the move.
pub(crate) fn search(engine: &mut Engine, limits: Limits) -> (Vec<Report>, Move) {
    let events = start(engine, limits);
    result(engine, &events)
}

/// Limits with only this depth.
pub(crate) fn depth(depth: i32) -> Limits {
    Limits { depth: Some(depth), ..Limits::default() }
}
