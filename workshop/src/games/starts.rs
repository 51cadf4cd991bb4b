//! Start positions from earlier games. They lead to other middlegames than random moves from
//! the initial position. (Stockfish's trainers found that it helps to train on
//! positions outside the lines that the engine chooses.)

use std::ops::RangeInclusive;
use std::path::PathBuf;

use carrybit::internals::random::scramble;
use carrybit::{Board, Game};
use fastrand::Rng;

use super::shard::{Shard, ShardError};

/// The plies of a game from which positions are drawn.
const PLIES: RangeInclusive<usize> = 16..=60;

/// Shards of earlier games.
pub struct Starts {
    shards: Vec<Shard>,
    fingerprint: u64,
}

impl Starts {
    pub fn read(paths: &[PathBuf]) -> Result<Starts, ShardError> {
        let mut starts = Starts { shards: Vec::new(), fingerprint: 0 };
        for path in paths {
            let shard = Shard::read(path)?;
            if shard.games() == 0 {
                return Err(ShardError::Empty(path.clone()));
            }
            for index in 0..shard.games() {
                shard.record(index)?;
                let checksum = crc32fast::hash(shard.raw(index));
                starts.fingerprint = scramble(starts.fingerprint ^ u64::from(checksum));
            }
            starts.shards.push(shard);
        }
        Ok(starts)
    }

    /// Describes the games, with a fingerprint; stored in the settings of a shard.
    pub fn name(&self) -> String {
        let games: usize = self.shards.iter().map(Shard::games).sum();
        format!("half from positions of {games} games ({:016x})", self.fingerprint)
    }

    /// A random position of a random game.
    ///
    /// # Panics
    /// If there are no games.
    pub fn draw(&self, rng: &mut Rng) -> Board {
        let shard = &self.shards[rng.usize(..self.shards.len())];
        let record = shard.record(rng.usize(..shard.games())).expect("a game that was read before");
        let plies = rng.usize(PLIES).min(record.moves.len().saturating_sub(1));
        let mut game = Game::new(record.start);
        for (mv, _) in record.moves.into_iter().take(plies) {
            game.play(mv);
        }
        game.board().clone()
    }
}
