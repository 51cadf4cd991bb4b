//! Statistics of shards: games, results, scores, and repeated positions. Every move is
//! replayed, so statistics also validate a shard.

use std::collections::{BTreeMap, HashSet};
use std::io::Write;
use std::path::PathBuf;

use carrybit::internals::score::{self, Score};
use carrybit::{Color, Game};

use super::shard::Shard;
use super::{GameRecord, is_quiet};
use crate::error::Error;

/// The width of a bar of the scores, in centipawns.
const SCORE_STEP_CP: Score = 100;
/// Larger scores of either sign belong to the first or last bar.
const SCORE_END_CP: Score = 2500;
/// The longest bar on a terminal, in characters.
const BAR_CHARACTERS: usize = 40;

#[derive(Clone, Debug, clap::Args)]
pub struct StatsArguments {
    /// The shards
    #[arg(required = true)]
    pub shards: Vec<PathBuf>,
}

#[derive(Default)]
struct Statistics {
    games: usize,
    /// Wins of White, draws, wins of Black.
    results: [usize; 3],
    positions: usize,
    quiet: usize,
    /// Positions with a mate score.
    mates: usize,
    /// Positions that occurred before, in any game.
    repeated: usize,
    /// Games with the first position of an earlier game.
    repeated_starts: usize,
    /// Positions by score, from White's view, each counted at the lower end of its bar.
    scores: BTreeMap<Score, usize>,
    seen: HashSet<u64>,
    seen_starts: HashSet<u64>,
}

impl Statistics {
    fn count(&mut self, record: GameRecord) {
        self.games += 1;
        self.results[match record.winner {
            Some(Color::White) => 0,
            None => 1,
            Some(Color::Black) => 2,
        }] += 1;
        self.repeated_starts += usize::from(!self.seen_starts.insert(record.start.key()));
        let mut game = Game::new(record.start);
        for (mv, score) in record.moves {
            let board = game.board();
            self.positions += 1;
            self.quiet += usize::from(is_quiet(board, mv));
            self.mates += usize::from(score::is_mate(score));
            self.repeated += usize::from(!self.seen.insert(board.key()));
            let bar = score.clamp(-SCORE_END_CP, SCORE_END_CP - 1).div_euclid(SCORE_STEP_CP);
            *self.scores.entry(bar * SCORE_STEP_CP).or_default() += 1;
            game.play(mv);
        }
    }

    fn write(&self, out: &mut impl Write) -> std::io::Result<()> {
        let share = |part: usize, of: usize| 100.0 * part as f64 / of.max(1) as f64;
        let line =
            |name: &str, part, of| format!("{name:<22}{part:>12}  {:6.2} %", share(part, of));
        let [white, draws, black] = self.results;
        writeln!(out, "{:<22}{:>12}", "games", self.games)?;
        writeln!(out, "{}", line("  won by White", white, self.games))?;
        writeln!(out, "{}", line("  drawn", draws, self.games))?;
        writeln!(out, "{}", line("  won by Black", black, self.games))?;
        writeln!(out, "{}", line("  from a known start", self.repeated_starts, self.games))?;
        writeln!(out, "{:<22}{:>12}", "positions", self.positions)?;
        writeln!(out, "{}", line("  quiet", self.quiet, self.positions))?;
        writeln!(out, "{}", line("  with a mate in sight", self.mates, self.positions))?;
        writeln!(out, "{}", line("  seen before", self.repeated, self.positions))?;
        let length = self.positions as f64 / self.games.max(1) as f64;
        writeln!(out, "{:<22}{length:>12.1}", "plies for each game")?;
        writeln!(out, "positions by White's score")?;
        let highest = self.scores.values().copied().max().unwrap_or(1);
        for (score, &count) in &self.scores {
            let name = format!("  from {score} cp");
            let length = (count * BAR_CHARACTERS).div_ceil(highest);
            writeln!(out, "{}  {}", line(&name, count, self.positions), "#".repeat(length))?;
        }
        Ok(())
    }
}

/// Replays all games of all shards, and prints their statistics.
pub fn show(arguments: &StatsArguments, out: &mut impl Write) -> Result<(), Error> {
    let mut statistics = Statistics::default();
    for path in &arguments.shards {
        for record in Shard::read(path)?.records() {
            statistics.count(record?);
        }
    }
    Ok(statistics.write(out)?)
}
