//! With one thread, a search to a fixed depth is the same in each process; after `ucinewgame`,
//! earlier settings and searches do not affect it.

use crate::process_support::Engine;

/// Openings, a middlegame, an endgame, Chess960.
const FENS: [&str; 5] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r1bq1rk1/pp2ppbp/2np2p1/2n5/P3PP2/N1P2N2/1PB3PP/R1B1QRK1 b - - 0 9",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "1nbbnrkr/p1p1ppp1/3p4/1p3P1p/3Pq2P/8/PPP1P1P1/QNBBNRKR w HFhf - 0 9",
];

/// Commands between two equal searches.
const DETOURS: [&[&str]; 6] = [
    &[],
    &["setoption name UCI_LimitStrength value true", "setoption name UCI_Elo value 1200"],
    &["setoption name Hash value 1", "go depth 3", "setoption name Hash value 16"],
    &["setoption name Threads value 3", "go depth 6", "setoption name Threads value 1"],
    &["setoption name MultiPV value 3", "go depth 4", "setoption name MultiPV value 1"],
    &["setoption name nodestime value 100", "go movetime 20", "setoption name nodestime value 0"],
];

/// Sends the lines to a process. Returns the last `info` line and the move of each search that
/// follows an `isready`, without times. (Earlier `info` lines depend on the speed.)
fn searched(lines: &[String]) -> Vec<String> {
    let mut engine = Engine::start();
    engine.write((lines.join("\n") + "\n").as_bytes());
    engine.input = None;
    let (status, text) = engine.exit();
    assert!(status.success());
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
    let (mut kept, mut words) = (String::new(), line.split(' '));
    while let Some(word) = words.next() {
        if ["time", "nps"].contains(&word) {
            words.next();
        } else {
            kept = format!("{kept}{word} ");
        }
    }
    kept
}

#[test]
fn searches_after_a_new_game_are_equal_in_every_process() {
    let go = |fen: &str| {
        let position = format!("position fen {fen}");
        // Deep enough for all histories to have an effect.
        ["ucinewgame", "isready", &position, "go depth 9", "wait"].map(str::to_owned)
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
