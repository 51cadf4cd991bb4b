//! Whole files are analysed: what was there stays, what was found is added, and nothing
//! stops the work but an interruption, from which it goes on.

mod support;

use std::fs;
use std::path::Path;

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
