//! Positions of search trees, with labels that the searches found.

use std::path::PathBuf;
use std::sync::Arc;

use carrybit::internals::score::Score;
use carrybit::internals::selfplay::SelfPlayer;
use carrybit::{Board, Color, Game};
use carrybit_board::random::{scramble, splitmix64};
use rayon::prelude::*;

use super::GameRecord;
use super::shard::{Shard, Writer};
use crate::error::Error;
use crate::files;
use crate::progress::Progress;
use crate::threads::Threads;
use crate::train::arguments::{SHARES, within};

/// Games searched at a time.
const GAMES_AT_A_TIME: usize = 1024;

/// Positions of games with a larger absolute score, in centipawns, are not searched.
const MAX_ROOT_CP: Score = 600;

/// Positions of trees with a larger label, in centipawns, are left out.
const MAX_LABEL_CP: Score = 1500;

#[derive(Clone, Debug, clap::Args)]
pub struct TreesArguments {
    /// Shards; one position of each game is searched
    #[arg(required = true)]
    pub games: Vec<PathBuf>,

    /// The shard for the positions, which must be new. Keep it out of folders with games, as `train`
    /// would take its positions for these
    #[arg(long, value_name = "SHARD")]
    pub out: PathBuf,

    /// Nodes of each search
    #[arg(long, default_value_t = 5000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub nodes: u64,

    /// The share of the positions of each tree to keep, 0 to 1
    #[arg(long, default_value_t = 0.1, value_parser = within(SHARES))]
    pub share: f64,

    /// Stop when the shard has at least this many positions
    #[arg(long)]
    pub positions: Option<u64>,

    /// Selects the position of each game
    #[arg(long, default_value_t = 1)]
    pub seed: u64,

    /// The network to evaluate with, instead of the engine's own
    #[arg(long, value_name = "FILE")]
    pub net: Option<PathBuf>,

    #[command(flatten)]
    pub threads: Threads,
}

/// Writes the shard.
pub fn make(arguments: &TreesArguments) -> Result<(), Error> {
    arguments.threads.pool()?.install(|| make_in_pool(arguments))
}

fn make_in_pool(arguments: &TreesArguments) -> Result<(), Error> {
    let network = files::load_network(arguments.net.as_deref())?;
    let shards: Vec<Shard> =
        arguments.games.iter().map(|path| Shard::read(path)).collect::<Result<_, _>>()?;
    let mut writer = Writer::open(&arguments.out)?;
    if !writer.is_empty {
        return Err(Error::of(&arguments.out, "the file exists and is not empty"));
    }
    let games: Vec<(&Shard, usize)> = shards
        .iter()
        .flat_map(|shard| (0..shard.games()).map(move |index| (shard, index)))
        .collect();
    let mut progress = Progress::new("Searching", games.len() as u64);
    for (chunk, games) in games.chunks(GAMES_AT_A_TIME).enumerate() {
        let player = || SelfPlayer::new(Arc::clone(&network), Arc::default());
        let found: Result<Vec<_>, Error> = games
            .par_iter()
            .map_init(player, |player, &(shard, index)| {
                Ok(positions(player, &shard.record(index)?, arguments))
            })
            .collect();
        for record in found?.iter().flatten() {
            writer.append(record)?;
        }
        let message = format!("{} positions", writer.games);
        progress.set((chunk * GAMES_AT_A_TIME + games.len()) as u64, message);
        if arguments.positions.is_some_and(|positions| writer.games >= positions) {
            break;
        }
    }
    progress.print(&format!("{} positions", writer.games));
    Ok(())
}

/// Positions of the tree of a search from a random position of a game.
fn positions(
    player: &mut SelfPlayer,
    record: &GameRecord,
    arguments: &TreesArguments,
) -> Vec<GameRecord> {
    if record.moves.is_empty() {
        return Vec::new();
    }
    let random = scramble(record.start.key() ^ splitmix64(arguments.seed));
    let plies = random as usize % record.moves.len();
    let score = record.moves[plies].1;
    if score.abs() > MAX_ROOT_CP {
        return Vec::new();
    }
    let mut game = Game::new(record.start.clone());
    record.moves[..plies].iter().for_each(|&(mv, _)| game.play(mv));
    player.clear();
    let tree = player.tree(&game, arguments.nodes, arguments.share);
    tree.into_iter().filter_map(|(board, label)| one_move_game(board, label)).collect()
}

/// A position with its label as a game of one move; `None` if the label is too large.
fn one_move_game(board: Board, label: Score) -> Option<GameRecord> {
    if label.abs() > MAX_LABEL_CP {
        return None;
    }
    let mv = *board.legal_moves().first()?;
    let white_score = if board.side() == Color::White { label } else { -label };
    Some(GameRecord { start: board, moves: vec![(mv, white_score)], winner: None })
}
