//! A guided tour of the engine. Each stop names the files to open. `docs/learn` is a course for
//! readers who have not written a chess engine.
//!
//! # 1. A square is a byte with a spare bit
//!
//! `crates/board/src/square.rs`. Rank and file take half a byte each, and the top bit of each half
//! is free. A step is an addition; a step off the board carries or borrows into a free bit.
//! One test covers all four edges ([`Square::is_on_board`]):
//!
//! ```
//! use carrybit_board::square::{EAST, NORTH, OFF_BOARD, Square};
//!
//! let h4: Square = "h4".parse()?; // 0x37: rank 3, file 7
//! assert!(h4.step(NORTH).is_on_board()); // 0x47
//! assert!(!h4.step(EAST).is_on_board()); // 0x38 carried into bit 3
//! assert_eq!(OFF_BOARD, 0x88);
//! # Ok::<(), carrybit::ParseError>(())
//! ```
//!
//! # 2. The difference of two squares determines their relation
//!
//! `crates/board/src/difference.rs`. On a board numbered 0 to 63, a difference of 1 is a step to the
//! side or a jump from the h-file to the a-file. On a 0x88 board each difference has one
//! meaning. Two tables of 256 entries hold the pieces that attack along it on an empty board
//! ([`REACH`]) and the step towards the target ([`STEP`]):
//!
//! ```
//! use carrybit_board::difference::{REACH, STEP};
//! use carrybit_board::square::NORTH_EAST;
//! use carrybit_board::{Color, Kind, Square};
//!
//! let (b2, g7): (Square, Square) = ("b2".parse()?, "g7".parse()?);
//! let difference = b2.delta_to(g7) as usize;
//! let pieces = REACH[Color::White.index()][difference];
//! assert_eq!(pieces, Kind::Bishop.bit() | Kind::Queen.bit());
//! assert_eq!(STEP[difference], NORTH_EAST);
//! # Ok::<(), carrybit::ParseError>(())
//! ```
//!
//! A piece is one bit for its kind and one for its colour (`crates/board/src/piece.rs`). Whether it
//! attacks a square takes one lookup and one AND; for a slider, the path is then walked
//! ([`Board::attacks`]).
//!
//! # 3. Checks, pins and king moves make every move legal
//!
//! `crates/board/src/backend/portable/check_info.rs`. A wider difference table gives the attacks of
//! each enemy piece on the king and the eight squares around it, on an empty board. If a slider
//! stands in line with the king, the path is walked. The result is [`CheckInfo`]: checkers,
//! pins, and the squares that the king may step to. With it no move has to be made and taken
//! back to test whether it is legal. Castling and en passant have tests of their own
//! (`crates/board/src/castling.rs`, `en_passant.rs`).
//!
//! ```
//! use carrybit_board::{Board, Square};
//!
//! // The bishop on b4 pins the one on d2, which may only move towards it.
//! let board: Board = "4k3/8/8/8/1b6/8/3B4/4K3 w - - 0 1".parse()?;
//! let d2: Square = "d2".parse()?;
//! assert!(board.pinned().eq([d2]));
//! let moves = board.legal_moves();
//! let by_bishop = moves.iter().filter(|mv| mv.from() == d2);
//! assert_eq!(by_bishop.count(), 2); // c3, and the capture on b4
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! In the same folder, `movegen.rs` generates moves in stages, and `make.rs` makes a move on a
//! copy of the position. `see.rs` is the static exchange evaluation (SEE).
//! `crates/board/src/legality.rs` tests whether an arbitrary 16-bit move is legal.
//!
//! # 4. Sixty-four squares at a time
//!
//! [`board::backend::simd`](carrybit_board::backend::simd). The off-board test is the same for all
//! squares and steps, so vector instructions test all squares around one at once. AVX-512 does so
//! while the engine runs; AVX2 uses tables of the results, computed at compile time.
//! `crates/board/src/backend/lanes.rs` explains the order of the lanes. `check_info.rs`, `movegen.rs`,
//! `make.rs`, `see.rs` and `threats.rs` have counterparts of the same name in
//! [`board::backend::portable`](carrybit_board::backend::portable): read them side by side.
//! [`board::backend`](carrybit_board::backend) chooses between the two.
//!
//! # 5. Evaluation
//!
//! [`eval`](crate::eval): a neural network (NNUE). It has an input for each piece on each square,
//! by king bucket, and threat inputs for pieces that hang or that a lesser piece attacks. In
//! `src/eval/nnue/`, `features.rs` has the inputs, and `shape.rs` the king buckets and other sizes.
//! `feature_state.rs` has the difference between two positions, and `accumulator.rs` the
//! incremental update and the refresh (Finny table).
//!
//! # 6. Search
//!
//! [`search`](crate::search): `deepening.rs` is iterative deepening, `node.rs` the interior node in
//! numbered steps, and `quiescence.rs` the quiescence search. `pruning.rs` has the longer decisions
//! of a node (pruning, reductions, extensions), each with its source.
//!
//! # 7. Interfaces
//!
//! [`engine`](crate::engine) is the API for programs, [`uci`](crate::uci) the dialogue with a GUI,
//! and [`terminal`](crate::terminal) the prompt for people. [`tablebase`](carrybit_syzygy) reads
//! endgame tables, [`tools`](crate::tools) has bench and perft, and [`selfplay`](crate::selfplay)
//! plays training games.
//!
//! Each module uses only those after it in this list, as a test checks: uci, terminal, tools,
//! analyse, engine, selfplay, search, eval, score, sys, host. Below them are the crates of the rules.
//!
//! [`Square::is_on_board`]: carrybit_board::Square::is_on_board
//! [`REACH`]: carrybit_board::difference::REACH
//! [`STEP`]: carrybit_board::difference::STEP
//! [`Board::attacks`]: carrybit_board::Board::attacks
//! [`CheckInfo`]: carrybit_board::CheckInfo
