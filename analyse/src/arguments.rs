//! The command line.

use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;

use carrybit::search::limits::Limits;
use carrybit::search::threads::MAX_THREADS;

use crate::analyst::Settings;

/// The time for each position unless a limit is given, in milliseconds.
const DEFAULT_MOVE_TIME_MS: u64 = 500;

/// Analyses the games of a PGN file: writes them with evaluations, marks and better lines,
/// and a page to look at in a browser.
///
/// Interrupted, it keeps what it has found; the same command goes on from there. Games
/// that cannot be read are reported, and kept as they are.
///
/// The exit code is 0 if all games were analysed, 3 if some were not, and 1 if nothing
/// could be written.
#[derive(Clone, Debug, clap::Parser)]
#[command(version = carrybit::VERSION)]
pub struct Arguments {
    /// The file with the games
    #[arg(value_name = "GAMES.pgn")]
    pub games: PathBuf,
    /// Time for each position in milliseconds [default: 500, if there is no other limit]
    #[arg(long, value_name = "N", help_heading = "How deep")]
    pub movetime_ms: Option<NonZeroU64>,
    /// Depth for each position in plies
    #[arg(long, value_name = "N", help_heading = "How deep",
        value_parser = clap::value_parser!(i32).range(1..=i64::from(carrybit::score::MAX_DEPTH)))]
    pub depth: Option<i32>,
    /// Nodes for each position
    #[arg(long, value_name = "N", help_heading = "How deep")]
    pub nodes: Option<NonZeroU64>,
    /// How many positions are analysed at once [default: as many as there are cores]
    #[arg(long, value_name = "N", help_heading = "With what",
        value_parser = clap::value_parser!(u16).range(1..=MAX_THREADS as i64))]
    pub threads: Option<u16>,
    /// Transposition table of each thread in megabytes
    #[arg(long, value_name = "MB", default_value = "64", help_heading = "With what")]
    pub hash: NonZeroUsize,
    /// Folders with Syzygy tablebases
    #[arg(
        long,
        value_name = "PATH",
        default_value = "",
        hide_default_value = true,
        help_heading = "With what"
    )]
    pub syzygy: String,
    /// Also write the chances after each move, as [%wdl WIN,DRAW,LOSS] in permille for White
    #[arg(long, help_heading = "Output")]
    pub wdl: bool,
    /// The annotated games [default: GAMES.analysed.pgn]
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// The page [default: the annotated games' name with .html]
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub page: Option<PathBuf>,
    /// Write no page
    #[arg(long, conflicts_with = "page", help_heading = "Output")]
    pub no_page: bool,
}

impl Arguments {
    /// How positions are evaluated.
    pub fn settings(&self) -> Settings {
        let limits = Limits {
            move_time_ms: self.move_time_ms(),
            depth: self.depth,
            nodes: self.nodes.map(NonZeroU64::get),
            ..Limits::default()
        };
        Settings { limits, hash_mb: self.hash.get(), syzygy: self.syzygy.clone() }
    }

    fn move_time_ms(&self) -> Option<u64> {
        let has_other = self.depth.is_some() || self.nodes.is_some();
        let default = (!has_other).then_some(DEFAULT_MOVE_TIME_MS);
        self.movetime_ms.map(NonZeroU64::get).or(default)
    }

    /// How positions are evaluated, in words.
    pub fn method(&self) -> String {
        let limits = [
            self.move_time_ms().map(|ms| format!("{} s", ms as f64 / 1000.0)),
            self.depth.map(|depth| format!("depth {depth}")),
            self.nodes.map(|nodes| format!("{nodes} nodes")),
        ];
        let limits: Vec<String> = limits.into_iter().flatten().collect();
        format!("Carrybit {}, {} for each position", carrybit::VERSION, limits.join(" or "))
    }

    /// Where the annotated games go.
    pub fn output(&self) -> PathBuf {
        self.output.clone().unwrap_or_else(|| self.games.with_extension("analysed.pgn"))
    }

    /// Where the page goes, if there is to be one.
    pub fn page(&self) -> Option<PathBuf> {
        let beside = || self.output().with_extension("html");
        (!self.no_page).then(|| self.page.clone().unwrap_or_else(beside))
    }

    /// Where evaluations are kept until the output is complete.
    pub fn journal(&self) -> PathBuf {
        let mut name = self.output().into_os_string();
        name.push(".journal");
        name.into()
    }
}
