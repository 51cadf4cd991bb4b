//! The lines that real GUIs send, one by one, and what the engine must make of each.

mod uci_support;

use carrybit::board::Board;
use carrybit::search::limits::{ClockState, Limits};
use carrybit::uci::command::{Command, CommandError};
use carrybit::uci::options::{OPTIONS, OptionKind};
use carrybit::uci::parser::parse;
use uci_support::Conversation;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

#[test]
fn simple_commands_are_recognised() {
    for (line, command) in [
        ("uci", Command::Uci),
        (" uci", Command::Uci),
        ("UCI", Command::Uci),
        ("uci\t", Command::Uci),
        ("uci foo", Command::Uci),
        ("xboard uci", Command::Uci),
        ("debug on", Command::Debug(true)),
        ("debug  off", Command::Debug(false)),
        ("joho debug on", Command::Debug(true)),
        ("isready", Command::IsReady),
        ("isreadyx", Command::IsReady),
        ("IsReady now", Command::IsReady),
        ("register later", Command::Register),
        ("register name A B code C-1", Command::Register),
        ("ucinewgame", Command::NewGame),
        ("stop", Command::Stop),
        ("stop it", Command::Stop),
        ("ponderhit", Command::PonderHit),
        ("ponderhit x", Command::PonderHit),
        ("quit", Command::Quit),
        ("quit now", Command::Quit),
        ("perft 5", Command::Perft(5)),
        ("go perft 5", Command::Perft(5)),
        ("go PERFT 5", Command::Perft(5)),
        ("perft 0", Command::Perft(0)),
        ("perft 1000000000000000000000", Command::Perft(60)),
        ("bench", Command::Bench { depth: None, threads: None, hash_mb: None }),
        ("bench 5 1 16", Command::Bench { depth: Some(5), threads: Some(1), hash_mb: Some(16) }),
        ("bench -1", Command::Bench { depth: Some(1), threads: None, hash_mb: None }),
        ("d", Command::Display),
        ("eval", Command::Evaluate),
        ("help", Command::Help),
        ("wait", Command::Wait),
        ("doctor", Command::Doctor),
        (
            "speedtest 2 64",
            Command::Speedtest { threads: Some(2), hash_mb: Some(64), seconds: None },
        ),
        ("moves", Command::ListMoves),
        ("undo", Command::Undo),
        ("flip", Command::Flip),
        ("new", Command::Restart),
        ("play", Command::Play(None)),
        ("play off", Command::PlayOff),
    ] {
        assert_eq!(parse(line), Ok(command), "{line:?}");
    }
}

#[test]
fn other_lines_are_unknown_or_refused() {
    for line in [
        "",
        " \t ",
        "xboard",
        "exit",
        "foo bench",
        "id name x",
        "bestmove e2e4",
        "debug",
        "debug maybe",
        "register",
        "register name",
        "setoption",
        "setoption name",
        "setoption Hash 16",
        "stopped",
        "ucix",
        "\u{1f642}",
    ] {
        assert_eq!(parse(line), Err(CommandError::Unknown(line.to_owned())), "{line:?}");
    }
    for line in ["position", "position e2e4", "position rnbqkbnr/8 w", "position moves e2e4"] {
        assert_eq!(parse(line), Err(CommandError::Position), "{line:?}");
    }
    for line in ["perft", "perft x", "go perft", "go perft infinite"] {
        assert_eq!(parse(line), Err(CommandError::Perft), "{line:?}");
    }
    assert_eq!(
        parse("bench 5 x"),
        Err(CommandError::NoNumber { tool: "bench", word: "x".to_owned() })
    );
}

#[test]
fn option_names_and_values_are_taken_apart() {
    for (line, name, value) in [
        ("setoption name Hash value 16", "Hash", "16"),
        ("setoption name Hash value 16 ", "Hash", "16"),
        ("SETOPTION NAME hash VALUE 16", "hash", "16"),
        ("setoption\tname\tHash\tvalue\t16", "Hash", "16"),
        ("setoption name Move Overhead  value  100", "Move Overhead", "100"),
        ("setoption  name  Move   Overhead value 100", "Move Overhead", "100"),
        ("setoption name SyzygyPath value C:\\tb\\a b;D:\\x", "SyzygyPath", "C:\\tb\\a b;D:\\x"),
        ("setoption name SyzygyPath value \\\\srv\\a  b", "SyzygyPath", "\\\\srv\\a  b"),
        ("setoption name SyzygyPath value ", "SyzygyPath", ""),
        ("setoption name SyzygyPath value", "SyzygyPath", ""),
        ("setoption name SyzygyPath value <empty>", "SyzygyPath", ""),
        ("setoption name SyzygyPath", "SyzygyPath", ""),
        ("setoption name Clear Hash", "Clear Hash", ""),
        ("setoption name Clear Hash ", "Clear Hash", ""),
        ("setoption name Clear Hash value true", "Clear Hash", "true"),
        ("setoption name Ponder value True", "Ponder", "True"),
        (
            "x setoption name UCI_Opponent value GM 2800 human Jos\u{fffd}",
            "UCI_Opponent",
            "GM 2800 human Jos\u{fffd}",
        ),
    ] {
        let expected = Command::SetOption { name: name.to_owned(), value: value.to_owned() };
        assert_eq!(parse(line), Ok(expected), "{line:?}");
    }
}

/// What the engine says to options, and that it is ready afterwards.
#[test]
fn options_are_set_or_refused_with_a_remark() {
    let no_remark: &[&str] = &[];
    for (line, answer) in [
        ("setoption name Hash value 2", no_remark),
        ("setoption name hAsH value 1", no_remark),
        ("setoption name Hash value -5", &["Hash ranges from 1 to 33554432, set to 1"]),
        ("setoption name Hash value many", &["Hash expects a number, got \"many\"; unchanged"]),
        ("setoption name Hash", &["Hash expects a number, got \"\"; unchanged"]),
        ("setoption name MultiPV value 1000", &["MultiPV ranges from 1 to 256, set to 256"]),
        ("setoption name Move Overhead value 100 ", no_remark),
        ("setoption name Ponder value True", no_remark),
        ("setoption name Ponder value 1", no_remark),
        ("setoption name Ponder value False", no_remark),
        ("setoption name Ponder value 0", no_remark),
        (
            "setoption name Ponder value si",
            &["Ponder expects true or false, got \"si\"; unchanged"],
        ),
        ("setoption name Clear Hash", no_remark),
        ("setoption name Clear Hash value true", no_remark),
        ("setoption name SyzygyPath value <empty>", no_remark),
        ("setoption name SyzygyPath value", no_remark),
        ("setoption name SyzygyPath value ;;", &["found no tablebases"]),
        ("setoption name SyzygyProbeDepth value 3", no_remark),
        (
            "setoption name SyzygyProbeLimit value 9",
            &["SyzygyProbeLimit ranges from 0 to 7, set to 7"],
        ),
        ("setoption name Syzygy50MoveRule value false", no_remark),
        ("setoption name UCI_Opponent value none none human \u{fffd}", no_remark),
        ("setoption name UCI_EngineAbout value x", no_remark),
        (
            "setoption name Contempt value 3",
            &["unknown option Contempt: nothing is set; uci lists the options"],
        ),
        (
            "setoption name Thread value 3",
            &["unknown option Thread: nothing is set; did you mean Threads?"],
        ),
        ("setoption Hash 16", no_remark),
        ("register name", no_remark),
        ("xboard", no_remark),
    ] {
        let remarks: Vec<String> =
            answer.iter().map(|text| format!("info string {text}")).collect();
        let conversation = Conversation::start();
        assert_eq!(conversation.ask(line), remarks, "{line:?}");
        conversation.end();
    }
}

#[test]
fn positions_are_set_up_as_far_as_they_are_legal() {
    let after_e4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
    let after_e4_e5 = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
    let after_pass = "rnbqkbnr/pppppppp/8/8/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2";
    let promoted = "Q7/7k/8/8/8/8/8/K7 b - - 0 1";
    let castles = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    let castled = "r3k2r/8/8/8/8/8/8/R4RK1 b kq - 1 1";
    let chess960 = "position fen r1k2r2/pppppppp/8/8/8/8/PPPPPPPP/R1K2R2 w";
    let chess960_castled = "r1k2r2/pppppppp/8/8/8/8/PPPPPPPP/R4RK1 b kq - 1 1";
    for (line, fen) in [
        ("position startpos", START),
        ("position startpos moves", START),
        ("position startpos moves e2e4 e7e5", after_e4_e5),
        ("position startpos moves e4 e5", after_e4_e5),
        ("position startpos moves e4 E7E5 e7-e5", after_e4_e5),
        ("position startpos  moves  e2e4", after_e4),
        ("POSITION STARTPOS MOVES E2E4", after_e4),
        ("position\tstartpos\tmoves\te2e4", after_e4),
        ("position startpos moves e2e4 0000 g1f3", after_pass),
        ("position startpos moves e2e4 e2e4 e7e5", after_e4),
        ("position startpos moves e2e4 zz e7e5", after_e4),
        ("position fen 8/P6k/8/8/8/8/8/K7 w - - 0 1 moves a7a8Q", promoted),
        ("position fen 8/P6k/8/8/8/8/8/K7 w - - 0 1 moves a7a8=Q", promoted),
        ("position fen 8/P6k/8/8/8/8/8/K7 w - - 0 1 moves a8=Q", promoted),
        ("position fen 8/P6k/8/8/8/8/8/K7 w - - 0 1 moves a7a8k", "8/P6k/8/8/8/8/8/K7 w - - 0 1"),
        (&format!("position fen {castles} moves e1g1"), castled),
        (&format!("position fen {castles} moves e1h1"), castled),
        (&format!("position fen {castles} moves O-O"), castled),
        ("position fen 8/P6k/8/8/8/8/8/K7 w - -", "8/P6k/8/8/8/8/8/K7 w - - 0 1"),
        ("position fen 8/P6k/8/8/8/8/8/K7 b", "8/P6k/8/8/8/8/8/K7 b - - 0 1"),
        ("position fen 8/P6k/8/8/8/8/8/K7 moves a7a8q", promoted),
        ("position fen 8/8/7k/8/8/8/8/K7 w - - - -", "8/8/7k/8/8/8/8/K7 w - - 0 1"),
        ("position fen 8/8/7k/8/8/8/8/K7 w - - -1 0", "8/8/7k/8/8/8/8/K7 w - - 0 1"),
        ("position fen 8/8/7k/8/8/8/8/K7 w - - 99 123456", "8/8/7k/8/8/8/8/K7 w - - 99 9999"),
        (&format!("{chess960} FAfa - 0 1 moves c1f1"), chess960_castled),
        (&format!("{chess960} KQkq - 0 1 moves c1g1"), chess960_castled),
        (&format!("{chess960} KAfq - 0 1 moves c1f1"), chess960_castled),
        // There is no null move in check.
        (
            "position fen 7k/8/8/8/8/8/8/K6R b - - 0 1 moves 0000 h8g8",
            "7k/8/8/8/8/8/8/K6R b - - 0 1",
        ),
    ] {
        let Ok(Command::Position(setup)) = parse(line) else { panic!("no position: {line:?}") };
        let (record, _) = setup.record(line.starts_with(chess960)).expect("a legal position");
        assert_eq!(record.board().fen(false), fen, "{line:?}");
    }
}

#[test]
fn a_position_that_cannot_be_searched_changes_nothing() {
    let conversation = Conversation::start();
    conversation.say(&["position startpos moves e2e4"]);
    let before = conversation.fen();
    for fen in [
        "",
        "8/8/8/8/8/8/8/8 w - - 0 1",
        "4k3/8/8/8/8/8/8/4K2R w - - 0 1 7",
        "4k2R/8/8/8/8/8/8/4K3 w - - 0 1",
        "kkkkkkkk/8/8/8/8/8/8/K7 w - - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/N7/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "startpos",
    ] {
        let answer = conversation.ask(&format!("position fen {fen} moves e2e4"));
        assert_eq!(answer.len(), 1, "{fen:?}: {answer:?}");
        assert!(answer[0].starts_with("info string position ignored: "), "{answer:?}");
        assert!(
            answer[0].ends_with("; the previous position stays until a legal one is sent"),
            "{answer:?}"
        );
        assert_eq!(conversation.fen(), before, "{fen:?}");
    }
    // The client may not know: it is said again, and a move of that position is given.
    let again =
        "info string go searches the previous position: the last position command was ignored";
    let lines = conversation.search(&["go depth 1"]);
    assert_eq!(lines[0], again);
    assert_eq!(lines.last().map(String::len), Some("bestmove e7e5".len()), "{lines:?}");
    let lines = conversation.search(&["position startpos", "go depth 1"]);
    assert!(!lines.iter().any(|line| line == again), "{lines:?}");
    conversation.end();
}

/// The limits of a `go` line in the start position, White to move.
fn limits(line: &str) -> Limits {
    let Ok(Command::Go(go)) = parse(line) else { panic!("no go: {line:?}") };
    go.limits(&Board::default())
}

fn clock(time_ms: i64, increment_ms: i64, moves_to_go: Option<u32>) -> Limits {
    let clock = Some(ClockState { time_ms, increment_ms, moves_to_go });
    Limits { clock, ..Limits::default() }
}

#[test]
fn go_means_all_it_says() {
    let infinite = Limits { infinite: true, ..Limits::default() };
    let full = clock(1000, 10, None);
    for (line, expected) in [
        ("go", infinite.clone()),
        ("go infinite ", infinite.clone()),
        ("GO INFINITE", infinite.clone()),
        ("go ponder", Limits { ponder: true, ..infinite.clone() }),
        ("go wtime 1000 btime 2000 winc 10 binc 20", full.clone()),
        ("go binc 20 winc 10 btime 2000 wtime 1000 movestogo 7", clock(1000, 10, Some(7))),
        (
            "go ponder wtime 1000 btime 2000 winc 10 binc 20",
            Limits { ponder: true, ..full.clone() },
        ),
        ("go wtime 1000 winc 10 ponder", Limits { ponder: true, ..full.clone() }),
        (
            "go ponder movetime 15000",
            Limits { move_time_ms: Some(15000), ponder: true, ..Limits::default() },
        ),
        ("go ponder infinite", Limits { ponder: true, ..infinite.clone() }),
        ("go wtime 1000 winc 10 infinite", Limits { infinite: true, ..full.clone() }),
        ("go wtime 1000 winc 10 movetime 100", Limits { move_time_ms: Some(100), ..full.clone() }),
        ("go movetime 100 wtime 1000 winc 10", Limits { move_time_ms: Some(100), ..full.clone() }),
        (
            "go wtime 1000 winc 10 depth 5 nodes 1 mate 2",
            Limits { depth: Some(5), nodes: Some(1), mate: Some(2), ..full.clone() },
        ),
        ("go depth 256", Limits { depth: Some(240), ..Limits::default() }),
        ("go depth 99999", Limits { depth: Some(240), ..Limits::default() }),
        ("go depth -1", Limits { depth: Some(1), ..Limits::default() }),
        ("go depth 5 ", Limits { depth: Some(5), ..Limits::default() }),
        ("go mate -3", Limits { mate: Some(3), ..Limits::default() }),
        ("go mate 0", Limits { mate: Some(1), ..Limits::default() }),
        ("go mate 300", Limits { mate: Some(120), ..Limits::default() }),
        ("go nodes 18446744073709551615", Limits { nodes: Some(u64::MAX), ..Limits::default() }),
        ("go nodes 99999999999999999999999", Limits { nodes: Some(u64::MAX), ..Limits::default() }),
        ("go nodes 0", Limits { nodes: Some(1), ..Limits::default() }),
        ("go movetime 0", Limits { move_time_ms: Some(1), ..Limits::default() }),
        ("go wtime 1000 movestogo 0", clock(1000, 0, None)),
        ("go wtime 1000 movestogo 300", clock(1000, 0, Some(300))),
        ("go wtime -50 btime 1000", clock(-50, 0, None)),
        ("go wtime 0 btime 1000", clock(0, 0, None)),
        ("go wtime 1000 winc -10 btime -170671", clock(1000, 0, None)),
        ("go wtime 1000.5 btime 1000", clock(1000, 0, None)),
        ("go wtime winc 10 depth 3", Limits { depth: Some(3), ..Limits::default() }),
        ("go wtime abc depth 3", Limits { depth: Some(3), ..Limits::default() }),
        ("go depth foo 3", Limits { move_time_ms: Some(100), ..Limits::default() }),
        ("go wtime btime winc", Limits { move_time_ms: Some(100), ..Limits::default() }),
        (
            "go ponder wtime abc",
            Limits { move_time_ms: Some(100), ponder: true, ..Limits::default() },
        ),
        ("go infinite depth foo", infinite.clone()),
        ("go foo", infinite.clone()),
        ("go dept 5", Limits { move_time_ms: Some(100), ..Limits::default() }),
        ("go infinite dept 5", infinite.clone()),
        ("go depth 3 nods 5", Limits { depth: Some(3), ..Limits::default() }),
        ("go wtime 1000 foo 3 winc 10", full.clone()),
        ("go wtime 99999999999999999999 winc 10", clock(i64::MAX, 10, None)),
        ("go wtime 1000", clock(1000, 0, None)),
        ("go btime 1000", infinite.clone()),
        ("go searchmoves", infinite.clone()),
        ("go searchmoves 0000", infinite.clone()),
        ("go searchmoves e2e5 zz", infinite.clone()),
    ] {
        assert_eq!(limits(line), expected, "{line:?}");
    }
}

#[test]
fn search_moves_may_stand_anywhere_and_must_be_legal() {
    for (line, moves, depth) in [
        ("go searchmoves e2e4 d2d4", "e2e4 d2d4", None),
        ("go searchmoves e2e4 d2d4 depth 3", "e2e4 d2d4", Some(3)),
        ("go depth 3 searchmoves E2E4 e2e5 e2e4", "e2e4", Some(3)),
        ("go searchmoves e2e4 infinite searchmoves g1f3", "e2e4 g1f3", None),
        ("go searchmoves e4 Nf3 e2e4", "e2e4 g1f3", None),
    ] {
        let limits = limits(line);
        let found: Vec<String> = limits.search_moves.iter().map(ToString::to_string).collect();
        assert_eq!(found.join(" "), moves, "{line:?}");
        assert_eq!(limits.depth, depth, "{line:?}");
        assert_eq!(limits.infinite, depth.is_none(), "{line:?}");
    }
}

#[test]
fn what_go_and_position_cannot_read_is_named() {
    let conversation = Conversation::start();
    let lines = conversation.search(&["go depth 1 foo 3 wtime abc winc"]);
    assert_eq!(lines[0], "info string not understood in go: foo, 3, wtime abc, winc");
    let lines = conversation.search(&["go depth 1 searchmoves e2e5 d2d4 zz"]);
    assert_eq!(lines[0], "info string illegal searchmoves: e2e5, zz");
    let lines = conversation.search(&["go dept 5"]);
    assert_eq!(lines[0], "info string not understood in go: dept (did you mean depth?), 5");
    assert_eq!(
        conversation.ask("position startpos e2e4 moves d2d4 e7e4"),
        [
            "info string not understood in position: e2e4",
            "info string illegal move e7e4: it and all later moves are ignored (moves after \
             \"moves\" must be legal, in UCI notation, like e2e4, or in SAN, like Nf3)",
        ]
    );
    assert!(conversation.fen().starts_with("rnbqkbnr/pppppppp/8/8/3P4/"));
    conversation.end();
}

#[test]
fn every_option_is_printed_as_it_is() {
    let conversation = Conversation::start();
    let lines = conversation.ask("uci");
    assert!(lines[0].starts_with("id name Carrybit "), "{lines:?}");
    assert!(lines[1].starts_with("id author "), "{lines:?}");
    assert_eq!(lines.last().map(String::as_str), Some("uciok"));
    let level = format!("info string vector instructions: {}", carrybit::sys::cpu::level());
    let evaluation = format!("info string evaluation: {}", carrybit::engine::own_evaluation());
    assert_eq!(lines[lines.len() - 3..lines.len() - 1], [level, evaluation]);
    assert_eq!(lines.len(), OPTIONS.len() + 5);
    for (option, line) in OPTIONS.iter().zip(&lines[2..]) {
        let values = match option.kind {
            OptionKind::Check { default, .. } => format!("check default {default}"),
            OptionKind::Spin { default, min, max, .. } => {
                assert!(min <= default && default <= max, "{}", option.name);
                assert!(max <= i64::from(i32::MAX), "cutechess reads it as an int");
                format!("spin default {default} min {min} max {max}")
            }
            OptionKind::Text { default: "", .. } => "string default <empty>".to_owned(),
            OptionKind::Text { default, .. } => format!("string default {default}"),
            OptionKind::Button { .. } => "button".to_owned(),
        };
        assert_eq!(*line, format!("option name {} type {values}", option.name));
    }
    conversation.end();
}

#[test]
fn option_names_do_not_confuse_parsers() {
    for option in &OPTIONS {
        for word in option.name.split(' ') {
            let word = word.to_ascii_lowercase();
            assert!(!word.starts_with("value"), "{}", option.name);
            let reserved = ["name", "type", "default", "min", "max", "var"];
            assert!(!reserved.contains(&word.as_str()), "{}", option.name);
        }
    }
}

#[test]
fn the_options_that_clients_ask_for_are_there() {
    for name in [
        "Hash",
        "Threads",
        "Move Overhead",
        "Ponder",
        "SyzygyPath",
        "SyzygyProbeDepth",
        "SyzygyProbeLimit",
        "Syzygy50MoveRule",
        "UCI_ShowWDL",
        "MultiPV",
        "Clear Hash",
        "UCI_Chess960",
        "UCI_AnalyseMode",
        "UCI_Opponent",
        "UCI_EngineAbout",
        "Debug Log File",
        "UCI_LimitStrength",
        "UCI_Elo",
        "Skill Level",
        "nodestime",
        "EvalFile",
    ] {
        assert!(OPTIONS.iter().any(|option| option.name == name), "{name}");
    }
}

#[test]
fn endgame_tables_are_announced_used_and_put_away() {
    let conversation = Conversation::start();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/syzygy");
    let found = "info string found tablebases: 5 WDL and 5 DTZ, up to 3 pieces";
    let set = format!("setoption name SyzygyPath value {folder}");
    // python-chess warns of what is said outside a search.
    assert!(conversation.ask(&set).is_empty());
    let answer = conversation.ask(&format!("{set};{folder}/missing"));
    let [problem] = &answer[..] else { panic!("one line: {answer:?}") };
    assert!(problem.starts_with("info string ignoring ") && problem.contains("missing"));
    let missing = format!("setoption name SyzygyPath value {folder}/missing");
    assert_eq!(
        conversation.ask(&missing).last().map(String::as_str),
        Some("info string found no tablebases")
    );
    assert!(conversation.ask(&set).is_empty());
    let search = ["position fen 8/8/4k3/8/8/4K3/4P3/8 w - - 0 1", "go depth 3"];
    let has_hits = |lines: &[String]| {
        let info = lines.iter().rfind(|line| line.contains(" tbhits "));
        info.is_some_and(|line| !line.contains(" tbhits 0 "))
    };
    let lines = conversation.search(&search);
    assert_eq!(lines.iter().filter(|line| *line == found).count(), 1, "{lines:?}");
    assert!(has_hits(&lines));
    assert!(!conversation.search(&search).iter().any(|line| line == found));
    assert!(conversation.ask("setoption name SyzygyPath value <empty>").is_empty());
    assert!(!has_hits(&conversation.search(&search)));
    conversation.end();
}

/// lichess-bot stops with an error at each game if one of these is refused.
#[test]
fn the_default_configuration_of_lichess_bot_is_accepted() {
    let conversation = Conversation::start();
    for (line, remarks) in [
        ("setoption name Move Overhead value 100", 0),
        ("setoption name Threads value 4", 0),
        ("setoption name Hash value 512", 0),
        ("setoption name SyzygyPath value", 0),
        ("setoption name UCI_ShowWDL value true", 0),
        ("setoption name Threads value 4", 0),
    ] {
        assert_eq!(conversation.ask(line).len(), remarks, "{line:?}");
    }
    conversation.end();
}
