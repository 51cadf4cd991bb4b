//! The command line.

use std::io::Write;

use crate::error::Error;
use crate::games::from_pgn::{self, FromPgnArguments};
use crate::games::play::{self, PlayArguments};
use crate::games::stats::{self, StatsArguments};
use crate::games::to_pgn::{self, ToPgnArguments};
use crate::games::trees::{self, TreesArguments};
use crate::train::arguments::TrainArguments;
use crate::train::convert::{self, ConvertArguments};
use crate::train::mean::{self, MeanArguments};
use crate::train::rescale::{self, RescaleArguments};
use crate::train::run;
use crate::train::search_error::{self, SearchErrorArguments};

/// Makes Carrybit's networks: plays games of the engine against itself and trains on them.
#[derive(Clone, Debug, clap::Parser)]
#[command(version = carrybit::VERSION)]
pub struct Arguments {
    /// The command
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommand.
#[derive(Clone, Debug, clap::Subcommand)]
pub enum Command {
    /// Play games and append them to a shard until a limit is reached
    Play(PlayArguments),
    /// Check shards, and print and draw their statistics
    Stats(StatsArguments),
    /// Make a shard of games played elsewhere, from PGN with scores in the comments
    ///
    /// Scores follow the moves as fastchess, cutechess and OpenBench write them:
    /// {+0.35/12 0.051s}, in pawns from the mover's view, or {+M5/12} for a mate in five
    /// plies. A game begins after its last move without a score. Unfinished games (*) are
    /// skipped, and so are games lost on time, by a crash or by an illegal move (the tag
    /// Termination is neither normal nor adjudication); other results are used unchanged.
    /// Chess960 is supported.
    ///
    /// Every move is checked. If one is illegal, the error names the file, the game and the move,
    /// and no shard is written. The only compressed format is gzip; /dev/stdin reads the output
    /// of bzip2 -dc.
    FromPgn(FromPgnArguments),
    /// Write the games of a shard as PGN, with scores in the comments
    ToPgn(ToPgnArguments),
    /// Search a position of each game, and make a shard of positions of the trees, with labels
    ///
    /// A network learns from good games, but is used in search trees, whose positions differ: train
    /// on both, by the option --trees of train. Each position of the shard is a game of one move,
    /// any legal one.
    Trees(TreesArguments),
    /// Train a network on games
    ///
    /// Games are shards, or folders of shards (*.vf). The folder --out receives net.nnue (for
    /// the engine's EvalFile), losses.csv, and a checkpoint from which --resume continues: all
    /// after each epoch or 20 million samples. At the end it receives summary.txt.
    Train(TrainArguments),
    /// Convert a network to another shape: more neurons, other king buckets, more threat
    /// inputs, another number of outputs
    ///
    /// Evaluations do not change, except where an output bucket covers other piece counts than
    /// before: then it is a copy of the old bucket that covers their mean. A king bucket copies
    /// the old bucket of its squares. New neurons and threat inputs have no effect until they
    /// are trained.
    Convert(ConvertArguments),
    /// Give a network the scale of another one, so that the margins of the search fit it
    Rescale(RescaleArguments),
    /// Average networks that were trained on from the same one
    Mean(MeanArguments),
    /// Measure the errors of networks: their distances from scores of deep searches
    Error(SearchErrorArguments),
}

impl Command {
    /// Runs the command. Text results go to `out`, progress and notes to standard error.
    pub fn run(&self, out: &mut impl Write) -> Result<(), Error> {
        match self {
            Command::Play(arguments) => play::play(arguments),
            Command::Stats(arguments) => stats::show(arguments, out),
            Command::FromPgn(arguments) => from_pgn::convert(arguments, out),
            Command::ToPgn(arguments) => to_pgn::write(arguments, out),
            Command::Trees(arguments) => trees::make(arguments),
            Command::Train(arguments) => run::run(arguments),
            Command::Rescale(arguments) => rescale::run(arguments),
            Command::Convert(arguments) => convert::run(arguments),
            Command::Mean(arguments) => mean::run(arguments),
            Command::Error(arguments) => search_error::run(arguments, out),
        }
    }
}
