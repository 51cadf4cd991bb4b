//! What the program can be asked to do.

use std::io::{self, ErrorKind, Write};

use crate::games::error::GamesError;
use crate::games::from_pgn::{self, FromPgnArguments};
use crate::games::play::{self, PlayArguments};
use crate::games::stats::{self, StatsArguments};
use crate::games::to_pgn::{self, ToPgnArguments};
use crate::progress::tell;
use crate::threads::ThreadsError;
use crate::train::arguments::TrainArguments;
use crate::train::average::{self, AverageArguments};
use crate::train::bench::{self, BenchArguments};
use crate::train::rescale::{self, RescaleArguments};
use crate::train::run::{self, TrainError};

/// Makes Carrybit's networks: plays games of the engine against itself, and learns from
/// them.
#[derive(Clone, Debug, clap::Parser)]
#[command(version = carrybit::VERSION)]
pub struct Arguments {
    /// What to do
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommand.
#[derive(Clone, Debug, clap::Subcommand)]
pub enum Command {
    /// Play games and append them to a shard until a limit is reached
    Play(PlayArguments),
    /// Check shards, and show what is in them
    Stats(StatsArguments),
    /// Make a shard of games played elsewhere, from PGN with scores in the comments
    ///
    /// The scores stand behind the moves as fastchess, cutechess and with them OpenBench
    /// write them: {+0.35/12 0.051s}, in pawns from the mover's view, or {+M5/12} for a mate
    /// in five plies. Games begin behind the last move without a score. Unfinished games
    /// (*) are left out, and so are those lost on time, by a crash or by an illegal move (whose
    /// tag Termination is neither normal nor adjudication); other results are taken as they
    /// are. Chess960 is understood.
    ///
    /// Each move is checked. What is wrong is told with file, game and move, and then no
    /// shard is written. Of packed files only gzip is read; /dev/stdin takes the output of bzip2 -dc.
    FromPgn(FromPgnArguments),
    /// Write the games of a shard as PGN, with scores in the comments
    ToPgn(ToPgnArguments),
    /// Train a network on games
    ///
    /// Games are files of the crate viriformat, or folders of such files (*.vf). The
    /// folder given by --out gets net.nnue (for the engine's EvalFile), losses.csv,
    /// losses.svg, summary.txt, and a checkpoint from which --resume goes on.
    Train(TrainArguments),
    /// Take the mean of networks whose trainings began with the same one
    Average(AverageArguments),
    /// Put a network on the scale of another one, so that the margins of the search fit it
    Rescale(RescaleArguments),
    /// Measure how fast training is, on positions made up
    Bench(BenchArguments),
}

/// Why something could not be done.
#[derive(Debug, thiserror::Error)]
pub enum WorkshopError {
    /// Games could not be played, read or looked at.
    #[error(transparent)]
    Games(#[from] GamesError),
    /// No network could be trained.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// There are no threads to work on.
    #[error(transparent)]
    Threads(#[from] ThreadsError),
}

impl WorkshopError {
    /// Whether it is only that whoever listened has heard enough.
    #[must_use]
    pub fn is_broken_pipe(&self) -> bool {
        let is_broken = |error: &io::Error| error.kind() == ErrorKind::BrokenPipe;
        matches!(self, WorkshopError::Games(GamesError::Output(error)) if is_broken(error))
    }
}

impl Command {
    /// Whether the options make sense together.
    ///
    /// # Errors
    /// If they do not: what is wrong.
    pub fn check(&self) -> Result<(), String> {
        match self {
            Command::Train(arguments) => arguments.check(),
            _ => Ok(()),
        }
    }

    /// Does it; what there is to tell goes to `out`, progress to standard error.
    ///
    /// # Errors
    /// If it cannot be done.
    pub fn run(&self, out: &mut impl Write) -> Result<(), WorkshopError> {
        match self {
            Command::Play(arguments) => play::play(arguments)?,
            Command::Stats(arguments) => stats::show(arguments, out)?,
            Command::FromPgn(arguments) => from_pgn::convert(arguments, out)?,
            Command::ToPgn(arguments) => to_pgn::write(arguments, out)?,
            Command::Train(arguments) => run::run(arguments)?,
            Command::Average(arguments) => average::run(arguments, tell)?,
            Command::Rescale(arguments) => rescale::run(arguments, tell)?,
            Command::Bench(arguments) => bench::run(arguments, tell)?,
        }
        Ok(())
    }
}
