//! Generates openings for OpenBench: level positions a few random moves away from the start
//! position or from those of a book. They are a function of the seed.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fastrand::Rng;

use crate::eval::nnue::Network;
use crate::selfplay::{OpeningError, SelfPlayer};
use crate::sys::files;
use carrybit_board::Board;

use super::ToolOutput;

/// The number of random moves from the start position; about half of the openings have one more.
const START_PLIES: usize = 8;
/// The number of random moves from a position of a book; about half of the openings have one more.
const BOOK_PLIES: usize = 2;
/// The approximate number of nodes that decide whether a position is level.
const NODES: u64 = 5000;
/// The largest book, in bytes: enough for some millions of positions.
const MAX_BOOK: u64 = 1 << 28;

/// The arguments of the command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arguments {
    /// Number of positions.
    pub count: usize,
    /// Seed of the random moves.
    pub seed: u64,
    /// The book: a file with a FEN or EPD on each line. `None` for the start position.
    pub book: Option<PathBuf>,
}

/// Writes a line `info string genfens <FEN>` for each position to `out`, and nothing
/// else: OpenBench reads the rest of such a line as a FEN. Ends early when `stop` is set.
///
/// # Errors
/// The book cannot be used, or no opening is found; says why.
pub fn run(
    arguments: &Arguments,
    network: Arc<Network>,
    stop: &Arc<AtomicBool>,
    out: &mut impl ToolOutput,
) -> Result<(), String> {
    let no_openings = |problem: String| format!("no openings: {problem}");
    let (starts, plies) = match &arguments.book {
        None => (vec![Board::default()], START_PLIES),
        Some(path) => {
            let named = |error| no_openings(format!("{}: {error}", path.display()));
            (read_book(path).map_err(named)?, BOOK_PLIES)
        }
    };
    let mut rng = Rng::with_seed(arguments.seed);
    let mut player = SelfPlayer::new(network, Arc::clone(stop));
    for _ in 0..arguments.count {
        player.clear();
        match player.find_opening(&mut rng, &starts, plies, NODES) {
            Ok(game) => out.line(format!("info string genfens {}", game.board().fen())),
            Err(OpeningError::Stopped) => break,
            Err(OpeningError::NoOpening) => {
                return Err(no_openings("found no playable position".to_owned()));
            }
        }
    }
    Ok(())
}

/// The positions of a book that have a legal move; other lines are skipped.
fn read_book(path: &Path) -> io::Result<Vec<Board>> {
    let bytes = files::read(path, MAX_BOOK)?;
    let text = String::from_utf8_lossy(&bytes);
    let text = text.trim_start_matches('\u{feff}');
    let first_fields = |line: &str| line.split_whitespace().take(4).collect::<Vec<_>>().join(" ");
    let boards = text.lines().filter_map(|line| first_fields(line).parse::<Board>().ok());
    let starts: Vec<Board> = boards.filter(Board::has_legal_move).collect();
    if starts.is_empty() {
        return Err(io::Error::other("it has no playable position"));
    }
    Ok(starts)
}
