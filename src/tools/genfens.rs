//! Openings for others to play, as OpenBench asks for them: positions some random
//! moves away from the start or from a book, none of them decided, all following
//! from a seed.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fastrand::Rng;

use crate::board::Board;
use crate::eval::nnue::Network;
use crate::files;

use super::opening::Unplayed;
use super::player::Player;

/// Random moves from the start position, or one more.
const START_PLIES: usize = 8;
/// Random moves from a position of a book, or one more.
const BOOK_PLIES: usize = 2;
/// About how many nodes a position's search has.
const NODES: u64 = 5000;
/// The largest book, in bytes: enough for some millions of positions.
const MAX_BOOK: u64 = 1 << 28;

/// What to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// How many positions.
    pub count: usize,
    /// Another seed, other positions.
    pub seed: u64,
    /// The book: a file with a FEN or EPD on each line. None for the start position.
    pub book: Option<PathBuf>,
}

/// Why there are fewer positions than ordered.
#[derive(Debug, thiserror::Error)]
pub enum GenfensError {
    /// The output cannot be written to.
    #[error("{0}")]
    Output(#[from] io::Error),
    /// The book cannot be read.
    #[error("no openings: {}: {reason}", path.display())]
    Book {
        /// Its file.
        path: PathBuf,
        /// The error.
        reason: io::Error,
    },
    /// There is nothing in the book to begin with.
    #[error("no openings: {}: there is no position in it", .0.display())]
    EmptyBook(PathBuf),
    /// Every attempt has led to a game that is over or decided.
    #[error("no openings: found no playable position")]
    Unplayable,
}

/// Writes a line `info string genfens <FEN>` for each position to `out`, and nothing
/// else: OpenBench takes what follows these words for a FEN. Ends early when `stop` is
/// set.
///
/// # Errors
/// If the book cannot be used, if no opening is found, or if `out` cannot be written to.
pub fn run(
    order: &Order,
    network: Arc<Network>,
    stop: &Arc<AtomicBool>,
    out: &mut impl Write,
) -> Result<(), GenfensError> {
    let starts = match &order.book {
        None => vec![Board::default()],
        Some(path) => read_book(path)?,
    };
    let plies = if order.book.is_some() { BOOK_PLIES } else { START_PLIES };
    let mut rng = Rng::with_seed(order.seed);
    let mut player = Player::new(network, Arc::clone(stop));
    for _ in 0..order.count {
        player.forget();
        match player.find_opening(&mut rng, &starts, plies, NODES) {
            Ok(game) => writeln!(out, "info string genfens {}", game.board().fen(false))?,
            Err(Unplayed::Stopped) => break,
            Err(Unplayed::NoOpening) => return Err(GenfensError::Unplayable),
        }
    }
    Ok(())
}

/// The positions of a book that have a move, lines that hold none left out.
fn read_book(path: &Path) -> Result<Vec<Board>, GenfensError> {
    let bytes = files::read(path, MAX_BOOK)
        .map_err(|reason| GenfensError::Book { path: path.to_owned(), reason })?;
    let text = String::from_utf8_lossy(&bytes);
    let first_fields = |line: &str| line.split_whitespace().take(4).collect::<Vec<_>>().join(" ");
    let boards = text.lines().filter_map(|line| first_fields(line).parse::<Board>().ok());
    let starts: Vec<Board> = boards.filter(Board::has_legal_move).collect();
    if starts.is_empty() { Err(GenfensError::EmptyBook(path.to_owned())) } else { Ok(starts) }
}
