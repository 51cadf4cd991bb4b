//! With one thread, a search to a fixed depth is the same whenever and wherever it is
//! run: what was set, searched and forgotten before leaves no trace.

mod engine_support;

use std::io::Write;
use std::process::{Command, Stdio};

use carrybit::board::Move;
use carrybit::engine::Engine;
use carrybit::score::Score;
use engine_support::{depth, game, search};

/// Openings, a middlegame, an endgame, Chess960.
const FENS: [&str; 5] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r1bq1rk1/pp2ppbp/2np2p1/2n5/P3PP2/N1P2N2/1PB3PP/R1B1QRK1 b - - 0 9",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "1nbbnrkr/p1p1ppp1/3p4/1p3P1p/3Pq2P/8/PPP1P1P1/QNBBNRKR w HFhf - 0 9",
];

/// Deep enough for everything that a search learns to have an effect.
const DEPTH: i32 = 9;

/// What may be said between two searches that must be the same.
const DETOURS: [&[&str]; 6] = [
    &[],
    &["setoption name UCI_LimitStrength value true", "setoption name UCI_Elo value 1200"],
    &["setoption name Hash value 1", "go depth 3", "setoption name Hash value 16"],
    &["setoption name Threads value 3", "go depth 6", "setoption name Threads value 1"],
    &["setoption name MultiPV value 3", "go depth 4", "setoption name MultiPV value 1"],
    &["setoption name nodestime value 100", "go movetime 20", "setoption name nodestime value 0"],
];

/// Depth, rank, score, nodes and line of each report.
type Course = Vec<(i32, usize, Score, u64, Vec<Move>)>;

fn course(engine: &mut Engine, fen: &str) -> Course {
    engine.set_game(game(fen));
    let (reports, _) = search(engine, depth(DEPTH));
    let reports = reports.into_iter();
    reports.map(|r| (r.depth, r.multi_pv, r.score, r.nodes, r.pv)).collect()
}

#[test]
fn a_cleared_engine_searches_as_a_new_one() {
    let mut used = Engine::new();
    for fen in FENS {
        let first = course(&mut Engine::new(), fen);
        assert!(first.last().is_some_and(|last| last.0 == DEPTH && last.3 > 100), "{first:?}");
        for _ in 0..2 {
            used.clear();
            assert_eq!(course(&mut used, fen), first, "{fen}");
        }
    }
}

#[test]
fn another_size_of_the_table_and_back_leaves_no_trace() {
    let mut engine = Engine::new();
    let first = course(&mut engine, FENS[1]);
    for megabytes in [1, 64, 16] {
        engine.set_hash(megabytes).expect("there is memory");
        course(&mut engine, FENS[2]);
    }
    engine.clear();
    assert_eq!(course(&mut engine, FENS[1]), first);
}

#[test]
fn weak_play_leaves_no_trace() {
    let mut engine = Engine::new();
    let first = course(&mut engine, FENS[1]);
    engine.settings_mut().strength.is_limited = true;
    engine.settings_mut().strength.elo = 1500;
    course(&mut engine, FENS[2]);
    engine.settings_mut().strength.is_limited = false;
    engine.clear();
    assert_eq!(course(&mut engine, FENS[1]), first);
}

/// The last `info` line, without its times, and the move of each first search after an
/// `isready`, in a process that is told all this. (Which lines are shown before the last one depends on
/// how fast they come.)
fn searched(lines: &[String]) -> Vec<String> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_carrybit"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program can be started");
    let mut input = child.stdin.take().expect("its input is a pipe");
    input.write_all((lines.join("\n") + "\n").as_bytes()).expect("the engine reads");
    drop(input);
    let output = child.wait_with_output().expect("the engine leaves");
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).expect("the engine writes UTF-8");
    let mut results = Vec::new();
    let mut last = String::new();
    let mut is_wanted = false;
    for line in text.lines() {
        if line == "readyok" {
            is_wanted = true;
        } else if line.starts_with("info depth ") {
            last = timeless(line);
        } else if line.starts_with("bestmove ") && is_wanted {
            results.push(format!("{last} {line}"));
            is_wanted = false;
        }
    }
    results
}

/// The line without time and speed.
fn timeless(line: &str) -> String {
    let mut words = Vec::new();
    let mut rest = line.split(' ');
    while let Some(word) = rest.next() {
        if word == "time" || word == "nps" {
            rest.next();
        } else {
            words.push(word);
        }
    }
    words.join(" ")
}

#[test]
fn two_processes_search_alike_whatever_was_said_before() {
    let go = |fen: &str| {
        let position = format!("position fen {fen}");
        let go = format!("go depth {DEPTH}");
        ["ucinewgame", "isready", &position, &go, "wait"].map(str::to_owned)
    };
    let first: Vec<String> = FENS.iter().flat_map(|fen| go(fen)).collect();
    let first = searched(&first);
    assert_eq!(first.len(), FENS.len(), "{first:#?}");
    let mut lines = Vec::new();
    for (at, fen) in FENS.iter().enumerate() {
        for detour in DETOURS.iter().cycle().skip(at).take(2) {
            for line in *detour {
                lines.push((*line).to_owned());
                if line.starts_with("go ") {
                    lines.push("wait".to_owned());
                }
            }
            lines.push("go depth 5".to_owned());
            lines.push("wait".to_owned());
        }
        lines.push("setoption name UCI_LimitStrength value false".to_owned());
        lines.extend(go(fen));
    }
    assert_eq!(searched(&lines), first);
}
