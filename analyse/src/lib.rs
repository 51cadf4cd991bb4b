//! Analyses games in PGN with Carrybit, and writes annotated PGN and an HTML page.
//!
//! [`run`] takes a game through all steps: the crate [`pgn`] reads and plays it, a [`pool`] of
//! [`analyst`]s evaluates its positions and writes them to the [`journal`], and `pgn` judges and
//! annotates it for the output and the [`page`].

pub mod analyst;
pub mod arguments;
pub mod files;
pub mod journal;
pub mod page;
pub mod pool;
pub mod progress;
pub mod run;
pub mod summary;
