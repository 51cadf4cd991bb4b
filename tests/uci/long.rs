//! A long search of the real program prints neither too little nor too much.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use crate::process_support::Engine;
use crate::time_support::TIMEOUT;
use crate::uci_support::field;
use carrybit::Board;

/// From this time on, a search counts as long and prints more.
const LONG: Duration = Duration::from_secs(3);

/// The test does not stop the search before this time.
const MIN_TIME: Duration = Duration::from_millis(4500);

/// The number of lines that a finished iteration reports (`MultiPV`).
const PV_LINES: usize = 3;

/// Sends `go infinite`, and `stop` after a `currmove` and a report of an unfinished iteration.
/// Returns all lines with their times, and the time of the `stop`. The only `bestmove` must come
/// last, and must be the first move of the last `multipv 1`.
fn search() -> (Vec<(Duration, String)>, Duration) {
    let mut engine = Engine::start();
    let options = ["Threads value 2", "MultiPV value 3", "UCI_ShowWDL value true"];
    let settings = options.map(|option| format!("setoption name {option}")).join("\n");
    engine.ask(&[&settings, "isready"], "readyok");
    let (start, mut lines) = (Instant::now(), Vec::new());
    engine.write(b"go infinite\n");
    let (mut has_move, mut has_unfinished, mut depth, mut stopped) = (false, false, 0, None);
    while lines.last().is_none_or(|(_, line): &(_, String)| !line.starts_with("bestmove ")) {
        let line = engine.read_line().trim_end().to_owned();
        let time = start.elapsed();
        assert!(stopped.is_some() || line.starts_with("info "), "{line}");
        has_move |= field(&line, "currmove").is_some();
        match field(&line, "multipv") {
            Some("1") => depth = number(&line, "depth"),
            Some(_) => has_unfinished |= number(&line, "depth") < depth,
            None => (),
        }
        let is_end = time >= MIN_TIME && has_move && has_unfinished || time >= TIMEOUT;
        lines.push((time, line));
        if stopped.is_none() && is_end {
            engine.write(b"stop\n");
            stopped = Some(start.elapsed());
        }
    }
    assert_eq!(engine.quit(), "", "nothing follows the answer");
    let best = field(&lines[lines.len() - 1].1, "bestmove");
    let is_first_line = |line: &&String| field(line, "multipv") == Some("1");
    let last = lines.iter().map(|(_, line)| line).rfind(is_first_line).expect("a report");
    assert_eq!(field(last, "pv"), best, "{last}");
    (lines, stopped.expect("it was stopped"))
}

/// The number after `key`; panics without it.
fn number(line: &str, key: &str) -> u64 {
    let number = field(line, key).and_then(|word| word.parse().ok());
    number.unwrap_or_else(|| panic!("no {key}: {line}"))
}

#[test]
fn long_search_prints_nodes_root_moves_and_each_finished_line() {
    let (lines, stopped) = search();
    let (mut last_nodes, mut moves) = (0, 0);
    for (time, line) in &lines {
        if field(line, "nodes").is_some() {
            let keys = ["nps", "hashfull", "tbhits", "time"];
            assert!(keys.iter().all(|key| field(line, key).is_some()), "{line}");
            // The nodes of all threads together.
            assert!(number(line, "nodes") >= last_nodes, "{lines:#?}");
            last_nodes = number(line, "nodes");
        }
        if let Some(mv) = field(line, "currmove") {
            assert!(Board::default().parse_uci(mv).is_ok(), "{line}");
            assert!((1..=20).contains(&number(line, "currmovenumber")), "{line}");
            moves += 1;
        }
        let is_report = field(line, "multipv").is_some() || line.starts_with("bestmove ");
        assert!(is_report || *time >= LONG, "{time:?}: {line}");
    }
    assert!(moves > 0, "{lines:#?}");

    let reports: Vec<&(Duration, String)> =
        lines.iter().filter(|(_, line)| field(line, "multipv").is_some()).collect();
    let mut early = 0;
    for block in reports.chunks(PV_LINES) {
        let numbers = |key| block.iter().map(|(_, line)| number(line, key)).collect::<Vec<_>>();
        assert_eq!(numbers("multipv"), [1, 2, 3], "{block:#?}");
        let moves: HashSet<_> = block.iter().map(|(_, line)| field(line, "pv")).collect();
        assert_eq!(moves.len(), PV_LINES, "{block:#?}");
        let depths = numbers("depth");
        // A stopped search leaves an iteration unfinished.
        if depths[0] > depths[PV_LINES - 1] && block[0].0 < stopped {
            assert!(block[0].0 >= LONG && depths.is_sorted_by(|a, b| a >= b), "{block:#?}");
            early += 1;
        }
        for (_, line) in block {
            assert_eq!(field(line, "wdl").is_some(), !line.contains("bound"), "{line}");
        }
    }
    assert!(early > 0, "{lines:#?}");
}
