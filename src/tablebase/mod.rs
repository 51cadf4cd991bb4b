//! Tablebases: the outcome of every position with few pieces, looked up.
//!
//! The Syzygy tablebases by Ronald de Man have two files for each material. WDL says who
//! wins, DTZ how many plies it takes to the next capture or pawn move ("zeroing", since
//! that sets the fifty-move clock to zero). Both take the fifty-move rule into account.
//!
//! This is a prober of our own. Its promises: files that are missing, truncated or
//! damaged are left out, with a message, or give no value or a wrong one, but never end
//! the process; probing needs no locks; positions with castling rights are not known.
//!
//! What it cannot promise: files are mapped into memory, and if another program truncates
//! one that is in use, the system ends the process (SIGBUS) when it reads a page beyond
//! the new end. Reading the files instead would take gigabytes for the larger tables. To
//! replace a table safely, rename a new file to its name.
//!
//! In this module, table means one file. Read on in [`probe`] (what a table leaves out is
//! searched), `root` (which moves to play), `files` (which tables there are), `table`
//! (one file), `index` (the number of a position), `pairs` (the value of a number). What
//! the search makes of it is in [`search::prober`](crate::search::prober).

mod bytes;

mod files;

mod index;

mod mapping;

mod material;

mod pairs;

pub mod probe;

pub mod root;

mod wdl;

mod table;

pub use material::MAX_TABLEBASE_PIECES;
pub use wdl::Wdl;

use files::{Catalogue, Shelf};

/// All tables found, shared by the search threads.
#[derive(Default)]
pub struct Tablebases {
    wdl: Shelf,
    dtz: Shelf,
    max_pieces: usize,
}

impl Tablebases {
    /// The tables in the folders of `path`, separated by `;` (or, except on Windows, by
    /// `:`); none if it is empty. Also returns messages about folders and files that
    /// cannot be used.
    #[must_use]
    pub fn open(path: &str) -> (Tablebases, Vec<String>) {
        Tablebases::of_catalogue(Catalogue::of_path(path))
    }

    /// The tables in these files, each given by a name such as `KQvK.rtbw` and its bytes.
    /// Also returns messages about files that cannot be used.
    #[must_use]
    pub fn of_files<'a>(
        files: impl IntoIterator<Item = (&'a str, Box<[u8]>)>,
    ) -> (Tablebases, Vec<String>) {
        Tablebases::of_catalogue(Catalogue::of_files(files))
    }

    fn of_catalogue(catalogue: Catalogue) -> (Tablebases, Vec<String>) {
        let Catalogue { wdl, dtz, problems } = catalogue;
        let max_pieces = wdl.max_pieces();
        (Tablebases { wdl, dtz, max_pieces }, problems)
    }

    /// The most pieces, kings included, in any WDL table; 0 if there is none.
    #[inline]
    #[must_use]
    pub fn max_pieces(&self) -> usize {
        self.max_pieces
    }

    /// How many WDL and DTZ files there are.
    #[must_use]
    pub fn counts(&self) -> [usize; 2] {
        [self.wdl.len(), self.dtz.len()]
    }
}
