//! The command line.

use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::time::Duration;

use crate::search::limits::Limits;
use crate::search::threads::MAX_THREADS;

use super::analyst::Settings;

/// The default limit, in milliseconds.
const DEFAULT_MOVE_TIME_MS: u64 = 500;

/// Analyses the games of a PGN file: writes the games with evaluations, marks and better lines,
/// and a page for the browser.
///
/// At the end it prints the accuracy and the number of mistakes of both sides, game by game. If you
/// interrupt it, run the same command again: it continues where it stopped. Games that
/// cannot be read are reported and copied unchanged.
///
/// The exit code is 0 if all games were analysed, 3 if some were not, 1 if the analysis failed,
/// 2 if the command line is invalid, and 130 after Ctrl-C.
#[derive(Clone, Debug, clap::Parser)]
#[command(name = "carrybit analyse", version = crate::VERSION)]
pub struct Arguments {
    /// The file with the games
    #[arg(value_name = "GAMES.pgn")]
    pub games: PathBuf,
    /// Time per position in milliseconds [default: 500 if there is no other limit]
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub movetime_ms: Option<NonZeroU64>,
    /// Depth per position in plies
    #[arg(long, value_name = "N", help_heading = "Limits",
        value_parser = clap::value_parser!(i32).range(1..=i64::from(crate::score::MAX_DEPTH)))]
    pub depth: Option<i32>,
    /// Nodes per position
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub nodes: Option<NonZeroU64>,
    /// Threads of all searches together [default: all cores]
    #[arg(long, value_name = "N", help_heading = "Resources",
        value_parser = clap::value_parser!(u16).range(1..=MAX_THREADS as i64))]
    pub threads: Option<u16>,
    /// Transposition table of each search in megabytes
    #[arg(long, value_name = "MB", default_value = "64", help_heading = "Resources")]
    pub hash: NonZeroUsize,
    /// Folders with Syzygy tablebases
    #[arg(
        long,
        value_name = "PATH",
        default_value = "",
        hide_default_value = true,
        help_heading = "Resources"
    )]
    pub syzygy: String,
    /// Also write [%wdl WIN,DRAW,LOSS] after each move, in permille for White
    #[arg(long, help_heading = "Output")]
    pub wdl: bool,
    /// File for the annotated games [default: GAMES.analysed.pgn]
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// File for the page [default: the output's name with .html]
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub page: Option<PathBuf>,
    /// Write no page
    #[arg(long, conflicts_with = "page", help_heading = "Output")]
    pub no_page: bool,
}

impl Arguments {
    /// The settings of the searches.
    pub fn settings(&self) -> Settings {
        let limits = Limits {
            move_time: self.move_time_ms().map(Duration::from_millis),
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

    /// A sentence for the page: engine version and limits.
    pub fn method(&self) -> String {
        let limits = [
            self.move_time_ms().map(|ms| format!("{} s", ms as f64 / 1000.0)),
            self.depth.map(|depth| format!("depth {depth}")),
            self.nodes.map(|nodes| format!("{nodes} nodes")),
        ];
        let limits: Vec<String> = limits.into_iter().flatten().collect();
        format!("Carrybit {}, {} per position", crate::VERSION, limits.join(" or "))
    }

    /// The file for the annotated games.
    pub fn output(&self) -> PathBuf {
        let beside = || renamed(self.games.clone(), &["gz", "pgn"], ".analysed.pgn");
        self.output.clone().unwrap_or_else(beside)
    }

    /// The file for the page; `None` with `--no-page`.
    pub fn page(&self) -> Option<PathBuf> {
        let beside = || renamed(self.output(), &["pgn"], ".html");
        (!self.no_page).then(|| self.page.clone().unwrap_or_else(beside))
    }

    /// The file that keeps evaluations until the output is complete.
    pub fn journal(&self) -> PathBuf {
        renamed(self.output(), &[], ".journal")
    }
}

/// Removes each of these extensions that the path ends with, and appends `ending`.
fn renamed(mut path: PathBuf, extensions: &[&str], ending: &str) -> PathBuf {
    for extension in extensions {
        if path.extension().is_some_and(|end| end.eq_ignore_ascii_case(extension)) {
            path.set_extension("");
        }
    }
    let mut name = path.into_os_string();
    name.push(ending);
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_is_named_after_the_games() {
        for (games, output) in [
            ("games.pgn", "games.analysed.pgn"),
            ("games.pgn.gz", "games.analysed.pgn"),
            ("round.1", "round.1.analysed.pgn"),
            ("round", "round.analysed.pgn"),
        ] {
            let arguments = <Arguments as clap::Parser>::parse_from(["carrybit analyse", games]);
            assert_eq!(arguments.output(), PathBuf::from(output));
            assert_eq!(arguments.page(), Some(PathBuf::from(output).with_extension("html")));
        }
        for (output, page) in [("a.pgn", "a.html"), ("round.1", "round.1.html")] {
            let words = ["carrybit analyse", "games.pgn", "-o", output];
            let arguments = <Arguments as clap::Parser>::parse_from(words);
            assert_eq!(arguments.page(), Some(PathBuf::from(page)));
        }
    }
}
