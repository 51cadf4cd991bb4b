//! Tables of single lines that GUIs send, and how the engine reads them.

use crate::uci_support::Conversation;
use carrybit::Limits;
use carrybit::internals::uci::options::{OPTIONS, OptionKind};
use carrybit::internals::uci::parser::{Command, CommandError, Tool, parse};
use carrybit::{Board, CastlingMode};

/// Won, but the fifty moves are over first.
const LATE_WIN: &str = "8/8/8/3k4/8/8/8/K6R w - - 90 90";

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

#[test]
fn commands_are_recognised() {
    for (line, command) in [
        ("UCI", Command::Uci),
        ("uci\t", Command::Uci),
        ("uci foo", Command::Uci),
        ("xboard uci", Command::Uci),
        ("debug  off", Command::Debug(false)),
        ("joho debug on", Command::Debug(true)),
        ("isreadyx", Command::IsReady),
        ("IsReady now", Command::IsReady),
        ("register name A B code C-1", Command::Register),
        ("quit now", Command::Quit),
        ("go PERFT 5", Command::Tool(Tool::Perft(5))),
        ("perft 0", Command::Tool(Tool::Perft(0))),
        ("perft 1000000000000000000000", Command::Tool(Tool::Perft(60))),
        ("bench", Command::Tool(Tool::Bench([None; 3]))),
        ("bench -1", Command::Tool(Tool::Bench([Some(1), None, None]))),
        ("speedtest 2 64", Command::Tool(Tool::Speedtest([Some(2), Some(64), None]))),
        ("D", Command::Display),
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
        assert_eq!(parse(line), Err(CommandError::Unknown), "{line:?}");
    }
    for (lines, problem) in [
        (&["perft", "perft x", "go perft", "go perft infinite"], "perft ignored: it needs a depth"),
        (&["bench x"; 4], "bench ignored: x is not a number"),
    ] {
        for line in lines {
            assert_eq!(parse(line), Err(CommandError::Refused(problem.to_owned())), "{line:?}");
        }
    }
    for line in ["position", "position e2e4", "position rnbqkbnr/8 w", "position moves e2e4"] {
        assert_eq!(parse(line), Ok(Command::Position(None)), "{line:?}");
    }
}

#[test]
fn setoption_is_split_into_name_and_value() {
    for (line, name, value) in [
        ("SETOPTION NAME hash VALUE 16", "hash", "16"),
        ("setoption name Move Overhead  value  100", "Move Overhead", "100"),
        ("setoption  name  Move   Overhead value 100", "Move Overhead", "100"),
        ("setoption name SyzygyPath value C:\\tb\\a b;D:\\x", "SyzygyPath", "C:\\tb\\a b;D:\\x"),
        ("setoption name SyzygyPath value \\\\srv\\a  b", "SyzygyPath", "\\\\srv\\a  b"),
        ("setoption name SyzygyPath value <empty>", "SyzygyPath", ""),
        ("setoption name SyzygyPath", "SyzygyPath", ""),
        ("setoption name Clear Hash value true", "Clear Hash", "true"),
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

#[test]
fn options_are_set_or_refused_with_a_reason() {
    let conversation = Conversation::start();
    for (option, problem) in [
        ("hAsH value 1", ""),
        ("Hash value -5", "Hash ranges from 1 to 33554432, set to 1"),
        ("Hash value many", "Hash expects a number, got \"many\"; unchanged"),
        ("Hash", "Hash expects a number, got \"\"; unchanged"),
        ("MultiPV value 1000", "MultiPV ranges from 1 to 256, set to 256"),
        ("Move Overhead value 100 ", ""),
        ("Ponder value True", ""),
        ("Ponder value 0", ""),
        ("Ponder value si", "Ponder expects true or false, got \"si\"; unchanged"),
        ("SyzygyPath value ;;", "found no tablebases"),
        ("SyzygyProbeLimit value 9", "SyzygyProbeLimit ranges from 0 to 7, set to 7"),
        ("UCI_Opponent value none none human \u{fffd}", ""),
        ("Contempt value 3", "unknown option Contempt: nothing is set; uci lists the options"),
        ("Thread value 3", "unknown option Thread: nothing is set; did you mean Threads?"),
    ] {
        let answer = conversation.ask(&format!("setoption name {option}")).concat();
        let prefix = if problem.is_empty() { "" } else { "info string " };
        assert_eq!(answer, format!("{prefix}{problem}"), "{option:?}");
    }
    conversation.end();
}

#[test]
fn positions_are_set_up_to_the_first_illegal_move() {
    let after_e4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
    let after_e4_e5 = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
    let after_ef5 = "r1bqkbnr/1ppp2pp/p1n5/1B2pP2/8/5N2/PPPP1PPP/RNBQ1RK1 b kq - 0 5";
    let after_pass = "rnbqkbnr/pppppppp/8/8/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2";
    let promoted = "Q7/7k/8/8/8/8/8/K7 b - - 0 1";
    let castles = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    let castled = "r3k2r/8/8/8/8/8/8/R4RK1 b kq - 1 1";
    let chess960 = "position fen r1k2r2/pppppppp/8/8/8/8/PPPPPPPP/R1K2R2 w";
    let chess960_castled = "r1k2r2/pppppppp/8/8/8/8/PPPPPPPP/R4RK1 b kq - 1 1";
    for (line, fen) in [
        ("position startpos", START),
        ("position startpos moves e4 e5", after_e4_e5),
        ("position startpos moves e4 E7E5 e7-e5", after_e4_e5),
        ("position startpos moves e4 e7e5 Ng1-f3 B8C6 F1B5 a6 0-0 f5! ef5", after_ef5),
        ("position startpos  moves  e2e4", after_e4),
        ("POSITION STARTPOS MOVES E2E4", after_e4),
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
        ("position fen 8/P6k/8/8/8/8/8/K7 moves a7a8q", promoted),
        ("position fen 8/8/7k/8/8/8/8/K7 w - - hmvc 5; fmvn 40;", "8/8/7k/8/8/8/8/K7 w - - 5 40"),
        ("position fen 8/8/7k/8/8/8/8/K7 w - - fmvn 40; bm Kb2", "8/8/7k/8/8/8/8/K7 w - - 0 40"),
        ("position fen 8/8/7k/8/8/8/8/K7 w - - 3 4 ; hmvc 5;", "8/8/7k/8/8/8/8/K7 w - - 3 4"),
        ("position fen 8/P6k/8/8/8/8/8/K7 w - - id \"x; moves a7a8q", promoted),
        (
            "position fen 8/8/7k/8/8/8/8/K7 w - - c0 \"no moves here\"; hmvc 5;",
            "8/8/7k/8/8/8/8/K7 w - - 5 1",
        ),
        (
            "position fen 8/P6k/8/8/8/8/8/K7 w - - c0 \"a; fmvn 7; best moves\"; hmvc x; moves a7a8q",
            promoted,
        ),
        (&format!("{chess960} FAfa - 0 1 moves c1f1"), chess960_castled),
        (&format!("{chess960} KQkq - 0 1 moves c1g1"), chess960_castled),
        // Here the king's step is a king move, not castling.
        ("position fen 4k3/8/8/8/8/8/8/5K1R w H - 0 1 moves f1g1", "4k3/8/8/8/8/8/8/6KR b - - 1 1"),
        // There is no null move in check.
        (
            "position fen 7k/8/8/8/8/8/8/K6R b - - 0 1 moves 0000 h8g8",
            "7k/8/8/8/8/8/8/K6R b - - 0 1",
        ),
    ] {
        let Ok(Command::Position(Some(setup))) = parse(line) else {
            panic!("no position: {line:?}")
        };
        let modes = [CastlingMode::Standard, CastlingMode::Chess960];
        let mode = modes[usize::from(line.starts_with(chess960))];
        let (game, _) = setup.game(mode).expect("a legal position");
        assert_eq!(game.board().fen(), fen, "{line:?}");
    }
}

#[test]
fn refused_position_changes_nothing() {
    let conversation = Conversation::start();
    conversation.send(&["position startpos moves e2e4"]);
    let before = conversation.fen();
    for fen in [
        "",
        "4k3/8/8/8/8/8/8/4K2R w - - 0 1 7",
        "4k2R/8/8/8/8/8/8/4K3 w - - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/N7/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "startpos",
    ] {
        let answer = conversation.ask(&format!("position fen {fen} moves e2e4"));
        assert_eq!(answer.len(), 1, "{fen:?}: {answer:?}");
        assert!(answer[0].starts_with("info string position ignored: "), "{answer:?}");
        assert!(answer[0].ends_with("; go needs another position"), "{answer:?}");
        let answer = conversation.ask("go perft 1");
        assert!(answer[0].starts_with("info string no perft without a position: "), "{answer:?}");
        assert_eq!(conversation.fen(), before, "{fen:?}");
    }
    conversation.end();
}

#[test]
fn go_after_a_refused_position_answers_none_until_there_is_a_position() {
    let conversation = Conversation::start();
    for next in ["position startpos", "ucinewgame"] {
        conversation.send(&["position fen 7k/8/8/8/8/8/8/K5R1 w - - 0 1"]);
        assert_eq!(conversation.ask("position fen 8/8/8/8/8/8/8/8 w - - 0 1").len(), 1);
        let lines = conversation.search(&["go wtime 1000 btime 1000 searchmoves e2e4"]);
        assert_eq!(lines.len(), 2, "{lines:?}");
        let reason = "info string no move without a position: position ignored: ";
        assert!(lines[0].starts_with(reason), "{lines:?}");
        assert_eq!(lines[1], "bestmove (none)");
        conversation.send(&["go infinite", "isready"]);
        assert_eq!(conversation.lines_until("readyok").len(), 2);
        assert_eq!(conversation.search(&["stop"]), ["bestmove (none)"]);
        conversation.send(&[next]);
        assert_eq!(conversation.fen(), START);
        assert_ne!(conversation.search(&["go depth 1"]).pop().as_deref(), Some("bestmove (none)"));
    }
    conversation.end();
}

/// The limits of a `go` line in the start position, White to move.
fn limits(line: &str) -> Limits {
    let Ok(Command::Go(go)) = parse(line) else { panic!("no go: {line:?}") };
    go.limits(&Board::default())
}

/// The limits as text: the clock as `time+increment/moves`, then all others that are set.
fn text(limits: &Limits) -> String {
    let clock = limits.clock.map(|clock| {
        let moves = clock.moves_to_go.map_or_else(String::new, |moves| format!("/{moves}"));
        format!("{}+{}{moves}", clock.time.as_millis(), clock.increment.as_millis())
    });
    let number = |name: &str, value: Option<u64>| value.map(|value| format!("{name} {value}"));
    let words = [
        clock,
        number("movetime", limits.move_time.map(|time| time.as_millis() as u64)),
        number("depth", limits.depth.map(|depth| depth as u64)),
        number("nodes", limits.nodes),
        number("mate", limits.mate.map(|moves| moves as u64)),
        limits.infinite.then(|| "infinite".to_owned()),
        limits.ponder.then(|| "ponder".to_owned()),
    ];
    words.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

#[test]
fn go_limits_are_read_in_any_order_and_leniently() {
    for (line, expected) in [
        ("go", "infinite"),
        ("GO INFINITE", "infinite"),
        ("go ponder", "infinite ponder"),
        ("go wtime 1000 btime 2000 winc 10 binc 20", "1000+10"),
        ("go binc 20 winc 10 btime 2000 wtime 1000 movestogo 7", "1000+10/7"),
        ("go ponder wtime 1000 btime 2000 winc 10 binc 20", "1000+10 ponder"),
        ("go ponder movetime 15000", "movetime 15000 ponder"),
        ("go wtime 1000 winc 10 movetime 100", "1000+10 movetime 100"),
        ("go wtime 1000 winc 10 depth 5 nodes 1 mate 2", "1000+10 depth 5 nodes 1 mate 2"),
        ("go depth 256", "depth 240"),
        ("go depth -1", "depth 1"),
        ("go mate -3", "mate 3"),
        ("go mate 300", "mate 120"),
        ("go nodes 99999999999999999999999", "nodes 18446744073709551615"),
        ("go nodes 0", "nodes 1"),
        ("go movetime 0", "movetime 1"),
        ("go wtime 1000 movestogo 0", "1000+0"),
        ("go wtime -50 btime 1000", "0+0"),
        ("go wtime 1000 winc -10 btime -170671", "1000+0"),
        ("go wtime winc 10 depth 3", "depth 3"),
        ("go depth foo 3", "movetime 100"),
        ("go wtime btime winc", "movetime 100"),
        ("go winc 0 binc -5", "movetime 100"),
        ("go movestogo 0", "movetime 100"),
        ("go foo", "infinite"),
        ("go dept 5", "movetime 100"),
        ("go wtime 1000 foo 3 winc 10", "1000+10"),
        ("go wtime 99999999999999999999 winc 10", "9223372036854775807+10"),
        ("go btime 1000", "movetime 100"),
        ("go winc 100 binc 100", "movetime 100"),
        ("go movestogo 40 ponder", "movetime 100 ponder"),
        ("go btime 1000 depth 3", "depth 3"),
        ("go searchmoves e2e5 zz", "infinite"),
        ("go searchmoves e2e4 movtime 100", "movetime 100"),
    ] {
        assert_eq!(text(&limits(line)), expected, "{line:?}");
    }
}

#[test]
fn options_reach_the_search() {
    let tables = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/syzygy");
    let path = format!("setoption name SyzygyPath value {tables}");
    for (options, position, go, expected) in [
        // The overhead is subtracted: 200 ms of 10 nodes each.
        (["nodestime value 10", "Move Overhead value 100"], START, "movetime 300", "nodes 2000"),
        (
            ["SyzygyProbeLimit value 2", ""],
            "8/8/4k3/8/8/4K3/4P3/8 w - - 0 1",
            "depth 2",
            "tbhits 0",
        ),
        (["Syzygy50MoveRule value true", ""], LATE_WIN, "depth 2", "cp 1"),
        (["Syzygy50MoveRule value false", ""], LATE_WIN, "depth 2", "cp 20000"),
    ] {
        let conversation = Conversation::start();
        conversation.send(&[&path]);
        for option in options.iter().filter(|option| !option.is_empty()) {
            conversation.send(&[&format!("setoption name {option}")]);
        }
        let lines =
            conversation.search(&[&format!("position fen {position}"), &format!("go {go}")]);
        let last = lines.iter().rfind(|line| line.contains(" score ")).expect("a report");
        assert!(format!("{last} ").contains(&format!(" {expected} ")), "{options:?}: {lines:#?}");
        conversation.end();
    }
}

#[test]
fn legal_searchmoves_are_read_anywhere() {
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
fn unreadable_words_of_go_and_position_are_named() {
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
    assert_eq!(
        conversation.ask("position fen 8/8/7k/8/8/8/8/K7 w - - bm Kb2; id \"a;b\"; hmvc 3;"),
        ["info string EPD ignored: bm, id"]
    );
    conversation.end();
}

#[test]
fn every_option_is_declared_and_fits_into_the_readers_of_guis() {
    let conversation = Conversation::start();
    let lines = conversation.ask("uci");
    assert!(lines[0].starts_with("id name Carrybit "), "{lines:?}");
    assert!(lines[1].starts_with("id author "), "{lines:?}");
    let level = format!("info string vector instructions: {}", carrybit_board::cpu::level());
    let evaluation =
        format!("info string evaluation: {}", carrybit::internals::eval::nnue::Network::embedded());
    let (options, last) = lines[2..].split_at(OPTIONS.len());
    assert_eq!(last, [level, evaluation, "uciok".to_owned()]);
    for (option, line) in OPTIONS.iter().zip(options) {
        assert!(line.starts_with(&format!("option name {} type ", option.name)), "{line}");
        for word in option.name.to_ascii_lowercase().split(' ') {
            let keywords = ["name", "type", "default", "min", "max", "var"];
            assert!(!keywords.contains(&word) && !word.starts_with("value"), "{word}");
        }
        if let OptionKind::Spin([default, min, max], _) = option.kind {
            assert!(min <= default && default <= max, "{line}");
            assert!(max <= i64::from(i32::MAX), "cutechess reads it as an int");
        }
    }
    conversation.end();
}

#[test]
fn tablebases_are_found_used_and_removed() {
    let conversation = Conversation::start();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/syzygy");
    let found = "info string found tablebases: 5 WDL and 5 DTZ, up to 3 pieces";
    let set = format!("setoption name SyzygyPath value {folder}");
    // python-chess logs a warning about lines outside a search.
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
