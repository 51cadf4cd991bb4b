//! Many analysts at work on many games, until everything is in the journal.

use std::io;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use std::thread;

use carrybit::board::Game;
use carrybit::engine;
use crossbeam_channel::{Receiver, bounded};
use pgn::replay::{Replay, Step};

use crate::analyst::{Analyst, Evaluation, STRETCH, Study};
use crate::journal::{Journal, fingerprint};
use crate::progress::Progress;

/// A part of a game for one analyst.
struct Stretch {
    /// Of its positions, from the one at the beginning of the game on.
    range: Range<usize>,
    /// Stands for everything that the evaluations follow from.
    fingerprint: u64,
}

/// The stretches of a game.
fn stretches(replay: &Replay, study: &Study) -> Vec<Stretch> {
    let settings = format!("{} {} {study:?}", carrybit::VERSION, engine::own_evaluation());
    let fen = replay.start.fen(true);
    // Moves are told by their bits, and no move has those of none.
    let bits = |step: &Step| match step {
        Step::Move(mv) => mv.to_bits(),
        Step::Pass => 0,
    };
    let steps: Vec<u16> = replay.steps.iter().map(bits).collect();
    let positions = steps.len() + 1;
    let starts = (0..positions).step_by(STRETCH);
    starts
        .map(|start| {
            let range = start..positions.min(start + STRETCH);
            let played = &steps[..range.end - 1];
            let fingerprint = fingerprint(&(&settings, &fen, played, start));
            Stretch { range, fingerprint }
        })
        .collect()
}

/// What the journal says about a game; `None` if it does not know all of it.
#[must_use]
pub fn evaluations(replay: &Replay, study: &Study, journal: &Journal) -> Option<Vec<Evaluation>> {
    let mut all = Vec::with_capacity(replay.steps.len() + 1);
    for stretch in stretches(replay, study) {
        all.extend_from_slice(journal.get(stretch.fingerprint)?);
    }
    (all.len() == replay.steps.len() + 1).then_some(all)
}

/// Studies what the journal does not know yet about the games, with `threads` threads in
/// all. Returns how many positions it knew.
///
/// # Errors
/// If the journal cannot be written.
pub fn study(
    replays: &[&Replay],
    study: &Study,
    threads: usize,
    journal: &mut Journal,
) -> io::Result<usize> {
    let mut work: Vec<(&Replay, Stretch)> = Vec::new();
    let mut known = 0;
    for &replay in replays {
        for stretch in stretches(replay, study) {
            if journal.get(stretch.fingerprint).is_some() {
                known += stretch.range.len();
            } else {
                work.push((replay, stretch));
            }
        }
    }
    let positions = work.iter().map(|(_, stretch)| stretch.range.len()).sum();
    let analysts = threads.min(work.len());
    // Cores to spare help within the time; other limits promise the same result everywhere.
    let is_by_time = study.limits.depth.is_none() && study.limits.nodes.is_none();
    let threads_each = if is_by_time && analysts > 0 { threads / analysts } else { 1 };
    let progress = Progress::new(positions);
    let minutes = Mutex::new(Minutes { journal, result: Ok(()) });
    thread::scope(|scope| {
        let (desk, tasks) = bounded(analysts);
        for number in 0..analysts {
            let (tasks, progress, minutes) = (tasks.clone(), &progress, &minutes);
            scope.spawn(move || {
                let (analyst, notes) = Analyst::new(study, threads_each);
                // What there is to say of the settings is the same for all.
                if number == 0 {
                    notes.iter().for_each(|note| progress.note(note));
                }
                serve(analyst, &tasks, progress, minutes);
            });
        }
        drop(tasks);
        for (replay, Stretch { range, fingerprint }) in work {
            let positions = replay.positions().drain(range).collect();
            if desk.send(Task { positions, fingerprint }).is_err() {
                // Nobody is left to work, for nothing can be written.
                break;
            }
        }
    });
    progress.finish();
    minutes.into_inner().unwrap_or_else(PoisonError::into_inner).result.map(|()| known)
}

/// A stretch to be studied.
struct Task {
    positions: Vec<Game>,
    fingerprint: u64,
}

/// Where findings are written, and whether that has worked so far.
struct Minutes<'a> {
    journal: &'a mut Journal,
    result: io::Result<()>,
}

/// The life of an analyst: one task after the other, as long as it can be written what is
/// found.
fn serve(
    mut analyst: Analyst,
    tasks: &Receiver<Task>,
    progress: &Progress,
    minutes: &Mutex<Minutes<'_>>,
) {
    for Task { positions, fingerprint } in tasks {
        let found = analyst.study(&positions, || progress.tick());
        let mut minutes = minutes.lock().unwrap_or_else(PoisonError::into_inner);
        if minutes.result.is_ok() {
            minutes.result = minutes.journal.add(fingerprint, found);
        }
        if minutes.result.is_err() {
            return;
        }
    }
}
