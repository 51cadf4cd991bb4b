//! Whole files are analysed: what was there stays, what was found is added, and nothing
//! stops the work but an interruption, from which it goes on.

mod support;

use std::fs;
use std::path::Path;
#[cfg(target_os = "linux")]
use std::process::Command;

use pgn::replay::open;
use pgn::{Entry, Game, Line, Remark};
use support::{analyse, data, folder};

/// Searches that are over at once.
const QUICK: [&str; 4] = ["--nodes", "400", "--hash", "1"];

fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("a file that was written")
}

fn game(entry: &Entry) -> &Game {
    entry.game.as_ref().expect("a game that can be read")
}

fn moves(line: &Line) -> Vec<&str> {
    line.moves.iter().map(|ply| ply.text.as_str()).collect()
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
fn a_file_with_oddities_is_analysed_as_far_as_it_can_be() {
    let folder = folder("oddities");
    let path = folder.join("games.pgn");
    fs::write(&path, data("oddities.pgn")).expect("room on the disk");
    let (all, said) = analyse(&path, &QUICK).expect("an analysis");
    assert!(!all && said.starts_with("6 of 9 games, 49 positions\n"), "{said}");

    let before = pgn::read(&data("oddities.pgn"));
    let text = read(&folder.join("games.analysed.pgn"));
    let after = pgn::read(&text);
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
    assert_eq!(
        moves(&game(&after[1]).moves)[..8],
        ["e4", "e5", "Nf3", "Nc6", "Bb5", "Nf6", "O-O", "Nxe4"]
    );
    assert_eq!(moves(&game(&after[2]).moves)[1..3], ["dxe3", "b8=Q+"]);
    assert_eq!(moves(&game(&after[6]).moves), ["O-O", "O-O-O", "d6", "--", "h6"]);

    // The mate in one that Black allowed: it was marked, and stays marked once.
    let blunder = &game(&after[0]).moves.moves[5];
    assert_eq!((blunder.text.as_str(), &blunder.nags[..]), ("Nf6", &[4][..]));
    let alone = Line { moves: vec![blunder.clone()], ..Line::default() };
    let said = comments(&alone);
    assert_eq!(said[0], "[%eval #1] [%clk 0:01:11]");
    assert!(said[1].starts_with("Blunder. "), "{said:?}");
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
fn who_is_interrupted_goes_on_and_comes_to_the_same_end() {
    let folder = folder("interrupted");
    let path = folder.join("games.pgn");
    fs::write(&path, data("oddities.pgn")).expect("room on the disk");
    let output = folder.join("out.pgn");
    let options =
        [&QUICK[..], &["--wdl", "--no-page", "-o", output.to_str().expect("a path")]].concat();
    // A folder stands where the output should go, so that all is done but the last step.
    fs::create_dir(&output).expect("a folder");
    fs::write(output.join("in the way"), "").expect("a file");
    let error = analyse(&path, &options).expect_err("no output");
    assert!(error.contains("out.pgn"), "{error}");
    fs::remove_dir_all(&output).expect("our folder");

    let journal = folder.join("out.pgn.journal");
    let whole = fs::read(&journal).expect("the journal");
    fs::write(&journal, &whole[..whole.len() * 2 / 3]).expect("room on the disk");
    let (_, said) = analyse(&path, &options).expect("an analysis");
    assert!(said.contains(" of them earlier)"), "{said}");
    let resumed = read(&output);
    let (_, said) =
        analyse(&path, &[&options[..], &["--threads", "1"]].concat()).expect("an analysis");
    assert!(!said.contains("earlier"), "{said}");
    assert_eq!(read(&output), resumed);
    assert!(resumed.contains("[%wdl "));
    assert!(!folder.join("out.html").exists());

    // Other settings have findings of their own.
    fs::write(&journal, &whole).expect("room on the disk");
    let (_, said) =
        analyse(&path, &[&options[2..], &["--depth", "1"]].concat()).expect("an analysis");
    assert!(!said.contains("earlier"), "{said}");
}

#[test]
fn to_analyse_the_output_again_adds_nothing() {
    let folder = folder("again");
    let path = folder.join("a.pgn");
    fs::write(&path, data("oddities.pgn")).expect("room on the disk");
    analyse(&path, &QUICK).expect("an analysis");
    let once = folder.join("a.analysed.pgn");
    let path = folder.join("b.pgn");
    fs::copy(&once, &path).expect("room on the disk");
    analyse(&path, &QUICK).expect("an analysis");
    assert_eq!(read(&folder.join("b.analysed.pgn")), read(&once));
}

#[test]
fn notation_of_real_files_is_understood() {
    let folder = folder("notation");
    let path = folder.join("games.pgn");
    fs::write(&path, data("notation.pgn")).expect("room on the disk");
    let (all, said) = analyse(&path, &QUICK).expect("an analysis");
    assert!(all, "{said}");
    let text = read(&folder.join("games.analysed.pgn"));
    let after = pgn::read(&text);
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

/// The output for this text.
fn output(folder: &Path, text: &str, options: &[&str]) -> String {
    let path = folder.join("games.pgn");
    fs::write(&path, text).expect("room on the disk");
    analyse(&path, options).expect("an analysis");
    read(&folder.join("games.analysed.pgn"))
}

#[test]
fn earlier_analysis_leaves_no_trace() {
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
fn compressed_and_utf_16_files_are_read_and_others_named() {
    let folder = folder("encodings");
    let path = folder.join("games.pgn");
    let units = "\u{feff}[White \"Gr\u{fc}n\"]\r\n\r\n1. e4 *".encode_utf16();
    fs::write(&path, units.flat_map(u16::to_le_bytes).collect::<Vec<_>>()).expect("room");
    analyse(&path, &QUICK).expect("an analysis");
    assert!(read(&folder.join("games.analysed.pgn")).starts_with("[White \"Gr\u{fc}n\"]"));
    fs::write(&path, b"\x28\xb5\x2f\xfd1. e4 *").expect("room on the disk");
    let error = analyse(&path, &QUICK).expect_err("no text");
    assert!(error.contains("games.pgn") && error.contains("zstd"), "{error}");
}

#[cfg(unix)]
#[test]
fn links_are_replaced_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = folder("links");
    let (victim, output) = (folder.join("victim"), folder.join("games.analysed.pgn"));
    let path = folder.join("games.pgn");
    fs::write(&path, "1. e4 *").expect("room on the disk");
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
    assert_eq!(data.permissions(), new, "not those of any new file");
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
    // With a copy of the history for each position, or with all games held at once, the
    // program aborts at this limit. It needs a fifth of it.
    const LIMIT_KB: u32 = 150_000;
    let folder = folder("large");
    let shuffle = "1. Nf3 Nf6 2. Ng1 Ng8 ".repeat(2_000);
    let texts =
        [(format!("{shuffle} *"), 8_001, 1), ("1. e4 *\n".repeat(100_000), 200_000, 100_000)];
    for (text, positions, games) in texts {
        let path = folder.join("games.pgn");
        fs::write(&path, text + "\n1. e9 *").expect("room on the disk");
        let command = format!(
            "ulimit -v {LIMIT_KB}; exec '{}' '{}' --depth 1 --hash 1 --threads 1 --no-page",
            env!("CARGO_BIN_EXE_analyse"),
            path.display()
        );
        let output = Command::new("sh").args(["-c", &command]).output().expect("a shell");
        let said = String::from_utf8_lossy(&output.stdout);
        let expected = format!("{games} of {} games, {positions} positions\n", games + 1);
        assert!(said.starts_with(&expected), "{output:?}");
        assert_eq!(output.status.code(), Some(3), "{output:?}");
    }
}

#[test]
fn what_cannot_be_done_is_said_and_changes_nothing() {
    let folder = folder("refused");
    let path = folder.join("games.pgn");
    assert!(analyse(&path, &[]).expect_err("no file").contains("games.pgn"));
    fs::write(&path, "\n\n").expect("room on the disk");
    assert!(analyse(&path, &[]).expect_err("no game").contains("no game"));
    let text = "1. e4 *\n";
    fs::write(&path, text).expect("room on the disk");
    let itself = path.to_str().expect("a path");
    let new = folder.join("new").to_str().expect("a path").to_owned();
    let new_again = folder.join(".").join("new").to_str().expect("a path").to_owned();
    for options in [&["-o", itself][..], &["--page", itself], &["-o", &new, "--page", &new_again]] {
        assert!(analyse(&path, options).expect_err("the same file").contains("twice"));
    }
    for options in [&["--depth", "0"][..], &["--nodes", "0"], &["--hash", "x"], &["--threads", "0"]]
    {
        assert!(analyse(&path, options).is_err(), "{options:?}");
    }
    assert_eq!(read(&path), text);
    assert_eq!(fs::read_dir(&folder).expect("the folder").count(), 1);
}
