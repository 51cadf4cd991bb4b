//! Many analysts at work on many games, until everything is in the journal.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use std::thread;

use carrybit::board::draw::SEVENTY_FIVE_MOVES_PLIES;
use carrybit::board::{Board, Game};
use carrybit::engine;
use crossbeam_channel::{Receiver, bounded};
use pgn::replay::{Replay, Step};

use crate::analyst::{Analyst, Evaluation, STRETCH, Study};
use crate::journal::Journal;
use crate::progress::Progress;

/// The plies before a position that may be repeated after it.
const PAST_PLIES: usize = SEVENTY_FIVE_MOVES_PLIES as usize;

/// A part of a game for one analyst.
struct Stretch {
    /// Of its positions, from the one at the beginning of the game on.
    range: Range<usize>,
    /// Stands for everything that the evaluations follow from.
    fingerprint: u64,
}

/// The stretches of a game.
fn stretches(replay: &Replay, study: &Study) -> Vec<Stretch> {
    let mut hasher = DefaultHasher::new();
    let settings = format!("{} {} {study:?}", carrybit::VERSION, engine::own_evaluation());
    (settings, replay.start.fen(true)).hash(&mut hasher);
    // Moves are told by their bits, and no move has those of none.
    let bits = |step: &Step| match step {
        Step::Move(mv) => mv.to_bits(),
        Step::Pass => 0,
    };
    let positions = replay.steps.len() + 1;
    let mut hashed = 0;
    let starts = (0..positions).step_by(STRETCH);
    starts
        .map(|start| {
            let range = start..positions.min(start + STRETCH);
            let played = range.end - 1;
            replay.steps[hashed..played].iter().for_each(|step| bits(step).hash(&mut hasher));
            hashed = played;
            let mut hasher = hasher.clone();
            (start, played).hash(&mut hasher);
            Stretch { range, fingerprint: hasher.finish() }
        })
        .collect()
}

/// The positions of a game in stretches that follow each other.
struct Positions<'a> {
    replay: &'a Replay,
    /// The position after `at` plies, at the beginning of the past that counts.
    board: Board,
    at: usize,
}

impl Positions<'_> {
    fn of(replay: &Replay) -> Positions<'_> {
        Positions { replay, board: replay.start.clone(), at: 0 }
    }

    /// The positions of `range`, each with its [past](PAST_PLIES).
    fn get(&mut self, range: &Range<usize>) -> Vec<Game> {
        let past = range.start.saturating_sub(PAST_PLIES);
        let mut game = Game::new(self.board.clone());
        self.replay.steps[self.at..past].iter().for_each(|step| step.play(&mut game));
        self.board = game.board().clone();
        self.at = past;
        let mut game = Game::new(self.board.clone());
        self.replay.steps[past..range.start].iter().for_each(|step| step.play(&mut game));
        let mut positions = vec![game];
        for step in &self.replay.steps[range.start..range.end - 1] {
            let mut next = positions[positions.len() - 1].clone();
            step.play(&mut next);
            positions.push(next);
        }
        positions
    }
}

/// What the journal says about a game; `None` if it does not know all of it.
///
/// # Errors
/// If the journal cannot be read.
pub fn evaluations(
    replay: &Replay,
    study: &Study,
    journal: &mut Journal,
) -> io::Result<Option<Vec<Evaluation>>> {
    let mut all = Vec::with_capacity(replay.steps.len() + 1);
    for stretch in stretches(replay, study) {
        let Some(found) = journal.get(stretch.fingerprint)? else { return Ok(None) };
        all.extend(found);
    }
    Ok((all.len() == replay.steps.len() + 1).then_some(all))
}

/// How much there is to study.
#[derive(Clone, Copy, Debug, Default)]
pub struct Workload {
    /// Positions that the journal has.
    pub known: usize,
    /// Positions to be studied. Those that several games begin with count for each: a set
    /// of them would take more memory than the games.
    open: usize,
    /// The stretches of these positions.
    stretches: usize,
}

impl Workload {
    /// Adds a game.
    pub fn add(&mut self, replay: &Replay, study: &Study, journal: &Journal) {
        for Stretch { range, fingerprint } in stretches(replay, study) {
            if journal.has(fingerprint) {
                self.known += range.len();
            } else {
                self.open += range.len();
                self.stretches += 1;
            }
        }
    }
}

/// Studies the positions of the games that the journal does not know yet, with `threads`
/// threads in all. The games come one after the other: no more of them than are being
/// studied are held in memory.
///
/// # Errors
/// If the journal cannot be written.
pub fn study(
    replays: impl Iterator<Item = Replay>,
    workload: Workload,
    study: &Study,
    threads: usize,
    journal: &mut Journal,
) -> io::Result<()> {
    let analysts = threads.min(workload.stretches);
    // Cores to spare help within the time; other limits promise the same result everywhere.
    let is_by_time = study.limits.depth.is_none() && study.limits.nodes.is_none();
    let threads_each = if is_by_time && analysts > 0 { threads / analysts } else { 1 };
    let progress = Progress::new(workload.open);
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
        if analysts == 0 {
            return;
        }
        for replay in replays {
            let mut positions = Positions::of(&replay);
            for Stretch { range, fingerprint } in stretches(&replay, study) {
                let is_known = {
                    let minutes = minutes.lock().unwrap_or_else(PoisonError::into_inner);
                    minutes.journal.has(fingerprint)
                };
                if is_known {
                    continue;
                }
                let positions = positions.get(&range);
                if desk.send(Task { positions, fingerprint }).is_err() {
                    // All analysts have ended: the journal cannot be written.
                    return;
                }
            }
        }
    });
    progress.finish();
    minutes.into_inner().unwrap_or_else(PoisonError::into_inner).result
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_of_a_stretch_have_their_past() {
        let text = "1. Nf3 Nf6 2. Ng1 Ng8 ".repeat(100);
        let mut game = pgn::read(&text).remove(0).game.expect("a game");
        let (replay, _) = Replay::new(&mut game, &text).expect("legal moves");
        let mut positions = Positions::of(&replay);
        let mut whole = Game::new(replay.start.clone());
        for start in (0..=replay.steps.len()).step_by(STRETCH) {
            let end = (start + STRETCH).min(replay.steps.len() + 1);
            for (at, position) in (start..end).zip(positions.get(&(start..end))) {
                assert_eq!(position.board(), whole.board());
                assert!(whole.history().ends_with(position.history()));
                assert!(position.history().len() >= at.min(PAST_PLIES));
                assert!(position.history().len() <= PAST_PLIES + STRETCH);
                replay.steps.get(at).iter().for_each(|step| step.play(&mut whole));
            }
        }
    }
}
