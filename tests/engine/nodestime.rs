//! With clocks that count nodes, a timed game can be reproduced.

use std::time::Duration;

use carrybit::Engine;
use carrybit::internals::search::clock::TimeUnit;
use carrybit::{Game, Move};

use crate::engine_support::{clock, move_time, search};

const NODES_PER_MS: u64 = 20;

/// `engine` plays both sides of a new game, until it ends or for 40 plies. Returns the moves with
/// their nodes. Each side starts with 600 ms. The engine must ignore the GUI's later clocks, which
/// lose `ms_per_ply`, because it counts its own nodes.
fn play(engine: &mut Engine, ms_per_ply: u64) -> Vec<(Move, u64)> {
    engine.clear();
    engine.set_game(Game::default());
    let play_one = |ply: u64| {
        let time_ms = if ply < 2 { 600 } else { 600u64.saturating_sub(ms_per_ply * ply) };
        let (reports, answer) = search(engine, clock(time_ms, 3));
        let best = answer.best?;
        let mut game = engine.game().clone();
        game.play(best);
        engine.set_game(game);
        Some((best, reports.last().expect("a report").nodes))
    };
    (0..40).map_while(play_one).collect()
}

#[test]
fn same_game_is_played_twice() {
    let mut engine = Engine::new();
    engine.set_time_unit(TimeUnit::Nodes(NODES_PER_MS));
    let first = play(&mut engine, 1);
    assert_eq!(play(&mut engine, 14), first);
    let mut another = Engine::new();
    another.set_time_unit(TimeUnit::Nodes(NODES_PER_MS));
    assert_eq!(play(&mut another, 5), first);
    assert!(first.len() > 20, "{} plies", first.len());
    // A side uses no more than its time.
    let white: u64 = first.iter().step_by(2).map(|(_, nodes)| nodes).sum();
    assert!(white <= (600 + 20 * 3) * NODES_PER_MS, "{white} nodes");
    assert!(first.iter().any(|(_, nodes)| *nodes > 100));
}

#[test]
fn move_time_is_an_exact_number_of_nodes() {
    let mut engine = Engine::new();
    engine.settings_mut().move_overhead = Duration::ZERO;
    for (per_ms, millis) in [(10, 300), (1000, 7), (1, 2500)] {
        engine.set_time_unit(TimeUnit::Nodes(per_ms));
        let (reports, _) = search(&mut engine, move_time(millis));
        assert_eq!(reports.last().map(|report| report.nodes), Some(per_ms * millis));
    }
}

#[test]
fn expired_clock_gives_a_move() {
    let mut engine = Engine::new();
    engine.set_time_unit(TimeUnit::Nodes(1));
    for time_ms in [0, 1, u64::MAX] {
        search(&mut engine, clock(time_ms, 0));
    }
}
