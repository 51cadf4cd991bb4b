//! Paths that are not UTF-8, from a GUI and as arguments.

// Other systems have no such paths.
#![cfg(target_os = "linux")]

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::folder_support::Folder;
use crate::process_support::{Engine, program, text};

/// A name in Latin-1: a GUI may send such bytes.
const NAME: &[u8] = b"\xc9checs \xe9t\xe9";

/// Creates a temporary folder, and in it a folder called [`NAME`].
fn folder(name: &str) -> (Folder, PathBuf) {
    let folder = Folder::new(name);
    let within = folder.0.join(OsString::from_vec(NAME.to_vec()));
    fs::create_dir_all(&within).expect("a folder can be made");
    (folder, within)
}

/// The line `before`, then the path.
fn line(before: &str, path: &Path) -> Vec<u8> {
    [before.as_bytes(), path.as_os_str().as_encoded_bytes()].concat()
}

/// The output for a line, and a short search.
fn answers(line: &[u8]) -> String {
    let mut engine = Engine::start();
    engine.write(line);
    engine.write(b"\nisready\ngo depth 1\nwait\nquit\n");
    engine.exit().1
}

#[test]
fn files_are_found_by_the_bytes_of_the_path() {
    let (_folder, path) = folder("bytes");
    let tables = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/syzygy");
    for name in ["KQvK.rtbw", "KQvK.rtbz"] {
        fs::copy(tables.join(name), path.join(name)).expect("a file can be copied");
    }
    let printed = answers(&line("setoption name SyzygyPath value ", &path));
    assert!(printed.contains("found tablebases: 1 WDL and 1 DTZ"), "{printed}");

    // The file is found, but it is no network.
    let printed = answers(&line("setoption name EvalFile value ", &path.join("KQvK.rtbw")));
    assert!(
        printed.contains("info string cannot use ") && !printed.contains("No such file"),
        "{printed}"
    );
    assert!(printed.contains("/\u{fffd}checs \u{fffd}t\u{fffd}/KQvK.rtbw: "), "{printed}");

    // genfens takes a path of one word.
    let book = path.with_file_name(OsString::from_vec(b"\xc9.epd".to_vec()));
    fs::write(&book, "\u{feff}4k3/pppp4/8/8/8/8/4PPPP/4K3 w - - 0 1\n")
        .expect("a file can be written");
    let printed = answers(&line("genfens 1 seed 1 book ", &book));
    assert!(printed.contains("info string genfens "), "{printed}");
}

#[test]
fn arguments_keep_their_bytes() {
    let (_folder, path) = folder("bytes-argument");
    let log = path.join("log");
    let set = OsString::from_vec(line("setoption name Debug Log File value ", &log));
    let output = program().arg(set).arg("isready").output().expect("the program can be started");
    assert_eq!(text(&output), "readyok\n");
    assert!(fs::read_to_string(&log).expect("the log is there").contains("<< readyok"));

    let nonsense = OsString::from_vec(b"\xc9".to_vec());
    let output = program().arg(nonsense).stdin(Stdio::null()).output().expect("it can be started");
    assert_eq!(output.status.code(), Some(2));
    let printed = String::from_utf8_lossy(&output.stderr);
    assert_eq!(printed, "carrybit: unknown command \u{fffd}: help lists the commands\n");
}

#[test]
fn invalid_utf8_is_replaced_in_output_and_log() {
    let (_folder, path) = folder("bytes-log");
    let log = path.join("log");
    let set = [line("debug on\nsetoption name Debug Log File value ", &log), b"\n\xc9t\xe9".into()];
    let printed = answers(&set.concat());
    assert!(printed.contains("info string unknown command: \u{fffd}t\u{fffd}\n"), "{printed}");
    let log = fs::read_to_string(&log).expect("the log is there, and UTF-8");
    assert!(log.contains(">> \u{fffd}t\u{fffd}\n"), "{log}");
}
