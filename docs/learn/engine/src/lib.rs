//! The engine of the course in `docs/learn`. `exercises.rs` is the learner's part, `solutions.rs`
//! has the same functions solved. This file has what both use: the pieces, moves, positions as
//! FEN, and the memory of a search.

#![allow(clippy::print_stdout, reason = "UCI is text on the standard output")]
#![allow(missing_docs, reason = "most names say it")]

pub mod exercises;
pub mod solutions;

#[cfg(feature = "learner")]
pub use exercises as own;
#[cfg(not(feature = "learner"))]
pub use solutions as own;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

// A piece is a byte: one of these bits for its kind, and one for its colour. An empty square is 0.
pub const PAWN: u8 = 0x01;
pub const KNIGHT: u8 = 0x02;
pub const BISHOP: u8 = 0x04;
pub const ROOK: u8 = 0x08;
pub const QUEEN: u8 = 0x10;
pub const KING: u8 = 0x20;
pub const WHITE: u8 = 0x40;
pub const BLACK: u8 = 0x80;

/// The kinds of pieces, in the order of their bits.
pub const KINDS: [u8; 6] = [PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING];
/// A number that is no square.
pub const NONE: u8 = 0x08;

/// The values of the kinds in centipawns, in the order of [`KINDS`].
pub const VALUES: [i32; 6] = [100, 320, 330, 500, 900, 0];

/// The last lane of each ray, which holds a knight's jump (chapter 6).
pub const JUMPS: u64 = 0x8080_8080_8080_8080;
/// The first lane of each ray.
pub const RAY_STARTS: u64 = 0x0101_0101_0101_0101;

/// The 128 squares of a board: the byte of a piece, or 0.
pub type Squares = [u8; 128];

/// The steps of each kind, in the order of [`KINDS`]: a queen's and a king's are the same eight.
/// Pawns have none here, see [`PAWN_CAPTURES`].
pub const STEPS: [&[u8]; 6] = [
    &[],
    &[0x21, 0x12, 0xF2, 0xE1, 0xDF, 0xEE, 0x0E, 0x1F],
    &[0x11, 0xF1, 0xEF, 0x0F],
    &[0x10, 0x01, 0xF0, 0xFF],
    &[0x10, 0x01, 0xF0, 0xFF, 0x11, 0xF1, 0xEF, 0x0F],
    &[0x10, 0x01, 0xF0, 0xFF, 0x11, 0xF1, 0xEF, 0x0F],
];
/// The steps by which pawns capture: White's, then Black's.
pub const PAWN_CAPTURES: [[u8; 2]; 2] = [[0x0F, 0x11], [0xEF, 0xF1]];

/// The place of the kind of `piece` in [`KINDS`], for any piece of either colour.
pub fn kind_index(piece: u8) -> usize {
    (piece & 0x3F).trailing_zeros() as usize
}

/// Whether a piece is a bishop, rook or queen.
pub fn slides(piece: u8) -> bool {
    piece & (BISHOP | ROOK | QUEEN) != 0
}

/// 0 for [`WHITE`], 1 for [`BLACK`].
pub fn color_index(color: u8) -> usize {
    usize::from(color == BLACK)
}

pub fn all_squares() -> impl Iterator<Item = u8> {
    (0..128).filter(|sq| sq & 0x88 == 0)
}

/// For each difference of two squares, as a byte: who attacks along it, and by which step.
pub struct Table {
    /// The sum of the kinds that attack along each difference: White's, then Black's.
    pub kinds: [[u8; 256]; 2],
    /// The step that leads along each difference of a line, else 0.
    pub steps: [u8; 256],
}

/// A move. A king that castles moves by two squares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    pub from: u8,
    pub to: u8,
    /// The kind that a pawn promotes to, or 0.
    pub promotion: u8,
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for sq in [self.from, self.to] {
            write!(f, "{}{}", char::from(b'a' + (sq & 7)), (sq >> 4) + 1)?;
        }
        match self.promotion {
            0 => Ok(()),
            kind => write!(f, "{}", ["", "n", "b", "r", "q"][kind_index(kind)]),
        }
    }
}

#[derive(Clone, Debug)]
pub struct Position {
    pub squares: Squares,
    /// The colour to move: [`WHITE`] or [`BLACK`].
    pub side: u8,
    /// A bit for the square of each king and rook that may still castle.
    castling: u128,
    /// The square that a pawn has just passed by its double step, or [`NONE`].
    en_passant: u8,
}

impl Position {
    pub const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    /// Reads a FEN; `None` if it has no position.
    pub fn from_fen(fen: &str) -> Option<Position> {
        let fields: Vec<&str> = fen.split_whitespace().collect();
        let [pieces, side, castling, en_passant, ..] = fields[..] else { return None };
        let mut squares = [0; 128];
        for (rank, row) in (0..8).rev().zip(pieces.split('/')) {
            let mut file = 0;
            for letter in row.chars() {
                if let Some(empty) = letter.to_digit(9) {
                    file += empty as u8;
                    continue;
                }
                let kind = KINDS["pnbrqk".find(letter.to_ascii_lowercase())?];
                let color = if letter.is_uppercase() { WHITE } else { BLACK };
                *squares.get_mut(usize::from(rank << 4 | file))? = kind | color;
                file += 1;
            }
        }
        let side = if side == "w" { WHITE } else { BLACK };
        // The king on e1 is bit 4, its rooks are the bits 7 and 0. Black's are 0x70 higher.
        let rights = [('K', 0x90), ('Q', 0x11), ('k', 0x90 << 0x70), ('q', 0x11 << 0x70)];
        let castling = rights
            .iter()
            .filter(|right| castling.contains(right.0))
            .fold(0, |set, right| set | right.1);
        let name = |sq| Move { from: sq, to: sq, promotion: 0 }.to_string();
        let en_passant = all_squares().find(|&sq| name(sq)[..2] == *en_passant).unwrap_or(NONE);
        let has_kings = [WHITE, BLACK].iter().all(|color| squares.contains(&(KING | color)));
        has_kings.then_some(Position { squares, side, castling, en_passant })
    }

    pub fn enemy(&self) -> u8 {
        self.side ^ (WHITE | BLACK)
    }

    /// The byte of the piece on a square, 0 if it is empty.
    pub fn at(&self, sq: u8) -> u8 {
        self.squares[usize::from(sq)]
    }

    pub fn king(&self, color: u8) -> u8 {
        all_squares().find(|&sq| self.at(sq) == KING | color).unwrap_or(NONE)
    }

    /// The moves of all pawns of the side to move, whether or not they leave the king in check.
    pub fn pawn_moves(&self) -> Vec<Move> {
        let mut moves = Vec::new();
        let (ahead, first, last) = if self.side == WHITE { (0x10, 1, 7) } else { (0xF0, 6, 0) };
        for from in all_squares().filter(|&sq| self.at(sq) == PAWN | self.side) {
            let (one, is_empty) = (from.wrapping_add(ahead), |sq| self.at(sq) == 0);
            let two = one.wrapping_add(ahead);
            let mut targets = Vec::new();
            if is_empty(one) {
                targets.push(one);
                if from >> 4 == first && is_empty(two) {
                    targets.push(two);
                }
            }
            for step in PAWN_CAPTURES[color_index(self.side)] {
                let to = from.wrapping_add(step);
                if to & 0x88 == 0 && (self.at(to) & self.enemy() != 0 || to == self.en_passant) {
                    targets.push(to);
                }
            }
            for to in targets {
                let kinds = if to >> 4 == last { &[QUEEN, ROOK, BISHOP, KNIGHT][..] } else { &[0] };
                moves.extend(kinds.iter().map(|&promotion| Move { from, to, promotion }));
            }
        }
        moves
    }

    /// The castlings that are permitted if the king is not in check now, on the square that it
    /// passes (the second item) and where it ends.
    pub fn castling_moves(&self) -> Vec<(Move, u8)> {
        let from = if self.side == WHITE { 0x04 } else { 0x74 };
        let mut moves = Vec::new();
        for (rook, passed, to) in [(from + 3, from + 1, from + 2), (from - 4, from - 1, from - 2)] {
            let between = from.min(rook) + 1..from.max(rook);
            let has_right = self.castling >> from & self.castling >> rook & 1 != 0;
            if has_right && between.map(|sq| self.at(sq)).all(|piece| piece == 0) {
                moves.push((Move { from, to, promotion: 0 }, passed));
            }
        }
        moves
    }

    /// The position after a move. The caller has to test whether the king is in check there.
    #[must_use]
    pub fn make(&self, mv: Move) -> Position {
        let (mut next, piece) = (self.clone(), self.at(mv.from));
        let [from, to] = [mv.from, mv.to].map(usize::from);
        next.squares[from] = 0;
        next.squares[to] = if mv.promotion == 0 { piece } else { mv.promotion | self.side };
        next.castling &= !(1 << from | 1 << to);
        let is_double_step = piece & PAWN != 0 && from.abs_diff(to) == 0x20;
        next.en_passant = if is_double_step { mv.from.midpoint(mv.to) } else { NONE };
        match piece & 0x3F {
            KING if to == from + 2 => next.squares.swap(to + 1, to - 1),
            KING if from == to + 2 => next.squares.swap(to - 2, to + 1),
            PAWN if mv.to == self.en_passant => next.squares[from & 0x70 | to & 7] = 0,
            _ => {}
        }
        next.side = self.enemy();
        next
    }

    /// A number for what a key needs besides the pieces: side to move, castling, en passant.
    pub fn rest(&self) -> u64 {
        let rest = number(self.side, NONE) ^ number(PAWN, self.en_passant | 0x80);
        let castling = (0..128).filter(|sq| self.castling >> sq & 1 != 0);
        castling.fold(rest, |key, sq| key ^ number(KING | WHITE | BLACK, sq))
    }

    /// A small value for well-placed pieces, for the side to move: near the centre, and pawns
    /// far ahead. In centipawns, to be added to the material.
    pub fn placement(&self) -> i32 {
        let value = |sq: u8| {
            let (piece, [file, rank]) = (self.at(sq), [sq & 7, sq >> 4].map(i32::from));
            let centre = file.min(7 - file) + rank.min(7 - rank);
            let ahead = if piece & WHITE != 0 { rank } else { 7 - rank };
            let value = match piece & 0x3F {
                PAWN => 3 * centre + ahead * (ahead + 4),
                kind => [0, 10, 10, 2, 2, -8][kind_index(kind)] * centre,
            };
            if piece & self.side != 0 { value } else { -value }
        };
        all_squares().filter(|&sq| self.at(sq) != 0).map(value).sum()
    }
}

/// A random number for a piece on a square, always the same one (SplitMix64).
pub fn number(piece: u8, square: u8) -> u64 {
    let place = u64::from(piece) << 8 | u64::from(square);
    let mut x = (place + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    x = (x ^ x >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ x >> 31
}

/// The score of a mate, and more than any evaluation. Less than [`INFINITY`].
pub const MATE: i32 = 30_000;
/// More than any score.
pub const INFINITY: i32 = 32_000;

/// Whether a stored score is the value of the position, or only a limit of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    Exact,
    /// The value is the score or more: the search was cut off.
    AtLeast,
    /// The value is the score or less: no move reached alpha.
    AtMost,
}

#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub key: u64,
    pub best: Move,
    pub score: i32,
    /// How deep the position was searched.
    pub depth: i32,
    /// How the score is to be understood.
    pub bound: Bound,
}

/// The memory of a search, and the limits that end it.
pub struct Search {
    pub nodes: u64,
    /// The keys of the positions of the game before the current one.
    pub seen: Vec<u64>,
    /// Ends the search when it is set.
    pub stop: Arc<AtomicBool>,
    /// Ends the search at this time.
    pub deadline: Option<Instant>,
    table: Vec<Option<Entry>>,
}

impl Default for Search {
    fn default() -> Search {
        let (stop, table) = (Arc::default(), vec![None; 1 << 18]);
        Search { nodes: 0, seen: Vec::new(), stop, deadline: None, table }
    }
}

impl Search {
    /// Whether the search has to end now.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Relaxed) || self.deadline.is_some_and(|time| Instant::now() >= time)
    }

    /// The entry of the position with this key, if the table has it.
    pub fn probe(&self, key: u64) -> Option<Entry> {
        self.table[key as usize % self.table.len()].filter(|entry| entry.key == key)
    }

    /// Stores an entry in place of the one that is there.
    pub fn store(&mut self, entry: Entry) {
        let place = entry.key as usize % self.table.len();
        self.table[place] = Some(entry);
    }

    pub fn report(&self, depth: i32, score: i32, best: Move) {
        println!("info depth {depth} score cp {score} nodes {} pv {best}", self.nodes);
    }
}
