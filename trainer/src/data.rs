//! The games to learn from, taken apart into positions.
//!
//! Games come in the format of the crate `viriformat`, one after the other. Each
//! position of a game that is fit to learn from ([`Filter`]) becomes a [`Row`]
//! of 32 bytes; all of them stay in memory, so that each sample can be drawn from
//! all of them.
//!
//! One game in so many is kept for validation, as a whole: the positions of a
//! game are much alike and share its result, so a network that has seen some of
//! them knows the others.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::thread;

use viriformat::chess::piece::Colour;
use viriformat::dataformat::{Game, WDL};

use carrybit::board::{Color, Kind, Piece, Square};
use carrybit::eval::nnue::features::{MAX_ACTIVE, View};
use carrybit::eval::nnue::network::bucket;
use carrybit::score::{FIFTY_MOVES_PLIES, is_decisive};
use carrybit::tools::progress::Progress;

use crate::model::Views;
use crate::random;

/// A position as the side to move sees it: that side plays up the board, the
/// score and the result (0 lost, 1 drawn, 2 won) are its own.
pub type Row = bulletformat::ChessBoard;

/// The ending of the names of files with games, where a folder is given.
const EXTENSION: &str = "vf";

/// The length of a game's first position, in bytes.
const HEADER_LEN: usize = 32;
/// The length of a move with its score, in bytes. Zeros end the game.
const MOVE_LEN: usize = 4;

/// So many plies without capture or pawn move end a game.
const MAX_HALFMOVE: u8 = FIFTY_MOVES_PLIES as u8;

/// Which positions are learnt from, besides: the side to move must not be in
/// check, and its move be neither a capture nor a promotion, since a search would
/// not ask for an evaluation where there is something to win at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Filter {
    /// The first ply of the game to use.
    pub min_ply: usize,
    /// Scores below this are used, either side's, in centipawns.
    pub max_score: i32,
    /// The share of the games that is kept for validation.
    pub validation: f64,
}

/// Why the games could not be read.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// A file or folder could not be read.
    #[error("{path}: {source}")]
    File {
        /// The file or folder.
        path: PathBuf,
        /// What happened to it.
        source: io::Error,
    },
    /// There is no file with games in a folder.
    #[error("{0}: no file in it ends with .{EXTENSION}")]
    NoFiles(PathBuf),
    /// A game is not what it should be.
    #[error("{path}, game {game}: {reason}")]
    Game {
        /// The file.
        path: PathBuf,
        /// The number of the game in it, from 1.
        game: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// There is nothing to learn from or nothing to validate with.
    #[error("{training} positions to learn from, {validation} to validate with: too few")]
    TooFew {
        /// Positions to learn from.
        training: usize,
        /// Positions to validate with.
        validation: usize,
    },
}

/// All positions.
#[derive(Clone, Debug, Default)]
pub struct Data {
    /// Positions to learn from.
    pub training: Vec<Row>,
    /// Positions to validate with.
    pub validation: Vec<Row>,
    /// How many games were read.
    pub games: usize,
    /// How many positions with a move and a score the games have.
    pub positions: usize,
    /// Tells these games and these positions from others.
    pub fingerprint: u64,
}

impl Data {
    /// Reads all files, and those of all folders.
    ///
    /// What is left of a last game that was not written to its end is named on
    /// standard error and left out.
    ///
    /// # Errors
    /// If a file cannot be read or a game is wrong.
    pub fn read(paths: &[PathBuf], filter: Filter, threads: usize) -> Result<Data, DataError> {
        let files = files(paths)?;
        let mut data = Data::default();
        let mut progress = Progress::new("Reading", Some(files.len() as u64));
        for (done, path) in files.iter().enumerate() {
            data.read_file(path, filter, threads, &progress)?;
            progress.set(done as u64 + 1, String::new());
        }
        progress.clear();
        Ok(data)
    }

    /// Whether there is something to learn from and something to validate with.
    ///
    /// # Errors
    /// [`DataError::TooFew`] if there is not.
    pub fn check(&self) -> Result<(), DataError> {
        let (training, validation) = (self.training.len(), self.validation.len());
        if training == 0 || validation == 0 {
            return Err(DataError::TooFew { training, validation });
        }
        Ok(())
    }

    fn read_file(
        &mut self,
        path: &Path,
        filter: Filter,
        threads: usize,
        progress: &Progress,
    ) -> Result<(), DataError> {
        let file_error = |source| DataError::File { path: path.to_owned(), source };
        let bytes = fs::read(path).map_err(file_error)?;
        let (games, torn) = split(&bytes);
        if !torn.is_empty() {
            let len = torn.len();
            let note = format!("{}: a torn last game of {len} bytes is left out", path.display());
            progress.note(&note);
        }
        let share = games.len().div_ceil(threads).max(1);
        let parts: Vec<_> = thread::scope(|scope| {
            let workers: Vec<_> = games
                .chunks(share)
                .map(|games| scope.spawn(move || Data::of_games(games, filter)))
                .collect();
            workers
                .into_iter()
                .map(|worker| {
                    worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
                })
                .collect()
        });
        for (index, part) in parts.into_iter().enumerate() {
            let part = part.map_err(|(game, reason)| DataError::Game {
                path: path.to_owned(),
                game: index * share + game + 1,
                reason,
            })?;
            self.training.extend(part.training);
            self.validation.extend(part.validation);
            self.games += part.games;
            self.positions += part.positions;
            self.fingerprint = random::mix(self.fingerprint ^ part.fingerprint);
        }
        Ok(())
    }

    /// Takes games apart. An error is the index of a game and what is wrong with it.
    fn of_games(games: &[&[u8]], filter: Filter) -> Result<Data, (usize, String)> {
        let mut data = Data::default();
        let mut moves = Vec::new();
        // As a share of all 64-bit numbers.
        let validating = (filter.validation * 2f64.powi(64)) as u64;
        for (index, bytes) in games.iter().enumerate() {
            let wrong = |reason: String| (index, reason);
            check_header(bytes).map_err(|reason| wrong(reason.to_owned()))?;
            let game = Game::deserialise_from(&mut &bytes[..], moves)
                .map_err(|error| wrong(error.to_string()))?;
            let hash = hash(bytes);
            let rows = if hash < validating { &mut data.validation } else { &mut data.training };
            add_rows(&game, filter, rows).map_err(wrong)?;
            data.games += 1;
            data.positions += game.len();
            data.fingerprint = random::mix(data.fingerprint ^ hash);
            moves = game.into_move_buffer();
        }
        Ok(data)
    }
}

/// The files among the paths and in the folders among them, in order.
fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, DataError> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let file_error = |source| DataError::File { path: path.clone(), source };
        let entries: Result<Vec<_>, _> = fs::read_dir(path).map_err(file_error)?.collect();
        let mut found: Vec<PathBuf> = entries
            .map_err(file_error)?
            .into_iter()
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|extension| extension == EXTENSION))
            .collect();
        if found.is_empty() {
            return Err(DataError::NoFiles(path.clone()));
        }
        found.sort();
        files.extend(found);
    }
    // A file that is named twice counts once.
    let mut seen = HashSet::new();
    files.retain(|path| seen.insert(path.canonicalize().unwrap_or_else(|_| path.clone())));
    Ok(files)
}

/// The games that lie one after the other in a file, and what is left at its end.
fn split(mut bytes: &[u8]) -> (Vec<&[u8]>, &[u8]) {
    let mut games = Vec::new();
    while let Some(moves) = bytes.get(HEADER_LEN..) {
        let end = moves.as_chunks::<MOVE_LEN>().0.iter().position(|mv| *mv == [0; MOVE_LEN]);
        let Some(end) = end else { break };
        let (game, rest) = bytes.split_at(HEADER_LEN + (end + 1) * MOVE_LEN);
        games.push(game);
        bytes = rest;
    }
    (games, bytes)
}

/// A number that is a function of a game alone, wherever it lies: so the same
/// games validate when others are added, and copies of a game stay together.
fn hash(game: &[u8]) -> u64 {
    let (words, _) = game.as_chunks::<MOVE_LEN>();
    words.iter().fold(0, |hash, word| random::mix(hash ^ u64::from(u32::from_le_bytes(*word))))
}

/// Whether the first position of a game may be unpacked; the crate takes it for
/// granted.
fn check_header(game: &[u8]) -> Result<(), &'static str> {
    const OCCUPANCY: usize = 0;
    const PIECES: usize = 8;
    const SIDE_AND_EP: usize = 24;
    const HALFMOVE: usize = 25;
    const FULLMOVE: usize = 26;
    const RESULT: usize = 30;
    let occupancy = game[OCCUPANCY..PIECES].iter().map(|byte| byte.count_ones() as usize).sum();
    if occupancy > MAX_ACTIVE {
        return Err("more than 32 pieces");
    }
    let piece = |index: usize| game[PIECES + index / 2] >> (index % 2 * 4) & 15;
    let count = |wanted: u8| (0..occupancy).filter(|&index| piece(index) == wanted).count();
    if (0..occupancy).any(|index| piece(index) & 7 == 7) {
        return Err("a piece of no kind");
    }
    if count(5) != 1 || count(8 + 5) != 1 {
        return Err("not one king a side");
    }
    let (side, ep) = (game[SIDE_AND_EP] >> 7, game[SIDE_AND_EP] & 127);
    let ep_rank = if side == 0 { 5 } else { 2 };
    if ep != 64 && ep / 8 != ep_rank {
        return Err("a wrong en passant square");
    }
    if game[HALFMOVE] > MAX_HALFMOVE {
        return Err("more than a hundred plies without progress");
    }
    if game[FULLMOVE..FULLMOVE + 2] == [0; 2] {
        return Err("a first move with number 0");
    }
    if game[RESULT] > 2 {
        return Err("no result");
    }
    Ok(())
}

/// Plays through a game and adds the positions that are fit to learn from.
fn add_rows(game: &Game, filter: Filter, rows: &mut Vec<Row>) -> Result<(), String> {
    let mut board = game.initial_position();
    if board.sq_attacked(board.king_sq(board.turn().flip()), board.turn()) {
        return Err("a king could be captured at once".to_owned());
    }
    let result = match game.outcome() {
        WDL::Loss => 0,
        WDL::Draw => 1,
        WDL::Win => 2,
    };
    for (mv, score) in &game.moves {
        let (mv, score) = (*mv, score.get());
        if !board.is_pseudo_legal(mv) {
            return Err(format!("the move {mv:?} is not legal"));
        }
        if board.fifty_move_counter() >= MAX_HALFMOVE {
            return Err("it goes on after a draw by the fifty-move rule".to_owned());
        }
        let is_fit = board.ply() >= filter.min_ply
            && i32::from(score).abs() < filter.max_score
            && !is_decisive(i32::from(score))
            && !board.in_check()
            && !board.is_tactical(mv);
        if is_fit {
            let row = board.to_bulletformat(result, score).map_err(|error| error.to_string())?;
            debug_assert_eq!(row.score, if board.turn() == Colour::White { score } else { -score });
            rows.push(row);
        }
        if !board.make_move_simple(mv) {
            return Err(format!("the move {mv:?} leaves the king in check"));
        }
    }
    Ok(())
}

/// The pieces of a row, the side to move as White.
pub fn pieces(row: &Row) -> impl Iterator<Item = (Piece, Square)> + use<> {
    row.into_iter().map(|(piece, square)| {
        let color = if piece & 8 == 0 { Color::White } else { Color::Black };
        (Piece::new(color, Kind::ALL[usize::from(piece & 7)]), Square::from_64(square.into()))
    })
}

/// Adds both views of a position.
pub fn push_views(row: &Row, views: &mut Views) {
    // The other side's king is stored as its own view has it, upside down.
    let own = View::new(Color::White, Square::from_64(row.ksq.into()));
    let other = View::new(Color::Black, Square::from_64(row.opp_ksq.into()).flip_rank());
    views.push(
        bucket(pieces(row).count()),
        pieces(row).map(|(piece, square)| own.feature(piece, square) as u16),
        pieces(row).map(|(piece, square)| other.feature(piece, square) as u16),
    );
}
