//! The real program: its pipes, its arguments and its end.

mod process_support;

use std::io::{Read, Write};
use std::process::{Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use carrybit::sys::cpu::{self, Level};
use process_support::{Engine, PATIENCE, program, run, run_with, text, wait};

#[test]
fn it_introduces_itself_and_quits() {
    let mut engine = Engine::start();
    engine.write(b"\xef\xbb\xbfuci\r\nisready\r");
    assert_eq!(engine.read_until("uciok"), "uciok\n");
    assert_eq!(engine.read_until("readyok"), "readyok\n");
    engine.write(b"quit\n");
    let (status, rest) = engine.exit();
    assert!(status.success());
    assert_eq!(rest, "");
}

#[test]
fn a_finite_search_survives_the_end_of_input() {
    let mut engine = Engine::start();
    // The last line has no line end.
    engine.write(b"position startpos moves e2e4\ngo depth 4");
    engine.input = None;
    let (status, rest) = engine.exit();
    assert!(status.success());
    let last = rest.lines().last().unwrap_or("");
    assert!(last.starts_with("bestmove "), "{rest}");
}

#[test]
fn a_closed_output_ends_it_without_a_word() {
    for running in ["go infinite\n", "uci\n", "go perft 40\n", "bench\n", "perft 6\nquit\n"] {
        let mut child = program()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program can be started");
        drop(child.stdout.take());
        let mut input = child.stdin.take().expect("its input is a pipe");
        // It may exit before it has read everything.
        let _ = input.write_all(format!("{running}isready\nuci\n").as_bytes());
        // A program that another test is just starting may hold the pipe open for a
        // moment, and only a later write notices that it is closed.
        let asked = Instant::now();
        while asked.elapsed() < PATIENCE && input.write_all(b"isready\n").is_ok() {
            thread::sleep(Duration::from_millis(1));
        }
        let status = wait(&mut child);
        assert!(status.success(), "{running}: {status}");
        let mut errors = String::new();
        let mut stderr = child.stderr.take().expect("its errors are a pipe");
        stderr.read_to_string(&mut errors).expect("UTF-8");
        assert_eq!(errors, "", "{running}");
    }
}

#[test]
fn bytes_that_are_no_text_do_no_harm() {
    let mut engine = Engine::start();
    engine.write(b"setoption name UCI_Opponent value none none human Jos\xe9\n");
    engine.write(b"\x00\xff\xfe\n\xc3\x28 isready\n");
    engine.read_until("readyok");
    engine.write(&vec![b'x'; 3 << 20]);
    engine.write(b"\nisready\n");
    let remark = engine.read_until("info");
    assert_eq!(remark, "info string a line of more than 1048576 bytes is ignored\n");
    engine.read_until("readyok");
    engine.write(b"go depth 1\n");
    engine.read_until("bestmove");
    engine.write(b"quit\n");
    assert!(engine.exit().0.success());
}

#[test]
fn arguments_are_run_as_commands_one_after_the_other() {
    let output =
        run(&["perft", "2", "go perft 3", "position startpos moves e2e4", "go", "depth", "2", "d"]);
    assert!(output.status.success());
    let text = text(&output);
    let places: Vec<Option<usize>> = ["searched: 400", "searched: 8902", "bestmove ", "Fen: "]
        .iter()
        .map(|part| text.find(part))
        .collect();
    assert!(places.is_sorted() && places[0].is_some(), "{text}");
    assert!(text.contains("4P3"), "{text}");
}

#[test]
fn each_argument_is_done_before_the_next_even_if_that_is_urgent() {
    for (arguments, end) in [
        (["bench 1", "quit"], " nps"),
        (["perft 4", "stop"], " nps"),
        (["go depth 6", "quit"], ""),
        (["go movetime 100", "go depth 6"], ""),
    ] {
        let output = run(&arguments);
        assert!(output.status.success(), "{arguments:?}");
        let text = text(&output);
        assert!(!text.contains("stopped"), "{arguments:?}: {text}");
        assert!(text.trim_end().ends_with(end), "{arguments:?}: {text}");
        if end.is_empty() {
            assert!(text.contains("info depth 6 "), "{arguments:?}: {text}");
        }
    }
    let begun = Instant::now();
    assert!(run(&["go movetime 300"; 2]).status.success());
    assert!(begun.elapsed() >= Duration::from_millis(480), "each has its time");
    let output = run(&["perft 1", "quit", "perft 2"]);
    assert!(text(&output).contains("searched: 20\n"), "{}", text(&output));
    assert!(!text(&output).contains("searched: 400\n"), "{}", text(&output));
}

#[test]
fn bench_and_speedtest_end_with_nodes_and_speed() {
    let first = run(&["bench", "2"]);
    let second = run(&["bench 2 1 16"]);
    let nodes = |output: &Output| {
        assert!(output.status.success());
        let text = text(output);
        let last: Vec<&str> = text.lines().last().unwrap_or("").split(' ').collect();
        assert!(matches!(last[..], [_, "nodes", _, "nps"]), "{text}");
        assert!(last[2].parse::<u64>().is_ok(), "{text}");
        last[0].parse::<u64>().expect("a number of nodes")
    };
    assert_eq!(nodes(&first), nodes(&second));
    // The total is the sum of the lines `number/50: nodes nodes FEN`.
    let positions = text(&first).lines().filter_map(|line| line.split_once(": "));
    let counts = positions.map(|(_, line)| line.split_whitespace().next().expect("the nodes"));
    let counts: Vec<u64> = counts.map(|nodes| nodes.parse().expect("a number")).collect();
    assert_eq!((counts.len(), counts.iter().sum()), (50, nodes(&first)));
    // With several threads they vary.
    assert!(nodes(&run(&["bench 2 3"])) > 100);
    let started = Instant::now();
    assert!(nodes(&run(&["speedtest", "2", "1", "1"])) > 100);
    assert!(started.elapsed() > Duration::from_millis(900), "it searches for a second");
}

#[test]
fn help_and_version_are_printed_on_request() {
    for (argument, part) in
        [("--help", "carrybit help "), ("--version", "carrybit "), ("help", "perft")]
    {
        let output = run(&[argument]);
        assert!(output.status.success(), "{argument}");
        assert!(text(&output).contains(part), "{argument}");
    }
}

#[test]
fn the_vector_instructions_can_be_forced() {
    for level in Level::supported() {
        let output = run_with(&[(cpu::VARIABLE, level.name())], &["--version"]);
        assert!(text(&output).contains(level.name()), "{level}");
    }
    let best = Level::supported().last().expect("one level at least");
    let wrong = [(cpu::VARIABLE, "sse9")];
    let output = run_with(&wrong, &["--version"]);
    assert!(text(&output).contains(best.name()));
    let refusal = "CARRYBIT_SIMD ignored: \"sse9\" is none of scalar, avx2, avx512";
    assert_eq!(String::from_utf8_lossy(&output.stderr), format!("carrybit: {refusal}\n"));
    let output = run_with(&wrong, &["uci"]);
    let remark = format!("\ninfo string {refusal}\nuciok\n");
    assert!(text(&output).ends_with(&remark), "{}", text(&output));
}

#[test]
fn an_argument_that_is_no_command_is_an_error() {
    for argument in ["foo", "--foo", ""] {
        let output = run(&[argument]);
        assert_eq!(output.status.code(), Some(2), "{argument}");
        assert!(output.stdout.is_empty(), "{argument}");
        let said = String::from_utf8_lossy(&output.stderr);
        let expected = format!("carrybit: unknown command {argument}: help lists the commands\n");
        assert_eq!(said, expected);
    }
    let said = run(&["benhc"]).stderr;
    assert_eq!(said, b"carrybit: unknown command benhc: did you mean bench?\n");
}

#[test]
fn a_command_as_argument_that_cannot_be_read_is_an_error_before_anything_is_done() {
    for arguments in [
        &["d", "perft"] as &[&str],
        &["d", "go perft x"],
        &["d", "bench", "x"],
        &["d", "genfens 4"],
        &["d", "position e2e4"],
        &["d", "debug maybe"],
        &["d", "setoption Hash 16"],
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty(), "{arguments:?}: {}", text(&output));
        assert!(!output.stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn a_command_as_argument_that_cannot_be_run_is_an_error_and_the_last_one() {
    for refused in [
        "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
        "position startpos moves e2e5",
        "go depth 7 foo",
        "setoption name Contempt value 3",
        "setoption name Hash value many",
        "setoption name EvalFile value /no/such/network",
        "setoption name Debug Log File value /no/such/folder/x",
        "genfens 1 seed 1 book /no/such/book",
    ] {
        let output = run(&[refused, "d"]);
        assert_eq!(output.status.code(), Some(2), "{refused}");
        assert!(!text(&output).contains("Fen: "), "{refused}: {}", text(&output));
        // A search that could begin comes to its end.
        let is_search = refused.starts_with("go ");
        assert_eq!(text(&output).contains("info depth 7 "), is_search, "{}", text(&output));
        // It is said once, and in one place.
        assert!(!text(&output).contains("info string"), "{refused}: {}", text(&output));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.starts_with("carrybit: ") && said.lines().count() == 1, "{refused}: {said}");
    }
}

#[test]
fn the_log_is_silent_unless_asked_for() {
    assert!(run(&["uci", "foo", "go depth 2"]).stderr.is_empty());
    let output = program()
        .arg("isready")
        .env("RUST_LOG", "debug")
        .output()
        .expect("the program can be started");
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(log.contains(">> isready") && log.contains("<< readyok"), "{log}");
    assert_eq!(text(&output), "readyok\n");
}

/// The number of nodes that a bench ends with.
fn bench_nodes(output: &Output) -> &str {
    let last = text(output).lines().last().expect("a bench prints a line");
    last.split_whitespace().next().expect("it ends with its nodes")
}

#[test]
fn all_vector_instructions_play_alike() {
    let plain = run_with(&[(cpu::VARIABLE, Level::Scalar.name())], &["bench", "7"]);
    let nodes = bench_nodes(&plain);
    assert!(nodes.parse::<u64>().is_ok_and(|nodes| nodes > 10_000), "{nodes}");
    for level in Level::supported() {
        let output = run_with(&[(cpu::VARIABLE, level.name())], &["bench", "7"]);
        assert_eq!(bench_nodes(&output), nodes, "{level}");
    }
}
