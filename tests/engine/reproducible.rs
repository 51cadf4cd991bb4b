//! With one thread, a search to a fixed depth is the same in each engine; after `ucinewgame`,
//! earlier settings and searches do not affect it.

use crate::uci_support::Conversation;

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

/// The last `info` line, without its time and speed, and the move of a search in a new game.
/// (Earlier `info` lines depend on the speed.)
fn searched(conversation: &Conversation, fen: &str) -> [String; 3] {
    // Deep enough for all histories to have an effect.
    let lines = conversation.search(&["ucinewgame", &format!("position fen {fen}"), "go depth 9"]);
    let [.., last, best_move] = &lines[..] else { panic!("two lines: {lines:?}") };
    let (result, rest) = last.split_once(" nps ").expect("its speed");
    let (_, pv) = rest.split_once(" pv ").expect("its line");
    [result, pv, best_move].map(str::to_owned)
}

#[test]
fn searches_after_a_new_game_are_equal_in_every_engine() {
    let conversation = Conversation::start();
    for (at, fen) in FENS.iter().enumerate() {
        let fresh = Conversation::start();
        let expected = searched(&fresh, fen);
        fresh.end();
        for detour in DETOURS.iter().cycle().skip(at).take(2) {
            for line in detour.iter().chain(&["go depth 5"]) {
                conversation.send(&[line]);
                if line.starts_with("go ") {
                    conversation.lines_until("bestmove");
                }
            }
        }
        conversation.send(&["setoption name UCI_LimitStrength value false"]);
        assert_eq!(searched(&conversation, fen), expected, "{fen}");
    }
    conversation.end();
}
