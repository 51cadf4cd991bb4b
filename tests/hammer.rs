//! Whatever is said to it and whenever: the engine gives one legal answer to each `go`,
//! in time and never too early, and is ready at once.
//!
//! The conversations follow from a seed, except for the moments at which the engine
//! answers. Environment variables repeat or change a run: `CARRYBIT_HAMMER_SEED`,
//! `CARRYBIT_HAMMER_GO` (searches in all), `CARRYBIT_HAMMER_THREADS` and
//! `CARRYBIT_HAMMER_HASH` (this value only), `CARRYBIT_HAMMER_WAIT=off` (no `wait`).

mod hammer_support;
mod support;

use std::env;
use std::fmt::Write as _;
use std::io::{Write as _, stderr};
use std::time::{Duration, Instant};

use hammer_support::command::{Command, Go, Tool};
use hammer_support::judge::Position;
use hammer_support::model::{Delays, Farewell, Model, ON_TIME, Tally};
use hammer_support::script::{Places, Style, invent};
use hammer_support::session::{Course, Failure, play};
use support::Rng;

/// Values of `Threads` and `Hash` to run with.
const THREADS: [usize; 3] = [1, 2, 8];
const HASH_MB: [usize; 2] = [1, 512];

/// The default seed.
const SEED: u64 = 20_261_122;

/// The most searches in one process.
const SEARCHES_PER_PROCESS: usize = 200;

/// Searches in the short run and in the long one.
const SHORT_RUN: usize = 1_500;
const LONG_RUN: usize = 100_000;

/// An answer this late fails the short run, which shares its machine with other tests.
const SHORT_RUN_FAILS_BEYOND: Duration = Duration::from_secs(5);

/// The same while memory may be reallocated.
const MEMORY_FAILS_BEYOND: Duration = Duration::from_secs(20);

/// A run ends after this many violations; also the most late answers that are shown.
const MOST_FAILURES: usize = 5;

/// The value of an environment variable, if it is set.
fn variable(name: &str) -> Option<u64> {
    let text = env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} takes a number, not {text}")))
}

fn choices(name: &str, usual: &[usize]) -> Vec<usize> {
    variable(name).map_or_else(|| usual.to_vec(), |value| vec![value as usize])
}

/// Says something even if all goes well.
fn tell(text: &str) {
    // Without a terminal there is nobody to tell.
    let _ = stderr().write_all(text.as_bytes());
}

fn delays(name: &str, delays: &Delays) -> String {
    let worst = delays.worst.as_secs_f64() * 1e3;
    let Delays { count, late, .. } = delays;
    format!("  {name}: {count}, worst {worst:.1} ms, {late} beyond {} ms\n", ON_TIME.as_millis())
}

fn summary(tally: &Tally) -> String {
    let mut text = format!("  {} searches, {} commands\n", tally.searches, tally.commands);
    text += &delays("answers to questions", &tally.ready);
    text += &delays("answers after a stop", &tally.stopped);
    text += &delays("answers by the clock, over the time given", &tally.overtime);
    text += &delays("any of these while memory may be moved about", &tally.memory);
    text += &delays("exits", &tally.exit);
    text
}

/// What went wrong, and how often.
#[derive(Default)]
struct Faults {
    report: String,
    violations: usize,
    late_sessions: usize,
}

impl Faults {
    /// Records how a session went.
    fn note(&mut self, style: &Style, course: Course, fails_beyond: Duration) {
        let Course { tally, first_late, failure } = course;
        let delays = [&tally.ready, &tally.stopped, &tally.overtime];
        if delays.iter().any(|delays| delays.worst > fails_beyond) {
            self.late_sessions += 1;
            if self.late_sessions <= MOST_FAILURES {
                let dialogue = first_late.unwrap_or_default();
                let _ = writeln!(self.report, "{style:?}: the first late answer\n{dialogue}");
            }
        }
        if let Some(Failure { problem, dialogue }) = failure {
            self.violations += 1;
            let _ = writeln!(self.report, "{style:?}: {problem}, after\n{dialogue}");
        }
    }
}

/// Runs the hammer with each combination of `Threads` and `Hash`.
fn hammer(searches: usize, fails_beyond: Duration) {
    let seed = variable("CARRYBIT_HAMMER_SEED").unwrap_or(SEED);
    let searches = variable("CARRYBIT_HAMMER_GO").map_or(searches, |count| count as usize);
    let has_wait = env::var("CARRYBIT_HAMMER_WAIT").as_deref() != Ok("off");
    let all_threads = choices("CARRYBIT_HAMMER_THREADS", &THREADS);
    let all_hashes = choices("CARRYBIT_HAMMER_HASH", &HASH_MB);
    let places = Places::read();
    let share = searches.div_ceil(all_threads.len() * all_hashes.len());
    let mut faults = Faults::default();
    let mut total = Tally::default();
    for (threads, hash_mb) in
        all_threads.iter().flat_map(|&threads| all_hashes.iter().map(move |&mb| (threads, mb)))
    {
        // Other conversations for each.
        let mut rng = Rng(seed + (1000 * threads + hash_mb) as u64);
        let mut tally = Tally::default();
        let began = Instant::now();
        while (tally.searches as usize) < share && faults.violations < MOST_FAILURES {
            let left = share - tally.searches as usize;
            let searches = left.min(1 + rng.below(SEARCHES_PER_PROCESS));
            let style = Style { seed: rng.next(), searches, threads, hash_mb, has_wait };
            let course = play(&invent(&style, &places));
            tally.add(&course.tally);
            faults.note(&style, course, fails_beyond);
        }
        let seconds = began.elapsed().as_secs_f64();
        tell(&format!("Threads {threads}, Hash {hash_mb}, {seconds:.1} s\n{}", summary(&tally)));
        total.add(&tally);
    }
    let Faults { report, violations, late_sessions } = faults;
    tell(&format!(
        "In all, seed {seed}: {violations} violations, {late_sessions} sessions too late\n{}",
        summary(&total)
    ));
    assert!(
        violations == 0 && late_sessions == 0,
        "{report}\nCARRYBIT_HAMMER_SEED={seed} with _THREADS and _HASH as told begins alike"
    );
    assert!(total.memory.worst < MEMORY_FAILS_BEYOND, "{}", summary(&total));
}

#[test]
fn every_go_is_answered_once_and_in_time_whatever_else_is_said() {
    hammer(SHORT_RUN, SHORT_RUN_FAILS_BEYOND);
}

#[test]
#[ignore = "takes a quarter of an hour and needs the machine to itself"]
fn a_hundred_thousand_searches_are_answered_once_and_in_time() {
    hammer(LONG_RUN, ON_TIME);
}

/// A command for the start position, from its line.
fn command(line: &str) -> Command {
    match line {
        "stop" => Command::Stop,
        "ponderhit" => Command::PonderHit,
        "wait" => Command::Wait,
        "isready" => Command::Ask("isready", "readyok"),
        "ucinewgame" => Command::NewGame,
        "perft 1" => Command::Tool(Tool {
            line: line.to_owned(),
            last_line: "Nodes searched: 20".to_owned(),
            is_short: true,
        }),
        _ => Command::Go(Go {
            line: line.to_owned(),
            root: Position::start(),
            chess960: false,
            search_moves: if line.contains("searchmoves") {
                vec!["e2e4".to_owned()]
            } else {
                vec![]
            },
            lines: 1,
            infinite: line.contains("infinite"),
            ponder: line.contains("ponder"),
            is_short: true,
            budget: line.contains("movetime").then_some(Duration::ZERO),
            depth: line.contains("depth 3").then_some(3),
        }),
    }
}

/// The model's verdict on a dialogue: `>` marks what is said to the engine, `<` what it
/// says. `quit` ends it.
fn verdict(dialogue: &[&str]) -> Result<Tally, String> {
    let start = Instant::now();
    let mut model = Model::new(start);
    for (at, line) in dialogue.iter().enumerate() {
        // Each line takes a second.
        let now = start + Duration::from_secs(at as u64);
        match line.split_at(2) {
            ("> ", "quit") => model.leave(Farewell::Quit, now),
            ("> ", "end of input") => model.leave(Farewell::EndOfInput, now),
            ("> ", line) => model.send(&command(line), now),
            (_, "end") => model.end(now, now)?,
            (_, line) => model.hear(line, now)?,
        }
    }
    Ok(model.tally)
}

#[test]
fn the_hammer_accepts_what_is_right() {
    for dialogue in [
        &["> go depth 1", "< info depth 1 multipv 1 pv e2e4 e7e5", "< bestmove e2e4 ponder e7e5"]
            as &[&str],
        &["> go infinite", "> isready", "< readyok", "> stop", "< bestmove e2e4", "> stop"],
        &["> go infinite", "> go depth 1", "< bestmove e2e4", "> isready", "< bestmove e2e4"],
        &["> go ponder movetime 1", "> ponderhit", "< bestmove e2e4"],
        &["> go infinite", "> ucinewgame", "> isready", "< bestmove e2e4", "< readyok"],
        &[
            "> go infinite",
            "> go infinite",
            "> wait",
            "> stop",
            "< bestmove a2a3",
            "< bestmove a2a3",
        ],
        &["> perft 1", "> stop", "< Nodes searched: 20", "< info string stopped"],
        &["> perft 1", "> stop", "< info string stopped", "> quit", "< end"],
        &["> go infinite", "> quit", "< end"],
        &["> go infinite", "> end of input", "< bestmove e2e4", "< end"],
        &["> go depth 3", "> stop", "< bestmove e2e4"],
        &[
            "> go infinite",
            "> wait",
            "> go infinite",
            "> stop",
            "< bestmove a2a3",
            "< bestmove a2a3",
        ],
        &["> go infinite", "> wait", "> go depth 3", "> quit", "< bestmove a2a3", "< end"],
    ] {
        let verdict = verdict(dialogue);
        assert!(verdict.is_ok(), "{dialogue:?}: {verdict:?}");
    }
}

#[test]
fn the_hammer_sees_what_is_wrong() {
    for dialogue in [
        &["> go depth 1", "< bestmove e2e5"] as &[&str],
        &["> go depth 1", "< bestmove (none)"],
        &["> go depth 1", "< bestmove e2e4 ponder e2e4"],
        &["> go depth 1", "< info depth 1 pv e2e4 e2e4"],
        &["> go depth 1", "< info depth 1 multipv 2 pv e2e4"],
        &["> go depth 1 searchmoves e2e4", "< bestmove d2d4"],
        &["> go depth 1", "< bestmove e2e4", "< bestmove e2e4"],
        &["> go depth 1", "< bestmove e2e4", "< info depth 1 pv e2e4"],
        &["> go depth 3", "< info depth 2 pv e2e4", "< bestmove e2e4"],
        &["> go infinite", "< bestmove e2e4"],
        &["> stop", "> go infinite", "< bestmove e2e4"],
        &["> go ponder movetime 1", "< bestmove e2e4"],
        &["> go infinite", "> ponderhit", "< bestmove e2e4"],
        &["> go infinite", "> wait", "> go depth 1", "< bestmove e2e4"],
        &[
            "> go infinite",
            "> wait",
            "> stop",
            "> go infinite",
            "< bestmove a2a3",
            "< bestmove a2a3",
        ],
        &["> isready", "> go depth 1", "< bestmove e2e4"],
        &["> go infinite", "> go infinite", "> isready", "< readyok"],
        &["> go depth 1", "> wait", "> isready", "< readyok"],
        &["> go depth 1", "< readyok"],
        &["> perft 1", "< Nodes searched: 21"],
        &["> perft 1", "< info string stopped"],
        &["> go infinite", "> end of input", "< end"],
        &["> go depth 3", "> wait", "> quit", "< end"],
        &["> go depth 3", "> wait", "> quit", "< bestmove e2e4"],
        &["< end"],
    ] {
        assert!(verdict(dialogue).is_err(), "{dialogue:?}");
    }
}

#[test]
fn the_hammer_measures_from_when_an_answer_was_due() {
    let second = Duration::from_secs(1);
    let tally = verdict(&["> isready", "> stop", "< readyok"]).expect("all is right");
    assert_eq!((tally.ready.worst, tally.ready.late), (2 * second, 1));
    let tally =
        verdict(&["> go infinite", "> go infinite", "> isready", "< bestmove e2e4", "< readyok"])
            .expect("all is right");
    assert_eq!((tally.ready.worst, tally.stopped.worst), (second, 2 * second));
    let tally = verdict(&[
        "> go ponder movetime 1",
        "> isready",
        "> ponderhit",
        "< readyok",
        "< bestmove e2e4",
    ])
    .expect("all is right");
    assert_eq!((tally.overtime.count, tally.overtime.worst), (1, 2 * second));
    let tally = verdict(&["> ucinewgame", "> isready", "< readyok", "> isready", "< readyok"])
        .expect("all is right");
    assert_eq!((tally.memory.count, tally.ready.count, tally.late()), (1, 1, 1));
    let aborted = ["> ucinewgame", "> isready", "> stop", "< readyok", "> isready", "< readyok"];
    let tally = verdict(&aborted).expect("all is right");
    assert_eq!((tally.memory.count, tally.ready.count), (2, 0));
}
