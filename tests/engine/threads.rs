//! Several threads obey the limits together and answer once. The number of threads and the size
//! of the hash table may change between searches.

use carrybit::Engine;
use carrybit::internals::score::mate_in_moves;
use carrybit::internals::search::report::SearchEvent;

use crate::engine_support::{
    self, KIWIPETE, depth, game, infinite, move_time, nodes, result, search, start,
};

fn engine(threads: usize, fen: &str) -> Engine {
    let mut engine = engine_support::engine(fen);
    engine.set_threads(threads);
    engine
}

#[test]
fn any_number_of_threads_finds_a_move_and_a_mate() {
    // More threads than processors.
    search(&mut engine(64, KIWIPETE), move_time(50));
    for threads in [1, 2, 3, 8] {
        let mut engine = engine(threads, KIWIPETE);
        for limits in [depth(8), nodes(20_000), move_time(50)] {
            search(&mut engine, limits);
        }
        engine.set_game(game("r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1"));
        for limits in [depth(16), nodes(1_000_000)] {
            let (reports, _) = search(&mut engine, limits);
            let last = reports.last().expect("a report");
            assert_eq!(mate_in_moves(last.score), Some(3), "{threads} threads");
        }
    }
}

#[test]
fn threads_share_the_node_limit() {
    for threads in [2, 3, 8] {
        for limit in [10_000, 100_000] {
            let (reports, _) = search(&mut engine(threads, KIWIPETE), nodes(limit));
            let spent = reports.last().expect("a report").nodes;
            // Threads check the limit from time to time only, and the main thread completes its
            // first iteration.
            let slack = 1024 * threads as u64 + 4096;
            assert!(spent <= limit + slack, "{threads} threads: {spent} instead of {limit}");
            assert!(spent >= limit / 2, "{threads} threads: {spent} instead of {limit}");
        }
    }
}

#[test]
fn main_thread_completes_the_depth_of_all_lines() {
    for (threads, lines) in [(4, 1), (3, 4)] {
        let mut engine = engine(threads, KIWIPETE);
        engine.settings_mut().multi_pv = lines;
        let (reports, _) = search(&mut engine, depth(7));
        assert!(reports.iter().map(|report| report.nodes).is_sorted());
        let last: Vec<_> = reports[reports.len() - lines..].iter().collect();
        assert!(last.iter().all(|report| report.depth == 7), "{last:?}");
        assert!(last.iter().map(|report| report.multi_pv).eq(1..=lines), "{last:?}");
    }
}

#[test]
fn threads_and_hash_change_during_and_between_searches() {
    let mut engine = engine(1, KIWIPETE);
    for (threads, hash_mb) in [(4, 1), (2, 40), (8, 3), (1, 16), (3, 64)] {
        let events = start(&mut engine, infinite());
        engine.set_threads(threads);
        engine.stop();
        engine.set_hash(hash_mb).expect("so much memory is available");
        result(&mut engine, &events);
        search(&mut engine, nodes(5_000));
        let events = start(&mut engine, infinite());
        engine.stop();
        engine.clear();
        result(&mut engine, &events);
    }
}

#[test]
fn dropped_engine_ends_its_search() {
    for _ in 0..20 {
        let mut engine = engine(4, KIWIPETE);
        let events = start(&mut engine, infinite());
        drop(engine);
        assert!(matches!(events.iter().last(), Some(SearchEvent::Finished(_))));
    }
}
