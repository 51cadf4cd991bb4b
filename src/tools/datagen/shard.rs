//! Games in a file: one after the other in the format of the `viriformat` crate.
//!
//! A game is its first position (32 bytes), a move and a score (4 bytes) for each
//! ply, and 4 bytes of zero. There is nothing else in a shard, so shards can be
//! put one behind the other. One that was cut off in the middle of a game has lost
//! that game and nothing else: readers ignore it, and the [`Writer`] takes it away.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, ErrorKind, Seek, SeekFrom, Write};
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
/// The letters of the kinds in the format, a king's number being the last.
const KING_CODE: u8 = 5;
/// The number in the format of a rook that may castle; there is none above it.
const CASTLING_ROOK_CODE: u8 = 6;

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
}

impl Writer {
    /// Opens a shard, which need not exist, for nobody else to write to; a game
    /// cut off at its end is taken away.
    ///
    /// # Errors
    /// If the file cannot be read and written, or somebody else writes to it.
    pub fn open(path: &Path) -> Result<Writer, ShardError> {
        let fail = |source| ShardError::File { path: path.to_owned(), source };
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(path).map_err(fail)?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => ShardError::InUse(path.to_owned()),
            TryLockError::Error(source) => fail(source),
        })?;
        let mut reader = Reader::open(path)?;
        let mut positions = 0;
        while reader.read_raw()? {
            positions += reader.moves_in_raw() as u64;
        }
        file.set_len(reader.whole_bytes).map_err(fail)?;
        file.seek(SeekFrom::End(0)).map_err(fail)?;
        Ok(Writer { path: path.to_owned(), file, games: reader.games, positions })
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

    /// Appends a game. Once this returns, it is safe from the end of this process.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn append(&mut self, record: &Record) -> Result<(), ShardError> {
        let fail = |source| ShardError::File { path: self.path.clone(), source };
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
        let path = path.to_owned();
        match File::open(&path) {
            Ok(file) => {
                let input = BufReader::new(file);
                Ok(Reader { path, input, games: 0, whole_bytes: 0, raw: Vec::new() })
            }
            Err(source) => Err(ShardError::File { path, source }),
        }
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
        decode(&self.raw).map(Some).map_err(|problem| ShardError::Game {
            path: self.path.clone(),
            number: self.games,
            problem,
        })
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
                if !self.raw.is_empty() || self.has_more() {
                    log::warn!("{}: the last game is cut off", self.path.display());
                }
                Ok(false)
            }
            Err(source) => Err(ShardError::File { path: self.path.clone(), source }),
        }
    }

    fn has_more(&mut self) -> bool {
        self.input.fill_buf().is_ok_and(|rest| !rest.is_empty())
    }

    fn moves_in_raw(&self) -> usize {
        (self.raw.len() - HEADER_BYTES) / MOVE_BYTES - 1
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
    let occupied = header[..8].iter().map(|byte| byte.count_ones() as usize).sum::<usize>();
    let code = |i: usize| header[8 + i / 2] >> (i % 2 * 4) & 0xF;
    if occupied > 32 || (0..occupied).any(|i| code(i) & 7 > CASTLING_ROOK_CODE) {
        return Err("the position has strange pieces".to_owned());
    }
    let kings = |color: u8| (0..occupied).filter(|&i| code(i) == KING_CODE | color << 3).count();
    if kings(0) != 1 || kings(1) != 1 {
        return Err("the position has not one king of each side".to_owned());
    }
    let (fullmove, result) = (u16::from_le_bytes([header[26], header[27]]), header[30]);
    if fullmove == 0 || u16::from(header[25]) > FIFTY_MOVES_PLIES || result > 2 {
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
