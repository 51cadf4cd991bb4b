//! Games in a file: one after the other in the format of the `viriformat` crate.
//!
//! A game is its first position (32 bytes), a move and a score (4 bytes) for each
//! ply, and 4 bytes of zero. There is nothing else in a shard, so shards can be
//! put one behind the other. One that was cut off in the middle of a game has lost
//! that game and nothing else: readers ignore it, and the [`Writer`] writes over it.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufReader, ErrorKind, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use viriformat::chess;
use viriformat::chess::board::{DrawType, GameOutcome, WinType};
use viriformat::chess::chessmove::MoveFlags;
use viriformat::dataformat::{self, WDL};

use crate::board::{Board, Color, Game, Kind, Move, Square};
use crate::score::{FIFTY_MOVES_PLIES, Score};

use crate::tools::selfplay::Record;
use crate::tools::selfplay::referee::Ending;

/// Size of a first position.
const HEADER_BYTES: usize = 32;
/// Size of a move with its score, and of the zeros that end a game.
const MOVE_BYTES: usize = 4;
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
        /// What happened to it.
        source: io::Error,
    },
    /// Somebody else is writing to it.
    #[error("{0}: another process is writing to it")]
    InUse(PathBuf),
    /// A game in it is none.
    #[error("{path}, game {number}: {problem}")]
    Game {
        /// The file.
        path: PathBuf,
        /// The game's number, from 1.
        number: u64,
        /// What is wrong with it.
        problem: String,
    },
}

/// A shard that games are appended to.
#[derive(Debug)]
pub struct Writer {
    path: PathBuf,
    file: File,
    /// How many games there are.
    games: u64,
    /// How many positions, that is moves, there are.
    positions: u64,
    /// Where the whole games end, while something else may stand behind them.
    cut_at: Option<u64>,
}

impl Writer {
    /// Opens a shard, which need not exist, for nobody else to write to. It stays
    /// as it is until the first game is appended.
    ///
    /// # Errors
    /// If the file cannot be read and written, if somebody else writes to it, or if
    /// there is anything in it that is no game.
    pub fn open(path: &Path) -> Result<Writer, ShardError> {
        let fail = |source| ShardError::File { path: path.to_owned(), source };
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let file = options.open(path).map_err(fail)?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => ShardError::InUse(path.to_owned()),
            TryLockError::Error(source) => fail(source),
        })?;
        let mut reader = Reader::of(path, file.try_clone().map_err(fail)?);
        let mut positions = 0;
        while let Some(record) = reader.read()? {
            positions += record.moves.len() as u64;
        }
        let (games, cut_at) = (reader.games, Some(reader.whole_bytes));
        Ok(Writer { path: path.to_owned(), file, games, positions, cut_at })
    }

    /// How many games there are.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.games
    }

    /// How many positions there are.
    #[must_use]
    pub fn positions(&self) -> u64 {
        self.positions
    }

    /// Appends a game, the first one in the place of a game that was cut off. Once
    /// this returns, it is safe from the end of this process.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn append(&mut self, record: &Record) -> Result<(), ShardError> {
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

/// The games of a shard, one after the other.
pub struct Reader {
    path: PathBuf,
    input: BufReader<File>,
    /// How many games have been read.
    games: u64,
    /// How many bytes they have.
    whole_bytes: u64,
    /// The bytes of the last game read.
    raw: Vec<u8>,
}

impl Reader {
    /// Opens a shard.
    ///
    /// # Errors
    /// If there is no such file that can be read.
    pub fn open(path: &Path) -> Result<Reader, ShardError> {
        let file = File::open(path)
            .map_err(|source| ShardError::File { path: path.to_owned(), source })?;
        Ok(Reader::of(path, file))
    }

    fn of(path: &Path, file: File) -> Reader {
        let input = BufReader::new(file);
        Reader { path: path.to_owned(), input, games: 0, whole_bytes: 0, raw: Vec::new() }
    }

    /// The next game; `None` at the end, be it in the middle of a game. Every move
    /// of it is legal.
    ///
    /// # Errors
    /// If the file cannot be read, or holds something that is no game.
    pub fn read(&mut self) -> Result<Option<Record>, ShardError> {
        if !self.read_raw()? {
            return Ok(None);
        }
        decode(&self.raw).map(Some).map_err(|problem| self.no_game(self.games, problem))
    }

    fn no_game(&self, number: u64, problem: String) -> ShardError {
        ShardError::Game { path: self.path.clone(), number, problem }
    }

    /// Reads the bytes of the next game; whether there was one.
    fn read_raw(&mut self) -> Result<bool, ShardError> {
        self.raw.clear();
        match dataformat::Game::deserialise_fast_into_buffer(&mut self.input, &mut self.raw) {
            Ok(()) => {
                self.games += 1;
                self.whole_bytes += self.raw.len() as u64;
                Ok(true)
            }
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
                // What was cut off was a game.
                if let Some(header) = self.raw.first_chunk() {
                    check_header(header)
                        .map_err(|problem| self.no_game(self.games + 1, problem))?;
                    log::warn!("{}: the last game is cut off", self.path.display());
                }
                Ok(false)
            }
            Err(source) => Err(ShardError::File { path: self.path.clone(), source }),
        }
    }
}

/// The bytes of a game.
fn encode(record: &Record) -> Vec<u8> {
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
fn decode(bytes: &[u8]) -> Result<Record, String> {
    let (header, moves_and_end) =
        bytes.split_first_chunk().ok_or_else(|| "no position".to_owned())?;
    check_header(header)?;
    // The library reads the position only: of moves that are not legal it panics.
    let without_moves = [header.as_slice(), &[0; MOVE_BYTES]].concat();
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
        moves.push((mv, Score::from(i16::from_le_bytes([score_low, score_high]))));
        replayed.play(mv);
    }
    let ending = match game.outcome() {
        WDL::Win => Ending::Win(Color::White),
        WDL::Loss => Ending::Win(Color::Black),
        WDL::Draw => Ending::Draw,
    };
    Ok(Record { start, moves, ending })
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
