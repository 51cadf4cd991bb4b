//! The journal survives interruptions.

use std::fs;
use std::path::{Path, PathBuf};
#[cfg(unix)]
use std::process::Command;

use carrybit::internals::analyse::journal::Journal;
use carrybit_pgn::findings::Evaluation;
use carrybit_pgn::judgement::Value;

/// The path of a file that does not exist.
fn absent(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // From an earlier run.
    let _ = fs::remove_file(&path);
    path
}

fn evaluations(depth: i32) -> Vec<Evaluation> {
    let line = vec!["e2e4".to_owned()];
    let values = [Value::Mate(-3), Value::Cp(-17), Value::Won { by_white: true }];
    let evaluation = |value| Evaluation { value, wdl: [1, 2, 997], depth, line: line.clone() };
    values.map(evaluation).to_vec()
}

#[test]
fn journal_with_a_cut_line_keeps_the_others() {
    let path = absent("kept.journal");
    let mut journal = Journal::open(&path).expect("a new journal");
    assert!(Journal::open(&path).is_err(), "two runs at once");
    for depth in 1..=3 {
        journal.add(depth as u64, evaluations(depth)).expect("room on the disk");
    }
    drop(journal);
    let whole = fs::read(&path).expect("the journal");
    // Interrupted in the middle of a line.
    fs::write(&path, &whole[..whole.len() - 9]).expect("room on the disk");
    let mut journal = Journal::open(&path).expect("a journal");
    assert_eq!(journal.get(2).expect("a readable file"), Some(evaluations(2)));
    assert_eq!(journal.get(1).expect("a readable file"), Some(evaluations(1)));
    assert_eq!(journal.get(3).expect("a readable file"), None);
    assert!(journal.has(2) && !journal.has(3));
    journal.add(3, evaluations(3)).expect("room on the disk");
    assert_eq!(journal.get(3).expect("a readable file"), Some(evaluations(3)));
    drop(journal);
    assert_eq!(fs::read(&path).expect("the journal"), whole);
}

#[test]
fn journal_ends_before_a_damaged_line() {
    let path = absent("damaged.journal");
    let mut journal = Journal::open(&path).expect("a new journal");
    journal.add(1, evaluations(1)).expect("room on the disk");
    drop(journal);
    let whole = fs::read(&path).expect("the journal");
    // A file system may leave zeros for what it had not written.
    fs::write(&path, [&whole[..], &[0; 300], b"\n"].concat()).expect("room on the disk");
    let mut journal = Journal::open(&path).expect("a journal");
    assert_eq!(journal.get(1).expect("a readable file"), Some(evaluations(1)));
    drop(journal);
    assert_eq!(fs::read(&path).expect("the journal"), whole);
}

#[test]
fn batches_that_were_not_read_stay_after_closing() {
    let path = absent("unread.journal");
    let mut journal = Journal::open(&path).expect("a new journal");
    for depth in 1..=3 {
        journal.add(depth as u64, evaluations(depth)).expect("room on the disk");
    }
    for fingerprint in [1, 3] {
        assert!(journal.get(fingerprint).expect("a readable file").is_some());
    }
    assert!(journal.close().expect("a writable file"));
    let mut journal = Journal::open(&path).expect("a journal");
    assert!(!journal.has(3));
    for depth in 1..=2 {
        assert_eq!(journal.get(depth as u64).expect("a readable file"), Some(evaluations(depth)));
    }
    assert!(!journal.close().expect("a writable file"));
}

#[test]
fn other_file_is_refused_and_unchanged() {
    let path = absent("other.journal");
    // Among them are beginnings of journals: one of ours has a complete first line.
    for text in [
        b"\xff\x00 no journal\n{}\n".as_slice(),
        b"a line without an end",
        b"{\"a\":",
        b"",
        b"\0",
        b"\0\0\0mine",
        b"\0\nmine\n",
        b"{",
        b"{\"fingerprint\":",
        b"{\"fingerprint\":17,\"evaluations\":[",
        b"{\"journal\":\"carrybit-analyse\"}",
    ] {
        fs::write(&path, text).expect("room on the disk");
        assert!(Journal::open(&path).is_err());
        assert_eq!(fs::read(&path).expect("the file"), text);
    }
}

#[test]
fn journal_without_a_heading_is_continued() {
    let path = absent("old.journal");
    let mut journal = Journal::open(&path).expect("a new journal");
    let heading = fs::read(&path).expect("the journal").len();
    journal.add(1, evaluations(1)).expect("room on the disk");
    drop(journal);
    let old = fs::read(&path).expect("the journal").split_off(heading);
    // A power cut may leave zeros at the end.
    fs::write(&path, [&old[..], b"\0\0"].concat()).expect("room on the disk");
    let mut journal = Journal::open(&path).expect("a journal");
    assert_eq!(journal.get(1).expect("a readable file"), Some(evaluations(1)));
    drop(journal);
    assert_eq!(fs::read(&path).expect("the journal"), old);
}

#[cfg(unix)]
#[test]
fn pipe_link_or_write_protected_file_is_refused_at_once() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let (target, link) = (absent("target.txt"), absent("link.journal"));
    symlink(&target, &link).expect("a link");
    assert!(Journal::open(&link).is_err());
    assert!(!target.exists(), "the target was created");
    let pipe = absent("pipe.journal");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    assert!(Journal::open(&pipe).is_err());
    let path = absent("protected.journal");
    drop(Journal::open(&path).expect("a new journal"));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).expect("our file");
    assert!(Journal::open(&path).is_err());
}
