//! Conversations with Carrybit's own commands: perft, bench, showing the position, and
//! with the log.

mod folder_support;
mod uci_support;

use std::time::Instant;

use folder_support::Folder;
use uci_support::{A_WHILE, AT_ONCE, Conversation};

#[test]
fn perft_splits_the_count_and_tools_can_be_stopped() {
    let conversation = Conversation::start();
    conversation.say(&["perft 3"]);
    let heard = conversation.hear_until("Time:");
    assert_eq!(heard.len(), 22, "{heard:#?}");
    let counts = heard[..20].iter().map(|line| line[6..].parse::<u64>().expect("a count"));
    assert_eq!(counts.sum::<u64>(), 8902);
    assert_eq!(heard[20], "Nodes searched: 8902");
    for tool in ["go perft 40", "bench 60", "speedtest 1 1 60"] {
        conversation.say(&[tool]);
        if tool.starts_with("speedtest") {
            assert_eq!(conversation.hear_until("Threads").len(), 1);
        }
        assert!(conversation.ask("position startpos moves e2e4").is_empty());
        // No position of the bench is searched this deeply this soon.
        assert!(tool.starts_with("go") || conversation.hear_within(A_WHILE).is_none());
        let asked = Instant::now();
        conversation.say(&["stop"]);
        let heard = conversation.hear_until("info");
        assert_eq!(heard.last().map(String::as_str), Some("info string stopped"), "{heard:#?}");
        assert!(!heard.iter().any(|line| line.contains(" nps")), "a total: {heard:#?}");
        assert!(asked.elapsed() < AT_ONCE);
    }
    assert!(conversation.end().is_empty());
}

#[test]
fn the_next_command_of_a_person_stops_a_tool() {
    for stopped_by in ["go depth 1", "perft 1", "ucinewgame", "play", "new"] {
        let conversation = Conversation::of_person();
        conversation.say(&["go perft 40"]);
        conversation.ask("");
        let asked = Instant::now();
        conversation.say(&[stopped_by]);
        conversation.hear_until("stopped");
        assert!(asked.elapsed() < AT_ONCE, "{stopped_by}");
        conversation.end();
    }
}

#[test]
fn commands_of_a_script_wait_for_the_tools_before_them() {
    for (script, results) in [
        (&["position startpos moves e2e4", "go perft 3", "quit"] as &[&str], &["13160"] as &[&str]),
        (&["go perft 3"], &["8902"]),
        (&["perft 3", "perft 2", "bench 1", "quit", "d"], &["8902", "400", " nps"]),
        (&["perft 3", "position startpos moves e2e4", "perft 2", "quit"], &["8902", "600"]),
        (&["bench 1", "ucinewgame", "isready", "quit"], &[" nps", "readyok"]),
        (&["bench 1", "go depth 3", "wait", "quit"], &[" nps", "bestmove"]),
        (&["perft 3", "go infinite", "quit"], &["8902", "bestmove"]),
        (
            &["go infinite", "perft 2", "go infinite", "perft 3", "quit"],
            &["bestmove", ": 400", "bestmove", ": 8902"],
        ),
        (&["genfens 2 seed 1 book None", "quit"], &["genfens", "genfens"]),
        (&["wait", "perft 3", "quit"], &["8902"]),
    ] {
        let conversation = Conversation::start();
        conversation.say(script);
        let lines = conversation.end();
        let mut rest = lines.iter();
        for result in results {
            let found = rest.any(|line| line.contains(result));
            assert!(found, "no {result} for {script:?}: {lines:#?}");
        }
        assert!(!lines.iter().any(|line| line.contains("stopped")), "{script:?}: {lines:#?}");
        assert!(!lines.iter().any(|line| line.starts_with("Fen:")), "{script:?}: {lines:#?}");
    }
}

#[test]
fn stop_reaches_each_tool_before_it_even_behind_quit() {
    for script in [
        &["perft 40", "quit", "stop"] as &[&str],
        &["perft 40", "stop", "quit"],
        &["perft 40", "bench 60", "go infinite", "perft 40", "stop", "quit"],
        &["perft 40", "bench 60", "go infinite", "perft 40", "quit", "stop"],
    ] {
        let conversation = Conversation::start();
        let asked = Instant::now();
        conversation.say(script);
        let lines = conversation.end();
        assert!(asked.elapsed() < AT_ONCE, "{script:?}: {:?}", asked.elapsed());
        let count = |text: &str| lines.iter().filter(|line| line.contains(text)).count();
        let wanted = script.iter().filter(|line| line.contains("perft") || line.contains("bench"));
        assert_eq!(count("string stopped"), wanted.count(), "{script:?}: {lines:#?}");
        let searches = script.iter().filter(|line| line.starts_with("go ")).count();
        assert_eq!(count("bestmove "), searches, "{script:?}: {lines:#?}");
    }
}

#[test]
fn position_and_evaluation_are_shown_during_a_search_too() {
    let conversation = Conversation::start();
    conversation.say(&["position fen 4k3/8/8/8/8/8/4r3/4K3 w - - 0 1", "go infinite"]);
    let shown = conversation.ask("d");
    assert!(shown.iter().any(|line| line == "Checkers: e2"), "{shown:#?}");
    assert!(shown.iter().any(|line| line.starts_with("Key: ")), "{shown:#?}");
    let says_check = |line: &String| line.contains("is in check");
    assert!(conversation.ask("eval").iter().any(says_check));
    conversation.search(&["stop", "position startpos"]);
    let shown = conversation.ask("eval");
    assert!(!shown.is_empty() && !shown.iter().any(says_check), "{shown:#?}");
    assert!(conversation.ask("help").iter().any(|line| line.contains("bench")));
    conversation.end();
}

#[test]
fn the_debug_log_has_both_directions() {
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

/// How `genfens` says that something is wrong. OpenBench takes whatever follows `info
/// string genfens ` for a FEN.
const NO_OPENINGS: &str = "info string no openings: ";

#[test]
fn genfens_makes_the_same_openings_each_time() {
    let conversation = Conversation::start();
    let ask = |line: &str| {
        conversation.say(&[line, "wait"]);
        conversation.ask("")
    };
    let first = ask("genfens 4 seed 11 book None");
    assert_eq!(first, ask("genfens 4 seed 11 book none extra words"));
    assert_ne!(first, ask("genfens 4 seed 12"));
    assert_eq!(first.len(), 4, "{first:#?}");
    for line in first {
        let fen = line.strip_prefix("info string genfens ").expect("the form OpenBench reads");
        let board: carrybit::board::Board = fen.parse().expect("a sound FEN");
        assert!(board.has_legal_move() && board.fullmove() >= 5, "{fen}");
    }
    for bad in ["genfens", "genfens 4", "genfens 4 seed x", "genfens 4 seed 1 book"] {
        assert_eq!(
            ask(bad),
            [format!("{NO_OPENINGS}genfens needs <number> seed <number> book <file or None>")]
        );
    }
    let [answer] = &ask("genfens 4 seed 1 book /no/such/book")[..] else { panic!("one line") };
    assert!(answer.starts_with(&format!("{NO_OPENINGS}/no/such/book: ")), "{answer}");
    conversation.end();
}

#[test]
fn genfens_takes_positions_from_a_book_and_gives_up_on_a_useless_one() {
    let folder = Folder::new("book");
    let conversation = Conversation::start();
    let ask = |book: &str| {
        let path = folder.write("book.epd", book.as_bytes());
        conversation.say(&[&format!("genfens 2 seed 1 book {path}"), "wait"]);
        conversation.ask("")
    };
    let found = ask("nonsense\n4k3/pppp4/8/8/8/8/4PPPP/4K3 w - - bm e4; id 7;\n");
    assert_eq!(found.len(), 2, "{found:#?}");
    assert!(found.iter().all(|line| line.starts_with("info string genfens ")), "{found:#?}");
    assert!(found[0].matches('p').count() >= 2, "{found:#?}");
    let useless = ask("7k/8/8/8/8/8/8/K7 w - - 0 1\n");
    assert_eq!(useless, [format!("{NO_OPENINGS}found no playable position")]);
    let [empty] = &ask("\n")[..] else { panic!("one line") };
    assert!(empty.starts_with(NO_OPENINGS), "{empty}");
    assert!(empty.ends_with("it has no playable position"), "{empty}");
    conversation.end();
}

#[test]
fn the_parameters_of_the_search_are_listed_where_they_can_be_set() {
    let conversation = Conversation::start();
    let listed = conversation.ask("params");
    let declared = conversation.ask("uci");
    if cfg!(feature = "spsa") {
        // A soft limit lets the iteration end that a hard one breaks off.
        assert!(
            declared.iter().any(|line| line == "option name SoftNodes type check default false")
        );
        let nodes_of = |is_soft: bool| -> u64 {
            let set = format!("setoption name SoftNodes value {is_soft}");
            conversation.say(&["ucinewgame", &set, "go nodes 5000", "wait"]);
            let said = conversation.ask("");
            let last = said.iter().rfind(|line| line.contains(" nodes ")).expect("a report");
            let mut words = last.split(' ').skip_while(|&word| word != "nodes");
            words.nth(1).expect("a number").parse().expect("a number")
        };
        let (hard, soft) = (nodes_of(false), nodes_of(true));
        assert!(hard <= 5100 && soft > 5100 && soft < 40_000, "{hard} {soft}");
        assert!(conversation.ask("setoption name SoftNodes value false").is_empty());
        for line in &listed {
            let fields: Vec<&str> = line.split(", ").collect();
            let [name, "int", value, min, max, _, _] = fields[..] else { panic!("{line}") };
            let option =
                format!("option name {name} type spin default {value} min {min} max {max}");
            assert!(declared.contains(&option), "{option}");
            assert!(conversation.ask(&format!("setoption name {name} value {max}")).is_empty());
        }
        assert!(listed.len() > 50, "{listed:#?}");
    } else {
        let [refusal] = &listed[..] else { panic!("one line: {listed:#?}") };
        assert!(refusal.starts_with("info string params ignored: "), "{refusal}");
        let name = carrybit::search::params::ALL[0].name;
        assert!(!declared.iter().any(|line| line.contains(name)), "{declared:#?}");
        assert_eq!(
            conversation.ask(&format!("setoption name {name} value 9")),
            [format!("info string unknown option {name}: nothing is set; uci lists the options")]
        );
    }
    conversation.end();
}
