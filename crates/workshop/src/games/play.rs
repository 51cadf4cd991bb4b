//! Plays many games at once: one player per thread, and one writer that keeps the order.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};

use carrybit::internals::eval::nnue::Network;
use carrybit::internals::search::threads::STACK_BYTES;
use carrybit::internals::selfplay::{OpeningError, SelfPlayer};
use crossbeam_channel::Sender;

use super::random_game::{self, play_random_game};
use super::record::GameRecord;
use super::selfplay::{play_game, rules};
use super::settings::{ShardSettings, signature};
use super::shard::{Writer, encode};
use crate::error::Error;
use crate::progress::Progress;
use crate::threads::Threads;

/// The longest time between two checks of the limits.
const POLL: Duration = Duration::from_millis(200);

/// How to play.
#[derive(Clone, Debug, clap::Args)]
pub struct PlayArguments {
    /// The shard; if it exists, its settings must be the same
    pub shard: PathBuf,

    /// Stop when the shard has this many games
    #[arg(long)]
    pub games: Option<u64>,

    /// Stop when the shard has this many positions
    #[arg(long)]
    pub positions: Option<u64>,

    /// Stop after this time
    #[arg(long)]
    pub seconds: Option<u64>,

    /// The number of games played at once
    #[command(flatten)]
    pub threads: Threads,

    /// Play random moves and label each position with its material, without a search: the
    /// games that the first network is trained on
    #[arg(long, conflicts_with_all = ["net", "nodes", "random_plies"])]
    pub random: bool,

    /// The network to evaluate with, instead of the engine's own
    #[arg(long, value_name = "FILE")]
    pub net: Option<PathBuf>,

    /// The settings of the games
    #[command(flatten)]
    pub settings: ShardSettings,
}

/// Plays games until one of the limits is reached.
pub fn play(arguments: &PlayArguments) -> Result<(), Error> {
    if (arguments.games, arguments.positions, arguments.seconds) == (None, None, None) {
        return Err(Error::NoLimit);
    }
    if arguments.random {
        let settings = ShardSettings {
            evaluation: "material, random moves".to_owned(),
            rules: random_game::rules(),
            signature: crc32fast::hash(&encode(&play_random_game(0))),
            nodes: 0,
            random_plies: 0,
            ..arguments.settings.clone()
        };
        let writer = open(&arguments.shard, &settings)?;
        return work(arguments, writer, |_| |seed| Ok(play_random_game(seed)));
    }
    let network = match &arguments.net {
        None => Network::embedded(),
        Some(path) => Arc::new(Network::load(path).map_err(Error::at(path))?),
    };
    let settings = ShardSettings {
        evaluation: network.to_string(),
        rules: rules(),
        signature: signature(&mut SelfPlayer::new(Arc::clone(&network), Arc::default()))?,
        ..arguments.settings.clone()
    };
    let writer = open(&arguments.shard, &settings)?;
    let (plies, nodes) = (settings.random_plies as usize, settings.nodes);
    work(arguments, writer, |stop| {
        let mut player = SelfPlayer::new(Arc::clone(&network), stop);
        move |seed| play_game(&mut player, seed, plies, nodes)
    })
}

/// Opens a shard, and writes its settings if it is new.
fn open(shard: &Path, settings: &ShardSettings) -> Result<Writer, Error> {
    let begun = ShardSettings::read(shard)?;
    let writer = Writer::open(shard)?;
    match begun {
        Some(begun) if writer.games > 0 => begun.check(settings, shard)?,
        None if !writer.is_empty => return Err(Error::NoSettings(shard.to_owned())),
        _ => settings.write(shard)?,
    }
    Ok(writer)
}

/// Plays on all threads and writes the games in the order of their numbers. A player plays
/// the game of a seed; the flag passed to `new_player` stops it.
fn work<P>(
    arguments: &PlayArguments,
    mut writer: Writer,
    new_player: impl Fn(Arc<AtomicBool>) -> P,
) -> Result<(), Error>
where
    P: FnMut(u64) -> Result<GameRecord, OpeningError> + Send,
{
    let threads = arguments.threads.count();
    let (next, stop) = (AtomicU64::new(writer.games), Arc::new(AtomicBool::new(false)));
    let halt = || stop.store(true, Ordering::Relaxed);
    // The bound makes players wait for a slow writer.
    let (sender, receiver) = crossbeam_channel::bounded(threads);
    let mut progress = PlayProgress::new(arguments, &writer);
    let worked = thread::scope(|scope| {
        let mut players = Vec::new();
        for _ in 0..threads {
            let player = new_player(Arc::clone(&stop));
            let (sender, next) = (sender.clone(), &next);
            let spawned = thread::Builder::new()
                .name("player".to_owned())
                .stack_size(STACK_BYTES)
                .spawn_scoped(scope, move || {
                    keep_playing(player, &arguments.settings, next, &sender);
                });
            players.push(spawned.map_err(Error::Thread).inspect_err(|_| halt())?);
        }
        let mut waiting = BTreeMap::new();
        let written = loop {
            // A player that ended before the stop flag was set has panicked; `scope` panics too.
            if progress.is_done(&writer) || players.iter().any(ScopedJoinHandle::is_finished) {
                break Ok(());
            }
            match receiver.recv_timeout(POLL) {
                Ok((number, Ok(record))) => _ = waiting.insert(number, record),
                Ok((_, Err(_))) => break Err(Error::NoOpening),
                Err(_) => {}
            }
            if let Err(error) = write_in_order(&mut waiting, &mut writer, &mut progress) {
                break Err(error);
            }
        };
        halt();
        // Wakes the players blocked in `send`.
        drop(receiver);
        written
    });
    progress.bar.finish(progress.message(&writer));
    worked
}

/// Writes the waiting games up to the first number that is missing.
fn write_in_order(
    waiting: &mut BTreeMap<u64, GameRecord>,
    writer: &mut Writer,
    progress: &mut PlayProgress<'_>,
) -> Result<(), Error> {
    while !progress.is_done(writer)
        && let Some(record) = waiting.remove(&writer.games)
    {
        writer.append(&record)?;
        progress.bar.set(progress.steps(writer), progress.message(writer));
    }
    Ok(())
}

/// The work of one thread: claims the next game number and plays that game, repeatedly.
fn keep_playing(
    mut player: impl FnMut(u64) -> Result<GameRecord, OpeningError>,
    settings: &ShardSettings,
    next: &AtomicU64,
    sender: &Sender<(u64, Result<GameRecord, OpeningError>)>,
) {
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let played = player(settings.game_seed(number));
        if played == Err(OpeningError::Stopped) || sender.send((number, played)).is_err() {
            return;
        }
    }
}

/// The limits and the progress bar.
struct PlayProgress<'a> {
    arguments: &'a PlayArguments,
    started: Instant,
    positions_before: u64,
    bar: Progress,
}

impl<'a> PlayProgress<'a> {
    fn new(arguments: &'a PlayArguments, writer: &Writer) -> PlayProgress<'a> {
        let len = arguments.positions.or(arguments.games).or(arguments.seconds);
        let mut progress = PlayProgress {
            arguments,
            started: Instant::now(),
            positions_before: writer.positions,
            bar: Progress::new("Self-play", len),
        };
        progress.bar.start_at(progress.steps(writer));
        progress
    }

    fn is_done(&self, writer: &Writer) -> bool {
        let PlayArguments { games, positions, seconds, .. } = self.arguments;
        games.is_some_and(|games| writer.games >= games)
            || positions.is_some_and(|positions| writer.positions >= positions)
            || seconds.is_some_and(|seconds| self.started.elapsed().as_secs() >= seconds)
    }

    fn message(&self, writer: &Writer) -> String {
        let fresh = writer.positions - self.positions_before;
        let rate = fresh as f64 / self.started.elapsed().as_secs_f64().max(1e-3);
        let (games, positions) = (writer.games, writer.positions);
        format!("{games} games, {positions} positions, {rate:.0} positions/s")
    }

    fn steps(&self, writer: &Writer) -> u64 {
        match (self.arguments.positions, self.arguments.games) {
            (Some(_), _) => writer.positions,
            (None, Some(_)) => writer.games,
            (None, None) => self.started.elapsed().as_secs(),
        }
    }
}
