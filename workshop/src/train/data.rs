//! Reads the positions of games.
//!
//! Each position of a [`Shard`] that passes the [`Filter`] becomes a [`Row`] of 40 bytes. All
//! rows stay in memory, so that each sample can be drawn from all of them.
//!
//! Some games are kept for validation, each as a whole: the positions of a game are similar
//! and share its result, so training on some of them would leak into the others.

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

use super::error::TrainError;
use super::inputs::Inputs;
use super::smoothing::Smoothing;
use crate::files::FileError;
use crate::games::record::{Ending, GameRecord, is_quiet};
use crate::games::shard::{Shard, ShardError};
use crate::progress::Progress;

/// A position from the view of the side to move: with Black to move, the colours are swapped, the
/// ranks flipped and the score negated. The result is 0 (lost), 1 (drawn) or 2 (won).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// Pieces, score and result.
    pub position: ChessBoard,
    /// The threats to the pieces ([`Board::threat_features`]), in the order of the pieces from the
    /// lowest bit up. Each piece has one bit for each threat plane.
    pub threats: u64,
}

/// The extension of shards in a folder.
const EXTENSION: &str = "vf";

const GAMES_PER_TASK: usize = 256;

/// Positions with this halfmove clock or a larger one are skipped: scores fade on the way to
/// the draw by the fifty-move rule, and the clock is not an input of the network.
const MAX_REVERSIBLE: u16 = 40;

/// The index of the first kind among the bitboards of a [`Row`], after the colours.
const KINDS_AT: usize = Color::ALL.len();

/// Selects positions. Positions must also be quiet ([`is_quiet`]).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Filter {
    /// The first ply of a game to use.
    pub min_ply: usize,
    /// Absolute scores must be below this, in centipawns, before smoothing.
    pub max_score: i32,
    /// The share of the games kept for validation.
    pub validation: f64,
    /// Applied to the scores of each game.
    pub smoothing: Smoothing,
}

/// All positions.
#[derive(Clone, Debug, Default)]
pub struct TrainingData {
    /// Positions for training.
    pub training: Vec<Row>,
    /// Positions for validation.
    pub validation: Vec<Row>,
    /// The number of games.
    pub games: usize,
    /// The number of positions with a move and a score.
    pub positions: usize,
    /// A hash of the games.
    pub fingerprint: u64,
}

impl TrainingData {
    /// Reads all shards, and those in all folders.
    ///
    /// # Errors
    /// If a file cannot be read or a game is invalid.
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

    /// Checks that there are positions for training and for validation.
    ///
    /// # Errors
    /// [`TrainError::TooFew`] if not.
    pub fn check(&self) -> Result<(), TrainError> {
        let (training, validation) = (self.training.len(), self.validation.len());
        if training == 0 || validation == 0 {
            return Err(TrainError::TooFew(training, validation));
        }
        Ok(())
    }

    fn read_file(&mut self, path: &Path, filter: Filter) -> Result<(), TrainError> {
        let shard = Shard::read(path)?;
        let games = shard.games();
        let starts: Vec<usize> = (0..games).step_by(GAMES_PER_TASK).collect();
        let parts: Result<Vec<TrainingData>, ShardError> = starts
            .into_par_iter()
            .map(|start| {
                TrainingData::of_games(&shard, start..games.min(start + GAMES_PER_TASK), filter)
            })
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

    fn of_games(
        shard: &Shard,
        games: Range<usize>,
        filter: Filter,
    ) -> Result<TrainingData, ShardError> {
        let mut data = TrainingData::default();
        // Games with a lower hash are for validation.
        let validation_hash = (filter.validation * 2f64.powi(64)) as u64;
        for index in games {
            let record = shard.record(index)?;
            let hash = hash(shard.raw(index));
            data.games += 1;
            data.positions += record.moves.len();
            data.fingerprint = scramble(data.fingerprint ^ hash);
            let rows =
                if hash < validation_hash { &mut data.validation } else { &mut data.training };
            add_rows(record, filter, rows);
        }
        Ok(data)
    }
}

/// The files among the paths, and the shards of the folders among them.
fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, TrainError> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let fail = FileError::at(path);
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
    // Read a file only once, even if it is named twice.
    let mut seen = HashSet::new();
    files.retain(|path| seen.insert(path.canonicalize().unwrap_or_else(|_| path.clone())));
    Ok(files)
}

/// A hash of one game. It decides whether the game is for validation: that does not change when
/// games are added, and copies of a game stay together.
fn hash(game: &[u8]) -> u64 {
    let (words, _) = game.as_chunks();
    words.iter().fold(0, |hash, word| scramble(hash ^ u64::from(u32::from_le_bytes(*word))))
}

/// Adds the selected positions of a game.
pub(super) fn add_rows(record: GameRecord, filter: Filter, rows: &mut Vec<Row>) {
    let scores: Vec<Score> = record.moves.iter().map(|&(_, score)| score).collect();
    let labels = filter.smoothing.smooth(&scores);
    let mut game = Game::new(record.start);
    for ((mv, score), label) in record.moves.into_iter().zip(labels) {
        let board = game.board();
        let is_selected = board.ply() >= filter.min_ply
            && board.halfmove() < MAX_REVERSIBLE
            && score.abs() < filter.max_score
            && !is_decisive(score)
            && is_quiet(board, mv);
        if is_selected {
            rows.push(row(board, label as i16, record.ending));
        }
        game.play(mv);
    }
}

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
        .expect("consistent bitboards");
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

/// The pieces of a row with their threats; White is the side to move.
pub fn pieces(row: &Row) -> impl Iterator<Item = (Piece, Square, u8)> + use<> {
    let threats = row.threats;
    row.position.into_iter().enumerate().map(move |(at, (piece, square))| {
        let color = if piece & 8 == 0 { Color::White } else { Color::Black };
        let piece = Piece::new(color, Kind::ALL[usize::from(piece & 7)]);
        let threats = threats >> (MAX_THREAT_PLANES * at) & ((1 << MAX_THREAT_PLANES) - 1);
        (piece, Square::from_64(square.into()), threats as u8)
    })
}

/// Adds a position to the inputs of a network of this shape.
pub fn push_inputs(row: &Row, shape: &Shape, inputs: &mut Inputs) {
    let position = &row.position;
    let own_king = Square::from_64(position.ksq.into());
    // The other king is stored from its own side's view.
    let other_king = Square::from_64(position.opp_ksq.into()).flip_rank();
    inputs.outputs.push(shape.output_bucket(position.occ.count_ones() as usize) as u8);
    for (color, king) in [(Color::White, own_king), (Color::Black, other_king)] {
        let perspective = Perspective::new(shape, color, king);
        let features = &mut inputs.features;
        shape.for_each_feature(perspective, pieces(row), |feature| features.push(feature as u16));
        inputs.starts.push(inputs.features.len() as u32);
    }
}
