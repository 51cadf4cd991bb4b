//! Carrybit, a chess engine on a 0x88 board: a guided tour.
//!
//! To play, see README.md and docs/. To use the engine from your own program, see
//! [`engine::Engine`] and `examples/`. To learn how a chess engine works on this board, read
//! on; each stop names the file to open next.
//!
//! # 1. A square is a byte with a spare bit
//!
//! `src/board/square.rs`. Rank and file are half a byte each, and the top bit of each half
//! is free. A step is an addition, and a step off the board carries or borrows into a free
//! bit. One test covers all four edges ([`Square::is_on_board`]):
//!
//! ```
//! use carrybit::board::square::{EAST, NORTH, OFF_BOARD, Square};
//!
//! let h4: Square = "h4".parse()?; // 0x37: rank 3, file 7
//! assert!(h4.step(NORTH).is_on_board()); // 0x47
//! assert!(!h4.step(EAST).is_on_board()); // 0x38 carried into bit 3
//! assert_eq!(OFF_BOARD, 0x88);
//! # Ok::<(), carrybit::board::square::ParseSquareError>(())
//! ```
//!
//! # 2. The difference of two squares determines their relation
//!
//! `src/board/difference.rs`. With squares numbered 0 to 63, a difference of 1 may be a step
//! to the side or from one edge to the other. Here every difference has one meaning only, so
//! that tables of 256 entries hold the pieces that could attack along it on an empty board
//! ([`REACH`]), and the step ([`STEP`]):
//!
//! ```
//! use carrybit::board::difference::{REACH, STEP};
//! use carrybit::board::square::NORTH_EAST;
//! use carrybit::board::{Color, Kind, Square};
//!
//! let (b2, g7): (Square, Square) = ("b2".parse()?, "g7".parse()?);
//! let difference = b2.delta_to(g7) as usize;
//! let pieces = REACH[Color::White.index()][difference];
//! assert_eq!(pieces, Kind::Bishop.bit() | Kind::Queen.bit());
//! assert_eq!(STEP[difference], NORTH_EAST);
//! # Ok::<(), carrybit::board::square::ParseSquareError>(())
//! ```
//!
//! A piece is one bit for its kind and one for its colour (`src/board/piece.rs`), so that
//! "does this piece attack that square?" is one lookup and one `and`; only a slider's path
//! must then be walked ([`Board::attacks`]).
//!
//! # 3. Checks, pins and king moves make every move legal
//!
//! `src/board/backend/portable/check_info.rs`. For each enemy piece, one entry of a widened
//! difference table gives its attacks on the king and the eight squares around it on an
//! empty board. For a slider in line, the path is walked. The result is [`CheckInfo`]: the
//! checks, the pins and the squares the king may step to. With it no move needs to be tried
//! out and taken back; only castling and en passant have tests of their own
//! (`src/board/castling.rs`, `en_passant.rs`).
//!
//! ```
//! use carrybit::board::{Board, Square};
//!
//! // The bishop on d2 is pinned by the one on b4 and may only move towards it.
//! let board: Board = "4k3/8/8/8/1b6/8/3B4/4K3 w - - 0 1".parse()?;
//! let d2: Square = "d2".parse()?;
//! assert!(board.pinned().eq([d2]));
//! let moves = board.legal_moves();
//! let by_bishop = moves.iter().filter(|mv| mv.from() == d2);
//! assert_eq!(by_bishop.count(), 2); // c3, and b4 with a capture
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! `movegen.rs` beside it generates the moves in stages, `make.rs` makes one by copying
//! the position, `see.rs` computes exchanges; `src/board/legality.rs` tests whether any
//! sixteen bits are a legal move.
//!
//! # 4. Sixty-four squares at a time
//!
//! [`board::backend::simd`], beginning with its `mod.rs`. The off-board test is the same for
//! every square and every step, and so it is done for all squares around one at once: by
//! AVX-512 while the engine runs, for AVX2 when it is compiled. `check_info.rs`,
//! `movegen.rs`, `make.rs`, `see.rs` and `threats.rs` have counterparts of the same name in
//! [`board::backend::portable`]; read them side by side. Begin with `geometry.rs`, which
//! explains the order of the lanes. [`board::backend`] chooses between the two.
//!
//! # 5. Evaluation
//!
//! [`eval`]: a network whose inputs are which piece stands where, whether it hangs, and
//! whether a lesser piece attacks it. `src/eval/nnue/features.rs` has the inputs, `shape.rs`
//! the shape, `feature_state.rs` the changes from one position to the next, `accumulator.rs`
//! the update of the hidden layer.
//!
//! # 6. Search
//!
//! [`search`]: `deepening.rs` searches one ply deeper at a time, `node.rs` is the interior
//! node in numbered steps, `pruning.rs` has its longer decisions (pruning, reductions,
//! extensions), each with its source, `quiescence.rs` is the leaf.
//!
//! # 7. Interfaces
//!
//! [`engine`] is the API for programs, [`uci`] the dialogue with a GUI, [`terminal`] the
//! prompt for people, [`tablebase`] reads endgame tables, [`tools`] has bench and perft,
//! [`selfplay`] plays training games.
//!
//! Each module uses only those below it, without cycles: uci, terminal, tools, engine,
//! selfplay, search, eval, tablebase, board, and the small ones score, sys, host and random.
//! A test checks it.
//!
//! [`Square::is_on_board`]: board::Square::is_on_board
//! [`REACH`]: board::difference::REACH
//! [`STEP`]: board::difference::STEP
//! [`Board::attacks`]: board::Board::attacks
//! [`CheckInfo`]: board::CheckInfo

#![deny(clippy::disallowed_methods)]
// Code that only the native program or its vector instructions use; the linker drops it.
#![cfg_attr(target_family = "wasm", allow(dead_code, unused_imports))]

pub mod uci;

pub mod terminal;

pub mod engine;

pub mod tools;

pub mod selfplay;

pub mod search;

pub mod eval;

pub mod tablebase;

pub mod board;

pub mod score;

pub mod random;

pub mod host;

pub mod sys;

/// The version of the engine.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
