//! The real program: its pipes, its arguments and its exit.

use std::io::{Read, Write};
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use crate::process_support::{Engine, program, run, run_with, text, wait};
use crate::time_support::TIMEOUT;
use carrybit_board::cpu::{self, Level};

#[test]
fn closed_output_ends_the_program_without_a_message() {
    for running in ["go infinite\n", "uci\n", "go perft 40\n", "bench\n", "perft 6\nquit\n"] {
        let Engine { mut child, input, output } =
            Engine::start_as(program().stderr(Stdio::piped()));
        drop(output);
        let mut input = input.expect("its input is a pipe");
        // It may exit before it has read everything.
        let _ = input.write_all(format!("{running}isready\nuci\n").as_bytes());
        // A program that another test starts may hold the pipe open for a moment; then only a
        // later write fails.
        let started = Instant::now();
        while started.elapsed() < TIMEOUT && input.write_all(b"isready\n").is_ok() {
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
fn overlong_line_is_reported_and_the_next_one_is_read() {
    let mut engine = Engine::start();
    let answer = engine.ask(&[&"x".repeat(3 << 20), "isready"], "readyok");
    assert_eq!(answer[0], "info string a line of more than 1048576 bytes is ignored\n");
    engine.quit();
}

#[test]
fn each_argument_runs_to_its_end_before_the_next() {
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
    let output = run(&["go movetime 300", "go movetime 300", "go depth 1"]);
    let elapsed = begun.elapsed();
    assert!(output.status.success());
    let text_of_all = text(&output);
    let times: Vec<u64> = text_of_all
        .split("bestmove")
        .filter_map(|search| search.rsplit_once(" time ")?.1.split(' ').next()?.parse().ok())
        .collect();
    let [first, second, control] = times[..] else { panic!("{text_of_all}") };
    assert!(first.min(second) > control, "each has its time: {times:?}");
    assert!(elapsed >= Duration::from_millis(first + second + control), "one after the other");
    let output = run(&["perft 1", "quit", "perft 2"]);
    assert!(text(&output).contains("searched: 20\n"), "{}", text(&output));
    assert!(!text(&output).contains("searched: 400\n"), "{}", text(&output));
}

#[test]
fn environment_variable_selects_vector_instructions() {
    for level in Level::supported() {
        let output = run_with(&[(cpu::VARIABLE, level.name())], &["--version"]);
        assert!(text(&output).contains(level.name()), "{level}");
    }
    let best = Level::supported().last().expect("one level at least");
    let wrong = [(cpu::VARIABLE, "sse9")];
    let output = run_with(&wrong, &["--version"]);
    assert!(text(&output).contains(best.name()));
    let refusal = "CARRYBIT_SIMD ignored: \"sse9\" is none of scalar, neon, avx2, avx512";
    assert_eq!(String::from_utf8_lossy(&output.stderr), format!("carrybit: {refusal}\n"));
    let output = run_with(&wrong, &["uci"]);
    let lines = format!("\ninfo string {refusal}\nuciok\n");
    assert!(text(&output).ends_with(&lines), "{}", text(&output));
}

#[test]
fn invalid_argument_is_refused_before_others_run_and_a_failed_one_ends_the_run() {
    for arguments in [
        ["benhc", "d"],
        ["--foo", "d"],
        ["", "d"],
        ["d", "perft"],
        ["d", "go perft x"],
        ["d", "bench x"],
        ["d", "genfens 4"],
        ["d", "position e2e4"],
        ["d", "debug maybe"],
        ["d", "setoption Hash 16"],
        ["position fen 8/8/8/8/8/8/8/8 w - - 0 1", "d"],
        ["position startpos moves e2e5", "d"],
        ["go depth 7 foo", "d"],
        ["go depth 7 searchmoves e2e5", "d"],
        ["play depth 7 searchmoves e2e5", "d"],
        ["setoption name Contempt value 3", "d"],
        ["setoption name Hash value many", "d"],
        ["setoption name EvalFile value /no/such/network", "d"],
        ["setoption name Debug Log File value /no/such/folder/x", "d"],
        ["genfens 1 seed 1 book /no/such/book", "d"],
    ] {
        let output = run(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        // The error is printed once, on standard error only.
        assert_eq!(text(&output), "", "{arguments:?}");
        let errors = String::from_utf8_lossy(&output.stderr);
        let is_one_line = errors.starts_with("carrybit: ") && errors.lines().count() == 1;
        assert!(is_one_line, "{arguments:?}: {errors}");
        let has_hint = errors == "carrybit: unknown command benhc: did you mean bench?\n";
        assert_eq!(arguments[0] == "benhc", has_hint, "{errors}");
    }
}

#[test]
fn log_on_standard_error_needs_rust_log() {
    assert!(run(&["uci", "foo", "go depth 2"]).stderr.is_empty());
    let output =
        program().arg("isready").env("RUST_LOG", "debug").output().expect("the program starts");
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(log.contains(">> isready") && log.contains("<< readyok"), "{log}");
    assert_eq!(text(&output), "readyok\n");
}

#[test]
fn bench_counts_the_same_nodes_at_every_level_and_speedtest_counts_some() {
    let nodes = |level: Level, arguments: &[&str]| {
        let output = run_with(&[(cpu::VARIABLE, level.name())], arguments);
        assert!(output.status.success());
        let last: Vec<&str> = text(&output).lines().last().unwrap_or("").split(' ').collect();
        let [nodes, "nodes", speed, "nps"] = last[..] else { panic!("{}", text(&output)) };
        assert!(speed.parse::<u64>().is_ok(), "{}", text(&output));
        let nodes = nodes.parse::<u64>().expect("a number of nodes");
        if arguments[0].starts_with("bench") {
            // The total is the sum over lines like ` 7/50:     1234 nodes  FEN`.
            let positions = text(&output).lines().filter_map(|line| line.split_once(": "));
            let counts =
                positions.map(|(_, line)| line.split_whitespace().next().expect("the nodes"));
            let counts: Vec<u64> = counts.map(|count| count.parse().expect("a number")).collect();
            assert_eq!((counts.len(), counts.iter().sum()), (50, nodes));
        }
        nodes
    };
    let expected = nodes(Level::Scalar, &["bench", "5"]);
    assert!(expected > 10_000, "{expected}");
    for level in Level::supported() {
        assert_eq!(nodes(level, &["bench 5 1 16"]), expected, "{level}");
    }
    // With several threads the number varies.
    assert!(nodes(Level::Scalar, &["bench 2 3"]) > 100);
    assert!(nodes(Level::Scalar, &["speedtest", "2", "1", "1"]) > 0);
}
