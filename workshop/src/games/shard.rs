//! Games in a file: one after the other in the format of the `viriformat` crate.
//!
//! A game is its first position (32 bytes), a move and a score (4 bytes) for each
//! ply, and 4 bytes of zero. There is nothing else in a shard, so shards can be
//! concatenated. One that was cut off in the middle of a game has lost that game and
//! nothing else: [`Shard`] ignores it, and the [`Writer`] writes over it.
//!
//! After a power failure the end of a file may be zeros instead of the last data written.
//! They are ignored, together with the game before them: zeros may stand in the place of
//! its last moves, and the first of them look like its end. Resuming replays that game.
//!
//! All commands read games by [`Shard`], so all agree on what is a game.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use carrybit::board::draw::FIFTY_MOVES_PLIES;
use carrybit::board::{Board, Color, Game, Kind, Move, Square};
use carrybit::score::Score;
use viriformat::chess;
use viriformat::chess::board::{DrawType, GameOutcome, WinType};
use viriformat::chess::chessmove::MoveFlags;
use viriformat::dataformat::{self, WDL};

use super::record::{Ending, GameRecord};

/// Size of a first position.
const HEADER_BYTES: usize = 32;
/// Size of a move with its score.
const MOVE_BYTES: usize = 4;
/// The end of a game.
const END: [u8; MOVE_BYTES] = [0; MOVE_BYTES];
/// The number of a king in the format.
const KING_CODE: u8 = 5;
/// The number of a rook that may castle; there is none above it.
const CASTLING_ROOK_CODE: u8 = 6;
/// The bits of a piece that are the number of its kind; the one above is set for
/// Black.
const CODE_BITS: u8 = 7;
/// The most pieces there is room for.
const MAX_PIECES: usize = 32;
/// Where in a first position the pieces begin, after a bit for each square.
const PIECES_AT: usize = 8;
/// Where its clock of reversible plies is.
const HALFMOVE_AT: usize = 25;
/// Where its move number is, of two bytes.
const FULLMOVE_AT: usize = 26;
/// Where the game's result is, in half points for White.
const RESULT_AT: usize = 30;
/// The result of a game that White has won.
const MAX_RESULT: u8 = 2;

/// Why a shard cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ShardError {
    /// The file cannot be read or written.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// The error.
        source: io::Error,
    },
    /// There is no game in it.
    #[error("{0}: there is no game in it")]
    Empty(PathBuf),
    /// Another process writes to it.
    #[error("{0}: another process is writing to it")]
    InUse(PathBuf),
    /// A game in it is none.
    #[error("{path}, game {number}: {problem}{}", advice(path, *start))]
    Game {
        /// The file.
        path: PathBuf,
        /// The game's number, from 1.
        number: u64,
        /// Where it begins.
        start: usize,
        /// The fault.
        problem: String,
    },
}

/// How to go on with a shard in which something that begins at byte `start` is no game;
/// nothing if there is no game before it.
fn advice(path: &Path, start: usize) -> String {
    if start == 0 {
        return String::new();
    }
    let path = path.display();
    format!(
        "; the games before it can be kept: cut off at byte {start}, truncate -s {start} {path}"
    )
}

/// A shard that games are appended to.
#[derive(Debug)]
pub struct Writer {
    path: PathBuf,
    file: File,
    /// Whether there was nothing in it when it was opened.
    is_empty: bool,
    /// How many games there are.
    games: u64,
    /// How many positions, that is moves, there are.
    positions: u64,
    /// Where the whole games end, while something else may stand behind them.
    cut_at: Option<u64>,
}

impl Writer {
    /// Opens a shard, which need not exist, and locks it. It stays as it is until the first
    /// game is appended.
    ///
    /// # Errors
    /// If the file cannot be read and written, if another process writes to it, or if there
    /// is anything in it that is no game.
    pub fn open(path: &Path) -> Result<Writer, ShardError> {
        let fail = |source| ShardError::File { path: path.to_owned(), source };
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(path).map_err(fail)?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => ShardError::InUse(path.to_owned()),
            TryLockError::Error(source) => fail(source),
        })?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(fail)?;
        let is_empty = bytes.is_empty();
        let shard = Shard::of_bytes(path, bytes)?;
        let mut positions = 0;
        for record in shard.records() {
            positions += record?.moves.len() as u64;
        }
        let (games, cut_at) = (shard.games() as u64, Some(shard.whole_bytes() as u64));
        Ok(Writer { path: path.to_owned(), file, is_empty, games, positions, cut_at })
    }

    /// Whether there was nothing in it when it was opened, not even part of a game.
    pub fn is_empty(&self) -> bool {
        self.is_empty
    }

    /// How many games there are.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// How many positions there are.
    pub fn positions(&self) -> u64 {
        self.positions
    }

    /// Appends a game, the first one in the place of a game that was cut off. Once
    /// this returns, it is safe from the end of this process.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn append(&mut self, record: &GameRecord) -> Result<(), ShardError> {
        let fail = |source| ShardError::File { path: self.path.clone(), source };
        if let Some(end) = self.cut_at.take() {
            self.file.set_len(end).map_err(fail)?;
            self.file.seek(SeekFrom::Start(end)).map_err(fail)?;
        }
        self.file.write_all(&encode(record)).map_err(fail)?;
        self.games += 1;
        self.positions += record.moves.len() as u64;
        Ok(())
    }
}

/// A shard in memory.
pub struct Shard {
    path: PathBuf,
    bytes: Vec<u8>,
    /// Where each whole game ends.
    ends: Vec<usize>,
}

impl Shard {
    /// Reads a shard.
    ///
    /// # Errors
    /// If there is no such file that can be read, or if what is left at its end is
    /// not the beginning of a game.
    pub fn read(path: &Path) -> Result<Shard, ShardError> {
        let bytes =
            fs::read(path).map_err(|source| ShardError::File { path: path.to_owned(), source })?;
        Shard::of_bytes(path, bytes)
    }

    /// The shard with these bytes, for which `path` is only a name.
    ///
    /// # Errors
    /// If what is left at their end is not the beginning of a game.
    pub fn of_bytes(path: &Path, bytes: Vec<u8>) -> Result<Shard, ShardError> {
        let mut shard = Shard { path: path.to_owned(), ends: ends(&bytes), bytes };
        shard.drop_zeros();
        if let Some(header) = shard.torn().first_chunk() {
            check_header(header).map_err(|problem| shard.no_game(shard.games(), problem))?;
            log::warn!("{}: the last game is cut off", path.display());
        }
        Ok(shard)
    }

    /// Drops zeros at the end that are more than a game's end, and the game before
    /// them. A file of nothing but zeros is left as it is: it need not be a shard.
    fn drop_zeros(&mut self) {
        let written = self.bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        let whole = self.ends.partition_point(|&end| end < written);
        let ends_in_zeros = self.ends.get(whole).is_some_and(|&end| end < self.bytes.len());
        if written > 0 && ends_in_zeros {
            self.bytes.truncate(written);
            self.ends.truncate(whole);
            log::warn!("{}: zeros from byte {written} on, ignored", self.path.display());
        }
    }

    /// How many whole games there are.
    pub fn games(&self) -> usize {
        self.ends.len()
    }

    /// The bytes of a last game that was cut off, mostly none.
    fn torn(&self) -> &[u8] {
        &self.bytes[self.whole_bytes()..]
    }

    fn whole_bytes(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// The bytes of a game, counted from 0.
    ///
    /// # Panics
    /// If there is no such game.
    pub fn raw(&self, index: usize) -> &[u8] {
        &self.bytes[self.start(index)..self.ends[index]]
    }

    /// Where a game begins, counted from 0.
    fn start(&self, index: usize) -> usize {
        index.checked_sub(1).map_or(0, |before| self.ends[before])
    }

    /// A game, counted from 0. Every move of it is legal.
    ///
    /// # Errors
    /// If its bytes are no game.
    ///
    /// # Panics
    /// As [`Shard::raw`].
    pub fn record(&self, index: usize) -> Result<GameRecord, ShardError> {
        decode(self.raw(index)).map_err(|problem| self.no_game(index, problem))
    }

    /// All whole games, one after the other; see [`Shard::record`].
    pub fn records(&self) -> impl Iterator<Item = Result<GameRecord, ShardError>> + '_ {
        (0..self.games()).map(|index| self.record(index))
    }

    fn no_game(&self, index: usize, problem: String) -> ShardError {
        let (number, start) = (index as u64 + 1, self.start(index));
        ShardError::Game { path: self.path.clone(), number, start, problem }
    }
}

/// Where each of the whole games in these bytes ends.
fn ends(bytes: &[u8]) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut start = 0;
    while let Some(moves) = bytes.get(start + HEADER_BYTES..) {
        let plies = moves.as_chunks().0.iter().position(|item| *item == END);
        let Some(plies) = plies else { break };
        start += HEADER_BYTES + (plies + 1) * MOVE_BYTES;
        ends.push(start);
    }
    ends
}

/// The bytes of a game.
///
/// # Panics
/// If its first position is none that the format has room for.
pub fn encode(record: &GameRecord) -> Vec<u8> {
    let mut board = chess::board::Board::new();
    board.set_from_fen(&record.start.fen(true), true).expect("our FENs are sound");
    let mut game = dataformat::Game::new(&board);
    for &(mv, score) in &record.moves {
        // Mates, the highest scores, fit.
        game.add_move(to_viri(mv), score.clamp(i16::MIN.into(), i16::MAX.into()) as i16);
    }
    game.set_outcome(match record.ending {
        Ending::Win(Color::White) => GameOutcome::WhiteWin(WinType::Adjudication),
        Ending::Win(Color::Black) => GameOutcome::BlackWin(WinType::Adjudication),
        Ending::Draw => GameOutcome::Draw(DrawType::Adjudication),
    });
    let mut bytes = Vec::new();
    game.serialise_into(&mut bytes).expect("a Vec can be written");
    bytes
}

/// The game of these bytes, or what is wrong with them.
fn decode(bytes: &[u8]) -> Result<GameRecord, String> {
    let (header, moves_and_end) =
        bytes.split_first_chunk().ok_or_else(|| "no position".to_owned())?;
    check_header(header)?;
    // The library reads the position only: of moves that are not legal it panics.
    let without_moves = [header.as_slice(), &END].concat();
    let game = dataformat::Game::deserialise_from(&mut without_moves.as_slice(), Vec::new())
        .map_err(|error| error.to_string())?;
    let text = game.initial_position().to_string();
    let start: Board = text.parse().map_err(|error| format!("{text:?}: {error}"))?;
    let mut replayed = Game::new(start.clone());
    let mut moves = Vec::with_capacity(moves_and_end.len() / MOVE_BYTES);
    let (items, _) = moves_and_end.as_chunks::<MOVE_BYTES>();
    for (i, &[low, high, score_low, score_high]) in items[..items.len() - 1].iter().enumerate() {
        let bits = u16::from_le_bytes([low, high]);
        let legal = replayed.board().legal_moves();
        let mv = legal.iter().copied().find(|&mv| to_viri(mv).inner() == bits);
        let mv = mv.ok_or_else(|| format!("move {} is not legal: {bits:#06x}", i + 1))?;
        if replayed.board().halfmove() >= FIFTY_MOVES_PLIES {
            return Err(format!("move {} follows a draw by the fifty-move rule", i + 1));
        }
        moves.push((mv, Score::from(i16::from_le_bytes([score_low, score_high]))));
        replayed.play(mv);
    }
    let ending = match game.outcome() {
        WDL::Win => Ending::Win(Color::White),
        WDL::Loss => Ending::Win(Color::Black),
        WDL::Draw => Ending::Draw,
    };
    Ok(GameRecord { start, moves, ending })
}

/// Whether the library can take the first position without panicking.
fn check_header(header: &[u8; HEADER_BYTES]) -> Result<(), String> {
    let occupied = header[..PIECES_AT].iter().map(|byte| byte.count_ones() as usize).sum();
    let code = |i: usize| header[PIECES_AT + i / 2] >> (i % 2 * 4) & 0xF;
    if occupied > MAX_PIECES || (0..occupied).any(|i| code(i) & CODE_BITS > CASTLING_ROOK_CODE) {
        return Err("the position has strange pieces".to_owned());
    }
    let kings = |color: u8| {
        (0..occupied).filter(|&i| code(i) == KING_CODE + color * (CODE_BITS + 1)).count()
    };
    if kings(0) != 1 || kings(1) != 1 {
        return Err("the position has not one king of each side".to_owned());
    }
    let fullmove = u16::from_le_bytes([header[FULLMOVE_AT], header[FULLMOVE_AT + 1]]);
    let halfmove = u16::from(header[HALFMOVE_AT]);
    if fullmove == 0 || halfmove > FIFTY_MOVES_PLIES || header[RESULT_AT] > MAX_RESULT {
        return Err("the position's clock, its move number or the result is none".to_owned());
    }
    Ok(())
}

/// A move in the library's form.
fn to_viri(mv: Move) -> chess::chessmove::Move {
    let square = |sq: Square| chess::types::Square::new_clamped(sq.to_64() as u8);
    let (from, to) = (square(mv.from()), square(mv.to()));
    let promoted = |kind| chess::chessmove::Move::new_with_promo(from, to, kind);
    let flagged = |flag| chess::chessmove::Move::new_with_flags(from, to, flag);
    match mv.promotion_kind() {
        Some(Kind::Knight) => promoted(chess::piece::PieceType::Knight),
        Some(Kind::Bishop) => promoted(chess::piece::PieceType::Bishop),
        Some(Kind::Rook) => promoted(chess::piece::PieceType::Rook),
        Some(_) => promoted(chess::piece::PieceType::Queen),
        None if mv.is_castling() => flagged(MoveFlags::Castle),
        None if mv.is_en_passant() => flagged(MoveFlags::EnPassant),
        None => chess::chessmove::Move::new(from, to),
    }
}
