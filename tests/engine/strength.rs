//! Limited strength obeys the other limits and options.

use std::collections::HashSet;

use carrybit::internals::search::limits::Limits;
use carrybit::internals::search::report::SearchEvent;
use carrybit::internals::search::strength::{MAX_ELO, MIN_ELO, Strength};
use carrybit::{Color, Engine, Game, Move, Outcome};

use crate::engine_support::{
    KIWIPETE, depth, engine, game, infinite, move_time, nodes, result, search, start,
};
use crate::support::board;
use crate::uci_support::Conversation;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const MATE_IN_ONE: &str = "6k1/5ppp/8/8/8/8/r4PPP/1R4K1 w - - 0 1";

/// A weak engine plays before this; a search at full strength takes all of it.
const MANY_NODES: u64 = 2_000_000;

fn weak(fen: &str, elo: i32, seed: u64) -> Engine {
    let mut engine = engine(fen);
    let strength = Strength { is_limited: true, elo, seed: Some(seed), ..Strength::default() };
    engine.settings_mut().strength = strength;
    engine
}

#[test]
fn seed_decides_the_move_and_the_last_report_shows_it() {
    let mut moves = HashSet::new();
    for seed in 0..12 {
        let play = || search(&mut weak(START, MIN_ELO, seed), nodes(MANY_NODES));
        let (reports, answer) = play();
        let best = answer.best.expect("a move");
        assert!(reports.iter().all(|report| report.multi_pv == 1));
        assert_eq!(reports.last().map(|report| report.pv[0]), Some(best));
        assert_eq!(play().1.best, Some(best));
        moves.insert(best.to_string());
    }
    assert!(moves.len() > 1, "always {moves:?}");
}

#[test]
fn more_elo_means_more_nodes_with_any_number_of_threads() {
    let mut last = 0;
    for elo in [MIN_ELO, 1700, 2100] {
        let nodes = |threads| {
            let mut engine = weak(START, elo, 1);
            engine.set_threads(threads);
            search(&mut engine, nodes(MANY_NODES)).0.last().map_or(0, |report| report.nodes)
        };
        let alone = nodes(1);
        assert_eq!(nodes(3), alone, "one thread plays");
        assert!(alone > last, "{alone} nodes at {elo}");
        last = alone;
    }
}

#[test]
fn other_limits_hold_as_well() {
    for (limits, most_nodes) in [(move_time(30), 200_000), (nodes(10_000), 10_000)] {
        let (reports, _) = search(&mut weak(KIWIPETE, MAX_ELO, 1), limits);
        assert!(reports.last().is_some_and(|report| report.nodes <= most_nodes));
    }
    let (reports, _) = search(&mut weak(KIWIPETE, MAX_ELO, 1), depth(3));
    assert!(reports.iter().all(|report| report.depth <= 3));
    let wanted: Vec<Move> = game(KIWIPETE).board().legal_moves().iter().copied().take(2).collect();
    for seed in 0..5 {
        let limits = Limits { search_moves: wanted.clone(), ..nodes(MANY_NODES) };
        let (_, answer) = search(&mut weak(KIWIPETE, MIN_ELO, seed), limits);
        assert!(answer.best.is_some_and(|mv| wanted.contains(&mv)));
    }
}

#[test]
fn mate_in_one_is_overlooked_only_by_weak_players() {
    let mates = |elo| {
        let play = |seed| search(&mut weak(MATE_IN_ONE, elo, seed), nodes(MANY_NODES)).1.best;
        (0..20).filter(|&seed| play(seed).is_some_and(|mv| mv.to_string() == "b1b8")).count()
    };
    assert_eq!(mates(2200), 20);
    let (beginner, novice) = (mates(MIN_ELO), mates(1000));
    assert!(beginner < novice && novice > 14, "{beginner} and {novice} of 20");
}

#[test]
fn seed_repeats_a_whole_game() {
    let play = |engine: &mut Engine, seed| {
        engine.set_elo(Some(1200));
        engine.set_strength_seed(Some(seed));
        engine.clear();
        let mut game = Game::default();
        for _ in 0..30 {
            engine.set_game(&game);
            let Some(mv) = engine.best_move(nodes(MANY_NODES)) else { break };
            game.play(mv);
        }
        game
    };
    let mut engine = Engine::new();
    let first = play(&mut engine, 7);
    assert_ne!(play(&mut engine, 8).moves(), first.moves());
    assert_eq!(play(&mut engine, 7).moves(), first.moves());
    assert_eq!(play(&mut Engine::new(), 7).moves(), first.moves());
}

#[test]
fn infinite_analysis_has_full_strength() {
    let mut analyst = weak(KIWIPETE, MIN_ELO, 1);
    let events = start(&mut analyst, infinite());
    let deep = events.iter().find(|event| match event {
        SearchEvent::Report(report) => report.depth >= 8,
        SearchEvent::Finished(_) => panic!("it ends without a stop"),
    });
    assert!(deep.is_some());
    analyst.stop();
    result(&mut analyst, &events);
}

#[test]
fn options_switch_limited_strength() {
    let conversation = Conversation::start();
    let nodes = |lines: &[&str]| -> u64 {
        let printed = conversation.search(lines);
        let count = printed.iter().rev().find_map(|line| {
            let mut words = line.split(' ').skip_while(|&word| word != "nodes");
            words.nth(1)?.parse().ok()
        });
        count.expect("the search reports its nodes")
    };
    let full = nodes(&["ucinewgame", "go depth 7"]);
    let elo_alone = nodes(&["setoption name UCI_Elo value 1000", "ucinewgame", "go depth 7"]);
    assert_eq!(elo_alone, full);
    let limited = nodes(&["setoption name UCI_LimitStrength value true", "go nodes 2000000"]);
    assert!(limited < full, "{limited} nodes of {full}");
    conversation.send(&["setoption name UCI_LimitStrength value false"]);
    let beginner = nodes(&["setoption name Skill Level value 0", "go nodes 2000000"]);
    assert!(beginner < full, "{beginner} nodes of {full}");
    let expert = nodes(&["setoption name Skill Level value 20", "ucinewgame", "go depth 7"]);
    assert_eq!(expert, full);
    conversation.end();
}

#[test]
fn bare_king_is_mated_by_players_who_know_how() {
    for (fen, elo) in [
        ("8/8/8/4k3/8/8/8/1Q2K3 w - - 0 1", 1000),
        ("8/8/4k3/8/8/4K3/PP6/8 w - - 0 1", 1200),
        ("8/8/3k4/8/8/8/1K6/6R1 w - - 0 1", 1400),
        ("8/8/8/4k3/8/8/8/2BBK3 w - - 0 1", 2000),
    ] {
        let mut game = Game::new(board(fen));
        let (mut weak, mut defender) = (Engine::new(), Engine::new());
        weak.set_elo(Some(elo));
        weak.set_strength_seed(Some(1));
        while game.outcome().is_none() {
            let is_weak = game.board().side() == Color::White;
            let engine = if is_weak { &mut weak } else { &mut defender };
            engine.set_game(&game);
            game.play(engine.best_move(nodes(3_000)).expect("the game is not over"));
        }
        assert_eq!(game.outcome(), Some(Outcome::Checkmate(Color::White)), "{fen}");
    }
}
