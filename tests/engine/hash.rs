//! The transposition table: its entries, its memory, and its allocation before a search.

use carrybit::internals::search::report::Bound;
use carrybit::internals::search::transposition::{TranspositionTable, TtEntry};
use carrybit::{Board, Move};
use carrybit_board::random::splitmix64;

use crate::engine_support::KIWIPETE;
#[cfg(target_os = "linux")]
use crate::engine_support::{engine, nodes, search};
use crate::support::board;

#[test]
fn stored_entries_are_found() {
    let (table, result) = TranspositionTable::new(1);
    assert_eq!(result, Ok(()));
    let mv = board(KIWIPETE).legal_moves()[3];
    let entry =
        TtEntry { mv, score: -123, raw_eval: 77, depth: 200, bound: Some(Bound::Lower), pv: true };
    let key = 0x1234_5678_9abc_def0;
    assert_eq!(table.probe(key, 0, 0), None);
    table.store(key, 7, entry);
    assert_eq!(table.probe(key, 7, 0), Some(entry));
    // Mate scores are stored with the distance from the node, not from the root.
    let mate = TtEntry { score: 31_990, depth: 220, ..entry };
    table.store(key, 4, mate);
    assert_eq!(table.probe(key, 6, 0).map(|entry| entry.score), Some(31_988));
    // A mate beyond the fifty-move rule has no bound.
    assert!(table.probe(key, 6, 99).is_some_and(|entry| entry.bound.is_none()));
    // A store without a move keeps the stored one.
    table.store(key, 4, TtEntry { mv: Move::NONE, depth: 230, ..entry });
    assert_eq!(table.probe(key, 4, 0).map(|entry| entry.mv), Some(mv));
}

/// Stores an entry for each key.
fn fill(table: &TranspositionTable, keys: &[u64]) {
    let mv = Board::default().legal_moves()[0];
    let entry = TtEntry { mv, score: 1, raw_eval: 2, depth: 3, bound: None, pv: false };
    keys.iter().for_each(|&key| table.store(key, 0, entry));
}

fn find_all(table: &TranspositionTable, keys: &[u64]) -> Vec<Option<TtEntry>> {
    keys.iter().map(|&key| table.probe(key, 0, 0)).collect()
}

#[test]
fn cleared_table_is_empty() {
    let keys: Vec<u64> = (1..=1000).map(splitmix64).collect();
    for megabytes in [1, 7] {
        let (table, result) = TranspositionTable::new(megabytes);
        assert_eq!((result, table.megabytes()), (Ok(()), megabytes));
        for _ in 0..2 {
            table.new_search();
            fill(&table, &keys);
            assert!(find_all(&table, &keys).iter().all(Option::is_some));
            table.clear();
            assert!(find_all(&table, &keys).iter().all(Option::is_none));
        }
    }
}

#[test]
fn touched_table_keeps_its_entries() {
    let (table, _) = TranspositionTable::new(5);
    let keys: Vec<u64> = (1..=10_000).map(splitmix64).collect();
    fill(&table, &keys);
    let before = find_all(&table, &keys);
    let touched: Vec<bool> = (0..6).map(|_| table.touch()).collect();
    assert_eq!(touched, [true, true, true, true, false, false]);
    assert_eq!(find_all(&table, &keys), before);
}

#[test]
#[cfg(target_os = "linux")]
fn table_becomes_resident_between_searches() {
    const MEGABYTES: usize = 512;
    // Other tests allocate and free memory at the same time, so one attempt may fail.
    let is_resident = || {
        let resident_mb = || memory_mb("/proc/self/status", "VmRSS:");
        let mut engine = engine(KIWIPETE);
        engine.set_hash(MEGABYTES).expect("so much memory is available");
        let enough = resident_mb() + MEGABYTES * 3 / 4;
        engine.wait_until_ready();
        let is_ready = resident_mb() > enough;
        search(&mut engine, nodes(1_000));
        engine.clear();
        engine.wait_until_ready();
        is_ready && resident_mb() > enough
    };
    assert!((0..4).any(|_| is_resident()));
}

/// A size in megabytes, from a line of a file of `/proc` like "VmRSS:  1024 kB".
#[cfg(target_os = "linux")]
fn memory_mb(file: &str, name: &str) -> usize {
    let text = std::fs::read_to_string(file).expect("a file of /proc");
    let size = text.lines().find_map(|line| line.strip_prefix(name)).expect("its size");
    let kilobytes: usize = size.trim_end_matches("kB").trim().parse().expect("a number");
    kilobytes >> 10
}
