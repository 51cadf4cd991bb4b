//! Random lines and bytes: the dialogue does not panic or hang, and is ready afterwards.

use std::io::{self, Cursor, Read};
use std::thread;

use crate::support::Rng;
use carrybit::internals::terminal::Terminal;
use carrybit::internals::uci::Dialogue;

/// Words of the protocol, and near misses. Not `quit`, which ends the dialogue, not `bench`,
/// which takes long, and not `Debug Log File`, which writes files.
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

/// Random bytes, many of them with a meaning.
fn random_bytes(rng: &mut Rng) -> Vec<u8> {
    let byte = |rng: &mut Rng| match rng.below(4) {
        0 => *rng.pick(b"\n\r \t\0\xef\xbb\xbf"),
        1 => rng.next() as u8,
        _ => *rng.pick(b"ucigoposetanmvalue 0123456789-=/kqKQ"),
    };
    (0..rng.below(50)).map(|_| byte(rng)).collect()
}

/// Whether a line would end the dialogue, run for long, take much memory or write files.
fn is_unwanted(line: &[u8]) -> bool {
    let lower = String::from_utf8_lossy(line).to_lowercase();
    let words = ["quit", "hash", "threads", "bench", "debug log"];
    words.iter().any(|word| lower.contains(word))
}

/// Sends `count` random lines, and `isready` now and then.
fn send_random_input(seed: u64, count: usize) {
    let mut rng = Rng(seed);
    let words: Vec<&str> = WORDS.split(' ').collect();
    let mut bytes = b"setoption name Hash value 1\n".to_vec();
    for number in 0..count {
        let is_line = rng.below(2) == 0;
        let line = if is_line { random_line(&mut rng, &words) } else { random_bytes(&mut rng) };
        if !is_unwanted(&line) {
            bytes.extend(line);
            bytes.push(*rng.pick(b"\n\r"));
        }
        if number % 50 == 0 {
            bytes.extend(b"\nstop\nisready\n");
        }
    }
    bytes.extend(b"\nstop\nucinewgame\nposition startpos\ngo depth 1\nwait\nisready\nquit\n");
    let (mut output, writer) = io::pipe().expect("a pipe");
    let dialogue = Dialogue::new(writer, Terminal::default());
    let ended = thread::spawn(move || dialogue.converse(Cursor::new(bytes)));
    let mut text = String::new();
    output.read_to_string(&mut text).expect("the engine writes UTF-8");
    let ended = ended.join().expect("the dialogue does not panic");
    assert!(ended.is_ok(), "{ended:?}");
    assert!(text.matches("readyok\n").count() > count / 50, "{} bytes", text.len());
    assert!(text.ends_with("readyok\n"));
}

#[test]
fn dialogue_survives_random_input() {
    send_random_input(1, 50_000);
}

#[test]
#[ignore = "takes minutes"]
fn dialogue_survives_much_random_input() {
    for seed in 0..10 {
        send_random_input(100 + seed, 200_000);
    }
}
