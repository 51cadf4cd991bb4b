//! Many games at once: players on all threads, and one writer who keeps the order.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};

use crossbeam_channel::Sender;
use serde::{Deserialize, Serialize};

use crate::board::splitmix64;
use crate::eval::nnue::Network;
use crate::eval::{Evaluator, Hce, Nnue};
use crate::search::threads::STACK_BYTES;
use crate::tools::progress::Progress;
use crate::tools::replace_file;
use crate::tools::selfplay::opening::Unplayed;
use crate::tools::selfplay::{self, Player, Record};

use super::shard::{ShardError, Writer, encode};
use super::{DatagenError, Play};

/// The writer looks at the clock at least so often.
const POLL: Duration = Duration::from_millis(200);

/// The most nodes for each move that can be asked for.
const MAX_NODES: u64 = 1_000_000_000;
/// The most random moves that can be asked for.
const MAX_RANDOM_PLIES: u64 = 100;

/// How deep the search is that counts towards the signature, in plies.
const SIGNATURE_DEPTH: i32 = 9;
/// So many games count towards it,
const SIGNATURE_GAMES: u64 = 3;
/// begun with so many random moves or one more,
const SIGNATURE_PLIES: usize = 8;
/// with so many nodes for each move.
const SIGNATURE_NODES: u64 = 50;

/// What the games of a shard follow from. Kept beside it as `<shard>.toml`.
#[derive(Clone, Debug, PartialEq, Eq, clap::Args, Serialize, Deserialize)]
pub struct Settings {
    /// The version of the engine that plays.
    #[arg(skip = env!("CARGO_PKG_VERSION"))]
    pub version: String,

    /// What evaluates, in a few words.
    #[arg(skip)]
    pub evaluation: String,

    /// What is settled about every game, in words.
    #[arg(skip)]
    pub rules: String,

    /// A checksum of a search and some games: other play, another number.
    #[arg(skip)]
    pub signature: u32,

    /// Another seed, other games
    #[arg(long, default_value_t = 1)]
    pub seed: u64,

    /// Nodes for each move: the iteration that exceeds them is the last
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=MAX_NODES))]
    pub nodes: u64,

    /// Random moves before the first one that is thought about, or one more
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u64).range(..=MAX_RANDOM_PLIES))]
    pub random_plies: u64,
}

impl Settings {
    /// The seed of game number `n`.
    fn game_seed(&self, n: u64) -> u64 {
        splitmix64(splitmix64(self.seed) ^ n)
    }

    /// Whether these, with which a shard was begun, are those asked for.
    fn check(&self, asked: &Settings, shard: &Path) -> Result<(), DatagenError> {
        if self == asked {
            return Ok(());
        }
        let [begun, asked] = [self, asked].map(Settings::text);
        Err(DatagenError::OtherSettings { shard: shard.to_owned(), begun, asked })
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
    let settings = Settings {
        evaluation: E::describe(&network),
        rules: selfplay::rules(),
        signature: signature::<E>(&network)?,
        ..play.settings.clone()
    };
    let mut path = play.shard.clone().into_os_string();
    path.push(".toml");
    let path = PathBuf::from(path);
    let begun = read_settings(&path)?;
    let writer = Writer::open(&play.shard)?;
    match begun {
        Some(begun) if writer.games() > 0 => begun.check(&settings, &play.shard)?,
        None if !writer.is_empty() => return Err(DatagenError::NoSettings(play.shard.clone())),
        _ => replace_file(&path, settings.text().as_bytes())
            .map_err(|source| ShardError::File { path, source })?,
    }
    work::<E>(play, network, writer)
}

/// What tells one way of playing from another.
fn signature<E: Evaluator>(network: &Arc<Network>) -> Result<u32, DatagenError> {
    let mut player = Player::<E>::new(Arc::clone(network), Arc::default());
    let mut bytes = player.count_nodes(SIGNATURE_DEPTH).to_le_bytes().to_vec();
    for seed in 0..SIGNATURE_GAMES {
        let played = player.play(seed, SIGNATURE_PLIES, SIGNATURE_NODES);
        bytes.extend(encode(&played.map_err(|_| DatagenError::NoOpening)?));
    }
    Ok(crc32fast::hash(&bytes))
}

/// The settings beside a shard; none if the file is missing or empty.
fn read_settings(path: &Path) -> Result<Option<Settings>, DatagenError> {
    let text = match fs::read_to_string(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(ShardError::File { path: path.to_owned(), source }.into()),
        Ok(text) if text.is_empty() => return Ok(None),
        Ok(text) => text,
    };
    toml::from_str(&text).map(Some).map_err(|_| DatagenError::ForeignSettings(path.to_owned()))
}

/// Has all threads play, and writes what they bring in the order of the games.
fn work<E: Evaluator>(
    play: &Play,
    network: Arc<Network>,
    mut writer: Writer,
) -> Result<(), DatagenError> {
    let processors = || thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let threads = play.threads.map_or_else(processors, |threads| threads as usize);
    let (next, stop) = (AtomicU64::new(writer.games()), Arc::new(AtomicBool::new(false)));
    // A player may wait for the writer, who is never far behind.
    let (sender, receiver) = crossbeam_channel::bounded(threads);
    let mut tally = Tally::new(play, &writer);
    let worked = thread::scope(|scope| {
        let mut players = Vec::new();
        for _ in 0..threads {
            let player = Player::<E>::new(Arc::clone(&network), Arc::clone(&stop));
            let (sender, next) = (sender.clone(), &next);
            let spawned = thread::Builder::new()
                .name("player".to_owned())
                .stack_size(STACK_BYTES)
                .spawn_scoped(scope, move || keep_playing(player, &play.settings, next, &sender));
            players.push(spawned.map_err(DatagenError::Thread).inspect_err(|_| halt(&stop))?);
        }
        let mut waiting = BTreeMap::new();
        let written = loop {
            // A player who leaves on his own has panicked: the scope will say so.
            if tally.is_done(&writer) || players.iter().any(ScopedJoinHandle::is_finished) {
                break Ok(());
            }
            match receiver.recv_timeout(POLL) {
                Ok((number, Ok(record))) => _ = waiting.insert(number, record),
                Ok((_, Err(_))) => break Err(DatagenError::NoOpening),
                Err(_) => {}
            }
            if let Err(error) = write_what_is_next(&mut waiting, &mut writer, &mut tally) {
                break Err(error.into());
            }
        };
        halt(&stop);
        // Whoever waits to hand a game over is to see that.
        drop(receiver);
        written
    });
    tally.finish(&writer);
    worked
}

fn halt(stop: &AtomicBool) {
    stop.store(true, Ordering::Relaxed);
}

/// Writes the games that have come, as far as none is missing between them.
fn write_what_is_next(
    waiting: &mut BTreeMap<u64, Record>,
    writer: &mut Writer,
    tally: &mut Tally<'_>,
) -> Result<(), ShardError> {
    while !tally.is_done(writer)
        && let Some(record) = waiting.remove(&writer.games())
    {
        writer.append(&record)?;
        tally.show(writer);
    }
    Ok(())
}

/// One thread's work: the next game that nobody plays yet, again and again.
fn keep_playing<E: Evaluator>(
    mut player: Player<E>,
    settings: &Settings,
    next: &AtomicU64,
    sender: &Sender<(u64, Result<Record, Unplayed>)>,
) {
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let seed = settings.game_seed(number);
        let played = player.play(seed, settings.random_plies as usize, settings.nodes);
        if played == Err(Unplayed::Stopped) || sender.send((number, played)).is_err() {
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
        let mut tally = Tally {
            play,
            started: Instant::now(),
            positions_before: writer.positions(),
            progress: Progress::new("Self-play", len),
        };
        tally.progress.start_at(tally.steps(writer));
        tally
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

    fn steps(&self, writer: &Writer) -> u64 {
        match (self.play.positions, self.play.games) {
            (Some(_), _) => writer.positions(),
            (None, Some(_)) => writer.games(),
            (None, None) => self.started.elapsed().as_secs(),
        }
    }

    fn show(&mut self, writer: &Writer) {
        let (steps, message) = (self.steps(writer), self.message(writer));
        self.progress.set(steps, message);
    }

    fn finish(&self, writer: &Writer) {
        self.progress.finish(self.message(writer));
    }
}
