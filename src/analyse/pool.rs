//! Evaluates the positions of many games on all cores and writes them to the journal.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use carrybit_board::Game;
use carrybit_pgn::batch::{Positions, ranges};
use carrybit_pgn::findings::Evaluation;

use crate::eval::nnue::Network;
use crate::search::threads::THREAD_BYTES;
use crate::sys::memory::room_for;

use super::analyst::{Analyst, Settings};
use super::journal::Journal;
use super::progress::Progress;

/// The batches of a game, each with a hash of everything that its evaluations depend on. Of the
/// tables' sizes, the requested one counts: a run can be continued with less memory available.
fn batches(game: &Game, settings: &Settings) -> Vec<(Range<usize>, u64)> {
    let mut hasher = DefaultHasher::new();
    let program = format!("{} {} {settings:?}", crate::VERSION, Network::embedded());
    (program, game.start().shredder_fen()).hash(&mut hasher);
    let mut hashed = 0;
    let fingerprinted = ranges(game).map(|range| {
        let played = range.end - 1;
        game.moves()[hashed..played].iter().for_each(|mv| mv.hash(&mut hasher));
        hashed = played;
        let mut hasher = hasher.clone();
        (range.start, played).hash(&mut hasher);
        (range, hasher.finish())
    });
    fingerprinted.collect()
}

/// The evaluations of a game, after [`evaluate`].
///
/// # Errors
/// If the journal cannot be read or is incomplete.
pub fn evaluations(
    game: &Game,
    settings: &Settings,
    journal: &mut Journal,
) -> io::Result<Vec<Evaluation>> {
    let mut all = Vec::with_capacity(game.moves().len() + 1);
    for (range, fingerprint) in batches(game, settings) {
        let found = journal.get(fingerprint)?.filter(|found| found.len() == range.len());
        all.extend(found.ok_or_else(|| io::Error::other("an evaluation is missing; try again"))?);
    }
    Ok(all)
}

/// The amount of work.
#[derive(Clone, Copy, Debug, Default)]
pub struct Workload {
    /// The number of positions in the journal.
    pub known: usize,
    /// The number of positions to evaluate. A position that several games share counts once per
    /// game: to count it once, all positions would have to be in memory.
    open: usize,
    /// The number of batches of these positions.
    batches: usize,
}

impl Workload {
    /// Adds a game.
    pub fn add(&mut self, game: &Game, settings: &Settings, journal: &Journal) {
        for (range, fingerprint) in batches(game, settings) {
            if journal.has(fingerprint) {
                self.known += range.len();
            } else {
                self.open += range.len();
                self.batches += 1;
            }
        }
    }
}

/// Evaluates the positions that are not in the journal, with `threads` threads in all. Keeps only
/// those games in memory that are being evaluated.
///
/// # Errors
/// If the journal cannot be written.
pub fn evaluate(
    games: impl Iterator<Item = Game> + Send,
    workload: Workload,
    settings: &Settings,
    threads: usize,
    journal: &mut Journal,
) -> io::Result<()> {
    let wanted = threads.min(workload.batches);
    let analysts = room_for(wanted, THREAD_BYTES).max(wanted.min(1));
    // Give spare cores to the searches only if the limit is time: with other limits, the result
    // must not depend on the number of cores.
    let is_by_time = settings.limits.depth.is_none() && settings.limits.nodes.is_none();
    let threads_each = if is_by_time && analysts > 0 { threads / analysts } else { 1 };
    let progress = Progress::new(workload.open);
    if analysts < wanted {
        progress.note(format!("memory for {analysts} of {wanted} threads only"));
    }
    let journal = &Mutex::new(journal);
    let tasks = Mutex::new(games.flat_map(move |game| {
        let mut positions = Positions::new(&game);
        let open = move |batch: &(Range<usize>, u64)| !lock(journal).has(batch.1);
        let batches = batches(&game, settings).into_iter().filter(open);
        batches.map(move |(range, fingerprint)| (positions.get(&game, &range), fingerprint))
    }));
    let printed = Mutex::new(HashSet::new());
    let work = || -> io::Result<()> {
        let (mut analyst, notes) = Analyst::new(settings, threads_each);
        for note in notes {
            // Most threads have the same notes.
            if lock(&printed).insert(note.clone()) {
                progress.note(note);
            }
        }
        loop {
            let Some((positions, fingerprint)) = lock(&tasks).next() else { return Ok(()) };
            let found = analyst.evaluate(&positions, || progress.tick());
            lock(journal).add(fingerprint, found)?;
        }
    };
    let result = thread::scope(|scope| {
        // Fewer threads do, if the system refuses some.
        let spawn = |_| thread::Builder::new().spawn_scoped(scope, work);
        let workers: Vec<_> = (1..analysts).map_while(|at| spawn(at).ok()).collect();
        let own = if analysts > 0 { work() } else { Ok(()) };
        let results = workers
            .into_iter()
            .map(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic)));
        results.collect::<Vec<_>>().into_iter().fold(own, io::Result::and)
    });
    progress.finish();
    result
}

/// Ignores poisoning: a panicking thread leaves consistent data.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
