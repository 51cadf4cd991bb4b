//! The dialogue of the engine of the course: UCI on the standard input and output.

#![allow(clippy::print_stdout, reason = "UCI is text on the standard output")]

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use carrybit_course::{Position, Search, WHITE, own, solutions};

/// The position of the command `position`, and the keys of those before it.
type Game = (Position, Vec<u64>);

fn game(words: &[&str]) -> Option<Game> {
    let mut parts = words.splitn(2, |&word| word == "moves");
    let fen = match parts.next()? {
        ["startpos"] => Position::START.to_owned(),
        fen => fen.get(1..)?.join(" "),
    };
    let (mut position, mut seen) = (Position::from_fen(&fen)?, Vec::new());
    for &word in parts.next().unwrap_or_default() {
        seen.push(solutions::key(&position));
        let mut moves = solutions::legal_moves(&position).into_iter();
        position = position.make(moves.find(|mv| mv.to_string() == word)?);
    }
    // The search must not take its own root for a repetition.
    seen.retain(|&key| key != solutions::key(&position));
    Some((position, seen))
}

/// The number after a word of a command.
fn number(words: &[&str], name: &str) -> Option<u64> {
    words.windows(2).find(|pair| pair[0] == name)?[1].parse().ok()
}

fn main() {
    let mut search = Search::default();
    let stop = Arc::clone(&search.stop);
    // The search has a thread of its own, so that this one can read `stop` meanwhile.
    let (jobs, received) = mpsc::channel::<(Game, i32, Option<Duration>)>();
    let searcher = thread::spawn(move || {
        for ((position, seen), depth, time) in received {
            (search.seen, search.nodes) = (seen, 0);
            search.deadline = time.map(|time| Instant::now() + time);
            let best = own::go(&mut search, &position, depth);
            println!("bestmove {}", best.map_or("0000".to_owned(), |mv| mv.to_string()));
        }
    });
    let mut current = game(&["startpos"]).expect("the start position");
    for line in std::io::stdin().lines().map_while(Result::ok) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["uci"] => println!("id name Course engine\nid author the reader\nuciok"),
            ["isready"] => println!("readyok"),
            ["position", ref rest @ ..] => match game(rest) {
                Some(game) => current = game,
                None => println!("info string invalid position or move, the position is unchanged"),
            },
            ["go", ref rest @ ..] => {
                let is_white = current.0.side == WHITE;
                let [time, inc] = if is_white { ["wtime", "winc"] } else { ["btime", "binc"] };
                let clock =
                    number(rest, time).map(|ms| own::share(ms, number(rest, inc).unwrap_or(0)));
                let time = number(rest, "movetime").or(clock).map(Duration::from_millis);
                let depth = number(rest, "depth").map_or(64, |depth| depth.min(64) as i32);
                stop.store(false, Relaxed);
                if jobs.send((current.clone(), depth, time)).is_err() {
                    break;
                }
            }
            ["stop"] => stop.store(true, Relaxed),
            ["quit"] => break,
            _ => {}
        }
    }
    stop.store(true, Relaxed);
    drop(jobs);
    let _ended = searcher.join();
}
