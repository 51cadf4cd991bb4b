//! The games to learn from, taken apart into positions.
//!
//! Games come in shards ([`Shard`]), as [`play`](crate::games::play) writes them. Each
//! position of a game that is fit to learn from ([`Filter`]) becomes a [`Row`]
//! of 40 bytes; all of them stay in memory, so that each sample can be drawn from
//! all of them.
//!
//! Some games are kept for validation, each as a whole: the positions of a
//! game are much alike and share its result, so a network that has seen some of
//! them knows the others.

use std::collections::HashSet;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use bulletformat::ChessBoard;
use carrybit::board::{Board, Color, Game, Kind, Piece, Square};
use carrybit::eval::nnue::features::Perspective;
use carrybit::eval::nnue::network::{MAX_THREAT_PLANES, Shape};
use carrybit::random::scramble;
use carrybit::score::{Score, is_decisive};
use rayon::prelude::*;

use super::error::{TrainError, file_error};
use super::inputs::Inputs;
use super::smoothing::Smoothing;
use crate::games::record::{Ending, GameRecord, is_quiet};
use crate::games::shard::{Shard, ShardError};
use crate::progress::Progress;

/// A position as the side to move sees it: that side plays up the board, the
/// score and the result (0 lost, 1 drawn, 2 won) are its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// Pieces, score and result.
    pub position: ChessBoard,
    /// The threats to its pieces ([`Board::threat_features`]), in their order, a bit for each threat
    /// plane, the first piece's lowest.
    pub threats: u64,
}

/// The extension of files with games in a folder.
const EXTENSION: &str = "vf";

/// Games that one thread takes apart at a time.
const PIECE: usize = 256;

/// Positions after this many reversible plies are not learnt from: scores fade on the way
/// to the draw by fifty moves, which the network does not see coming.
const MAX_REVERSIBLE: u16 = 40;

/// Where the kinds begin among the sets that a [`Row`] is made from, after the colours.
const KINDS_AT: usize = Color::ALL.len();

/// The positions to learn from. Besides, the side to move must not be in check, and its move
/// be neither a capture nor a promotion: a search does not evaluate such positions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Filter {
    /// The first ply of the game to use.
    pub min_ply: usize,
    /// Scores below this are used, either side's, in centipawns.
    pub max_score: i32,
    /// The share of the games that is kept for validation.
    pub validation: f64,
    /// How scores are smoothed along a game, once those that are used have been chosen.
    pub smoothing: Smoothing,
}

/// All positions.
#[derive(Clone, Debug, Default)]
pub struct TrainingData {
    /// Positions to learn from.
    pub training: Vec<Row>,
    /// Positions to validate with.
    pub validation: Vec<Row>,
    /// The number of games.
    pub games: usize,
    /// The number of positions with a move and a score.
    pub positions: usize,
    /// A hash of the games.
    pub fingerprint: u64,
}

impl TrainingData {
    /// Reads all files, and those of all folders.
    ///
    /// An incomplete last game is left out.
    ///
    /// # Errors
    /// If a file cannot be read or a game is wrong.
    pub fn read(paths: &[PathBuf], filter: Filter) -> Result<TrainingData, TrainError> {
        let files = files(paths)?;
        let mut data = TrainingData::default();
        let mut progress = Progress::new("Reading", Some(files.len() as u64));
        for (done, path) in files.iter().enumerate() {
            data.read_file(path, filter)?;
            progress.set(done as u64 + 1, String::new());
        }
        progress.clear();
        Ok(data)
    }

    /// Whether there is something to learn from and something to validate with.
    ///
    /// # Errors
    /// [`TrainError::TooFew`] if there is not.
    pub fn check(&self) -> Result<(), TrainError> {
        let (training, validation) = (self.training.len(), self.validation.len());
        if training == 0 || validation == 0 {
            return Err(TrainError::TooFew { training, validation });
        }
        Ok(())
    }

    fn read_file(&mut self, path: &Path, filter: Filter) -> Result<(), TrainError> {
        let shard = Shard::read(path)?;
        let games = shard.games();
        let starts: Vec<usize> = (0..games).step_by(PIECE).collect();
        let parts: Result<Vec<TrainingData>, ShardError> = starts
            .into_par_iter()
            .map(|start| TrainingData::of_games(&shard, start..games.min(start + PIECE), filter))
            .collect();
        for part in parts? {
            self.training.extend(part.training);
            self.validation.extend(part.validation);
            self.games += part.games;
            self.positions += part.positions;
            self.fingerprint = scramble(self.fingerprint ^ part.fingerprint);
        }
        Ok(())
    }

    /// Takes some games of a shard apart.
    fn of_games(
        shard: &Shard,
        games: Range<usize>,
        filter: Filter,
    ) -> Result<TrainingData, ShardError> {
        let mut data = TrainingData::default();
        // As a share of all 64-bit numbers.
        let validating = (filter.validation * 2f64.powi(64)) as u64;
        for index in games {
            let record = shard.record(index)?;
            let hash = hash(shard.raw(index));
            data.games += 1;
            data.positions += record.moves.len();
            data.fingerprint = scramble(data.fingerprint ^ hash);
            let rows = if hash < validating { &mut data.validation } else { &mut data.training };
            add_rows(record, filter, rows);
        }
        Ok(data)
    }
}

/// The files among the paths and in the folders among them, in order.
fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, TrainError> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let fail = file_error(path);
        let entries: Result<Vec<_>, _> = fs::read_dir(path).map_err(&fail)?.collect();
        let mut found: Vec<PathBuf> = entries
            .map_err(&fail)?
            .into_iter()
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|extension| extension == EXTENSION))
            .collect();
        if found.is_empty() {
            return Err(TrainError::NoFiles(path.clone()));
        }
        found.sort();
        files.extend(found);
    }
    // A file that is named twice is read once.
    let mut seen = HashSet::new();
    files.retain(|path| seen.insert(path.canonicalize().unwrap_or_else(|_| path.clone())));
    Ok(files)
}

/// A hash of a game alone, so that the same games validate when others are added, and
/// copies of a game stay together.
fn hash(game: &[u8]) -> u64 {
    let (words, _) = game.as_chunks();
    words.iter().fold(0, |hash, word| scramble(hash ^ u64::from(u32::from_le_bytes(*word))))
}

/// Plays through a game and adds the positions that are fit to learn from.
fn add_rows(record: GameRecord, filter: Filter, rows: &mut Vec<Row>) {
    let scores: Vec<Score> = record.moves.iter().map(|&(_, score)| score).collect();
    let labels = filter.smoothing.smooth(&scores);
    let mut game = Game::new(record.start);
    for ((mv, score), label) in record.moves.into_iter().zip(labels) {
        let board = game.board();
        let is_fit = board.ply() >= filter.min_ply
            && board.halfmove() < MAX_REVERSIBLE
            && score.abs() < filter.max_score
            && !is_decisive(score)
            && is_quiet(board, mv);
        if is_fit {
            rows.push(row(board, label as i16, record.ending));
        }
        game.play(mv);
    }
}

/// A position with its score from White's view.
fn row(board: &Board, white_score: i16, ending: Ending) -> Row {
    let mut sets = [0; KINDS_AT + Kind::ALL.len()];
    for color in Color::ALL {
        for (square, piece) in board.pieces(color) {
            let bit = 1 << square.to_64();
            sets[color.index()] |= bit;
            sets[KINDS_AT + piece.kind_index()] |= bit;
        }
    }
    let white_points = match ending {
        Ending::Win(Color::White) => 1.0,
        Ending::Draw => 0.5,
        Ending::Win(Color::Black) => 0.0,
    };
    let position = ChessBoard::from_raw(sets, board.side().index(), white_score, white_points)
        .expect("every piece is of a kind");
    let features = board.threat_features();
    let threats = position.into_iter().map(|(_, square)| {
        let seen = Square::from_64(square.into());
        let sq = if board.side() == Color::White { seen } else { seen.flip_rank() };
        u64::from(features.planes(sq))
    });
    let threats =
        threats.enumerate().fold(0, |all, (at, threats)| all | threats << (MAX_THREAT_PLANES * at));
    Row { position, threats }
}

/// The pieces of a row with the threats to them, the side to move as White.
pub fn pieces(row: &Row) -> impl Iterator<Item = (Piece, Square, u8)> + use<> {
    let threats = row.threats;
    row.position.into_iter().enumerate().map(move |(at, (piece, square))| {
        let color = if piece & 8 == 0 { Color::White } else { Color::Black };
        let piece = Piece::new(color, Kind::ALL[usize::from(piece & 7)]);
        let threats = threats >> (MAX_THREAT_PLANES * at) & ((1 << MAX_THREAT_PLANES) - 1);
        (piece, Square::from_64(square.into()), threats as u8)
    })
}

/// Adds a position, for networks of this shape.
pub fn push_inputs(row: &Row, shape: &Shape, inputs: &mut Inputs) {
    let position = &row.position;
    let own_king = Square::from_64(position.ksq.into());
    // The other king is stored as its own side sees it, upside down.
    let other_king = Square::from_64(position.opp_ksq.into()).flip_rank();
    inputs.outputs.push(shape.output_bucket(position.occ.count_ones() as usize) as u8);
    for (color, king) in [(Color::White, own_king), (Color::Black, other_king)] {
        let perspective = Perspective::new(shape, color, king);
        let features = &mut inputs.features;
        shape.for_each_feature(perspective, pieces(row), |feature| features.push(feature as u16));
        inputs.starts.push(inputs.features.len() as u32);
    }
}
