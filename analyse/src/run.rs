//! From a file of games to the annotated file and the page.

use std::fs;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::{self, Path, PathBuf};
use std::thread;

use pgn::replay::{self, Replay};
use pgn::text::{TextError, decode};
use pgn::{Entry, Game, PgnError};

use crate::annotate::annotate;
use crate::arguments::Arguments;
use crate::crew::{self, Workload};
use crate::earlier;
use crate::files::Draft;
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
        /// The error.
        error: io::Error,
    },
    /// A file is not text.
    #[error("{}: {error}", path.display())]
    Text {
        /// Which one.
        path: PathBuf,
        /// The error.
        error: TextError,
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

/// The most problems of a game that are told.
const MAX_TOLD: usize = 20;

/// A game of the file, opened.
struct Opened {
    entry: Entry,
    /// The game, how it goes and problems that do not keep it from being played; or why it
    /// cannot be played.
    game: Result<(Game, Replay, Vec<PgnError>), PgnError>,
}

/// The games of a text, each opened when its turn comes: together they may be many times
/// as large as the text.
fn games(text: &str) -> impl Iterator<Item = Opened> {
    pgn::entries(text).map(|entry| Opened { game: replay::open(&entry), entry })
}

/// The contents of the file.
#[derive(Default)]
struct Count {
    games: usize,
    analysed: usize,
    positions: usize,
    workload: Workload,
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
    let text = decode(bytes).map_err(|error| AnalyseError::Text { path: input.clone(), error })?;
    if pgn::entries(&text).next().is_none() {
        return Err(AnalyseError::NoGames(input.clone()));
    }

    let study = arguments.study();
    let path = arguments.journal();
    let mut journal = Journal::open(&path).map_err(|error| at(&path, error))?;
    let mut count = Count::default();
    for opened in games(&text) {
        count.games += 1;
        tell_problems(count.games, &opened);
        if let Ok((_, replay, _)) = opened.game {
            count.analysed += 1;
            count.positions += replay.steps.len() + 1;
            count.workload.add(&replay, &study, &journal);
        }
    }
    let cores = || thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let threads = arguments.threads.map_or_else(cores, usize::from);
    let replays = games(&text).filter_map(|opened| Some(opened.game.ok()?.1));
    crew::study(replays, count.workload, &study, threads, &mut journal)
        .map_err(|error| at(&path, error))?;
    write(arguments, &text, &output, page.as_ref(), &mut journal)?;
    drop(journal);
    // It has served. If it stays, no harm is done.
    let _ = fs::remove_file(&path);

    let mut say = |line: String| writeln!(out, "{line}").map_err(AnalyseError::Output);
    let Count { games, analysed, positions, workload } = count;
    let known = workload.known;
    let earlier = if known > 0 { format!(" ({known} of them earlier)") } else { String::new() };
    say(format!("{analysed} of {games} games, {positions} positions{earlier}"))?;
    for path in [Some(&output), page.as_ref()].into_iter().flatten() {
        say(path.display().to_string())?;
    }
    Ok(analysed == games)
}

/// Writes the annotated games and the page from the findings in the journal.
fn write(
    arguments: &Arguments,
    text: &str,
    output: &Path,
    page: Option<&PathBuf>,
    journal: &mut Journal,
) -> Result<(), AnalyseError> {
    let study = arguments.study();
    let output_error = |error| at(output, error);
    let page_error = |error| at(page.map_or(output, PathBuf::as_path), error);
    let mut draft = Draft::new(output).map_err(output_error)?;
    let input = &arguments.games;
    let title = input.file_name().unwrap_or(input.as_os_str()).to_string_lossy();
    let begin = |path: &PathBuf| Page::new(Draft::new(path)?, &title, &arguments.method());
    let mut html = page.map(begin).transpose().map_err(page_error)?;
    let mut separator = "";
    for Opened { entry, game } in games(text) {
        let text = match game {
            Ok((mut game, replay, _)) => {
                let evaluations = crew::evaluations(&replay, &study, journal)
                    .map_err(|error| at(&arguments.journal(), error))?
                    .expect("the crew has studied every game");
                let findings = Findings::new(&replay, evaluations);
                earlier::remove(&mut game, !replay.numbering().is_black);
                if let Some(html) = &mut html {
                    html.game(&PageGame::new(&game, &replay, &findings)).map_err(page_error)?;
                }
                annotate(&mut game, &findings, arguments.wdl);
                game.write(replay.numbering())
            }
            Err(problem) => {
                let shown = PageGame::unread(entry.game.as_ref().ok(), problem.to_string());
                if let Some(html) = &mut html {
                    html.game(&shown).map_err(page_error)?;
                }
                entry.text + "\n"
            }
        };
        write!(draft, "{separator}{text}").map_err(output_error)?;
        separator = "\n";
    }
    draft.finish().map_err(output_error)?;
    html.map(|html| html.finish()?.finish()).transpose().map_err(page_error)?;
    Ok(())
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

/// Prints the errors in a game to standard error.
fn tell_problems(number: usize, opened: &Opened) {
    let mut problems = match &opened.game {
        Ok((.., problems)) => problems.iter(),
        Err(problem) => {
            tell(format_args!("game {number} is kept as it is: {problem}"));
            return;
        }
    };
    problems
        .by_ref()
        .take(MAX_TOLD)
        .for_each(|problem| tell(format_args!("game {number}, {problem}")));
    if problems.len() > 0 {
        tell(format_args!("game {number}: and {} more like these", problems.len()));
    }
}
