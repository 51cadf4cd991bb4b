//! Many threads search as one: they obey the same limits, answer once, and are started
//! and ended between searches.

mod engine_support;
mod uci_support;

use std::sync::mpsc::Receiver;
use std::thread;
use std::time::{Duration, Instant};

use carrybit::board::Board;
use carrybit::engine::Engine;
use carrybit::random::splitmix64;
use carrybit::score::mate_in_moves;
use carrybit::search::limits::{Limits, Outcome, Report, SearchEvent};
use carrybit::search::transposition::{Entry, TranspositionTable};
use engine_support::{KIWIPETE, depth, game, infinite, move_time, nodes, start};
use uci_support::Conversation;

/// Far longer than anything here may take, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(10);

fn engine(threads: usize, fen: &str) -> Engine {
    let mut engine = engine_support::engine(fen);
    engine.set_threads(threads);
    engine
}

/// All reports of a search that has ended or is about to. Its outcome is the line of the
/// last report of a first line.
fn result(engine: &mut Engine, events: &Receiver<SearchEvent>) -> Vec<Report> {
    let (reports, outcome) = engine_support::result(engine, events);
    let last = reports.iter().rfind(|report| report.multi_pv == 1).expect("a first line");
    assert_eq!(outcome.best, last.pv.first().copied());
    // A line of one move does not say what the transposition table knows.
    assert!(last.pv.get(1).is_none_or(|&mv| outcome.ponder == Some(mv)));
    reports
}

fn search(engine: &mut Engine, limits: Limits) -> Vec<Report> {
    let events = start(engine, limits);
    result(engine, &events)
}

#[test]
fn any_number_of_threads_finds_a_legal_move_and_a_mate() {
    for threads in [1, 2, 3, 8] {
        let mut engine = engine(threads, KIWIPETE);
        for limits in [depth(8), nodes(20_000), move_time(50)] {
            search(&mut engine, limits);
        }
        engine.set_game(game("r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1"));
        for limits in [depth(16), nodes(1_000_000)] {
            let reports = search(&mut engine, limits);
            let last = reports.last().expect("a report");
            assert_eq!(mate_in_moves(last.score), Some(3), "{threads} threads");
        }
    }
}

#[test]
fn roots_without_a_move_need_no_helpers() {
    let mut engine = engine(4, "k7/2Q5/1K6/8/8/8/8/8 b - - 0 1");
    let events = start(&mut engine, depth(5));
    let last = events.iter().last();
    assert_eq!(last, Some(SearchEvent::Finished(Outcome { best: None, ponder: None })));
}

#[test]
fn all_threads_together_keep_the_node_limit() {
    for threads in [2, 3, 8] {
        for limit in [10_000, 100_000] {
            let reports = search(&mut engine(threads, KIWIPETE), nodes(limit));
            let spent = reports.last().expect("a report").nodes;
            // A thread that had to wait may still use up its share, and the main thread
            // needs its first iteration.
            let slack = 1024 * threads as u64 + 4096;
            assert!(spent <= limit + slack, "{threads} threads: {spent} instead of {limit}");
            assert!(spent >= limit / 2, "{threads} threads: {spent} instead of {limit}");
        }
    }
}

#[test]
fn the_main_thread_decides_about_the_depth() {
    let mut engine = engine(4, KIWIPETE);
    let reports = search(&mut engine, depth(7));
    assert_eq!(reports.last().map(|report| report.depth), Some(7));
    assert!(reports.iter().map(|report| report.nodes).is_sorted());
}

#[test]
fn several_lines_are_reported_by_several_threads() {
    let mut engine = engine(3, KIWIPETE);
    engine.settings_mut().multi_pv = 4;
    let reports = search(&mut engine, depth(7));
    // A search of more than a few seconds reports blocks of depth 7 before the last one, too.
    let last: Vec<_> =
        reports[reports.len() - 4..].iter().map(|report| (report.depth, report.multi_pv)).collect();
    assert_eq!(last, [(7, 1), (7, 2), (7, 3), (7, 4)]);
}

#[test]
fn one_thread_takes_the_same_nodes_each_time_whatever_was_before() {
    let mut engine = engine(1, KIWIPETE);
    let mut spent = || {
        let nodes = search(&mut engine, depth(8)).last().map(|report| report.nodes);
        engine.set_threads(3);
        search(&mut engine, depth(6));
        engine.set_threads(1);
        engine.clear();
        nodes
    };
    assert_eq!(spent(), spent());
}

#[test]
fn threads_and_table_change_between_searches_and_during_them() {
    let mut engine = engine(1, KIWIPETE);
    for (threads, hash_mb) in [(4, 1), (2, 40), (8, 3), (1, 16), (3, 64)] {
        let events = start(&mut engine, infinite());
        engine.set_threads(threads);
        engine.stop();
        engine.set_hash(hash_mb).expect("so much memory there is");
        result(&mut engine, &events);
        search(&mut engine, nodes(5_000));
        let events = start(&mut engine, infinite());
        engine.stop();
        engine.clear();
        result(&mut engine, &events);
    }
}

#[test]
fn a_stop_may_follow_at_once() {
    let mut engine = engine(4, KIWIPETE);
    for i in 0..200 {
        let begun = Instant::now();
        let events = start(&mut engine, infinite());
        if i % 4 == 0 {
            thread::sleep(Duration::from_millis(i / 20));
        }
        engine.stop();
        result(&mut engine, &events);
        assert!(begun.elapsed() < PATIENCE);
    }
}

#[test]
fn options_and_new_games_may_follow_a_stop_at_once() {
    let conversation = Conversation::start();
    for threads in [4, 1, 3, 64, 2] {
        let set_threads = format!("setoption name Threads value {threads}");
        let set_hash = format!("setoption name Hash value {}", 1 + threads);
        let begun = ["go infinite", "stop", &set_threads, &set_hash, "go nodes 3000"];
        conversation.search(&begun);
        conversation.search(&["ucinewgame", "isready"]);
        conversation.search(&["go ponder movetime 5", "ucinewgame"]);
        assert!(conversation.ask("ucinewgame").is_empty());
    }
    conversation.end();
}

#[test]
fn a_search_that_is_dropped_ends() {
    for _ in 0..20 {
        let mut engine = engine(4, KIWIPETE);
        let events = start(&mut engine, infinite());
        drop(engine);
        assert!(matches!(events.iter().last(), Some(SearchEvent::Finished(_))));
    }
}

#[test]
fn pondering_goes_on_until_it_is_hit() {
    let mut engine = engine(3, KIWIPETE);
    let events = start(&mut engine, Limits { ponder: true, ..move_time(20) });
    thread::sleep(Duration::from_millis(100));
    assert!(!events.try_iter().any(|event| matches!(event, SearchEvent::Finished(_))));
    let hit = Instant::now();
    engine.ponderhit();
    assert!(matches!(events.iter().last(), Some(SearchEvent::Finished(_))));
    assert!(hit.elapsed() < PATIENCE);
}

#[test]
fn more_threads_than_processors_keep_the_time() {
    let mut engine = engine(64, KIWIPETE);
    for _ in 0..3 {
        let begun = Instant::now();
        search(&mut engine, move_time(50));
        assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    }
}

#[test]
fn a_cleared_table_is_empty() {
    // Smaller and larger than what one thread clears at once.
    for megabytes in [1, 70] {
        let (mut table, result) = TranspositionTable::new(megabytes);
        assert_eq!(result, Ok(()));
        check_clear(&mut table);
        assert_eq!(table.megabytes(), megabytes);
    }
}

fn check_clear(table: &mut TranspositionTable) {
    let keys = (1..=1000).map(splitmix64);
    let board = Board::default();
    let entry =
        Entry { mv: board.legal_moves()[0], score: 1, eval: 2, depth: 3, bound: None, pv: false };
    for threads in [1, 3, 1024] {
        table.new_search();
        keys.clone().for_each(|key| table.store(key, 0, entry));
        assert!(keys.clone().all(|key| table.probe(key, 0, 0).is_some()));
        table.clear(threads);
        assert!(keys.clone().all(|key| table.probe(key, 0, 0).is_none()), "{threads} threads");
    }
}

/// The memory of this process that is really there, in megabytes.
#[cfg(target_os = "linux")]
fn resident_mb() -> usize {
    engine_support::told_mb("/proc/self/status", "VmRSS:")
}

#[test]
#[cfg(target_os = "linux")]
fn all_memory_is_there_before_a_search_begins() {
    const MEGABYTES: usize = 512;
    let mut engine = engine(2, KIWIPETE);
    engine.set_hash(MEGABYTES).expect("so much memory there is");
    // Other tests run at the same time: their memory comes and goes.
    let is_there = |before: usize| resident_mb() > before + MEGABYTES * 3 / 4;
    let before = resident_mb();
    assert_eq!(engine.prepare(), Vec::<String>::new());
    assert!(is_there(before), "{} MB after {before}", resident_mb());
    // It stays for the next game.
    search(&mut engine, nodes(1_000));
    engine.clear();
    assert!(is_there(before), "{} MB after {before}", resident_mb());
}

#[test]
fn what_is_prepared_needs_no_preparation() {
    let mut engine = engine(3, KIWIPETE);
    engine.prepare();
    let begun = Instant::now();
    for _ in 0..1000 {
        assert_eq!(engine.prepare(), Vec::<String>::new());
    }
    assert!(begun.elapsed() < Duration::from_millis(100), "{:?}", begun.elapsed());
}
