//! Analyses whole files: existing annotations are kept, and an interrupted analysis continues.

use std::fs;
use std::path::{Path, PathBuf};
#[cfg(target_os = "linux")]
use std::process::Command;

use carrybit::internals::analyse::journal::Journal;
use carrybit::internals::analyse::{Arguments, run};
use carrybit_pgn::replay::open;
use carrybit_pgn::{Entry, Game, Line, Remark};
use clap::Parser;

/// Limits for fast searches.
const QUICK: [&str; 4] = ["--nodes", "400", "--hash", "1"];

/// An empty folder for a test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // The folder may be left from an earlier run.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a new folder");
    folder
}

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

fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("a readable file")
}

fn game(entry: &Entry) -> &Game {
    entry.game.as_ref().expect("a readable game")
}

fn moves(line: &Line) -> Vec<&str> {
    line.moves.iter().map(|ply| ply.text.as_str()).collect()
}

/// Writes `games.pgn` with this text.
fn write(folder: &Path, text: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.join("games.pgn");
    fs::write(&path, text).expect("room on the disk");
    path
}

/// Analyses this text and returns the output.
fn output(folder: &Path, text: &str, options: &[&str]) -> String {
    analyse(&write(folder, text), options).expect("an analysis");
    read(&folder.join("games.analysed.pgn"))
}

/// The comments of a line and of its variations.
fn comments(line: &Line) -> Vec<&str> {
    let remarks = line.before.iter().chain(line.moves.iter().flat_map(|ply| &ply.after));
    let texts = remarks.flat_map(|remark| match remark {
        Remark::Comment(text) => vec![text.as_str()],
        Remark::Escape(_) => Vec::new(),
        Remark::Variation(line) => comments(line),
    });
    texts.collect()
}

#[test]
fn file_with_errors_is_analysed_as_far_as_possible() {
    let folder = folder("oddities");
    let path = write(&folder, data("oddities.pgn"));
    let (all, printed) = analyse(&path, &QUICK).expect("an analysis");
    assert!(!all && printed.contains("\n6 of 9 games, 49 positions\n"), "{printed}");

    let before = carrybit_pgn::read(&data("oddities.pgn"));
    let text = read(&folder.join("games.analysed.pgn"));
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
        let kept = comments(&is.moves).join("|");
        for comment in comments(&was.moves) {
            let comment = comment.replace("[%eval 0.1] ", "");
            assert!(kept.contains(&comment), "{comment} in {kept}");
        }
    }
    let played = moves(&game(&after[1]).moves)[..8].join(" ");
    assert_eq!(played, "e4 e5 Nf3 Nc6 Bb5 Nf6 O-O Nxe4");
    assert_eq!(moves(&game(&after[2]).moves)[1..3], ["dxe3", "b8=Q+"]);
    assert_eq!(moves(&game(&after[6]).moves), ["O-O", "O-O-O", "d6", "--", "h6"]);

    // Black allows mate in one: the move was marked before, and has the mark once.
    let blunder = &game(&after[0]).moves.moves[5];
    assert_eq!((blunder.text.as_str(), &blunder.nags[..]), ("Nf6", &[4][..]));
    let alone = Line { moves: vec![blunder.clone()], ..Line::default() };
    let remarks = comments(&alone);
    assert_eq!(remarks[0], "[%eval #1] [%clk 0:01:11]");
    assert!(remarks[1].starts_with("Blunder. "), "{remarks:?}");
    assert!(matches!(blunder.after.last(), Some(Remark::Variation(_))));
    assert!(!text.contains("[%wdl"));

    let html = read(&folder.join("games.analysed.html"));
    for shown in ["O'Brien \\\"Ace\\\", Ada", "Blunder", "An illegal move", "is not legal"] {
        assert!(html.contains(shown), "{shown}");
    }
    assert!(!folder.join("games.analysed.pgn.journal").exists());
    assert_eq!(fs::read_dir(&folder).expect("the folder").count(), 3);
}

#[test]
fn table_shows_accuracy_and_mistakes_of_both_sides() {
    let folder = folder("table");
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
    let folder = folder("closed");
    for (text, code) in [("1. e4 *\n\n1. e9 *\n", 3), ("1. e4 *\n", 0)] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("a full device");
        let output = Command::new(env!("CARGO_BIN_EXE_carrybit"))
            .arg("analyse")
            .arg(write(&folder, text))
            .args(QUICK)
            .stdout(full)
            .output()
            .expect("the program starts");
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        let printed = String::from_utf8_lossy(&output.stderr);
        assert!(printed.contains("cannot print to standard output"), "{printed}");
        assert!(read(&folder.join("games.analysed.pgn")).contains("[%eval"));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_keeps_the_journal_and_ends_with_130() {
    // If this machine is so busy that the program ends before it is interrupted, it gets more to do.
    for movetime in ["50", "200", "1000", "5000"] {
        let folder = folder("ctrl-c");
        let path = write(&folder, "1. Nf3 Nf6 2. Ng1 Ng8 ".repeat(20));
        let journal = folder.join("games.analysed.pgn.journal");
        let options = ["--movetime-ms", movetime, "--threads", "1", "--hash", "1"];
        let mut child = Command::new(env!("CARGO_BIN_EXE_carrybit"))
            .arg("analyse")
            .arg(&path)
            .args(options)
            .stderr(std::process::Stdio::null())
            .spawn()
            .expect("the program starts");
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
        assert!(!folder.join("games.analysed.pgn").exists());
        let (_, printed) = analyse(&path, &options).expect("an analysis");
        assert!(printed.contains(" from an earlier run)"), "{printed}");
        return;
    }
    panic!("the program ended each time before it was interrupted");
}

#[cfg(target_os = "linux")]
#[test]
fn warnings_are_printed_for_refused_games_and_for_the_encoding() {
    let folder = folder("warnings");
    let text = b"[White \"\xc8\xe2\xe0\xed\"]\n\n1. e4 e5 foo 3. Ke3 *\n1. d4 *\n";
    let output = Command::new(env!("CARGO_BIN_EXE_carrybit"))
        .arg("analyse")
        .arg(write(&folder, text))
        .args(QUICK)
        .output()
        .expect("the program starts");
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let printed = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = printed.lines().collect();
    let [encoding, foo, number, refusal] = lines[..] else { panic!("{printed}") };
    assert!(encoding.contains("games.pgn, line 1: not UTF-8, read as windows-1252"), "{printed}");
    assert!(foo.starts_with("game 1, line 3: \"foo\" is not a move"), "{printed}");
    assert!(number.starts_with("game 1, line 3: move number 3."), "{printed}");
    assert!(refusal.starts_with("game 1 is copied unchanged: line 3: move 2. Ke3"), "{printed}");
}

#[cfg(target_os = "linux")]
#[test]
fn small_file_that_unpacks_to_much_text_takes_little_more_memory_than_the_text() {
    // A comment of 60 MB; with a few copies of it the program would abort at this limit.
    const LIMIT_KB: u32 = 320_000;
    let folder = folder("packed");
    let path = folder.join("games.pgn.gz");
    let command = format!(
        "{{ echo '1. e4 {{'; head -c 60000000 /dev/zero | tr '\\0' a; echo '}} e5 * 1. d4 *'; }} | \
         gzip > '{0}'; ulimit -v {LIMIT_KB}; exec '{1}' analyse '{0}' --depth 1 --hash 1 --threads 1",
        path.display(),
        env!("CARGO_BIN_EXE_carrybit"),
    );
    let output = Command::new("sh")
        .args(["-c", &command])
        .env("MALLOC_ARENA_MAX", "1")
        .output()
        .expect("a shell");
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let printed = String::from_utf8_lossy(&output.stderr);
    assert!(printed.contains("game 1 is copied unchanged: line 1: the game has more"), "{printed}");
}

#[test]
fn interrupted_analysis_continues_with_the_same_result() {
    let folder = folder("interrupted");
    let path = write(&folder, data("oddities.pgn"));
    let output = folder.join("out.pgn");
    let options =
        [&QUICK[..], &["--wdl", "--no-page", "-o", output.to_str().expect("a path")]].concat();
    let journal = folder.join("out.pgn.journal");
    // A folder at the place of the output is noticed before the analysis.
    fs::create_dir(&output).expect("a folder");
    let error = analyse(&path, &options).expect_err("no output");
    assert!(error.contains("out.pgn: not a regular file") && !journal.exists(), "{error}");
    fs::remove_dir(&output).expect("our folder");

    // The second name of the journal stays when the program removes the first.
    let kept = folder.join("kept");
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
    assert!(!folder.join("out.html").exists());

    // Other settings have other evaluations.
    fs::write(&journal, &whole).expect("room on the disk");
    let (_, printed) =
        analyse(&path, &[&options[2..], &["--depth", "1"]].concat()).expect("an analysis");
    assert!(!printed.contains("earlier"), "{printed}");
    assert_eq!(fs::read(&journal).expect("the results with the first settings"), whole);
}

#[test]
fn analysing_the_output_again_adds_nothing() {
    let folder = folder("again");
    let once = output(&folder, &data("oddities.pgn"), &QUICK);
    assert_eq!(output(&folder, &once, &QUICK), once);
}

#[test]
fn notation_of_real_files_is_understood() {
    let folder = folder("notation");
    let (all, printed) =
        analyse(&write(&folder, data("notation.pgn")), &QUICK).expect("an analysis");
    assert!(all, "{printed}");
    let after = carrybit_pgn::read(&read(&folder.join("games.analysed.pgn")));
    let played: Vec<_> = after.iter().map(|entry| moves(&game(entry).moves).join(" ")).collect();
    assert_eq!(
        played,
        [
            "e4 d5 e5 f5 exf6 Nxf6 d4 Ne4 c4 dxc4 b4 cxb3",
            "d4 d5 c4 dxc4 e3 e5 Bxc4 exd4",
            "e4 e5",
            "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5",
            "f3 e5 g4 Qh4#",
            "e4 e5 Qh5 Nc6 Bc4 Nf6 Qxf7#",
            "Nf3 Nf6 Nc3 Nc6 e4 e5 Bb5 Bb4 O-O O-O",
            "e4 e5 Nf3 Nc6 Bb5 a6 Bxc6 bxc6 Nc3 -- d3 -- d4 exd4 Nxd4",
            "a8=Q Kg7 Qxb8 Kg6 Qb1+ Kg7",
        ]
    );
    let results: Vec<_> = after.iter().map(|entry| game(entry).result.as_deref()).collect();
    let expected = ["*", "1-0", "1/2-1/2", "*", "0-1", "1-0", "*", "*", "*"];
    assert_eq!(results, expected.map(Some));
    let marked = &game(&after[3]).moves.moves;
    for (at, nag) in [(2, 146), (3, 146), (4, 10), (5, 14), (6, 18), (7, 13), (8, 220), (9, 7)] {
        assert!(marked[at].nags.contains(&nag), "{at}: {:?}", marked[at]);
    }
    let tags = ["Event", "White", "Black"].map(|name| game(&after[8]).tag(name));
    assert_eq!(tags, ["Quotes are missing", "A", "B"].map(Some));
    assert!(comments(&game(&after[8]).moves).contains(&"foo"));
}

#[test]
fn earlier_analysis_is_removed() {
    let folder = folder("earlier");
    let lichess = data("lichess.pgn");
    let clocks = ["0:05:00", "0:05:00", "0:04:58", "0:04:58", "0:04:50"];
    let [tags, _] = lichess.split("\n\n").collect::<Vec<_>>()[..] else { panic!("one game") };
    let texts = ["e4", "e5", "Ke2", "Qh4", "Nf3"].iter().zip(clocks);
    let bare: String = texts.map(|(san, clock)| format!("{san} {{[%clk {clock}]}} ")).collect();
    let expected = output(&folder, &format!("{tags}\n\n{bare} 0-1"), &QUICK);
    assert_eq!(output(&folder, &lichess, &QUICK), expected);
    assert_eq!(output(&folder, &expected, &QUICK), expected);

    let shallow = data("shallow.pgn");
    let [tags, _] = shallow.split("\n\n").collect::<Vec<_>>()[..] else { panic!("one game") };
    let bare = "1. e4 e5 2. Ke2 Qh4 3. Nc3 Nf6 4. g3 Qxe4+ *";
    let expected = output(&folder, &format!("{tags}\n\n{bare}"), &QUICK);
    assert_eq!(output(&folder, &shallow, &QUICK), expected);
    let deeper = output(&folder, &expected, &["--nodes", "3000", "--hash", "1"]);
    assert_eq!(output(&folder, &deeper, &QUICK), expected);
}

#[test]
fn utf_16_is_read_and_unsupported_formats_are_named() {
    let folder = folder("encodings");
    let units = "\u{feff}[White \"Gr\u{fc}n\"]\r\n\r\n1. e4 *".encode_utf16();
    let path = write(&folder, units.flat_map(u16::to_le_bytes).collect::<Vec<_>>());
    analyse(&path, &QUICK).expect("an analysis");
    assert!(read(&folder.join("games.analysed.pgn")).starts_with("[White \"Gr\u{fc}n\"]"));
    let path = write(&folder, b"\x28\xb5\x2f\xfd1. e4 *");
    let error = analyse(&path, &QUICK).expect_err("an unsupported format");
    assert!(error.contains("games.pgn") && error.contains("zstd"), "{error}");
}

#[cfg(unix)]
#[test]
fn links_are_replaced_and_permissions_are_kept() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = folder("links");
    let (victim, output) = (folder.join("victim"), folder.join("games.analysed.pgn"));
    let path = write(&folder, "1. e4 *");
    fs::write(&victim, "mine").expect("room on the disk");
    let html = folder.join("games.analysed.html");
    fs::write(&html, "").expect("room on the disk");
    fs::set_permissions(&html, fs::Permissions::from_mode(0o640)).expect("our file");
    symlink(&victim, &output).expect("a link");
    symlink(&victim, folder.join("games.analysed.pgn.part")).expect("a link");
    analyse(&path, &QUICK).expect("an analysis");
    let data = fs::symlink_metadata(&output).expect("the output");
    assert!(data.is_file() && read(&output).contains("[%eval"));
    let new = fs::metadata(&path).expect("the input").permissions();
    assert_eq!(data.permissions(), new, "the output has other permissions than a new file");
    assert_eq!(fs::metadata(&html).expect("the page").permissions().mode() & 0o777, 0o640);
    fs::remove_file(&output).expect("our file");
    symlink(&victim, folder.join("games.analysed.pgn.journal")).expect("a link");
    let error = analyse(&path, &QUICK).expect_err("a link");
    assert!(error.contains("symbolic link"), "{error}");
    assert_eq!(read(&victim), "mine");
}

#[cfg(target_os = "linux")]
#[test]
fn many_games_and_long_games_take_little_memory() {
    // With a copy of the history for each position, with all games in memory at once, or with three
    // copies of the last file, the program would abort at this limit. It needs a fifth of this
    // memory, and two copies of the file.
    const LIMIT_KB: u32 = 120_000;
    let folder = folder("large");
    let shuffle = "1. Nf3 Nf6 2. Ng1 Ng8 ".repeat(2_000);
    let texts = [
        (format!("{shuffle} *"), 8_001, 1),
        ("1. e4 *\n".repeat(100_000), 200_000, 100_000),
        (" ".repeat(40 << 20) + "\n1. e4 *\n", 2, 1),
    ];
    for (text, positions, games) in texts {
        let path = write(&folder, text + "\n1. e9 *");
        let command = format!(
            "ulimit -v {LIMIT_KB}; exec '{}' analyse '{}' --depth 1 --hash 1 --threads 1 --no-page",
            env!("CARGO_BIN_EXE_carrybit"),
            path.display()
        );
        // Each malloc arena of glibc reserves 64 MB of addresses, which `ulimit -v` counts.
        let output = Command::new("sh")
            .args(["-c", &command])
            .env("MALLOC_ARENA_MAX", "1")
            .output()
            .expect("a shell");
        let printed = String::from_utf8_lossy(&output.stdout);
        let expected = format!("{games} of {} games, {positions} positions\n", games + 1);
        assert!(printed.contains(&expected), "{:?}", output.stderr);
        assert_eq!(output.status.code(), Some(3), "{output:?}");
    }
}

#[test]
fn write_protected_file_is_refused_before_the_analysis() {
    let folder = folder("protected");
    let path = write(&folder, "1. e4 *");
    for name in ["games.analysed.pgn", "games.analysed.html"] {
        let output = folder.join(name);
        fs::write(&output, "mine").expect("room on the disk");
        let writable = fs::metadata(&output).expect("our file").permissions();
        let mut protected = writable.clone();
        protected.set_readonly(true);
        fs::set_permissions(&output, protected).expect("our file");
        let error = analyse(&path, &QUICK).expect_err("a write-protected file");
        assert!(error.contains(name) && error.contains("write-protected"), "{error}");
        assert_eq!(read(&output), "mine");
        assert!(!folder.join("games.analysed.pgn.journal").exists());
        fs::set_permissions(&output, writable).expect("our file");
        fs::remove_file(&output).expect("our file");
    }
}

#[test]
fn invalid_requests_are_refused_and_change_nothing() {
    let folder = folder("refused");
    let path = folder.join("games.pgn");
    assert!(analyse(&path, &[]).expect_err("no file").contains("games.pgn"));
    write(&folder, "\n\n");
    assert!(analyse(&path, &[]).expect_err("no game").contains("no game"));
    let text = "1. e4 *\n";
    write(&folder, text);
    let itself = path.to_str().expect("a path");
    let new = folder.join("new").to_str().expect("a path").to_owned();
    let new_again = folder.join(".").join("new").to_str().expect("a path").to_owned();
    let name = folder.file_name().expect("a name");
    let new_below = folder.join("..").join(name).join("new").to_str().expect("a path").to_owned();
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
    assert_eq!(fs::read_dir(&folder).expect("the folder").count(), 1);
}
