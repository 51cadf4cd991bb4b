//! Carrybit, a chess engine on a 0x88 board: a guided tour.
//!
//! To play, build the program and see README.md and docs/. To use the engine from a program of your
//! own, see [`engine::Engine`] and `examples/`. To learn how a chess engine works on this
//! board, read on; each stop names the file to open next.
//!
//! # 1. A square is a byte with a spare bit
//!
//! `src/board/square.rs`. Rank and file are half a byte each, and of each half the top bit
//! is free. A step is an addition, and a step off the board carries or borrows into a free
//! bit. One test tells, for all four edges ([`Square::is_on_board`]):
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
//! # 2. The difference of two squares says how they lie to each other
//!
//! `src/board/difference.rs`. On a board of 64 numbers a difference of 1 may be a step to
//! the side or from one edge to the other. Here every difference has one meaning only, so
//! that a table of 256 entries says which pieces could attack along it on an empty board,
//! and by which step
//! ([`REACH`], [`STEP`]):
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
//! "does this piece attack that square?" is one lookup and one `and`; only a slider's way
//! must then be walked ([`Board::attacks`]).
//!
//! # 3. One look around the king tells which moves are legal
//!
//! `src/board/hot/table/king.rs`. For each enemy piece one entry of a widened difference
//! table says how it bears on the king and on the eight squares around it. Where a slider
//! bears on one of them, its path is walked. That yields the checks, the pins and the
//! squares the king may step to ([`KingPass`]). With these no move needs to be tried out
//! and taken back; only castling and en passant have tests of their own
//! (`src/board/rules.rs`).
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
//! the position, `see.rs` plays out exchanges; `src/board/legality.rs` says of any sixteen
//! bits whether they are a legal move here.
//!
//! # 4. The same, sixty-four squares at a time
//!
//! [`board::hot::lanes`], beginning with its `mod.rs`. The off-board test is the same for
//! every square and every step, and so it is done for all squares around one at once: by
//! AVX-512 while the engine runs, for AVX2 when it is compiled. `king.rs`, `movegen.rs`,
//! `make.rs`, `see.rs` and `threats.rs` have twins of the same name in
//! [`board::hot::table`]; read them side by side. Begin with `geometry.rs`, which
//! explains the order of the lanes. [`board::hot`] is the door to both rooms and says
//! which question each answers how.
//!
//! # 5. What a position is worth
//!
//! [`eval`]: a network with 4608 inputs per side (which piece stands where, once for each of
//! four zones of the own king; whether it hangs, whether a lesser piece attacks it; all seen
//! from that side and mirrored so that its king stands on the files a to d), one hidden layer
//! whose weights both sides share, and eight outputs, one of which is used, by the number of
//! pieces. `src/eval/nnue/features.rs` has the inputs, `sight.rs` what changes from one
//! position to the next, `accumulator.rs` how the hidden layer follows. The dangers of all
//! pieces are found at once, by flooding the board rank by rank:
//! `src/board/hot/lanes/dangers.rs`.
//!
//! # 6. How a move is chosen
//!
//! [`search`]: `deepening.rs` searches one ply deeper at a time, `negamax.rs` is the
//! interior node in numbered steps, `quiescence.rs` the leaf. `pruning.rs` decides what
//! is left out, reduced or extended, each rule a function with its reason and its source.
//!
//! # 7. From the outside
//!
//! [`engine`] is the face that programs use, [`uci`] the dialogue with a GUI, [`tablebase`]
//! the endgame tables, [`tools`] bench, perft and openings.
//!
//! Each module uses only those below it, without cycles: uci, tools, engine, search,
//! eval, tablebase, board, and some small ones below all. A test checks it.
//!
//! [`Square::is_on_board`]: board::Square::is_on_board
//! [`REACH`]: board::difference::REACH
//! [`STEP`]: board::difference::STEP
//! [`Board::attacks`]: board::Board::attacks
//! [`KingPass`]: board::KingPass

#![deny(clippy::disallowed_methods)]
// What only the program and its vector instructions use, the linker leaves out.
#![cfg_attr(target_family = "wasm", allow(dead_code, unused_imports))]

pub mod uci;

pub mod engine;

pub mod tools;

pub mod search;

pub mod eval;

pub mod tablebase;

pub mod board;

pub mod score;

pub mod processor;

pub mod random;

pub mod host;

pub mod encoding;

mod files;

mod prefetch;

mod large_pages;

pub mod memory;

/// The version of the engine.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
