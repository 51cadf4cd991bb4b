//! The rules of chess: legal moves, FEN, SAN, UCI's notation, Chess960, and the outcome of games.
//!
//! ```
//! use carrybit_board::{Board, Game, Outcome};
//!
//! // A position and its moves.
//! let board: Board = "4k3/8/8/8/8/8/4P3/4K2R w K - 0 1".parse()?;
//! let moves: Vec<String> = board.legal_moves().iter().map(|&mv| board.san(mv)).collect();
//! assert!(moves.contains(&"O-O".to_owned()) && moves.contains(&"Rh8+".to_owned()));
//!
//! // A game, with its outcome by mate, stalemate, material, repetition or fifty moves.
//! let mut game = Game::default();
//! for san in ["f3", "e5", "g4", "Qh4#"] {
//!     game.play_san(san)?;
//! }
//! assert_eq!(game.outcome().map(Outcome::reason), Some("checkmate"));
//! assert_eq!(game.outcome().map(|outcome| outcome.to_string()), Some("0-1".to_owned()));
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```
//!
//! # Where to begin
//!
//! * [`Board`] is a position: [`Board::legal_moves`], [`Board::parse_san`], [`Board::status`].
//!   [`Board::make`] returns the position after a legal move and leaves the old one alone;
//!   [`Board::play`] changes the position; [`Board::try_play`] tests the move first.
//! * [`Game`] is a position with its history.
//! * [`BoardBuilder`] sets up a position piece by piece, [`Board::chess960_start`] by its number.
//! * [`Move`] is a move in 16 bits; [`Board::find_move`] finds it by its squares.
//!
//! # Features
//!
//! * `std` (default): vector instructions, chosen when the program runs, and
//!   [`Board::has_upcoming_repetition`]. Without it, the crate is `no_std` and needs `alloc`.
//! * `serde`: a [`Board`] as FEN, a [`Square`], [`Color`], [`Kind`] or [`Piece`] as its text. A
//!   [`Move`] is only written, in UCI's notation with castling as king takes rook, because reading
//!   it needs the board.
//!
//! # Design
//!
//! A [`Board`] has 256 bytes: 128 squares, two piece lists, Zobrist keys and the state. The index
//! of a square has a spare bit beside file and rank, so that steps off the board and the geometry
//! of two squares cost one operation each ([`square`], [`mod@difference`]). [`CheckInfo`], computed
//! when first needed and cached in the position, has what legal generation needs: checks, pins and
//! safe king moves.
//!
//! The files from the bottom up. Debug assertions aside, each uses only its own group and those
//! before it (but `moves.rs` needs `castling.rs`):
//!
//! 1. `cpu.rs`, [`random`], `color.rs`, [`square`], [`piece`], [`moves`], `zobrist.rs`, `ascii.rs`
//! 2. `check_info.rs`, `position.rs`
//! 3. [`difference`](mod@difference)
//! 4. `sink.rs`, `make.rs`, `castling.rs`, `en_passant.rs`, `see.rs`, `threats.rs`, `invariants.rs`
//! 5. [`backend`], in two implementations: `portable` uses the difference table, `simd` vector
//!    registers
//! 6. [`legality`], [`draw`], `upcoming_repetition.rs`, `perft.rs`, [`fen`], `setup.rs`, `uci.rs`,
//!    [`san`], [`game`], `serialize.rs`

#![cfg_attr(not(feature = "std"), no_std)]
// WebAssembly has its own code for threats, and none for the other parts.
#![cfg_attr(target_family = "wasm", allow(dead_code))]

extern crate alloc;

/// Builds an array of length `len` in a constant. `element` is an expression in the index `i`.
macro_rules! const_array {
    ($len:expr, |$i:ident| $element:expr) => {{
        let mut $i = 0;
        let mut array = [$element; $len];
        while $i < $len {
            array[$i] = $element;
            $i += 1;
        }
        array
    }};
}

/// Builds a bit mask in a constant: bit `i`, below `len`, is set if `holds` is true for `i`.
macro_rules! const_mask {
    ($len:expr, |$i:ident| $holds:expr) => {{
        let (mut $i, mut mask) = (0, 0);
        while $i < $len {
            if $holds {
                mask |= 1 << $i;
            }
            $i += 1;
        }
        mask
    }};
}

mod ascii;
pub mod backend;
mod castling;
mod check_info;
mod color;
pub mod cpu;
pub mod difference;
pub mod draw;
mod en_passant;
pub mod fen;
pub mod game;
mod invariants;
pub mod legality;
mod make;
pub mod moves;
pub mod perft;
pub mod piece;
mod position;
pub mod random;
pub mod san;
mod see;
#[cfg(feature = "serde")]
mod serialize;
mod setup;
mod sink;
pub mod square;
mod threats;
mod uci;
#[cfg(feature = "std")]
mod upcoming_repetition;
mod zobrist;

/// Compiles and runs the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub use castling::{CastlingMode, CastlingSide};
pub use check_info::CheckInfo;
pub use color::Color;
pub use fen::FenError;
pub use game::{Game, IllegalMove, Outcome};
pub use legality::CheckTester;
pub use moves::{Move, MoveKind, MoveList, MoveListIter};
pub use perft::perft;
pub use piece::{Kind, MAX_PIECES, Piece, PieceByte};
pub use position::Board;
pub use san::MoveError;
pub use see::SeeValues;
pub use setup::BoardBuilder;
pub use sink::Stage;
pub use square::{Delta, ParseError, Square};
pub use threats::{ThreatFeatures, Threats};
