//! A long search keeps talking without chattering: by the real program, with its pipes and
//! its clock.

mod process_support;

use std::collections::HashSet;
use std::time::{Duration, Instant};

use carrybit::board::Board;
use carrybit::uci::position::find_move;
use process_support::Engine;

/// From this age on a search is long.
const LONG: Duration = Duration::from_secs(3);

/// When the searches here are stopped.
const END: Duration = Duration::from_secs(6);

const SECOND: Duration = Duration::from_secs(1);

/// What should come within a second gets more time here, because tests share the machine.
const SILENCE: Duration = Duration::from_millis(1500);

/// The most lines in a second.
const MOST: usize = 15;

/// The lines of `go infinite`, stopped at [`END`], and how long after the `go` they came.
/// There is one `bestmove`, the last of them, and it begins the last first line.
fn search(settings: &str) -> Vec<(Duration, String)> {
    let mut engine = Engine::start();
    engine.write(format!("{settings}\nposition startpos\nisready\n").as_bytes());
    engine.read_until("readyok");
    let (start, mut lines) = (Instant::now(), Vec::new());
    engine.write(b"go infinite\n");
    let mut is_stopped = false;
    while lines.last().is_none_or(|(_, line): &(_, String)| !line.starts_with("bestmove ")) {
        let line = engine.read_line().trim_end().to_owned();
        assert!(is_stopped || line.starts_with("info "), "{line}");
        lines.push((start.elapsed(), line));
        if !is_stopped && start.elapsed() >= END {
            engine.write(b"stop\n");
            is_stopped = true;
        }
    }
    engine.write(b"quit\n");
    assert_eq!(engine.exit().1, "", "nothing follows the answer");
    let best = value(&lines[lines.len() - 1].1, "bestmove");
    let is_first_line = |line: &&String| value(line, "multipv") == Some("1");
    let last = lines.iter().map(|(_, line)| line).rfind(is_first_line).expect("a report");
    assert_eq!(value(last, "pv"), best, "{last}");
    lines
}

/// The word after `key`, if the line has it.
fn value<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    line.split(' ').skip_while(|&word| word != key).nth(1)
}

/// The number after `key`, which the line has.
fn number(line: &str, key: &str) -> u64 {
    let number = value(line, key).and_then(|word| word.parse().ok());
    number.unwrap_or_else(|| panic!("no {key}: {line}"))
}

/// Asserts that a long search is neither silent nor loud.
fn assert_well_tempered(lines: &[(Duration, String)]) {
    let mut last_figures = Duration::ZERO;
    for (i, (time, line)) in lines.iter().enumerate() {
        if *time >= LONG {
            let in_second = lines[i..].iter().take_while(|(later, _)| *later < *time + SECOND);
            assert!(in_second.count() <= MOST, "{lines:#?}");
            assert!(*time - last_figures.max(LONG) <= SILENCE, "{time:?}: {lines:#?}");
        }
        if value(line, "nodes").is_some() {
            for key in ["nps", "hashfull", "tbhits", "time"] {
                number(line, key);
            }
            last_figures = *time;
        }
    }
}

#[test]
fn it_says_each_second_how_far_it_has_come_and_which_move_it_is_at() {
    let lines = search("setoption name Threads value 2");
    assert_well_tempered(&lines);
    let (mut last_nodes, mut moves) = (0, 0);
    for (time, line) in &lines {
        if let Some(mv) = value(line, "currmove") {
            assert!(*time >= LONG, "{time:?}: {line}");
            assert!(find_move(&Board::default(), mv).is_some(), "{line}");
            assert!((1..=20).contains(&number(line, "currmovenumber")), "{line}");
            moves += 1;
        }
        if line.starts_with("info nodes ") {
            assert!(*time >= LONG, "{time:?}: {line}");
            // They are those of all threads, as in the reports.
            assert!(number(line, "nodes") >= last_nodes, "{lines:#?}");
        }
        if value(line, "nodes").is_some() {
            last_nodes = number(line, "nodes");
        }
    }
    assert!(moves > 0, "{lines:#?}");
}

#[test]
fn it_shows_each_of_several_lines_as_soon_as_it_is_searched() {
    const LINES: usize = 3;
    let lines = search("setoption name MultiPV value 3\nsetoption name UCI_ShowWDL value true");
    assert_well_tempered(&lines);
    let reports: Vec<&(Duration, String)> =
        lines.iter().filter(|(_, line)| value(line, "multipv").is_some()).collect();
    let mut early = 0;
    for (i, block) in reports.chunks(LINES).enumerate() {
        let numbers = |key| block.iter().map(|(_, line)| number(line, key)).collect::<Vec<_>>();
        assert_eq!(numbers("multipv"), [1, 2, 3], "{i}: {block:#?}");
        let moves: HashSet<_> = block.iter().map(|(_, line)| value(line, "pv")).collect();
        assert_eq!(moves.len(), LINES, "{block:#?}");
        let depths = numbers("depth");
        // A search that is stopped leaves an iteration unfinished whenever that is.
        if depths[0] > depths[LINES - 1] && block[0].0 < END {
            assert!(block[0].0 >= LONG && depths.is_sorted_by(|a, b| a >= b), "{block:#?}");
            early += 1;
        }
        for (_, line) in block {
            assert_eq!(value(line, "wdl").is_some(), !line.contains("bound"), "{line}");
        }
    }
    assert!(early > 0, "{lines:#?}");
}
