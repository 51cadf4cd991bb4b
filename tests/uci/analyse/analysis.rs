//! Analyses whole files: existing annotations are kept, and an interrupted analysis continues.

use std::fs;
#[cfg(target_os = "linux")]
use std::io::Write;
use std::path::{Path, PathBuf};
#[cfg(target_os = "linux")]
use std::process::Command;

use crate::folder_support::Folder;
use carrybit::internals::analyse::journal::Journal;
use carrybit::internals::analyse::{Arguments, run};
use carrybit_pgn::replay::open;
use carrybit_pgn::{Entry, Game, Remark};
use clap::Parser;

/// Limits for fast searches.
const QUICK: [&str; 4] = ["--nodes", "400", "--hash", "1"];

/// A file of `tests/uci/analyse/data`.
fn data(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/uci/analyse/data").join(name);
    fs::read_to_string(path).expect("a file of the tests")
}

/// Runs the program on a file; returns whether all games were analysed, and the output.
fn analyse(path: &Path, options: &[&str]) -> Result<(bool, String), String> {
    let words = ["analyse", path.to_str().expect("a path of ours")];
    let arguments = Arguments::try_parse_from(words.iter().chain(options));
    let arguments = arguments.map_err(|error| error.to_string())?;
    let mut printed = Vec::new();
    let all = run(&arguments, &mut printed).map_err(|error| error.to_string())?;
    Ok((all, String::from_utf8(printed).expect("text")))
}

/// The program with the same arguments.
#[cfg(target_os = "linux")]
fn program_with(path: &Path, options: &[&str]) -> Command {
    let mut program = crate::process_support::program();
    program.arg("analyse").arg(path).args(options);
    program
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("a readable file")
}

fn game(entry: &Entry) -> &Game {
    entry.game.as_ref().expect("a readable game")
}

/// Writes `games.pgn` with this text.
fn write(folder: &Folder, text: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.0.join("games.pgn");
    fs::write(&path, text).expect("room on the disk");
    path
}

/// Analyses this text and returns the output.
fn output(folder: &Folder, text: &str, options: &[&str]) -> String {
    analyse(&write(folder, text), options).expect("an analysis");
    read(&folder.0.join("games.analysed.pgn"))
}

#[test]
fn file_with_errors_is_analysed_as_far_as_possible() {
    let folder = Folder::new("oddities");
    let path = write(&folder, data("oddities.pgn"));
    let (all, printed) = analyse(&path, &QUICK).expect("an analysis");
    assert!(!all && printed.contains("\n6 of 9 games, 49 positions\n"), "{printed}");

    let before = carrybit_pgn::read(&data("oddities.pgn"));
    let text = read(&folder.0.join("games.analysed.pgn"));
    let after = carrybit_pgn::read(&text);
    assert_eq!(after.len(), 9);
    for unread in [3, 4, 5] {
        assert_eq!(after[unread].text, before[unread].text);
    }
    for read in [0, 1, 2, 6, 7, 8] {
        let (was, is) = (game(&before[read]), game(&after[read]));
        assert_eq!(is.tags[..was.tags.len()], was.tags);
        assert_eq!(is.result.as_deref().unwrap_or("*"), was.result.as_deref().unwrap_or("*"));
        let replays = [&before, &after].map(|entries| open(&entries[read]).expect("legal").1);
        assert_eq!(replays[0], replays[1]);
    }

    // Black allows mate in one: the move was marked before, and has the mark once.
    let blunder = &game(&after[0]).moves.moves[5];
    assert_eq!((blunder.text.as_str(), &blunder.nags[..]), ("Nf6", &[4][..]));
    let [Remark::Comment(commands), Remark::Comment(sentence), .., Remark::Variation(_)] =
        &blunder.after[..]
    else {
        panic!("{blunder:?}")
    };
    assert_eq!(commands, "[%eval #1] [%clk 0:01:11]");
    assert!(sentence.starts_with("Blunder, as marked. "), "{sentence}");
    assert!(!text.contains("[%wdl"));

    let html = read(&folder.0.join("games.analysed.html"));
    for shown in ["O'Brien \\\"Ace\\\", Ada", "Blunder", "An illegal move", "is not legal"] {
        assert!(html.contains(shown), "{shown}");
    }
    assert!(!folder.0.join("games.analysed.pgn.journal").exists());
    assert_eq!(fs::read_dir(&folder.0).expect("the folder").count(), 3);
}

#[test]
fn table_shows_accuracy_and_mistakes_of_both_sides() {
    let folder = Folder::new("table");
    let mate = "[White \"A name of more than twenty characters\"]\n[Black \"B\u{1b}[2J\"]\n\n\
                1. f4 e6 2. g4 Qh4# 0-1\n";
    let text = format!("{mate}\n1. e9 *\n\n[White \"\"]\n\n1. e4 *\n");
    // A search of 400 nodes may call 1...e6 a blunder.
    let options = ["--nodes", "4000", "--hash", "1"];
    let (_, printed) = analyse(&write(&folder, text), &options).expect("an analysis");
    let lines: Vec<&str> = printed.lines().collect();
    let columns = |line: &str| line.split("  ").map(str::trim).map(str::to_owned).collect();
    let rows: Vec<Vec<String>> = lines.iter().map(|line| columns(line)).collect();
    let shown = |at: usize| rows[at].iter().filter(|cell| !cell.is_empty()).collect::<Vec<_>>();
    assert_eq!(shown(0)[..4], ["Game", "Side", "Player", "Accuracy"]);
    let [white, black] = [shown(1), shown(2)];
    assert_eq!(white[..3], ["1", "White", "A name of more than …"]);
    assert_eq!(black[..3], ["1", "Black", "B[2J"]);
    let accuracy = |row: &[&String]| row[3].parse::<f64>().expect("a number");
    assert!(accuracy(&white) < 60.0 && accuracy(&black) > 60.0, "{printed}");
    assert_eq!([white[6], black[6]], ["1", "0"], "{printed}");
    assert_eq!(shown(3)[..3], ["3", "White", "?"]);
    assert_eq!(shown(4)[..4], ["3", "Black", "?", "-"]);
    let widths: Vec<usize> = lines[..5].iter().map(|line| line.chars().count()).collect();
    assert_eq!(widths, [79; 5], "{printed}");
    assert_eq!(lines[5], "2 of 3 games, 7 positions");
}

#[cfg(target_os = "linux")]
#[test]
fn closed_output_does_not_hide_that_games_failed() {
    let folder = Folder::new("closed");
    for (text, code) in [("1. e4 *\n\n1. e9 *\n", 3), ("1. e4 *\n", 0)] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("a full device");
        let output = program_with(&write(&folder, text), &QUICK).stdout(full).output();
        let output = output.expect("the program starts");
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        let printed = String::from_utf8_lossy(&output.stderr);
        assert!(printed.contains("cannot print to standard output"), "{printed}");
        assert!(read(&folder.0.join("games.analysed.pgn")).contains("[%eval"));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_keeps_the_journal_and_ends_with_130() {
    // If this machine is so busy that the program ends before it is interrupted, it gets more to do.
    for movetime in ["50", "200", "1000", "5000"] {
        let folder = Folder::new("ctrl-c");
        let path = write(&folder, "1. Nf3 Nf6 2. Ng1 Ng8 ".repeat(20));
        let journal = folder.0.join("games.analysed.pgn.journal");
        let options = ["--movetime-ms", movetime, "--threads", "1", "--hash", "1"];
        let mut program = program_with(&path, &options);
        let child = program.stderr(std::process::Stdio::null()).spawn();
        let mut child = child.expect("the program starts");
        let lines = || fs::read(&journal).unwrap_or_default().split(|&b| b == b'\n').count();
        // The heading, a batch, and the beginning of the next line.
        while lines() < 3 && child.try_wait().expect("a child").is_none() {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        kill.expect("kill");
        if child.wait().expect("the program ends").code() != Some(130) {
            continue;
        }
        assert!(!folder.0.join("games.analysed.pgn").exists());
        let (_, printed) = analyse(&path, &options).expect("an analysis");
        assert!(printed.contains(" from an earlier run)"), "{printed}");
        return;
    }
    panic!("the program ended each time before it was interrupted");
}

#[cfg(target_os = "linux")]
#[test]
fn warnings_are_printed_for_refused_games_and_for_the_encoding() {
    let folder = Folder::new("warnings");
    let text = b"[White \"\xc8\xe2\xe0\xed\"]\n\n1. e4 e5 foo 3. Ke3 *\n1. d4 *\n";
    let output = program_with(&write(&folder, text), &QUICK).output().expect("the program starts");
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let printed = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = printed.lines().collect();
    let [encoding, foo, number, refusal] = lines[..] else { panic!("{printed}") };
    assert!(encoding.contains("games.pgn, line 1: not UTF-8, read as windows-1252"), "{printed}");
    assert!(foo.starts_with("game 1, line 3: \"foo\" is not a move"), "{printed}");
    assert!(number.starts_with("game 1, line 3: move number 3."), "{printed}");
    assert!(refusal.starts_with("game 1 is copied unchanged: line 3: move 2. Ke3"), "{printed}");
}

#[test]
fn interrupted_analysis_continues_with_the_same_result() {
    let folder = Folder::new("interrupted");
    let path = write(&folder, data("oddities.pgn"));
    let output = folder.0.join("out.pgn");
    let options =
        [&QUICK[..], &["--wdl", "--no-page", "-o", output.to_str().expect("a path")]].concat();
    let journal = folder.0.join("out.pgn.journal");
    // A folder at the place of the output is noticed before the analysis.
    fs::create_dir(&output).expect("a folder");
    let error = analyse(&path, &options).expect_err("no output");
    assert!(error.contains("out.pgn: not a regular file") && !journal.exists(), "{error}");
    fs::remove_dir(&output).expect("our folder");

    // The second name of the journal stays when the program removes the first.
    let kept = folder.0.join("kept");
    drop(Journal::open(&journal).expect("a new journal"));
    fs::hard_link(&journal, &kept).expect("a second name");
    analyse(&path, &options).expect("an analysis");
    let whole = fs::read(&kept).expect("the journal");
    fs::write(&journal, &whole[..whole.len() * 2 / 3]).expect("room on the disk");
    let (_, printed) = analyse(&path, &options).expect("an analysis");
    assert!(printed.contains(" from an earlier run)"), "{printed}");
    let resumed = read(&output);
    let (_, printed) =
        analyse(&path, &[&options[..], &["--threads", "1"]].concat()).expect("an analysis");
    assert!(!printed.contains("earlier"), "{printed}");
    assert_eq!(read(&output), resumed);
    assert!(resumed.contains("[%wdl "));
    assert!(!folder.0.join("out.html").exists());

    // Other settings have other evaluations.
    fs::write(&journal, &whole).expect("room on the disk");
    let (_, printed) =
        analyse(&path, &[&options[2..], &["--depth", "1"]].concat()).expect("an analysis");
    assert!(!printed.contains("earlier"), "{printed}");
    assert_eq!(fs::read(&journal).expect("the results with the first settings"), whole);
}

#[test]
fn earlier_analysis_is_replaced() {
    let folder = Folder::new("again");
    let once = output(&folder, &data("oddities.pgn"), &QUICK);
    let deeper = output(&folder, &once, &["--nodes", "3000", "--hash", "1"]);
    assert_eq!(output(&folder, &deeper, &QUICK), once);
}

#[cfg(unix)]
#[test]
fn links_are_replaced_and_permissions_are_kept() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = Folder::new("links");
    let (victim, output) = (folder.0.join("victim"), folder.0.join("games.analysed.pgn"));
    let path = write(&folder, "1. e4 *");
    fs::write(&victim, "mine").expect("room on the disk");
    let html = folder.0.join("games.analysed.html");
    fs::write(&html, "").expect("room on the disk");
    fs::set_permissions(&html, fs::Permissions::from_mode(0o640)).expect("our file");
    symlink(&victim, &output).expect("a link");
    symlink(&victim, folder.0.join("games.analysed.pgn.part")).expect("a link");
    analyse(&path, &QUICK).expect("an analysis");
    let data = fs::symlink_metadata(&output).expect("the output");
    assert!(data.is_file() && read(&output).contains("[%eval"));
    let new = fs::metadata(&path).expect("the input").permissions();
    assert_eq!(data.permissions(), new, "the output has other permissions than a new file");
    assert_eq!(fs::metadata(&html).expect("the page").permissions().mode() & 0o777, 0o640);
    fs::remove_file(&output).expect("our file");
    symlink(&victim, folder.0.join("games.analysed.pgn.journal")).expect("a link");
    let error = analyse(&path, &QUICK).expect_err("a link");
    assert!(error.contains("symbolic link"), "{error}");
    assert_eq!(read(&victim), "mine");
}

#[cfg(target_os = "linux")]
#[test]
fn many_games_long_games_and_packed_games_take_little_memory() {
    // With a copy of the history for each position, with all games in memory at once, or with three
    // copies of the third file, the program would abort at the limit. It needs 24 MB of memory, and
    // two copies of the third file. The last file unpacks to a comment of 60 MB.
    let folder = Folder::new("large");
    let shuffle = "1. Nf3 Nf6 2. Ng1 Ng8 ".repeat(1_500);
    let mut comment = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    write!(comment, "1. e4 {{{}}} e5 *\n1. d4 *", "a".repeat(60_000_000)).expect("in memory");
    for (limit_kb, bytes, expected) in [
        (120_000, format!("{shuffle} *\n1. e9 *").into_bytes(), "1 of 2 games, 6001 positions\n"),
        (
            85_000,
            ("1. e4 *\n".repeat(60_000) + "1. e9 *").into_bytes(),
            "60000 of 60001 games, 120000 positions\n",
        ),
        (
            120_000,
            (" ".repeat(40 << 20) + "\n1. e4 *\n1. e9 *").into_bytes(),
            "1 of 2 games, 2 positions\n",
        ),
        (320_000, comment.finish().expect("in memory"), "1 of 2 games, 2 positions\n"),
    ] {
        let command = format!(
            "ulimit -v {limit_kb}; exec '{}' analyse '{}' --depth 1 --hash 1 --threads 1 --no-page",
            env!("CARGO_BIN_EXE_carrybit"),
            write(&folder, bytes).display()
        );
        // Each malloc arena of glibc reserves 64 MB of addresses, which `ulimit -v` counts.
        let output = Command::new("sh")
            .args(["-c", &command])
            .env("MALLOC_ARENA_MAX", "1")
            .output()
            .expect("a shell");
        assert!(String::from_utf8_lossy(&output.stdout).contains(expected), "{:?}", output.stderr);
        assert_eq!(output.status.code(), Some(3), "{output:?}");
    }
}

#[test]
fn write_protected_file_is_refused_before_the_analysis() {
    let folder = Folder::new("protected");
    let path = write(&folder, "1. e4 *");
    for name in ["games.analysed.pgn", "games.analysed.html"] {
        let output = folder.0.join(name);
        fs::write(&output, "mine").expect("room on the disk");
        let writable = fs::metadata(&output).expect("our file").permissions();
        let mut protected = writable.clone();
        protected.set_readonly(true);
        fs::set_permissions(&output, protected).expect("our file");
        let error = analyse(&path, &QUICK).expect_err("a write-protected file");
        assert!(error.contains(name) && error.contains("write-protected"), "{error}");
        assert_eq!(read(&output), "mine");
        assert!(!folder.0.join("games.analysed.pgn.journal").exists());
        fs::set_permissions(&output, writable).expect("our file");
        fs::remove_file(&output).expect("our file");
    }
}

#[test]
fn invalid_requests_are_refused_and_change_nothing() {
    let folder = Folder::new("refused");
    let path = folder.0.join("games.pgn");
    assert!(analyse(&path, &[]).expect_err("no file").contains("games.pgn"));
    write(&folder, "\n\n");
    assert!(analyse(&path, &[]).expect_err("no game").contains("no game"));
    let text = "1. e4 *\n";
    write(&folder, text);
    let itself = path.to_str().expect("a path");
    let new = folder.0.join("new").to_str().expect("a path").to_owned();
    let new_again = folder.0.join(".").join("new").to_str().expect("a path").to_owned();
    let name = folder.0.file_name().expect("a name");
    let new_below = folder.0.join("..").join(name).join("new").to_str().expect("a path").to_owned();
    let journal = format!("{new}.journal");
    for options in [
        &["-o", itself][..],
        &["--page", itself],
        &["-o", &new, "--page", &new_again],
        &["-o", &new, "--page", &new_below],
        &["-o", &new, "--page", &journal],
    ] {
        assert!(analyse(&path, options).expect_err("the same file").contains("twice"));
    }
    for options in [&["--depth", "0"][..], &["--nodes", "0"], &["--hash", "x"], &["--threads", "0"]]
    {
        assert!(analyse(&path, options).is_err(), "{options:?}");
    }
    assert_eq!(read(&path), text);
    assert_eq!(fs::read_dir(&folder.0).expect("the folder").count(), 1);
}
