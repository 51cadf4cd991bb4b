//! The rules of chess on a 0x88 board, and the engine's hot path.
//!
//! [`Board`] is a whole position in 256 bytes: 128 squares, two piece lists and
//! the state. A move is made by copying: [`Board::make`] returns the position
//! after it and leaves the old one alone, so nothing is ever unmade. It keeps
//! the Zobrist keys up to date. What legal generation needs to know is found by a look
//! around the king ([`KingPass`]), taken when first needed and kept with the position.
//!
//! The main files from the bottom up; each uses only those before it:
//!
//! 1. [`square`]: square arithmetic and the off-board test. [`piece`]: pieces as bits,
//!    and how they move. [`moves`]: moves and lists of them.
//! 2. `position.rs`: [`Board`] and what its fields answer.
//! 3. [`difference`]: the difference table, and the questions about two squares that it
//!    answers.
//! 4. `rules.rs`: castling and en passant. `changes.rs`: how a position changes.
//! 5. [`hot`]: the king pass, generation, making, exchanges, threats and dangers, twice:
//!    by the difference table, and on the lanes of vector registers.
//! 6. [`legality`]: whether a given move is legal or gives check. [`draw`], `cycle.rs`,
//!    [`fen`], [`san`] and [`game`].
//!
//! Not here: anything about what a position is worth.

mod color;

pub mod square;

pub mod piece;

pub mod moves;

mod zobrist;

mod king_pass;

mod position;

pub mod difference;

mod sink;

mod rules;

mod changes;

mod exchange;

mod threats;

mod dangers;

mod invariants;

pub mod hot;

pub mod legality;

pub mod draw;

mod cycle;

pub mod fen;

pub mod san;

pub mod game;

pub use color::Color;
pub use dangers::Dangers;
pub use exchange::SeeValues;
pub use fen::FenError;
pub use game::{Game, IllegalMove};
pub use king_pass::KingPass;
pub use moves::{Move, MoveList};
pub use piece::{Kind, MAX_PIECES, Piece};
pub use position::{Board, Family, KING_SLOT, Wing};
pub use san::SanError;
pub use sink::Stage;
pub use square::{Delta, Square};
pub use threats::Threats;
