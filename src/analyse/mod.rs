//! Analyses games in PGN, and writes annotated PGN and an HTML page.
//!
//! [`run`] takes a game through all steps: the crate [`carrybit_pgn`] reads and plays it, a `pool`
//! of `analyst`s evaluates its positions and writes them to the [`journal`], and `carrybit_pgn`
//! judges and annotates it for the output and the `page`.

mod analyst;
mod arguments;
mod files;
pub mod journal;
mod page;
mod pool;
mod progress;
mod run;
mod summary;

pub use arguments::Arguments;
pub use run::{AnalyseError, run};

/// Tells the user how to go on after an interrupt, and removes temporary files.
pub fn interrupted() {
    progress::tell("\nInterrupted. To continue, run the same command again.");
    files::remove_drafts();
}
