//! Move generation counts exactly what other engines count.
//!
//! The files under `tests/data/perft` run up to a number of leaves per line. The
//! whole collection, which is not part of the repository, runs with
//! `CARRYBIT_PERFT_DIR=path cargo test --release --locked --test perft -- --ignored --nocapture`;
//! `CARRYBIT_PERFT_CAP` sets the leaves per line (30 million if unset).

mod support;

use std::env;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Instant;

use carrybit::board::Board;
use carrybit::tools::perft;
use flate2::read::GzDecoder;
use support::{PerftLine, board, perft_lines, read_data};

/// Leaves at `depth`, every move written and made.
fn perft_made(board: &Board, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let moves = board.legal_moves();
    moves.iter().map(|&mv| perft_made(&board.make(mv), depth - 1)).sum()
}

/// Checks the deepest count of a line that is at most `cap`. Returns the leaves
/// counted, `None` if there is no such count.
fn check_line(line: &PerftLine, cap: u64) -> Result<Option<u64>, String> {
    let Some(&(depth, expected)) = line.counts.iter().rev().find(|&&(_, nodes)| nodes <= cap)
    else {
        return Ok(None);
    };
    let nodes = perft::count(&board(&line.fen), depth);
    if nodes == expected {
        Ok(Some(nodes))
    } else {
        Err(format!("{}: {nodes} leaves at depth {depth}, not {expected}", line.fen))
    }
}

/// Runs a whole file and prints a one-line summary. Returns what was wrong.
fn check_file(name: &str, text: &str, cap: u64) -> Vec<String> {
    let start = Instant::now();
    let lines = perft_lines(text);
    let (mut run, mut nodes, mut errors) = (0, 0, Vec::new());
    for line in &lines {
        match check_line(line, cap) {
            Ok(None) => {}
            Ok(Some(counted)) => {
                run += 1;
                nodes += counted;
            }
            Err(error) => {
                run += 1;
                errors.push(format!("{name}: {error}"));
            }
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    eprintln!(
        "{name}: {run} of {} lines run, {} wrong, {nodes} leaves, {seconds:.1} s, {:.0} Mnps",
        lines.len(),
        errors.len(),
        nodes as f64 / seconds / 1e6
    );
    errors
}

macro_rules! files {
    ($($name:ident: $file:literal, $cap:expr;)*) => {$(
        #[test]
        fn $name() {
            let text = read_data(concat!("perft/", $file));
            assert_eq!(check_file($file, &text, $cap), Vec::<String>::new());
        }
    )*};
}

files! {
    standard_positions: "standard.epd", 1_000_000;
    chess960_positions: "chess960.epd", 300_000;
    en_passant_positions: "en-passant.epd", 150_000;
    single_checks: "single-check.epd", 150_000;
    double_checks: "double-check.epd", 300_000;
    random_positions: "random-marcel.epd", 100_000;
    stress_positions: "stress.epd", 3_000_000;
    tricky_positions: "tricky.epd", 1_000_000;
    tricky_chess960_positions: "tricky960.epd", 1_000_000;
}

#[test]
fn counting_and_making_the_last_ply_agree() {
    for name in ["standard.epd", "tricky960.epd"] {
        for line in perft_lines(&read_data(&format!("perft/{name}"))) {
            let board = board(&line.fen);
            let shallow = line.counts.iter().filter(|&&(depth, _)| depth <= 3);
            for &(depth, expected) in shallow {
                assert_eq!(perft_made(&board, depth), expected, "{}", line.fen);
                assert_eq!(perft::count(&board, depth), expected, "{}", line.fen);
            }
        }
    }
}

/// The perft files of a directory, `*.epd` and `*.epd.gz`, sorted by name.
fn files_in(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).expect("CARRYBIT_PERFT_DIR can be read");
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry of the directory").path())
        .filter(|path| {
            let name = path.to_string_lossy();
            name.ends_with(".epd") || name.ends_with(".epd.gz")
        })
        .collect();
    paths.sort();
    paths
}

fn read_maybe_zipped(path: &Path) -> String {
    let mut file = File::open(path).expect("the file can be opened");
    let mut text = String::new();
    let read = if path.extension().is_some_and(|extension| extension == "gz") {
        GzDecoder::new(file).read_to_string(&mut text)
    } else {
        file.read_to_string(&mut text)
    };
    read.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text
}

#[test]
#[ignore = "takes minutes; needs CARRYBIT_PERFT_DIR"]
fn the_whole_collection() {
    let Some(directory) = env::var_os("CARRYBIT_PERFT_DIR") else {
        eprintln!("skipped: CARRYBIT_PERFT_DIR is not set");
        return;
    };
    let cap = env::var("CARRYBIT_PERFT_CAP")
        .map_or(30_000_000, |text| text.parse().expect("CARRYBIT_PERFT_CAP is a number"));
    let mut errors = Vec::new();
    for path in files_in(Path::new(&directory)) {
        let name = path.file_name().expect("a file has a name").to_string_lossy();
        errors.extend(check_file(&name, &read_maybe_zipped(&path), cap));
    }
    assert_eq!(errors, Vec::<String>::new());
}
