//! Reads the positions of games.
//!
//! The shards stay in memory, at some 7 bytes for each position that passes the [`Filter`]. Such a
//! position becomes a [`Row`] of 40 bytes. If the rows exceed the `window`, the games are divided
//! into parts by their hashes, each a random sample of all games, and the rows of one part are in
//! memory at a time.
//!
//! Some games are kept for validation, each as a whole: the positions of a game are similar
//! and share its result, so training on some of them would leak into the others.

use std::collections::HashSet;
use std::fs::{self, DirEntry};
use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use bulletformat::ChessBoard;
use carrybit::internals::eval::endings;
use carrybit::internals::eval::nnue::features::Perspective;
use carrybit::internals::eval::nnue::network::{MAX_THREAT_PLANES, Shape};
use carrybit::internals::eval::nnue::{Network, Nnue};
use carrybit::internals::score::{Score, is_decisive};
use carrybit::internals::search::params::share_at_clock;
use carrybit_board::random::scramble;
use carrybit_board::{Board, Color, Game, Kind, Move, PieceByte, Square};
use rayon::prelude::*;

use super::inputs::Inputs;
use super::smoothing::Smoothing;
use crate::error::Error;
use crate::games::shard::Shard;
use crate::games::{GameRecord, is_quiet};
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

/// Games decoded at a time: enough for all threads, few for the memory.
const GAMES_AT_A_TIME: usize = 16_384;
const GAMES_PER_TASK: usize = 256;

/// The most games for validation. Their million positions measure a loss to 0.1 %.
const MAX_VALIDATION_GAMES: f64 = 16_384.0;

/// Groups of games by their hashes, which parts consist of.
const GROUPS: usize = 4096;

/// Positions with this halfmove clock or a larger one are skipped: scores fade on the way to
/// the draw by the fifty-move rule, and the clock is not an input of the network.
const MAX_REVERSIBLE: u16 = 40;

/// The index of the first kind among the bitboards of a [`Row`], after the colours.
const KINDS_AT: usize = Color::ALL.len();

/// Selects positions of games. They must also be quiet ([`is_quiet`]).
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

/// Selects positions and gives them labels.
struct Labelling {
    filter: Filter,
    /// Its evaluations become a part of the labels ([`Smoothing::mix`]).
    network: Option<Arc<Network>>,
}

/// Games and their positions.
pub struct TrainingData {
    shards: Vec<Shard>,
    /// The number of shards with games; the others have positions of search trees.
    game_shards: usize,
    labelling: Labelling,
    /// Games with a lower hash are for validation.
    validation_end: u64,
    /// The parts of the training games.
    parts: Vec<Part>,
    /// The index of a part and its positions; `usize::MAX` if none is loaded.
    loaded: (usize, Vec<Row>),
    pub validation: Vec<Row>,
    pub games: usize,
    /// The number of positions with a move and a score.
    pub positions: usize,
    /// A hash of the games.
    pub fingerprint: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Part {
    /// The [`group`]s of its games.
    groups: Range<usize>,
    rows: usize,
}

/// Where a step of the training finds its samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Epochs before.
    pub epoch: u64,
    /// The index of the part.
    pub part: usize,
    /// Steps of this epoch with this part before.
    pub step: u64,
}

impl TrainingData {
    /// Reads all shards with games, and those in all folders; likewise the positions of search trees,
    /// which are all trained on with their scores as they are. `window` is the largest number of
    /// rows in memory at a time, but for those of validation. The evaluations of `network` are mixed
    /// into the labels of games.
    pub fn read(
        paths: &[PathBuf],
        trees: &[PathBuf],
        filter: Filter,
        window: usize,
        network: Option<Arc<Network>>,
    ) -> Result<TrainingData, Error> {
        let [files, trees] = [files(paths)?, files(trees)?];
        let shards: Vec<Shard> =
            files.iter().chain(&trees).map(|path| Shard::read(path)).collect::<Result<_, _>>()?;
        let games = shards[..files.len()].iter().map(Shard::games).sum();
        let share = filter.validation.min(MAX_VALIDATION_GAMES / games as f64);
        let mut data = TrainingData {
            shards,
            game_shards: files.len(),
            labelling: Labelling { filter, network },
            validation_end: (share * 2f64.powi(64)) as u64,
            parts: Vec::new(),
            loaded: (usize::MAX, Vec::new()),
            validation: Vec::new(),
            games,
            positions: 0,
            fingerprint: 0,
        };
        let (mut validation, mut rows_by_group) = (Vec::new(), vec![0; GROUPS]);
        // As long as all rows fit into the window, they need not be decoded again.
        let mut all = Some(Vec::new());
        let records = data.shards.iter().map(|shard| shard.games() as u64).sum();
        let mut progress = Progress::new("Reading", records);
        let mut done = 0;
        let count = |Decoded { hash, is_tree, positions, rows }: Decoded| {
            done += 1;
            progress.set(done, String::new());
            data.positions += positions;
            data.fingerprint = scramble(data.fingerprint ^ hash);
            if !is_tree && hash < data.validation_end {
                validation.extend(rows);
            } else {
                rows_by_group[group(hash)] += rows.len();
                all = all.take().filter(|all| all.len() + rows.len() <= window);
                if let Some(all) = &mut all {
                    all.extend(rows);
                }
            }
        };
        for_each_game(&data.shards, data.game_shards, &data.labelling, |_, _| true, count)?;
        data.validation = validation;
        data.parts = parts(&rows_by_group, window);
        if let Some(all) = all {
            data.loaded = (0, all);
        }
        Ok(data)
    }

    /// The number of positions for training.
    pub fn rows(&self) -> usize {
        self.parts.iter().map(|part| part.rows).sum()
    }

    /// The number of parts, at least 1.
    pub fn parts(&self) -> usize {
        self.parts.len()
    }

    /// The positions of a part.
    pub fn part(&mut self, index: usize) -> &[Row] {
        if self.loaded.0 != index {
            self.load(index);
        }
        &self.loaded.1
    }

    fn load(&mut self, index: usize) {
        let Part { ref groups, rows } = self.parts[index];
        // Frees the old part before the new one is filled.
        self.loaded = (index, Vec::new());
        let loaded = &mut self.loaded.1;
        loaded.reserve_exact(rows);
        let is_wanted = |hash, is_tree| {
            (is_tree || hash >= self.validation_end) && groups.contains(&group(hash))
        };
        let add = |Decoded { rows, .. }: Decoded| loaded.extend(rows);
        for_each_game(&self.shards, self.game_shards, &self.labelling, is_wanted, add)
            .expect("games that were read before");
    }

    /// The number of steps of an epoch: each part is rounded up to whole batches.
    pub fn epoch_steps(&self, batch: usize) -> u64 {
        self.parts.iter().map(|part| part.steps(batch)).sum()
    }

    /// The place of a step in the training.
    pub fn place(&self, step: u64, batch: usize) -> Place {
        let epoch_steps = self.epoch_steps(batch);
        let (epoch, mut step) = (step / epoch_steps, step % epoch_steps);
        let mut part = 0;
        while step >= self.parts[part].steps(batch) {
            step -= self.parts[part].steps(batch);
            part += 1;
        }
        Place { epoch, part, step }
    }
}

impl Part {
    fn steps(&self, batch: usize) -> u64 {
        self.rows.div_ceil(batch).max(1) as u64
    }
}

/// Divides the groups into as few parts as have at most `window` rows, of about equal size. A part
/// has at least one group.
fn parts(rows_by_group: &[usize], window: usize) -> Vec<Part> {
    let all: usize = rows_by_group.iter().sum();
    let largest = rows_by_group.iter().copied().max().unwrap_or(0);
    // A part may fall short of its share by less than a group.
    let least_rows = window.saturating_sub(largest).max(1);
    let count = if all <= window { 1 } else { all.div_ceil(least_rows) };
    let share = all.div_ceil(count) + largest;
    let mut parts = vec![Part { groups: 0..0, rows: 0 }];
    for (group, rows) in rows_by_group.iter().enumerate() {
        let last = parts.last_mut().expect("not empty");
        if last.rows > 0 && last.rows + rows > share.max(1) {
            parts.push(Part { groups: group..group + 1, rows: *rows });
        } else {
            last.groups.end = group + 1;
            last.rows += rows;
        }
    }
    parts
}

/// The group of a game, below [`GROUPS`].
fn group(hash: u64) -> usize {
    (hash >> (u64::BITS - GROUPS.ilog2())) as usize
}

/// A game, or a position of a search tree.
struct Decoded {
    hash: u64,
    is_tree: bool,
    /// The number of positions of a game.
    positions: usize,
    /// The selected positions.
    rows: Vec<Row>,
}

/// Decodes the games and positions of trees that are wanted (by hash and kind), on all threads, and
/// calls `add` with each, in order. The first `game_shards` have games.
fn for_each_game(
    shards: &[Shard],
    game_shards: usize,
    labelling: &Labelling,
    is_wanted: impl Fn(u64, bool) -> bool + Sync,
    mut add: impl FnMut(Decoded),
) -> Result<(), Error> {
    let evaluator = || labelling.network.clone().map(Nnue::new);
    let decode = |evaluator: &mut Option<Nnue>, number, shard: &Shard, index| {
        let (hash, is_tree) = (hash(shard.raw(index)), number >= game_shards);
        if !is_wanted(hash, is_tree) {
            return Ok(None);
        }
        let record = shard.record(index)?;
        Ok::<_, Error>(Some(if is_tree {
            Decoded { hash, is_tree, positions: 0, rows: of_tree(&record) }
        } else {
            let positions = record.moves.len();
            let rows = selected(record, labelling.filter, evaluator.as_mut());
            Decoded { hash, is_tree, positions, rows }
        }))
    };
    for (number, shard) in shards.iter().enumerate() {
        for start in (0..shard.games()).step_by(GAMES_AT_A_TIME) {
            let games = start..shard.games().min(start + GAMES_AT_A_TIME);
            let decoded: Result<Vec<_>, Error> = games
                .into_par_iter()
                .with_min_len(GAMES_PER_TASK)
                .map_init(evaluator, |evaluator, index| decode(evaluator, number, shard, index))
                .collect();
            decoded?.into_iter().flatten().for_each(&mut add);
        }
    }
    Ok(())
}

/// The files among the paths, and the shards of the folders among them.
fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let entries = fs::read_dir(path).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let entries = entries.map_err(Error::at(path))?;
        let mut found: Vec<PathBuf> = entries.iter().map(DirEntry::path).collect();
        found.retain(|path| path.extension().is_some_and(|extension| extension == "vf"));
        if found.is_empty() {
            return Err(Error::of(path, "no file in it ends with .vf"));
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
/// games are added, unless [`MAX_VALIDATION_GAMES`] then lowers the share; and copies of a game
/// stay together.
fn hash(game: &[u8]) -> u64 {
    let (words, _) = game.as_chunks();
    words.iter().fold(0, |hash, word| scramble(hash ^ u64::from(u32::from_le_bytes(*word))))
}

/// The selected positions of a game.
fn selected(record: GameRecord, filter: Filter, evaluator: Option<&mut Nnue>) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut labels = filter.smoothing.smooth(&unfaded(&record));
    if let Some(evaluator) = evaluator {
        filter.smoothing.mix(&mut labels, &evals(&record, evaluator));
    }
    filter.smoothing.mix_result(&mut labels, white_points(record.winner));
    let mut game = Game::new(record.start);
    for ((mv, score), label) in record.moves.into_iter().zip(labels) {
        let board = game.board();
        let is_selected = board.ply() >= filter.min_ply
            && board.halfmove() < MAX_REVERSIBLE
            && score.abs() < filter.max_score
            && !is_decisive(score)
            && is_quiet(board, mv);
        if is_selected {
            rows.push(row(board, label as i16, record.winner));
        }
        game.play(mv);
    }
    rows
}

/// The position of a tree with its score.
fn of_tree(record: &GameRecord) -> Vec<Row> {
    let is_usable = record.start.halfmove() < MAX_REVERSIBLE;
    let usable = record.moves.first().filter(|_| is_usable);
    let rows = usable.map(|&(_, score)| row(&record.start, score as i16, record.winner));
    rows.into_iter().collect()
}

/// The scores of a game before the search scaled them down by the fifty-move clock: the search will
/// do so again with the evaluations of the network.
fn unfaded(record: &GameRecord) -> Vec<Score> {
    let mut game = Game::new(record.start.clone());
    let score = |&(mv, score): &(Move, Score)| {
        let board = game.board();
        let is_faded = !is_decisive(score) && endings::score(board).is_none();
        let [left, whole] = share_at_clock(if is_faded { board.halfmove() } else { 0 });
        game.play(mv);
        score * whole / left
    };
    record.moves.iter().map(score).collect()
}

/// The evaluations of a game's quiet positions, in centipawns from White's view.
fn evals(record: &GameRecord, evaluator: &mut Nnue) -> Vec<Option<Score>> {
    let mut game = Game::new(record.start.clone());
    let eval = |&(mv, _): &(Move, Score)| {
        let board = game.board();
        let eval = is_quiet(board, mv).then(|| {
            let eval = endings::score(board).unwrap_or_else(|| {
                evaluator.reset(board);
                evaluator.evaluate(board)
            });
            if board.side() == Color::White { eval } else { -eval }
        });
        game.play(mv);
        eval
    };
    record.moves.iter().map(eval).collect()
}

/// The points of White for a result.
fn white_points(winner: Option<Color>) -> f64 {
    winner.map_or(0.5, |winner| f64::from(winner == Color::White))
}

fn row(board: &Board, white_score: i16, winner: Option<Color>) -> Row {
    let mut sets = [0; KINDS_AT + Kind::ALL.len()];
    for color in Color::ALL {
        for (square, piece) in board.pieces_of(color) {
            let bit = 1 << square.to_64();
            sets[color.index()] |= bit;
            sets[KINDS_AT + piece.kind_index()] |= bit;
        }
    }
    let points = white_points(winner) as f32;
    let position = ChessBoard::from_raw(sets, board.side().index(), white_score, points)
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
pub fn pieces(row: &Row) -> impl Iterator<Item = (PieceByte, Square, u8)> + use<> {
    let threats = row.threats;
    row.position.into_iter().enumerate().map(move |(at, (piece, square))| {
        let color = if piece & 8 == 0 { Color::White } else { Color::Black };
        let piece = PieceByte::new(color, Kind::ALL[usize::from(piece & 7)]);
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
