//! Reads a PGN file, and writes the annotated file and the page.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::mem;
use std::num::NonZeroUsize;
use std::path::{self, Path, PathBuf};
use std::thread;

use carrybit_pgn::annotate::annotate;
use carrybit_pgn::findings::Findings;
use carrybit_pgn::replay::open_in_place;
use carrybit_pgn::text::{Text, TextError, load};
use carrybit_pgn::viewer::ViewerGame;
use carrybit_pgn::{PgnError, earlier, entries};

use super::arguments::Arguments;
use super::files::Draft;
use super::journal::Journal;
use super::page::Page;
use super::pool::{self, Workload};
use super::progress::tell;
use super::summary;

/// Why the analysis failed.
#[derive(Debug, thiserror::Error)]
pub enum AnalyseError {
    /// A file cannot be read or written.
    #[error("{}: {}", .0.display(), .1)]
    File(PathBuf, io::Error),
    /// The input cannot be read, or is not text.
    #[error("{}: {}", .0.display(), .1)]
    Text(PathBuf, TextError),
    /// The input has no games.
    #[error("{}: no games found; the file must be in PGN", .0.display())]
    NoGames(PathBuf),
    /// Two of the files are the same.
    #[error("{} is named twice; choose different files for input, output and page", .0.display())]
    SameFile(PathBuf),
}

/// The maximum number of errors that are printed for a game.
const MAX_TOLD: usize = 20;

/// Analyses the games and prints a summary to `out`. Returns whether all games were analysed, even
/// if the summary cannot be printed.
///
/// # Errors
/// If a file cannot be read or written.
pub fn run(arguments: &Arguments, out: &mut impl Write) -> Result<bool, AnalyseError> {
    let (input, output, page) = (&arguments.games, arguments.output(), arguments.page());
    let journal_path = arguments.journal();
    check_different(&[Some(input), Some(&output), Some(&journal_path), page.as_ref()])?;
    let text = load(input).map_err(|error| AnalyseError::Text(input.clone(), error))?;
    let Text { text, first_windows_1252, .. } = text;
    if let Some(line) = first_windows_1252 {
        tell(format_args!(
            "{}, line {line}: not UTF-8, read as windows-1252; if names are wrong, convert the file \
             to UTF-8",
            input.display()
        ));
    }
    if entries(&text).next().is_none() {
        return Err(AnalyseError::NoGames(input.clone()));
    }

    // A wrong path must not fail after the analysis.
    for path in [Some(&output), page.as_ref()].into_iter().flatten() {
        Draft::new(path).map_err(|error| file_error(path, error))?;
    }
    let settings = arguments.settings();
    let mut journal =
        Journal::open(&journal_path).map_err(|error| file_error(&journal_path, error))?;
    let (mut games, mut analysed, mut positions) = (0, 0, 0);
    let mut workload = Workload::default();
    // Open the games one at a time: together they may be many times as large as the text.
    for mut entry in entries(&text) {
        games += 1;
        let opened = open_in_place(&mut entry);
        tell_problems(games, &entry.warnings);
        match opened {
            Ok(played) => {
                analysed += 1;
                positions += played.moves().len() + 1;
                workload.add(&played, &settings, &journal);
            }
            Err(problem) => tell(format_args!("game {games} is copied unchanged: {problem}")),
        }
    }
    let cores = || thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let threads = arguments.threads.map_or_else(cores, usize::from);
    let played = entries(&text).filter_map(|mut entry| open_in_place(&mut entry).ok());
    pool::evaluate(played, workload, &settings, threads, &mut journal)
        .map_err(|error| file_error(&journal_path, error))?;
    // In parts: the summary of many short games is much larger than their text.
    let mut out = BufWriter::new(out);
    let mut printed = Ok(());
    let mut print = |text: &str| {
        if printed.is_ok() {
            printed = out.write_all(text.as_bytes());
        }
    };
    write(arguments, &text, &output, page.as_ref(), &mut journal, &mut print)?;
    // Ignore errors: a journal that stays does no harm.
    if journal.close().unwrap_or(true) {
        tell(format_args!(
            "{} is kept: it has results of an interrupted run with other settings or games; delete \
             it if you do not need them",
            journal_path.display()
        ));
    } else {
        let _ = fs::remove_file(&journal_path);
    }

    let known = workload.known;
    let earlier = if known > 0 { format!(" ({known} from an earlier run)") } else { String::new() };
    print(&format!("{analysed} of {games} games, {positions} positions{earlier}\n"));
    for path in [Some(&output), page.as_ref()].into_iter().flatten() {
        print(&format!("{}\n", path.display()));
    }
    if let Err(error) = printed.and_then(|()| out.flush()) {
        tell(format_args!("carrybit: cannot print to standard output: {error}"));
    }
    Ok(analysed == games)
}

/// Writes the annotated games and the page from the journal, and prints the [summary]'s table.
fn write(
    arguments: &Arguments,
    text: &str,
    output: &Path,
    page: Option<&PathBuf>,
    journal: &mut Journal,
    print: &mut impl FnMut(&str),
) -> Result<(), AnalyseError> {
    let settings = arguments.settings();
    let output_error = |error| file_error(output, error);
    let page_error = |error| file_error(page.map_or(output, PathBuf::as_path), error);
    let mut draft = Draft::new(output).map_err(output_error)?;
    let input = &arguments.games;
    let title = input.file_name().unwrap_or(input.as_os_str()).to_string_lossy();
    let begin = |path: &PathBuf| Page::new(Draft::new(path)?, &title, &arguments.method());
    let mut html = page.map(begin).transpose().map_err(page_error)?;
    let mut heading = summary::HEADING;
    let mut separator = "";
    for (at, mut entry) in entries(text).enumerate() {
        let opened = open_in_place(&mut entry);
        if let (Ok(played), Ok(game)) = (&opened, &mut entry.game) {
            let evaluations = pool::evaluations(played, &settings, journal)
                .map_err(|error| file_error(&arguments.journal(), error))?;
            let findings = Findings::new(played, evaluations);
            print(mem::take(&mut heading));
            print(&summary::rows(at + 1, game, &findings));
            earlier::remove(game);
            if let Some(html) = &mut html {
                let shown = ViewerGame::analysed(game, played, &findings);
                html.game(&shown).map_err(page_error)?;
            }
            let engine = concat!("Carrybit ", env!("CARGO_PKG_VERSION"));
            annotate(game, &findings, arguments.wdl, engine);
            write!(draft, "{separator}{game}").map_err(output_error)?;
        } else {
            let problem = opened.err().map(|problem| problem.to_string()).unwrap_or_default();
            if let Some(html) = &mut html {
                html.game(&ViewerGame::unread(&entry, problem)).map_err(page_error)?;
            }
            writeln!(draft, "{separator}{}", entry.text).map_err(output_error)?;
        }
        separator = "\n";
    }
    draft.finish().map_err(output_error)?;
    html.map(|html| html.finish()?.finish()).transpose().map_err(page_error)?;
    Ok(())
}

fn file_error(path: &Path, error: io::Error) -> AnalyseError {
    AnalyseError::File(path.to_owned(), error)
}

/// Returns an error if two of the files are the same.
fn check_different(paths: &[Option<&PathBuf>]) -> Result<(), AnalyseError> {
    // A file that does not exist yet has no canonical path; its folder has.
    let place = |path: &PathBuf| {
        let path = path::absolute(path).unwrap_or_else(|_| path.clone());
        let named = || {
            let (folder, name) = path.parent().zip(path.file_name())?;
            Some(fs::canonicalize(folder).ok()?.join(name))
        };
        fs::canonicalize(&path).ok().or_else(named).unwrap_or(path)
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

/// Prints the errors in a game that can be played.
fn tell_problems(number: usize, problems: &[PgnError]) {
    for problem in problems.iter().take(MAX_TOLD) {
        tell(format_args!("game {number}, {problem}"));
    }
    if problems.len() > MAX_TOLD {
        tell(format_args!("game {number}: and {} more", problems.len() - MAX_TOLD));
    }
}
