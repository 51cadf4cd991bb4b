//! Analyses people's games with Carrybit: from PGN to annotated PGN, and to a page with the
//! games.
//!
//! [`run`] takes a game through all steps: the crate [`pgn`] reads and plays it, a [`pool`] of
//! [`analyst`]s evaluates its positions and writes that into the [`journal`], and `pgn` judges
//! and annotates it for the output and the [`page`].

pub mod analyst;
pub mod arguments;
pub mod files;
pub mod journal;
pub mod page;
pub mod pool;
pub mod progress;
pub mod run;
