//! Errors of the commands.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use carrybit::internals::eval::nnue::network::{MAX_SCALE, NetworkError};
use pgn::PgnError;
use pgn::text::TextError;
use rayon::ThreadPoolBuildError;

/// The error of a command.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file or folder cannot be read or written.
    #[error("{path}: {source}")]
    File { path: PathBuf, source: io::Error },
    #[error("{0}: the file has no games")]
    NoGames(PathBuf),
    #[error("{0}: another process is writing to it")]
    ShardInUse(PathBuf),
    #[error("{path}, game {number}: {problem}{}", advice(path, *start))]
    Game {
        path: PathBuf,
        /// The game's number, from 1.
        number: u64,
        /// The offset of its first byte.
        start: usize,
        problem: String,
    },
    #[error("cannot start {0} threads: {1}")]
    Threads(usize, #[source] ThreadPoolBuildError),
    #[error("cannot start a thread: {0}")]
    Thread(#[source] io::Error),
    #[error("cannot write the output: {0}")]
    Output(#[from] io::Error),
    #[error("{0} was begun with other settings:\n{1}requested now:\n{2}")]
    OtherSettings(PathBuf, String, String),
    #[error("{0}: not empty, but its settings are missing: {0}.toml")]
    NoSettings(PathBuf),
    #[error("{0}: not the settings of a shard, or of another version")]
    ForeignSettings(PathBuf),
    #[error("{0}: the file is not empty; from-pgn writes only new shards")]
    AlreadyThere(PathBuf),
    #[error("{0}: {1}")]
    Text(PathBuf, #[source] TextError),
    #[error("{0}, game {1}, {2}")]
    Pgn(PathBuf, usize, #[source] PgnError),
    #[error("{0}: no game {1}; the shard has {2} games")]
    NoSuchGame(PathBuf, u64, u64),
    #[error("found no playable opening: try fewer --random-plies")]
    NoOpening,
    #[error("a limit is missing: --games, --positions or --seconds")]
    NoLimit,
    #[error("{0}: no file in it ends with .vf")]
    NoFiles(PathBuf),
    #[error("{0} positions for training, {1} for validation: too few")]
    TooFew(usize, usize),
    #[error("{0}: not a checkpoint, or a damaged one")]
    Damaged(PathBuf),
    #[error("{0}: the checkpoint of another training:\n  checkpoint {1}\n  requested  {2}")]
    OtherTraining(PathBuf, String, String),
    #[error("{0}: the checkpoint exists; continue it with --resume, or use another --out")]
    Exists(PathBuf),
    #[error("{0}: another training is writing to it")]
    InUse(PathBuf),
    #[error(
        "the loss of step {0} is not finite: the training stopped, its last checkpoint is \
         unchanged; if --resume stops too, start again with a smaller --lr"
    )]
    NotFinite(u64),
    #[error("{0}: {1}")]
    Network(PathBuf, #[source] NetworkError),
    #[error("{0}: {1}")]
    Shape(PathBuf, String),
    #[error("the result does not fit the engine's integers: {0}")]
    Unfit(#[source] NetworkError),
    #[error("cannot compare the networks: no positions in these games, or all evaluations are 0")]
    NothingToCompare,
    #[error("{0}, line {1}: {2}")]
    Epd(PathBuf, usize, String),
    #[error("the scale would be {0:.1}, outside 1 to {MAX_SCALE}")]
    Scale(f64),
}

impl Error {
    /// Adds the path to an error: `map_err(Error::at(path))`.
    pub fn at(path: &Path) -> impl Fn(io::Error) -> Error + use<> {
        let path = path.to_owned();
        move |source| Error::File { path: path.clone(), source }
    }

    /// Whether standard output was closed by its reader.
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, Error::Output(error) if error.kind() == ErrorKind::BrokenPipe)
    }
}

/// Advice for a shard whose first invalid game begins at byte `start`. Empty if that is the first
/// game: the file may not be a shard.
fn advice(path: &Path, start: usize) -> String {
    if start == 0 {
        return String::new();
    }
    let path = path.display();
    format!("; to keep the games before it, cut the file off there: truncate -s {start} {path}")
}
