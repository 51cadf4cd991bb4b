//! Sends random commands at random moments. The engine must answer each `go` once, legally, in
//! order and not too early; in the ignored tests also in time, and `isready` at once.
//!
//! A seed decides everything but the times of the engine's answers. Environment variables repeat
//! or change a run: `CARRYBIT_HAMMER_SEED` and `CARRYBIT_HAMMER_GO` (the number of searches).

mod judge;
mod model;
mod script;
mod session;

use std::env;
use std::fmt::Write as _;
use std::io::{Write as _, stderr};
use std::time::{Duration, Instant};

use crate::support::{Rng, Starts};
use crate::time_support::TIMEOUT;
use model::{
    Command, EXIT, Ending, Go, KINDS, MEMORY, Model, OVERTIME, READY, Request, STOPPED, Tally,
};
use script::{Style, generate};
use session::play;

/// Values of `Threads` and `Hash`.
const THREADS: [usize; 3] = [1, 2, 8];
const HASH_MB: [usize; 2] = [1, 512];

const SEED: u64 = 20_261_122;

/// The most searches in one process.
const SEARCHES_PER_PROCESS: usize = 200;

/// The number of searches in the short run and in the long one.
const SHORT_RUN: usize = 300;
const LONG_RUN: usize = 100_000;

/// Limits for answers in the long run, and in the short one.
const ON_TIME: Duration = Duration::from_millis(100);
const SHORT_RUN_ON_TIME: Duration = Duration::from_secs(10);

/// The limit for exits, and for answers while memory may be reallocated.
const MEMORY_ON_TIME: Duration = Duration::from_secs(30);

/// A run ends after this number of failures.
const MOST_FAILURES: usize = 5;

/// The value of an environment variable, if it is set.
fn variable(name: &str) -> Option<usize> {
    let text = env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} takes a number, not {text}")))
}

/// Prints a line even if the test succeeds.
fn report(title: &str, tally: &Tally) {
    let mut text = format!("{title}: {} searches, {} commands", tally.searches, tally.commands);
    for (kind, delays) in KINDS.iter().zip(tally.delays) {
        let _ = write!(text, "; {} {kind}, worst {:.1?}", delays.count, delays.worst);
    }
    let _ = writeln!(stderr(), "{text}");
}

/// Runs the hammer with each combination of `Threads` and `Hash`. No answer may take longer than
/// `limit`.
fn hammer(searches: usize, limit: Duration) -> Tally {
    let seed = variable("CARRYBIT_HAMMER_SEED").map_or(SEED, |seed| seed as u64);
    let searches = variable("CARRYBIT_HAMMER_GO").unwrap_or(searches);
    let starts = Starts::read();
    let share = searches.div_ceil(THREADS.len() * HASH_MB.len());
    let mut failures = Vec::new();
    let mut total = Tally::default();
    for (threads, hash_mb) in THREADS.into_iter().flat_map(|n| HASH_MB.map(|mb| (n, mb))) {
        let mut rng = Rng(seed + (1000 * threads + hash_mb) as u64);
        let mut tally = Tally::default();
        while tally.searches < share && failures.len() < MOST_FAILURES {
            let searches = (share - tally.searches).min(1 + rng.below(SEARCHES_PER_PROCESS));
            let style = Style { seed: rng.next(), searches, threads, hash_mb };
            let (played, failure) = play(&generate(&style, &starts), limit);
            tally.add(&played);
            failures.extend(failure.map(|failure| format!("{style:?}: {failure}\n")));
        }
        report(&format!("Threads {threads}, Hash {hash_mb}"), &tally);
        total.add(&tally);
    }
    report(&format!("Seed {seed}"), &total);
    assert!(failures.is_empty(), "repeat with CARRYBIT_HAMMER_SEED={seed}\n{}", failures.concat());
    total
}

/// Like [`hammer`], but few answers may take longer than a tenth of a second.
fn hammer_in_time(searches: usize, limit: Duration) {
    let total = hammer(searches, limit);
    for delays in [READY, STOPPED, OVERTIME].map(|kind| total.delays[kind]) {
        assert!(4 * delays.late <= delays.count, "a quarter is late: {delays:?}");
    }
    assert!([MEMORY, EXIT].iter().all(|&kind| total.delays[kind].worst < MEMORY_ON_TIME));
}

#[test]
fn every_go_is_answered_once_and_legally() {
    hammer(SHORT_RUN, TIMEOUT);
}

mod timing {
    use super::*;

    #[test]
    #[ignore = "needs a processor that is not busy"]
    fn every_go_is_answered_in_time() {
        hammer_in_time(SHORT_RUN, SHORT_RUN_ON_TIME);
    }
}

#[test]
#[ignore = "takes a quarter of an hour and needs the machine to itself"]
fn a_hundred_thousand_searches_are_answered_once_and_in_time() {
    hammer_in_time(LONG_RUN, ON_TIME);
}

/// The request that a line makes. A `go` searches the start position.
fn request(line: &str) -> Request {
    match line {
        "stop" => Request::Stop,
        "ponderhit" => Request::PonderHit,
        "wait" => Request::Wait,
        "isready" => Request::Ask("readyok"),
        "ucinewgame" => Request::NewGame,
        "perft 1" => Request::Tool("Nodes searched: 20".to_owned(), true),
        _ => Request::Go(Go {
            search_moves: line.matches("e2e4").map(str::to_owned).collect(),
            infinite: line.contains("infinite"),
            ponder: line.contains("ponder"),
            is_short: true,
            budget: line.contains("movetime").then_some(Duration::ZERO),
            depth: line.contains("depth 3").then_some(3),
            ..Go::new(16)
        }),
    }
}

/// The model's verdict on a dialogue of lines to the engine (`>`) and from it (`<`), separated by
/// `;`. Each line takes a second.
fn verdict(dialogue: &str) -> Result<(), String> {
    let start = Instant::now();
    let mut model = Model::new(start);
    for (at, line) in dialogue.split(';').enumerate() {
        let now = start + Duration::from_secs(at as u64);
        match line.split_at(2) {
            ("> ", "quit") => model.close(Ending::Quit, now),
            ("> ", "end of input") => model.close(Ending::EndOfInput, now),
            ("> ", line) => model.send(&Command { line: line.into(), request: request(line) }, now),
            (_, "end") => model.end(now, now)?,
            (_, line) => model.receive(line, now)?,
        }
    }
    Ok(())
}

#[test]
fn model_refuses_wrong_answers() {
    for dialogue in [
        "> go depth 1;< bestmove e2e5",
        "> go depth 1;< hash 1;< bestmove e2e4",
        "> go depth 1;< bestmove (none)",
        "> go depth 1;< bestmove e2e4 ponder e2e4",
        "> go depth 1;< info depth 1 pv e2e4 e2e4",
        "> go depth 1;< info depth 1 multipv 2 pv e2e4",
        "> go depth 1 searchmoves e2e4;< bestmove d2d4",
        "> go depth 1;< bestmove e2e4;< bestmove e2e4",
        "> go depth 1;< bestmove e2e4;< info depth 1 pv e2e4",
        "> go depth 3;< info depth 2 pv e2e4;< bestmove e2e4",
        "> go infinite;< bestmove e2e4",
        "> stop;> go infinite;< bestmove e2e4",
        "> go ponder movetime 1;< bestmove e2e4",
        "> go infinite;> ponderhit;< bestmove e2e4",
        "> go infinite;> wait;> go depth 1;< bestmove e2e4",
        "> go infinite;> wait;> stop;> go infinite;< bestmove a2a3;< bestmove a2a3",
        "> isready;> go depth 1;< bestmove e2e4",
        "> go infinite;> go infinite;> isready;< readyok",
        "> go depth 1;> wait;> isready;< readyok",
        "> go depth 1;< readyok",
        "> perft 1;< Nodes searched: 21",
        "> perft 1;< info string stopped",
        "> go infinite;> end of input;< end",
        "> go depth 3;> wait;> quit;< end",
        "> go depth 3;> wait;> quit;< bestmove e2e4",
        "< end",
    ] {
        assert!(verdict(dialogue).is_err(), "{dialogue:?}");
    }
}
