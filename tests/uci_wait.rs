//! Conversations with `wait`: what it holds back, and what gets through.

mod uci_support;

use std::time::{Duration, Instant};

use uci_support::{AT_ONCE, Conversation, assert_no_best_move, best_move};

#[test]
fn wait_holds_back_what_follows_but_not_stop() {
    let conversation = Conversation::start();
    conversation.say(&["go depth 4", "wait", "perft 2", "wait", "isready"]);
    let lines = conversation.hear_until("readyok");
    let best = lines.iter().position(|line| line.starts_with("bestmove "));
    let perft = lines.iter().position(|line| line == "Nodes searched: 400");
    assert!(best.is_some() && best < perft, "{lines:#?}");
    conversation.say(&["go infinite", "wait", "isready"]);
    assert_no_best_move(&conversation);
    conversation.say(&["stop"]);
    let lines = conversation.hear_until("readyok");
    assert!(lines.iter().any(|line| line.starts_with("bestmove ")), "{lines:#?}");
    conversation.end();
}

#[test]
fn searches_that_wait_for_one_another_have_their_time_each() {
    let conversation = Conversation::start();
    let time = Duration::from_millis(300);
    let started = Instant::now();
    let go = "go movetime 300";
    conversation.say(&[go, "wait", go, "wait", go]);
    for number in 1..=3 {
        best_move(&conversation.hear_until("bestmove"));
        // They may come a little early, so as not to be late.
        let elapsed = started.elapsed();
        assert!(elapsed > time * number * 8 / 10, "{number}: {elapsed:?}");
        assert!(elapsed < time * number + AT_ONCE, "{number}: {elapsed:?}");
    }
    conversation.end();
}

/// How many searches have been answered in `lines`.
fn answers(lines: &[String]) -> usize {
    lines.iter().filter(|line| line.starts_with("bestmove ")).count()
}

#[test]
fn stop_ends_all_that_was_said_before_it_whatever_waits_for_what() {
    for (burst, moves) in [
        (&["go infinite", "go infinite", "wait"] as &[&str], 2),
        (&["go infinite", "perft 40", "wait"], 1),
        (&["go infinite", "go ponder wtime 99999 btime 99999", "wait"], 2),
        (&["go infinite", "wait", "go infinite", "wait"], 2),
        (&["go infinite", "wait", "isready", "go movetime 60000", "wait"], 2),
        (&["perft 40", "wait", "go mate 9", "wait", "go infinite", "go infinite", "wait"], 3),
    ] {
        let conversation = Conversation::start();
        conversation.say(burst);
        conversation.say(&["stop", "d"]);
        let lines = conversation.hear_until("Checkers:");
        assert_eq!(answers(&lines), moves, "{burst:?}: {lines:#?}");
        // The stop does not affect what comes after it.
        conversation.say(&["go infinite"]);
        assert_no_best_move(&conversation);
        best_move(&conversation.search(&["stop"]));
        assert!(conversation.end().is_empty());
    }
}

#[test]
fn ponderhit_reaches_the_search_that_another_held_back() {
    for burst in [
        &["go infinite", "go ponder movetime 50", "wait"] as &[&str],
        &["go ponder movetime 50", "wait", "go ponder movetime 50", "wait"],
    ] {
        let conversation = Conversation::start();
        conversation.say(burst);
        conversation.say(&["ponderhit", "d"]);
        let lines = conversation.hear_until("Checkers:");
        assert_eq!(answers(&lines), 2, "{burst:?}: {lines:#?}");
        assert!(conversation.end().is_empty());
    }
}

/// Whether a line reports this depth or a deeper one.
fn is_as_deep(line: &str, depth: u32) -> bool {
    let word = line.strip_prefix("info depth ").and_then(|rest| rest.split(' ').next());
    word.and_then(|word| word.parse::<u32>().ok()).is_some_and(|found| found >= depth)
}

#[test]
fn behind_wait_quit_lets_a_search_with_a_limit_finish_and_stops_any_other() {
    for (burst, moves) in [
        (&["go depth 8", "wait"] as &[&str], 1),
        (&["go depth 4", "wait", "isready", "go depth 8", "wait"], 2),
        (&["go infinite", "wait", "go depth 8", "wait"], 2),
        (&["go infinite", "go infinite", "wait", "go depth 8", "wait"], 3),
        (&["go ponder depth 8", "wait", "ponderhit"], 1),
    ] {
        let conversation = Conversation::start();
        conversation.say(burst);
        conversation.say(&["quit", "d"]);
        let lines = conversation.end();
        assert_eq!(answers(&lines), moves, "{burst:?}: {lines:#?}");
        assert!(lines.iter().any(|line| is_as_deep(line, 8)), "{burst:?}: {lines:#?}");
        assert!(!lines.iter().any(|line| line.starts_with("Fen:")), "{burst:?}: {lines:#?}");
    }
    for endless in ["go infinite", "go ponder movetime 100", "go mate 9"] {
        let conversation = Conversation::start();
        let asked = Instant::now();
        conversation.say(&[endless, "wait", "quit"]);
        let lines = conversation.end();
        assert_eq!(answers(&lines), 1, "{endless}: {lines:#?}");
        assert!(asked.elapsed() < AT_ONCE, "{endless}");
    }
}
