//! Shards: files of games in the format of the `viriformat` crate.
//!
//! A game is its first position (32 bytes), a move and a score (4 bytes) for each ply, and 4
//! zero bytes. A shard contains nothing else, so shards can be concatenated. If a shard was cut
//! off within a game, only that game is lost: [`Shard`] ignores it, and the [`Writer`]
//! overwrites it.
//!
//! After a power failure, a file may end in zeros instead of the last data written. They are
//! ignored, together with the game before them: the zeros may have replaced its last moves, and
//! the first zeros look like its end. Resuming replays that game.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use carrybit::internals::score::Score;
use carrybit::{Board, Color, Game, Kind, Move, Square};
use carrybit_board::draw::FIFTY_MOVES_PLIES;
use viriformat::chess;
use viriformat::chess::board::{DrawType, GameOutcome, WinType};
use viriformat::chess::chessmove::MoveFlags;
use viriformat::dataformat::{self, WDL};

use super::GameRecord;
use crate::error::Error;
use crate::files;

/// Size of the first position.
const HEADER_BYTES: usize = 32;
/// Size of a move with its score.
const MOVE_BYTES: usize = 4;
/// Ends a game.
const END: [u8; MOVE_BYTES] = [0; MOVE_BYTES];
/// The code of a king.
const KING_CODE: u8 = 5;
/// The code of a rook with castling rights, the highest.
const CASTLING_ROOK_CODE: u8 = 6;
/// The bits of a piece that hold its code; the next bit is set for Black.
const CODE_BITS: u8 = 7;
const MAX_PIECES: usize = 32;
/// The offset of the pieces in the first position, after one bit for each square.
const PIECES_AT: usize = 8;
/// The offset of the halfmove clock.
const HALFMOVE_AT: usize = 25;
/// The offset of the move number, of two bytes.
const FULLMOVE_AT: usize = 26;
/// The offset of the result, in half points for White.
const RESULT_AT: usize = 30;
/// The result of a win for White.
const MAX_RESULT: u8 = 2;

/// A shard that games are appended to.
#[derive(Debug)]
pub struct Writer {
    path: PathBuf,
    file: File,
    /// Whether the file was empty when it was opened.
    pub(super) is_empty: bool,
    pub(super) games: u64,
    pub(super) positions: u64,
    /// The end of the complete games; `None` once the bytes after them have been cut off.
    cut_at: Option<u64>,
}

impl Writer {
    /// Opens or creates a shard and locks it. Only an append changes the content.
    pub fn open(path: &Path) -> Result<Writer, Error> {
        let fail = Error::at(path);
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(path).map_err(&fail)?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => Error::of(path, "another process is writing to it"),
            TryLockError::Error(source) => fail(source),
        })?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(&fail)?;
        let is_empty = bytes.is_empty();
        let shard = Shard::of_bytes(path, bytes)?;
        let lengths = shard.records().map(|record| Ok(record?.moves.len() as u64));
        let positions = lengths.sum::<Result<u64, Error>>()?;
        let (games, cut_at) = (shard.games() as u64, Some(shard.start(shard.games()) as u64));
        Ok(Writer { path: path.to_owned(), file, is_empty, games, positions, cut_at })
    }

    /// Appends a game; the first replaces an incomplete game at the end. Once this returns, the
    /// game survives the end of this process (but not a power failure).
    pub fn append(&mut self, record: &GameRecord) -> Result<(), Error> {
        let fail = Error::at(&self.path);
        if let Some(end) = self.cut_at.take() {
            self.file.set_len(end).map_err(&fail)?;
            self.file.seek(SeekFrom::Start(end)).map_err(&fail)?;
        }
        self.file.write_all(&encode(record)).map_err(&fail)?;
        self.games += 1;
        self.positions += record.moves.len() as u64;
        Ok(())
    }
}

/// A shard in memory.
pub struct Shard {
    path: PathBuf,
    bytes: Vec<u8>,
    /// The end of each complete game.
    ends: Vec<usize>,
}

impl Shard {
    pub fn read(path: &Path) -> Result<Shard, Error> {
        Shard::of_bytes(path, files::read(path)?)
    }

    /// The shard with these bytes; messages name it `path`.
    pub fn of_bytes(path: &Path, bytes: Vec<u8>) -> Result<Shard, Error> {
        let mut shard = Shard { path: path.to_owned(), ends: ends(&bytes), bytes };
        shard.drop_zeros();
        if let Some(header) = shard.bytes[shard.start(shard.games())..].first_chunk() {
            check_header(header).map_err(|problem| shard.invalid(shard.games(), problem))?;
            log::warn!("{}: ignored the incomplete last game", path.display());
        }
        Ok(shard)
    }

    /// Drops zeros at the end of the file, and the game whose end they contain, as they may have
    /// replaced its last moves. Keeps a file of zeros only: it may not be a shard.
    fn drop_zeros(&mut self) {
        let written = self.bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        let whole = self.ends.partition_point(|&end| end < written);
        let ends_in_zeros = self.ends.get(whole).is_some_and(|&end| end < self.bytes.len());
        if written > 0 && ends_in_zeros {
            self.bytes.truncate(written);
            self.ends.truncate(whole);
            log::warn!("{}: ignored zeros from byte {written} on", self.path.display());
        }
    }

    /// The number of complete games.
    pub fn games(&self) -> usize {
        self.ends.len()
    }

    /// The bytes of the game at `index`.
    pub fn raw(&self, index: usize) -> &[u8] {
        &self.bytes[self.start(index)..self.ends[index]]
    }

    /// The first byte of a game, or of the one after the last.
    fn start(&self, index: usize) -> usize {
        index.checked_sub(1).map_or(0, |before| self.ends[before])
    }

    /// The game at `index`. All its moves are legal.
    pub fn record(&self, index: usize) -> Result<GameRecord, Error> {
        decode(self.raw(index)).map_err(|problem| self.invalid(index, problem))
    }

    /// All complete games; see [`Shard::record`].
    pub fn records(&self) -> impl Iterator<Item = Result<GameRecord, Error>> + '_ {
        (0..self.games()).map(|index| self.record(index))
    }

    /// The error for an invalid game. It says how to keep those before. Without such, the file may
    /// not be a shard.
    fn invalid(&self, index: usize, problem: String) -> Error {
        let (path, start) = (self.path.display(), self.start(index));
        let advice = match index {
            0 => String::new(),
            _ => format!(
                "; to keep the games before it, cut the file off there: truncate -s {start} {path}"
            ),
        };
        Error::Refused(format!("{path}, game {}: {problem}{advice}", index + 1))
    }
}

/// The end of each complete game.
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

/// Encodes a game.
///
/// # Panics
/// If the format cannot represent its first position.
pub fn encode(record: &GameRecord) -> Vec<u8> {
    let mut board = chess::board::Board::new();
    board.set_from_fen(&record.start.shredder_fen(), true).expect("a valid FEN");
    let mut game = dataformat::Game::new(&board);
    for &(mv, score) in &record.moves {
        // Mate scores, the largest, fit into 16 bits.
        game.add_move(to_viri(mv), score.clamp(i16::MIN.into(), i16::MAX.into()) as i16);
    }
    game.set_outcome(match record.winner {
        Some(Color::White) => GameOutcome::WhiteWin(WinType::Adjudication),
        Some(Color::Black) => GameOutcome::BlackWin(WinType::Adjudication),
        None => GameOutcome::Draw(DrawType::Adjudication),
    });
    let mut bytes = Vec::new();
    game.serialise_into(&mut bytes).expect("a Vec can be written");
    bytes
}

fn decode(bytes: &[u8]) -> Result<GameRecord, String> {
    let (header, moves_and_end) =
        bytes.split_first_chunk().ok_or_else(|| "no position".to_owned())?;
    check_header(header)?;
    // The library decodes only the position: it panics on illegal moves.
    let without_moves = [header.as_slice(), &END].concat();
    let game = dataformat::Game::deserialise_from(&mut without_moves.as_slice(), Vec::new())
        .map_err(|error| error.to_string())?;
    let text = shredder_fen(&game.initial_position());
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
    let winner = match game.outcome() {
        WDL::Win => Some(Color::White),
        WDL::Loss => Some(Color::Black),
        WDL::Draw => None,
    };
    Ok(GameRecord { start, moves, winner })
}

/// The FEN of a position with the files of its castling rooks, which the library's text lacks.
fn shredder_fen(board: &chess::board::Board) -> String {
    let rights = board.castling_rights();
    let sides = [(chess::piece::Colour::White, b'A'), (chess::piece::Colour::Black, b'a')];
    let letters = sides.into_iter().flat_map(|(color, a)| {
        let rooks = [rights.kingside(color), rights.queenside(color)].into_iter().flatten();
        rooks.map(move |rook| char::from(a + rook.file() as u8))
    });
    let letters: String = letters.collect();
    let text = board.to_string();
    let mut fields: Vec<&str> = text.split(' ').collect();
    if !letters.is_empty() {
        fields[2] = &letters;
    }
    fields.join(" ")
}

/// Checks everything in the first position that would make the library panic.
fn check_header(header: &[u8; HEADER_BYTES]) -> Result<(), String> {
    let occupied = header[..PIECES_AT].iter().map(|byte| byte.count_ones() as usize).sum();
    let code = |i: usize| header[PIECES_AT + i / 2] >> (i % 2 * 4) & 0xF;
    if occupied > MAX_PIECES || (0..occupied).any(|i| code(i) & CODE_BITS > CASTLING_ROOK_CODE) {
        return Err("the position has unknown pieces".to_owned());
    }
    let kings = |color: u8| {
        (0..occupied).filter(|&i| code(i) == KING_CODE + color * (CODE_BITS + 1)).count()
    };
    if kings(0) != 1 || kings(1) != 1 {
        return Err("the position does not have one king of each side".to_owned());
    }
    let fullmove = u16::from_le_bytes([header[FULLMOVE_AT], header[FULLMOVE_AT + 1]]);
    let halfmove = u16::from(header[HALFMOVE_AT]);
    if fullmove == 0 || halfmove > FIFTY_MOVES_PLIES || header[RESULT_AT] > MAX_RESULT {
        return Err("the halfmove clock, the move number or the result is out of range".to_owned());
    }
    Ok(())
}

fn to_viri(mv: Move) -> chess::chessmove::Move {
    let square = |sq: Square| chess::types::Square::new_clamped(sq.to_64() as u8);
    let (from, to) = (square(mv.from()), square(mv.target()));
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
