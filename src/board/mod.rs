//! The rules of chess on a 0x88 board, and the engine's hot path.
//!
//! [`Board`] is a whole position in 256 bytes: 128 squares, two piece lists, Zobrist keys and
//! the state. [`Board::make`] returns the position after a move and leaves the old one alone,
//! so nothing is ever unmade. [`CheckInfo`], computed when first needed and cached in the
//! position, has what legal generation needs: checks, pins and safe king moves.
//!
//! The files from the bottom up. Debug assertions aside, each uses only its own group and those
//! before it (but `moves.rs` needs `castling.rs` and, to read moves, [`Board`] and `san.rs`):
//!
//! 1. `color.rs`: the two sides. [`square`]: square arithmetic and the off-board test.
//!    [`piece`]: pieces as bits, and how they move. [`moves`]: moves and lists of them.
//!    `zobrist.rs`: the keys.
//! 2. `check_info.rs`: checks, pins and king moves. `position.rs`: [`Board`] and its plain
//!    queries.
//! 3. [`difference`]: the difference table, and whether a piece attacks a square.
//! 4. `sink.rs`: the list or counter that takes generated moves. `make.rs`: the parts of making
//!    a move. `castling.rs` and `en_passant.rs`: the irregular rules. `see.rs`: the first move
//!    of an exchange. `threats.rs`: sets of squares. `invariants.rs`: building and checking a
//!    [`Board`].
//! 5. [`backend`]: check info, generation, making, exchanges and threats. It has two
//!    implementations: `portable` uses the difference table, `simd` vector registers.
//! 6. [`legality`]: whether a given move is legal or gives check. [`draw`],
//!    `upcoming_repetition.rs`, [`fen`], [`san`] and [`game`].

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

pub mod backend;
mod castling;
mod check_info;
mod color;
pub mod difference;
pub mod draw;
mod en_passant;
pub mod fen;
pub mod game;
mod invariants;
pub mod legality;
mod make;
pub mod moves;
pub mod piece;
mod position;
pub mod san;
mod see;
mod sink;
pub mod square;
mod threats;
mod upcoming_repetition;
mod zobrist;

pub use castling::{CastlingMode, CastlingSide};
pub use check_info::CheckInfo;
pub use color::Color;
pub use fen::FenError;
pub use game::{Game, IllegalMove, Outcome};
pub use legality::CheckTester;
pub use moves::{Move, MoveList, MoveListIter};
pub use piece::{Kind, MAX_PIECES, Piece, PieceByte};
pub use position::Board;
pub use san::MoveError;
pub use see::SeeValues;
pub use sink::Stage;
pub use square::{Delta, ParseError, Square};
pub use threats::{ThreatFeatures, Threats};
