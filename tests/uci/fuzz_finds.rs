//! Runs the engine's fuzz targets, without a fuzzer, on their seeds, on the inputs that once failed
//! (`finds`), and on random dialogues.

#[path = "../../fuzz/src/replay.rs"]
mod replay;
#[path = "../../fuzz/src/engine.rs"]
mod targets;

use crate::support::Rng;
use replay::replay;

const FUZZ: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz");

#[test]
fn all_finds_stay_fixed() {
    replay(FUZZ, "dialogue", targets::dialogue);
    replay(FUZZ, "fen", targets::fen);
    replay(FUZZ, "network", targets::network);
    replay(FUZZ, "table", targets::table);
}

/// Words of the protocol, and near misses.
const WORDS: &str = "uci debug on off isready setoption name value Hash Threads MultiPV Move \
    Overhead Ponder Clear UCI_Chess960 UCI_ShowWDL <empty> true false register later code \
    ucinewgame position startpos fen moves e2e4 e7e5 e1g1 0000 a7a8q a7a8=Q E2E4 zz go infinite \
    ponder wtime btime winc binc movestogo depth nodes mate movetime searchmoves perft stop \
    ponderhit d eval help flip undo play moves wait x joho bestmove info w b KQkq HAha - é \
    rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR r3k2r/8/8/8/8/8/8/R3K2R 8/8/8/8/8/8/8/8 \
    7k/8/8/8/8/8/5PPP/r5K1 \u{feff} 0 1 2 3 5 16 64 127 255 256 999 -1 -50 1000.5 +7 \
    99999999999999999999999999";

/// A line of random words, sometimes with a wrong byte.
fn random_line(rng: &mut Rng, words: &[&str]) -> Vec<u8> {
    let mut line = Vec::new();
    for _ in 0..rng.below(12) {
        line.extend(rng.pick(words).as_bytes());
        line.extend(*rng.pick(&[&b" "[..], b" ", b"  ", b"\t"]));
    }
    if !line.is_empty() && rng.below(4) == 0 {
        let at = rng.below(line.len());
        match rng.below(3) {
            0 => line[at] = rng.next() as u8,
            1 => line.truncate(at),
            _ => line.insert(at, rng.next() as u8),
        }
    }
    line
}

#[test]
fn dialogue_answers_each_go_and_isready_among_random_input() {
    let mut rng = Rng(1);
    let words: Vec<&str> = WORDS.split(' ').collect();
    for _ in 0..500 {
        let mut bytes = Vec::new();
        for _ in 0..100 {
            bytes.extend(random_line(&mut rng, &words));
            bytes.push(*rng.pick(b"\n\r"));
        }
        bytes.extend(b"stop\nucinewgame\nposition startpos\ngo\nwait\nisready\n");
        targets::dialogue(&bytes);
    }
}
