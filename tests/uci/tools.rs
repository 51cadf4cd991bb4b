//! Dialogues with Carrybit's own commands: perft, bench, `d`, `eval`, `genfens`, `params`, and
//! the debug log.

use crate::folder_support::Folder;
use crate::uci_support::{A_WHILE, Conversation};

#[test]
fn perft_is_split_by_move_and_stop_ends_tools() {
    let conversation = Conversation::start();
    conversation.send(&["perft 3"]);
    let received = conversation.lines_until("Time:");
    assert_eq!(received.len(), 22, "{received:#?}");
    let counts = received[..20].iter().map(|line| line[6..].parse::<u64>().expect("a count"));
    assert_eq!(counts.sum::<u64>(), 8902);
    assert_eq!(received[20], "Nodes searched: 8902");
    for tool in ["go perft 40", "bench 60", "speedtest 1 1 3600"] {
        conversation.send(&[tool]);
        if tool.starts_with("speedtest") {
            assert_eq!(conversation.lines_until("Threads").len(), 1);
        }
        assert!(conversation.ask("position startpos moves e2e4").is_empty());
        // Bench and speedtest are still running.
        assert!(tool.starts_with("go") || conversation.line_within(A_WHILE).is_none());
        conversation.send(&["stop"]);
        let received = conversation.lines_until("info");
        assert_eq!(
            received.last().map(String::as_str),
            Some("info string stopped"),
            "{received:#?}"
        );
        assert!(!received.iter().any(|line| line.contains(" nps")), "a total: {received:#?}");
    }
    assert!(conversation.end().is_empty());
}

#[test]
fn next_command_of_a_person_stops_a_tool() {
    for stopped_by in ["go depth 1", "perft 1", "ucinewgame", "play", "new"] {
        let conversation = Conversation::of_person();
        conversation.send(&["go perft 40"]);
        conversation.ask("");
        conversation.send(&[stopped_by]);
        conversation.lines_until("stopped");
        conversation.end();
    }
}

#[test]
fn stop_reaches_each_earlier_tool_even_after_quit() {
    for script in [
        &["perft 40", "quit", "stop"] as &[&str],
        &["perft 40", "stop", "quit"],
        &["perft 40", "bench 60", "go infinite", "perft 40", "stop", "quit"],
        &["perft 40", "bench 60", "go infinite", "perft 40", "quit", "stop"],
    ] {
        let conversation = Conversation::start();
        conversation.send(script);
        let lines = conversation.end();
        let count = |text: &str| lines.iter().filter(|line| line.contains(text)).count();
        let wanted = script.iter().filter(|line| line.contains("perft") || line.contains("bench"));
        assert_eq!(count("string stopped"), wanted.count(), "{script:?}: {lines:#?}");
        let searches = script.iter().filter(|line| line.starts_with("go ")).count();
        assert_eq!(count("bestmove "), searches, "{script:?}: {lines:#?}");
    }
}

#[test]
fn display_and_eval_work_during_a_search() {
    let conversation = Conversation::start();
    conversation.send(&["position fen 4k3/8/8/8/8/8/4r3/4K3 w - - 0 1", "go infinite"]);
    let shown = conversation.ask("d");
    assert!(shown.iter().any(|line| line == "Checkers: e2"), "{shown:#?}");
    assert!(shown.iter().any(|line| line.starts_with("Key: ")), "{shown:#?}");
    let is_check = |line: &String| line.contains("is in check");
    assert!(conversation.ask("eval").iter().any(is_check));
    conversation.search(&["stop", "position startpos"]);
    let shown = conversation.ask("eval");
    assert!(!shown.is_empty() && !shown.iter().any(is_check), "{shown:#?}");
    assert!(conversation.ask("help").iter().any(|line| line.contains("bench")));
    conversation.end();
}

#[test]
fn debug_log_has_both_directions() {
    let folder = Folder::new("log");
    let path = folder.path("log");
    let conversation = Conversation::start();
    let set = format!("setoption name Debug Log File value {path}");
    assert!(conversation.ask(&set).is_empty());
    conversation.ask("foo");
    assert!(conversation.ask("setoption name Debug Log File value <empty>").is_empty());
    let close = ">> setoption name Debug Log File value <empty>";
    let log = std::fs::read_to_string(&path).expect("the log is there");
    let texts: Vec<&str> = log.lines().map(|line| &line["hh:mm:ss.mmm ".len()..]).collect();
    assert_eq!(texts, [">> isready", "<< readyok", ">> foo", ">> isready", "<< readyok", close]);

    let answer = conversation.ask("setoption name Debug Log File value /no/such/folder/x");
    assert_eq!(answer.len(), 1, "{answer:#?}");
    assert!(answer[0].starts_with("info string cannot open the debug log"), "{answer:#?}");
    conversation.end();
}

/// Errors of `genfens` begin with this: OpenBench takes any text after `info string genfens `
/// for a FEN.
const NO_OPENINGS: &str = "info string no openings: ";

#[test]
fn genfens_follows_from_its_seed_and_reports_errors() {
    let folder = Folder::new("book");
    let conversation = Conversation::start();
    let ask = |line: &str| {
        conversation.send(&[line, "wait"]);
        conversation.ask("")
    };
    let ask_book = |book: &str| {
        let path = folder.write("book.epd", book.as_bytes());
        ask(&format!("genfens 2 seed 1 book {path}"))
    };
    let first = ask("genfens 4 seed 11 book None");
    assert_eq!(first, ask("genfens 4 seed 11 book none extra words"));
    assert_ne!(first, ask("genfens 4 seed 12"));
    assert_eq!(first.len(), 4, "{first:#?}");
    for line in first {
        let fen = line.strip_prefix("info string genfens ").expect("the form OpenBench reads");
        let board: carrybit_board::Board = fen.parse().expect("a valid FEN");
        assert!(board.has_legal_move() && board.fullmove() >= 5, "{fen}");
    }
    let from_book = ask_book("nonsense\n4k3/pppp4/8/8/8/8/4PPPP/4K3 w - - bm e4; id 7;\n");
    assert_eq!(from_book.len(), 2, "{from_book:#?}");
    assert!(from_book.iter().all(|line| line.starts_with("info string genfens ")));
    assert!(from_book[0].matches('p').count() >= 2, "{from_book:#?}");
    let usage = "genfens needs <number> seed <number> book <file or None>";
    for (answer, start, end) in [
        (ask("genfens"), usage, ""),
        (ask("genfens 4 seed x"), usage, ""),
        (ask("genfens 4 seed 1 book"), usage, ""),
        (ask("genfens 4 seed 1 book /no/such/book"), "/no/such/book: ", ""),
        (ask_book("7k/8/8/8/8/8/8/K7 w - - 0 1\n"), "found no playable position", ""),
        (ask_book("\n"), "", "it has no playable position"),
    ] {
        let [error] = &answer[..] else { panic!("one line: {answer:#?}") };
        assert!(error.starts_with(&format!("{NO_OPENINGS}{start}")), "{error}");
        assert!(error.ends_with(end), "{error}");
    }
    conversation.end();
}

#[test]
fn search_parameters_are_refused_without_the_feature() {
    let conversation = Conversation::start();
    let listed = conversation.ask("params");
    let declared = conversation.ask("uci");
    let [refusal] = &listed[..] else { panic!("one line: {listed:#?}") };
    assert!(refusal.starts_with("info string params ignored: "), "{refusal}");
    let name = carrybit::internals::search::params::ALL[0].name;
    assert!(!declared.iter().any(|line| line.contains(name)), "{declared:#?}");
    let answer = conversation.ask(&format!("setoption name {name} value 9"));
    let refusal = format!("unknown option {name}: nothing is set; uci lists the options");
    assert_eq!(answer, [format!("info string {refusal}")]);
    conversation.end();
}
