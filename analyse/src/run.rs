//! From a file of games to the annotated file and the page.

use std::fs;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::{self, Path, PathBuf};
use std::thread;

use pgn::replay::{self, Replay};
use pgn::text::decode;
use pgn::{Entry, Game, PgnError};

use crate::annotate::annotate;
use crate::arguments::Arguments;
use crate::crew;
use crate::files::write_whole;
use crate::findings::Findings;
use crate::journal::Journal;
use crate::page::{Page, PageGame};
use crate::progress::tell;

/// Why there is no output.
#[derive(Debug, thiserror::Error)]
pub enum AnalyseError {
    /// A file cannot be read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// Which one.
        path: PathBuf,
        /// What is wrong with it.
        error: io::Error,
    },
    /// There is nothing to analyse.
    #[error("{}: there is no game in it", .0.display())]
    NoGames(PathBuf),
    /// One file would take the place of another.
    #[error("{} is read or written twice", .0.display())]
    SameFile(PathBuf),
    /// What is to be told cannot be.
    #[error("standard output: {0}")]
    Output(io::Error),
}

/// A game of the file, opened.
struct Opened {
    entry: Entry,
    /// The game and how it goes, or why it cannot be played.
    game: Result<(Game, Replay), PgnError>,
}

/// Does everything that the arguments ask for; says at the end what was done to `out`.
/// Returns whether all games could be analysed.
///
/// # Errors
/// If nothing could be written.
pub fn run(arguments: &Arguments, out: &mut impl Write) -> Result<bool, AnalyseError> {
    let (input, output, page) = (&arguments.games, arguments.output(), arguments.page());
    let bytes = fs::read(input).map_err(|error| at(input, error))?;
    assert_different(&[Some(input), Some(&output), page.as_ref()])?;
    let games = open_all(&decode(&bytes));
    if games.is_empty() {
        return Err(AnalyseError::NoGames(input.clone()));
    }

    let study = arguments.study();
    let path = arguments.journal();
    let mut journal = Journal::open(&path).map_err(|error| at(&path, error))?;
    let replays: Vec<&Replay> =
        games.iter().filter_map(|opened| Some(&opened.game.as_ref().ok()?.1)).collect();
    let positions: usize = replays.iter().map(|replay| replay.steps.len() + 1).sum();
    let cores = || thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let threads = arguments.threads.map_or_else(cores, usize::from);
    let known =
        crew::study(&replays, &study, threads, &mut journal).map_err(|error| at(&path, error))?;
    let analysed = replays.len();

    let (mut text, mut shown) = (String::new(), Vec::new());
    for Opened { entry, game } in &games {
        if !text.is_empty() {
            text.push('\n');
        }
        let found = game.as_ref().map(|(game, replay)| {
            let evaluations = crew::evaluations(replay, &study, &journal)
                .expect("the crew has studied every game");
            (game, replay, Findings::new(replay, evaluations))
        });
        match found {
            Ok((game, replay, findings)) => {
                let mut game = game.clone();
                shown.push(PageGame::new(&game, replay, &findings));
                annotate(&mut game, &findings, arguments.wdl);
                text.push_str(&game.write(replay.numbering()));
            }
            Err(problem) => {
                shown.push(PageGame::unread(entry.game.as_ref().ok(), problem.to_string()));
                text.push_str(&entry.text);
                text.push('\n');
            }
        }
    }
    write_whole(&output, &text).map_err(|error| at(&output, error))?;
    if let Some(path) = &page {
        let name = input.file_name().unwrap_or(input.as_os_str());
        let title = name.to_string_lossy().into_owned();
        let page = Page { title, method: arguments.method(), games: shown };
        write_whole(path, &page.html()).map_err(|error| at(path, error))?;
    }
    drop(journal);
    // It has served. If it stays, no harm is done.
    let _ = fs::remove_file(&path);

    let mut say = |line: String| writeln!(out, "{line}").map_err(AnalyseError::Output);
    let earlier = if known > 0 { format!(" ({known} of them earlier)") } else { String::new() };
    say(format!("{analysed} of {} games, {positions} positions{earlier}", games.len()))?;
    for path in [Some(&output), page.as_ref()].into_iter().flatten() {
        say(path.display().to_string())?;
    }
    Ok(analysed == games.len())
}

fn at(path: &Path, error: io::Error) -> AnalyseError {
    AnalyseError::File { path: path.to_owned(), error }
}

/// Fails if two of the files are the same.
fn assert_different(paths: &[Option<&PathBuf>]) -> Result<(), AnalyseError> {
    // A file that does not exist yet is told by its name and its folder.
    let place = |path: &PathBuf| {
        let named = || path::absolute(path).unwrap_or_else(|_| path.clone());
        fs::canonicalize(path).unwrap_or_else(|_| named())
    };
    let mut places = Vec::new();
    for path in paths.iter().flatten() {
        if places.contains(&place(path)) {
            return Err(AnalyseError::SameFile((*path).clone()));
        }
        places.push(place(path));
    }
    Ok(())
}

/// The games of a text, and what is wrong with them told on standard error.
fn open_all(text: &str) -> Vec<Opened> {
    let open = |(at, entry): (usize, Entry)| {
        let number = at + 1;
        let game = match replay::open(&entry) {
            Ok((game, replay, problems)) => {
                for problem in problems {
                    let line = entry.line;
                    tell(format_args!(
                        "game {number}, line {line}: in a variation, which stays as it is: {problem}"
                    ));
                }
                Ok((game, replay))
            }
            Err(problem) => {
                tell(format_args!("game {number} is kept as it is: {problem}"));
                Err(problem)
            }
        };
        Opened { entry, game }
    };
    pgn::read(text).into_iter().enumerate().map(open).collect()
}
