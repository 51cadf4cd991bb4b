//! Plays many games at once: one player per thread, and one writer that keeps the order.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};

use carrybit::internals::search::threads::STACK_BYTES;
use carrybit::internals::selfplay::{OpeningError, SelfPlayer};

use super::GameRecord;
use super::random_game::{self, play_random_game};
use super::selfplay::{play_game, rules};
use super::settings::{ShardSettings, settings_path, signature};
use super::shard::{Writer, encode};
use crate::error::Error;
use crate::files;
use crate::progress::Progress;
use crate::threads::Threads;

/// The longest time between two checks of the limits.
const POLL: Duration = Duration::from_millis(200);

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

    #[command(flatten)]
    pub threads: Threads,

    /// Play random moves and label each position with its material, without a search: the
    /// games that the first network is trained on
    #[arg(long, conflicts_with_all = ["net", "nodes", "random_plies", "chess960"])]
    pub random: bool,

    /// The network to evaluate with, instead of the engine's own
    #[arg(long, value_name = "FILE")]
    pub net: Option<PathBuf>,

    #[command(flatten)]
    pub settings: ShardSettings,
}

/// Plays games until one of the limits is reached.
pub fn play(arguments: &PlayArguments) -> Result<(), Error> {
    if (arguments.games, arguments.positions, arguments.seconds) == (None, None, None) {
        let problem = "a limit is missing: --games, --positions or --seconds";
        return Err(Error::Refused(problem.to_owned()));
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
    let network = files::load_network(arguments.net.as_deref())?;
    let settings = ShardSettings {
        evaluation: network.to_string(),
        rules: rules(),
        signature: signature(&mut SelfPlayer::new(Arc::clone(&network), Arc::default()))
            .map_err(no_opening)?,
        ..arguments.settings.clone()
    };
    let writer = open(&arguments.shard, &settings)?;
    let ShardSettings { random_plies, chess960, nodes, .. } = settings;
    work(arguments, writer, |stop| {
        let mut player = SelfPlayer::new(Arc::clone(&network), stop);
        move |seed| play_game(&mut player, seed, random_plies as usize, chess960, nodes)
    })
}

fn no_opening(_: OpeningError) -> Error {
    Error::Refused("found no playable opening: try fewer --random-plies".to_owned())
}

/// Opens a shard, and writes its settings if it is new.
fn open(shard: &Path, settings: &ShardSettings) -> Result<Writer, Error> {
    let begun = ShardSettings::read(shard)?;
    let writer = Writer::open(shard)?;
    match begun {
        Some(begun) if writer.games > 0 => begun.check(settings, shard)?,
        None if !writer.is_empty => {
            let path = settings_path(shard);
            let problem = format!("not empty, but its settings are missing: {}", path.display());
            return Err(Error::of(shard, problem));
        }
        _ => settings.write(shard)?,
    }
    Ok(writer)
}

/// Plays on all threads and writes the games in the order of their numbers. A player plays
/// the game of a seed; the flag passed to `new_player` stops it.
fn work<P>(
    arguments: &PlayArguments,
    writer: Writer,
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
    let mut session = Session::new(arguments, writer);
    let worked = thread::scope(|scope| {
        let mut players = Vec::new();
        for _ in 0..threads {
            let mut player = new_player(Arc::clone(&stop));
            let (sender, next) = (sender.clone(), &next);
            let spawned = thread::Builder::new()
                .name("player".to_owned())
                .stack_size(STACK_BYTES)
                .spawn_scoped(scope, move || {
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        let played = player(arguments.settings.game_seed(number));
                        let is_stopped = played == Err(OpeningError::Stopped);
                        if is_stopped || sender.send((number, played)).is_err() {
                            return;
                        }
                    }
                });
            let fail = |error| Error::Refused(format!("cannot start a thread: {error}"));
            players.push(spawned.map_err(fail).inspect_err(|_| halt())?);
        }
        let (mut waiting, mut written) = (BTreeMap::new(), Ok(()));
        // A player that ended before the stop flag was set has panicked; `scope` panics too.
        while written.is_ok()
            && !session.is_done()
            && !players.iter().any(ScopedJoinHandle::is_finished)
        {
            match receiver.recv_timeout(POLL) {
                Ok((number, Ok(record))) => _ = waiting.insert(number, record),
                Ok((_, Err(error))) => written = Err(no_opening(error)),
                Err(_) => {}
            }
            while written.is_ok()
                && !session.is_done()
                && let Some(record) = waiting.remove(&session.writer.games)
            {
                written = session.append(&record);
            }
        }
        halt();
        // Wakes the players blocked in `send`.
        drop(receiver);
        written
    });
    session.bar.print(&session.message());
    worked
}

/// The shard with its limits and the progress bar.
struct Session<'a> {
    arguments: &'a PlayArguments,
    writer: Writer,
    started: Instant,
    positions_before: u64,
    bar: Progress,
}

impl<'a> Session<'a> {
    fn new(arguments: &'a PlayArguments, writer: Writer) -> Session<'a> {
        let PlayArguments { games, positions, seconds, .. } = *arguments;
        let len = positions.or(games).or(seconds).unwrap_or(0);
        let mut session = Session {
            arguments,
            started: Instant::now(),
            positions_before: writer.positions,
            bar: Progress::new("Self-play", len),
            writer,
        };
        session.bar.start_at(session.steps());
        session
    }

    fn append(&mut self, record: &GameRecord) -> Result<(), Error> {
        self.writer.append(record)?;
        self.bar.set(self.steps(), self.message());
        Ok(())
    }

    fn is_done(&self) -> bool {
        let PlayArguments { games, positions, seconds, .. } = self.arguments;
        games.is_some_and(|games| self.writer.games >= games)
            || positions.is_some_and(|positions| self.writer.positions >= positions)
            || seconds.is_some_and(|seconds| self.started.elapsed().as_secs() >= seconds)
    }

    fn message(&self) -> String {
        let Writer { games, positions, .. } = self.writer;
        let fresh = positions - self.positions_before;
        let rate = fresh as f64 / self.started.elapsed().as_secs_f64().max(1e-3);
        format!("{games} games, {positions} positions, {rate:.0} positions/s")
    }

    fn steps(&self) -> u64 {
        match (self.arguments.positions, self.arguments.games) {
            (Some(_), _) => self.writer.positions,
            (None, Some(_)) => self.writer.games,
            (None, None) => self.started.elapsed().as_secs(),
        }
    }
}
