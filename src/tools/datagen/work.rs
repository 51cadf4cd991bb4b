//! Many games at once: players on all threads, and one writer who keeps the order.

use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{RecvTimeoutError, Sender};
use serde::{Deserialize, Serialize};

use crate::eval::nnue::Network;
use crate::eval::{Evaluator, Hce, Nnue};
use crate::search::threads::STACK_BYTES;
use crate::tools::progress::Progress;

use super::shard::{ShardError, Writer};
use super::{DatagenError, Play};
use crate::tools::selfplay::{Player, Record};

/// The writer looks at the clock at least so often.
const POLL: Duration = Duration::from_millis(200);

/// What the games of a shard follow from. Kept beside it as `<shard>.toml`.
#[derive(Clone, Debug, PartialEq, Eq, clap::Args, Serialize, Deserialize)]
pub struct Settings {
    /// The version of the engine that plays.
    #[arg(skip = env!("CARGO_PKG_VERSION"))]
    pub version: String,

    /// What evaluates, in a few words.
    #[arg(skip)]
    pub evaluation: String,

    /// Another seed, other games
    #[arg(long, default_value_t = 1)]
    pub seed: u64,

    /// Nodes for each move: the iteration that exceeds them is the last
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: u64,

    /// Random moves before the first one that is thought about, or one more
    #[arg(long, default_value_t = 8)]
    pub random_plies: usize,
}

impl Settings {
    /// The seed of game number `n`. Seeds of neighbours have nothing in common, by
    /// the finaliser of splitmix64 (Sebastiano Vigna).
    fn game_seed(&self, n: u64) -> u64 {
        let mut z = self.seed.wrapping_mul(0xD134_2543_DE82_EF95) ^ n;
        z = z.wrapping_add(0x9E37_79B9_7F4A_7C15);
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    fn text(&self) -> String {
        toml::to_string(self).expect("settings are plain values")
    }
}

/// Plays games until one of the limits is reached.
///
/// # Errors
/// If no limit is given, if the shard cannot be used or was begun with other
/// settings, or if there is no thread to be had.
pub fn play(play: &Play) -> Result<(), DatagenError> {
    if (play.games, play.positions, play.seconds) == (None, None, None) {
        return Err(DatagenError::NoLimit);
    }
    let network = match &play.net {
        None => Network::embedded(),
        Some(path) => Arc::new(
            Network::load(path)
                .map_err(|source| DatagenError::Network { path: path.clone(), source })?,
        ),
    };
    if play.by_hand { play_with::<Hce>(play, network) } else { play_with::<Nnue>(play, network) }
}

/// Plays with one sort of evaluation.
fn play_with<E: Evaluator>(play: &Play, network: Arc<Network>) -> Result<(), DatagenError> {
    let settings = Settings { evaluation: E::describe(&network), ..play.settings.clone() };
    let writer = Writer::open(&play.shard)?;
    agree_on_settings(&play.shard, &settings)?;
    work::<E>(play, network, writer)
}

/// Writes the settings beside a new shard, and compares them with an old one's.
fn agree_on_settings(shard: &Path, settings: &Settings) -> Result<(), DatagenError> {
    let mut name = shard.to_owned().into_os_string();
    name.push(".toml");
    let path = Path::new(&name);
    let fail = |source| ShardError::File { path: path.to_owned(), source };
    if !path.exists() {
        fs::write(path, settings.text()).map_err(fail)?;
        return Ok(());
    }
    let begun = fs::read_to_string(path).map_err(fail)?;
    if toml::from_str(&begun).ok().as_ref() == Some(settings) {
        return Ok(());
    }
    Err(DatagenError::OtherSettings { shard: shard.to_owned(), begun, asked: settings.text() })
}

/// Has all threads play, and writes what they bring in the order of the games.
fn work<E: Evaluator>(
    play: &Play,
    network: Arc<Network>,
    mut writer: Writer,
) -> Result<(), DatagenError> {
    let threads = play.threads.or_else(|| thread::available_parallelism().ok());
    let threads = threads.map_or(1, NonZeroUsize::get);
    let (next, stop) = (AtomicU64::new(writer.games()), AtomicBool::new(false));
    // A player may wait for the writer, who is never far behind.
    let (sender, receiver) = crossbeam_channel::bounded(threads);
    let mut tally = Tally::new(play, &writer);
    let worked = thread::scope(|scope| {
        for _ in 0..threads {
            let player = Player::<E>::new(Arc::clone(&network), &stop);
            let (sender, next) = (sender.clone(), &next);
            thread::Builder::new()
                .name("player".to_owned())
                .stack_size(STACK_BYTES)
                .spawn_scoped(scope, move || {
                    keep_playing(player, &play.settings, next, &sender);
                })
                .map_err(|error| {
                    stop.store(true, Ordering::Relaxed);
                    DatagenError::Thread(error)
                })?;
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        while !tally.is_done(&writer) {
            match receiver.recv_timeout(POLL) {
                Ok((number, record)) => _ = waiting.insert(number, record),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            while let Some(record) = waiting.remove(&writer.games()) {
                if tally.is_done(&writer) {
                    break;
                }
                writer.append(&record).inspect_err(|_| stop.store(true, Ordering::Relaxed))?;
                tally.show(&writer);
            }
        }
        stop.store(true, Ordering::Relaxed);
        // Whoever waits to hand a game over is to see that.
        drop(receiver);
        Ok(())
    });
    tally.finish(&writer);
    worked
}

/// One thread's work: the next game that nobody plays yet, again and again.
fn keep_playing<E: Evaluator>(
    mut player: Player<'_, E>,
    settings: &Settings,
    next: &AtomicU64,
    sender: &Sender<(u64, Record)>,
) {
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let seed = settings.game_seed(number);
        let Some(record) = player.play(seed, settings.random_plies, settings.nodes) else { return };
        if sender.send((number, record)).is_err() {
            return;
        }
    }
}

/// How far the work has come.
struct Tally<'a> {
    play: &'a Play,
    started: Instant,
    positions_before: u64,
    progress: Progress,
}

impl<'a> Tally<'a> {
    fn new(play: &'a Play, writer: &Writer) -> Tally<'a> {
        let len = play.positions.or(play.games).or(play.seconds);
        let progress = Progress::new("Self-play", len);
        Tally { play, started: Instant::now(), positions_before: writer.positions(), progress }
    }

    fn is_done(&self, writer: &Writer) -> bool {
        self.play.games.is_some_and(|games| writer.games() >= games)
            || self.play.positions.is_some_and(|positions| writer.positions() >= positions)
            || self.play.seconds.is_some_and(|seconds| self.started.elapsed().as_secs() >= seconds)
    }

    fn message(&self, writer: &Writer) -> String {
        let fresh = writer.positions() - self.positions_before;
        let rate = fresh as f64 / self.started.elapsed().as_secs_f64().max(1e-3);
        let (games, positions) = (writer.games(), writer.positions());
        format!("{games} games, {positions} positions, {rate:.0} positions/s")
    }

    fn show(&mut self, writer: &Writer) {
        let steps = match (self.play.positions, self.play.games) {
            (Some(_), _) => writer.positions(),
            (None, Some(_)) => writer.games(),
            (None, None) => self.started.elapsed().as_secs(),
        };
        let message = self.message(writer);
        self.progress.set(steps, || message);
    }

    fn finish(&self, writer: &Writer) {
        self.progress.finish(self.message(writer));
    }
}
