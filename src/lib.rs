//! The rules of chess and a strong engine, in one process.
//!
//! ```
//! use std::time::Duration;
//!
//! use carrybit::{Board, Engine, Game, Limits};
//!
//! // The rules: positions in FEN, moves in SAN or in UCI's notation.
//! let board: Board = "r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4".parse()?;
//! assert_eq!(board.legal_moves().len(), 43);
//! let mut game = Game::new(board);
//! let mate = game.board().parse_san("Qxf7#")?;
//!
//! // The engine: the same move, after a search.
//! let mut engine = Engine::new();
//! engine.set_game(game.clone());
//! let limits = Limits { move_time: Some(Duration::from_secs(10)), ..Limits::depth(8) };
//! let result = engine.search(limits);
//! assert_eq!((result.best, result.score.to_string()), (Some(mate), "#1".to_owned()));
//!
//! game.play(mate);
//! assert_eq!(game.outcome().and_then(|outcome| outcome.winner()), Some(carrybit::Color::White));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! * **Rules**, those of the crate `carrybit-board`: [`Board`] is a position, [`Game`] a game with its
//!   history and [`Outcome`]. Standard chess and Chess960. [`perft()`] counts move sequences.
//! * **Engine**: [`Engine`] searches within [`Limits`] and returns a [`SearchResult`], whose
//!   [`Score`] prints as GUIs show it. [`evaluate`] is the static evaluation.
//! * **PGN** and **tablebases** without the engine: the crates `carrybit-pgn` and `carrybit-syzygy`.
//! * **Examples**, each a complete program: `best_move`, `self_play` (a game of the engine against
//!   itself, as PGN), `evaluate_all` (many positions on all cores) and `uci_client` (another engine, by
//!   UCI), in the folder `examples` of the source.
//!
//! ```toml
//! [dependencies]
//! carrybit = { version = "1", default-features = false }
//! ```
//!
//! The default features belong to the program `carrybit`: its UCI dialogue, command line, line
//! editor and analysis of games, and 62 of 83 crates. Without them everything on this page remains.
//! No C code is compiled (except on Haiku, with the default features). The crate is for Rust 1.95 and later. It detects
//! AVX2, AVX-512 and ARM's dot products when it runs. For WebAssembly there is npm's package `carrybit`: there, [`Engine`]
//! and [`perft()`] import functions of its host (`web/carrybit.js`).
//!
//! In a debug build, the engine checks each position and each evaluation. Cargo takes the profile from
//! your package, so for an engine of full speed:
//!
//! ```toml
//! [profile.dev.package.carrybit]
//! opt-level = 3
//! debug-assertions = false
//!
//! [profile.dev.package.carrybit-board]
//! opt-level = 3
//! debug-assertions = false
//! ```
//!
//! To learn how the engine works, read `docs/learn`, or the guided tour (module `tour`) that `cargo
//! doc --document-private-items` builds. Only the items on this page are covered by semantic
//! versioning; strength, node counts, [`Board::key`], hashes and texts for people are not.

#![deny(clippy::disallowed_methods)]
// Code for the native program, vector instructions or the dialogue is dead in builds without them.
#![cfg_attr(any(target_family = "wasm", not(feature = "uci")), allow(dead_code, unused_imports))]

#[cfg(feature = "analyse")]
mod analyse;
mod engine;
mod eval;
mod host;
mod score;
mod search;
mod selfplay;
mod sys;
#[cfg(feature = "uci")]
mod terminal;
mod tools;
mod tour;
#[cfg(feature = "uci")]
mod uci;

#[doc(inline)]
pub use carrybit_board::*;
pub use engine::{Engine, Line, Score, Search, SearchResult, StopHandle, evaluate};
pub use search::limits::{ClockState, Limits};
pub use search::report::Bound;
pub use search::transposition::HashError;

/// All modules, for the program and other crates of the workspace. They change in any version.
#[cfg(feature = "internals")]
#[expect(missing_docs, reason = "each module describes itself")]
pub mod internals {
    macro_rules! export {
        ($($module:ident)*) => {
            $(pub mod $module {
                pub use crate::$module::*;
            })*
        };
    }

    export! { engine eval host score search selfplay sys tools }
    #[cfg(feature = "analyse")]
    export! { analyse }
    #[cfg(feature = "uci")]
    export! { terminal uci }
}

/// The version of the engine; between two releases that of the next one with `-dev`, and with the
/// commit in an optimised build.
pub const VERSION: &str = env!("CARRYBIT_VERSION");
