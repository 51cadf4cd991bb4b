//! `scripts/release.sh` packs only programs that pass its checks. Shell scripts stand in for the
//! programs, in a checkout with its own history.

use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::folder_support::Folder;
use super::read;

/// A minimal engine that passes every check.
const ENGINE: &str = r#"#!/bin/sh
if [ "$1" = bench ]; then
    echo '12345 nodes 678 nps'
    exit 0
fi
while read -r line; do
    case $line in
        uci) echo 'id name Carrybit 7.8.9'; echo uciok ;;
        isready) echo readyok ;;
        'go infinite') echo info depth 1 ;;
        stop | 'go movetime'*) echo bestmove e7e5 ;;
        quit) exit 0 ;;
    esac
done
"#;

/// A minimal `carrybit-analyse` that passes every check.
const ANALYSE: &str = r#"#!/bin/sh
if [ "$1" = --version ]; then
    echo 'carrybit-analyse 7.8.9'
else
    echo '1. f3 { [%eval -0.52] } *' >"${1%.pgn}.analysed.pgn"
fi
"#;

/// Stands in for npm: "builds" the package and the page.
const NPM: &str = r#"#!/bin/sh
case $* in
    'pack ./web '*)
        while [ "$1" != --pack-destination ]; do shift; done
        mkdir package
        echo licences >package/THIRD-PARTY.txt
        cp programs/carrybit package/cli.mjs
        tar -czf "$2/carrybit-7.8.9.tgz" package
        rm -r package
        ;;
    *' run build '*)
        mkdir -p web/page/dist/learn
        for file in index.html carrybit.js learn/README.html; do echo page >"web/page/dist/$file"; done
        ;;
    *' test '*) [ "$CARRYBIT_BENCH" = 12345 ] && exit "$CARGO_EXIT" ;;
esac
"#;

/// Stands in for Node: runs files in sh. Programs after `-e` must run in the real one, if there is
/// one.
const NODE: &str = r#"#!/bin/sh
[ "$1" = -e ] || exec /bin/sh "$@"
PATH=${PATH#*:}
! command -v node >/dev/null || ! node "$@" 2>&1 | grep -q .
"#;

/// Stands in for cargo: "builds" the programs. The engine links two packages, carrybit-analyse
/// another one.
const CARGO: &str = r#"#!/bin/sh
case $1 in
    build) mkdir -p target/release && cp programs/carrybit target/release/ ;;
    rustc)
        while [ "$1" != --package ]; do shift; done
        program=$(echo "$2" | sed 's/^analyse$/carrybit-analyse/')
        while [ "$1" != --target ]; do shift; done
        mkdir -p "target/$2/release"
        cp "programs/$program" "target/$2/release/"
        exit "$CARGO_EXIT"
        ;;
    metadata)
        package() {
            echo '{"id": "'$1'", "name": "'$1'", "version": "1.0.0", "license": "MIT OR Apache-2.0", "authors": ["A. Person"],
                "repository": null, "manifest_path": "'$PWD/$2'/Cargo.toml", "targets": [{"kind": ["'$3'"]}]}'
        }
        depends() { echo '{"pkg": "'$1'", "dep_kinds": [{"kind": '$2'}]}'; }
        echo '{"packages": ['"$(package carrybit . bin), $(package helper helper lib), $(package bare scripts lib),
            $(package macro helper proc-macro), $(package tester helper lib), $(package analyse . bin),
            $(package reader helper lib)"'], "workspace_members": ["carrybit", "analyse"], "resolve": {"nodes": [
            {"id": "analyse", "deps": ['"$(depends carrybit null), $(depends reader null)"']}, {"id": "reader", "deps": []},
            {"id": "carrybit", "deps": ['"$(depends helper null), $(depends macro null), $(depends tester '"dev"')"']},
            {"id": "helper", "deps": ['"$(depends bare null)"']}, {"id": "bare", "deps": []}]}}'
        ;;
esac
"#;

/// The files that the release script needs.
const NEEDED: [&str; 9] = [
    "scripts/release.sh",
    "scripts/signature.sh",
    "scripts/release/archive.py",
    "scripts/release/musl.txt",
    "scripts/release/notices.py",
    "scripts/release/try_program.py",
    "README.md",
    "LICENSE-MIT",
    "LICENSE-APACHE",
];

/// A checkout whose last commit claims a bench of 12345 nodes.
struct Checkout(Folder);

impl Checkout {
    /// Replaces a text in both programs. Returns `None` if git or Python is not installed.
    fn new(name: &str, [text, by]: [&str; 2]) -> Option<Checkout> {
        for tool in ["git", "python3"] {
            if Command::new(tool).arg("--version").output().is_err() {
                let _ = writeln!(io::stderr(), "SKIPPED: there is no {tool}");
                return None;
            }
        }
        let checkout = Checkout(Folder::new(name));
        for file in NEEDED {
            checkout.write(file, &read(file));
        }
        let targets = "#!/bin/sh\nprintf '%s\\n' x86_64-unknown-linux-musl aarch64-apple-darwin \
                       wasm32-unknown-unknown\n";
        let [engine, analyse] = [ENGINE, ANALYSE].map(|program| program.replacen(text, by, 1));
        for (name, text) in [
            ("Cargo.toml", "[package]\nversion = \"7.8.9\"\n"),
            ("pgn/Cargo.toml", "[package]\nversion = \"7.8.9\"\n"),
            ("web/Cargo.toml", "[package]\nversion = \"7.8.9\"\n"),
            ("Cargo.lock", "name = \"carrybit\"\nversion = \"7.8.9\"\n"),
            ("fuzz/Cargo.lock", "name = \"carrybit\"\nversion = \"7.8.9\"\n"),
            ("web/package.json", "{\n  \"version\": \"7.8.9\",\n}\n"),
            ("web/package-lock.json", "{\n  \"version\": \"7.8.9\",\n}\n"),
            ("CHANGELOG.md", "## 7.8.9 - 2026-01-01\n"),
            ("docs/guis.md", "A guide.\n"),
            ("helper/LICENSE-MIT", "The helper's text.\n"),
            ("helper/LICENSE-APACHE", "Not chosen.\n"),
            ("rust/share/doc/rust/COPYRIGHT-library.html", "The library's notices.\n"),
            ("bin/rustc", "#!/bin/sh\necho rust\n"),
            ("bin/rustup", targets),
            ("bin/cargo", CARGO),
            ("bin/npm", NPM),
            ("bin/node", NODE),
            ("bin/browser", "#!/bin/sh\n"),
            ("web/build", "#!/bin/sh\n"),
            (".gitignore", "/target\n/web/page/dist\n"),
            ("programs/carrybit", &engine),
            ("programs/carrybit-analyse", &analyse),
        ] {
            checkout.write(name, text);
        }
        checkout.git(&["init", "--quiet"]);
        checkout.commit("All of it\n\nBench: 12345");
        Some(checkout)
    }

    fn commit(&self, message: &str) {
        self.git(&["add", "."]);
        self.git(&["commit", "--quiet", "--message", message]);
    }

    /// Writes a file, and makes scripts executable.
    fn write(&self, name: &str, text: &str) {
        let path = self.0.0.join(name);
        fs::create_dir_all(path.parent().expect("it is in the folder")).expect("a folder");
        fs::write(&path, text).expect("a file can be written");
        if text.starts_with("#!") {
            fs::set_permissions(&path, Permissions::from_mode(0o755)).expect("the file is ours");
        }
    }

    fn git(&self, arguments: &[&str]) {
        let status = Command::new("git")
            .args(["-c", "user.name=Test", "-c", "user.email=test@localhost"])
            .args(["-c", "core.hooksPath=/dev/null", "-c", "commit.gpgSign=false"])
            .args(arguments)
            .current_dir(&self.0.0)
            .status();
        assert!(status.expect("git runs").success(), "git {arguments:?}");
    }

    /// Runs the script with these arguments; the build exits with `cargo_exit`.
    fn release_as(&self, arguments: &[&str], cargo_exit: &str) -> Output {
        let path = std::env::var("PATH").expect("there is a PATH");
        Command::new(self.0.path("scripts/release.sh"))
            .args(arguments)
            .current_dir("/")
            .env("PATH", format!("{}:{path}", self.0.path("bin")))
            .env_remove("CARGO_TARGET_DIR")
            .env("CARGO_EXIT", cargo_exit)
            .env("CHROMIUM", "browser")
            .output()
            .expect("bash runs it")
    }

    /// Runs the script for `linux-x86-64`; the program may start slowly.
    fn release(&self) -> Output {
        self.release_as(&["--uci-within", "60000", "7.8.9", "linux-x86-64"], "0")
    }

    fn archive(&self) -> PathBuf {
        self.folder().join("carrybit-7.8.9-linux-x86-64.tar.gz")
    }

    fn folder(&self) -> PathBuf {
        self.0.0.join("target/releases/7.8.9")
    }
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The output of a command that must succeed.
fn output_of(folder: &Path, command: &str, arguments: &[&str]) -> String {
    let output = Command::new(command).args(arguments).current_dir(folder).output();
    let output = output.expect("it is on every Linux");
    assert!(output.status.success(), "{command} {arguments:?}: {}", errors(&output));
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn archive_has_both_programs_their_licences_and_notices() {
    let Some(checkout) = Checkout::new("release", ["", ""]) else { return };
    let output = checkout.release();
    assert!(output.status.success(), "{}", errors(&output));
    let archive = checkout.archive();
    let folder = archive.parent().expect("a folder");
    output_of(folder, "sha256sum", &["--check", "--strict", "SHA256SUMS"]);
    let name = archive.file_name().and_then(|name| name.to_str()).expect("a name");
    let listed = output_of(folder, "tar", &["--list", "--file", name]);
    let files: String = listed.replace("carrybit-7.8.9-linux-x86-64/", "").replace('\n', " ");
    let expected = "CHANGELOG.md LICENSE-APACHE LICENSE-MIT README.md RUST-STANDARD-LIBRARY.html \
                    THIRD-PARTY.txt carrybit carrybit-analyse docs/guis.md ";
    assert_eq!(files, expected);
    output_of(folder, "tar", &["--extract", "--file", name]);
    let unpacked = folder.join("carrybit-7.8.9-linux-x86-64");
    assert_eq!(output_of(&unpacked, "./carrybit", &["bench"]), "12345 nodes 678 nps\n");
    let version = output_of(&unpacked, "./carrybit-analyse", &["--version"]);
    assert_eq!(version, "carrybit-analyse 7.8.9\n");
    let notices = fs::read_to_string(unpacked.join("THIRD-PARTY.txt")).expect("text");
    for text in [
        "helper 1.0.0",
        "reader 1.0.0",
        "The helper's text.",
        "Copyright (c) A. Person",
        "Rich Felker",
    ] {
        assert!(notices.contains(text), "{text}");
    }
    for text in ["Not chosen.", "macro 1.0.0", "tester 1.0.0", "carrybit 1.0.0"] {
        assert!(!notices.contains(text), "{text}");
    }

    let first = fs::read(&archive).expect("the archive");
    assert!(checkout.release().status.success());
    assert!(fs::read(&archive).expect("the archive") == first, "not reproducible");
}

#[test]
fn npm_package_and_page_have_archives_of_their_own() {
    let Some(checkout) = Checkout::new("release-web", ["", ""]) else { return };
    let output = checkout.release_as(&["7.8.9", "npm", "page"], "0");
    assert!(output.status.success(), "{}", errors(&output));
    let folder = checkout.folder();
    output_of(&folder, "sha256sum", &["--check", "--strict", "SHA256SUMS"]);
    let listed = output_of(&folder, "tar", &["-tf", "carrybit-7.8.9-npm.tgz"]);
    let name = |file: &str| format!("carrybit-7.8.9-npm/{file}\n");
    assert_eq!(listed, ["THIRD-PARTY.txt", "cli.mjs"].map(name).concat());
    let page = output_of(&folder, "python3", &["-m", "zipfile", "-l", "carrybit-7.8.9-page.zip"]);
    assert!(page.contains("carrybit-7.8.9-page/index.html"), "{page}");
    assert!(page.contains("carrybit-7.8.9-page/learn/README.html"), "{page}");

    let output = checkout.release_as(&["7.8.9", "page"], "1");
    assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
    assert!(errors(&output).contains("page: the page failed its test"), "{}", errors(&output));
    fs::remove_file(checkout.0.path("bin/browser")).expect("our file");
    checkout.commit("No browser");
    let output = checkout.release_as(&["7.8.9", "page"], "0");
    assert_eq!(output.status.code(), Some(3), "{}", errors(&output));
    assert!(errors(&output).contains("not run: page"), "{}", errors(&output));
}

#[test]
fn program_that_fails_a_check_is_not_packed() {
    for (right, wrong, reason) in [
        ("12345 nodes", "12346 nodes", "its bench counts 12346 nodes, not 12345"),
        ("678 nps", "nps", "its bench ends with"),
        (
            "echo '12345",
            "[ \"$CARRYBIT_SIMD\" != avx2 ] || exit 3; echo '12345",
            "its bench ends with '' and exit code 3",
        ),
        ("Carrybit 7.8.9", "Carrybit 7.8.8", "it is not 'id name Carrybit 7.8.9'"),
        ("info depth 1", "info; echo bestmove e7e5", "a search without end has ended"),
        ("echo bestmove e7e5", "echo bestmove 0000", "no move: 'bestmove 0000'"),
        ("echo readyok", "exit 0", "it ends without readyok"),
        ("quit) exit 0", "quit) exit 3", "it quits with exit code 3"),
        ("echo uciok", "sleep 0.02; echo uciok", "not within 10"),
        ("analyse 7.8.9", "analyse 7.8.8", "--version prints 'carrybit-analyse 7.8.8'"),
        ("%eval", "eval", "it writes no evaluations"),
        ("else", "else exit 3", "it exits with 3"),
        ("", "", "the build of carrybit failed"),
    ] {
        let Some(checkout) = Checkout::new("release-wrong", [right, wrong]) else { return };
        let within = if right == "echo uciok" { "10" } else { "60000" };
        let cargo_exit = if right.is_empty() { "101" } else { "0" };
        let arguments = ["--uci-within", within, "7.8.9", "linux-x86-64"];
        let output = checkout.release_as(&arguments, cargo_exit);
        assert_eq!(output.status.code(), Some(1), "{wrong}");
        assert!(errors(&output).contains(reason), "{reason}: {}", errors(&output));
        assert!(!checkout.archive().exists(), "{wrong}");
    }
}

#[test]
fn program_for_another_machine_is_packed_and_reported() {
    let Some(checkout) = Checkout::new("release-untried", ["", ""]) else { return };
    checkout.write("bin/uname", "#!/bin/sh\n[ \"$1\" = -m ] && echo riscv64 || echo Linux\n");
    checkout.commit("Another machine");
    let output = checkout.release();
    assert_eq!(output.status.code(), Some(3), "{}", errors(&output));
    assert!(errors(&output).contains("not run: linux-x86-64"), "{}", errors(&output));
    assert!(checkout.archive().exists());
}

#[test]
fn wrong_usage_is_refused_before_a_build() {
    let Some(checkout) = Checkout::new("release-refused", ["", ""]) else { return };
    // Arguments; a file to write before; the error.
    for (arguments, file, reason) in [
        ("", None, "which VERSION?"),
        ("7.8.8", None, "Cargo.toml has another version than 7.8.8"),
        ("7.8.9 amiga", None, "there is no target amiga"),
        ("7.8.9 macos-arm64", None, "macos-arm64 is made on macOS only"),
        ("--fast 7.8.9", None, "unknown option --fast"),
        ("--uci-within 7.8.9", None, "--uci-within needs a number"),
        ("7.8.9", Some(("note", "")), "this checkout is not clean"),
        ("7.8.9", Some(("CHANGELOG.md", "")), "CHANGELOG.md has no section about 7.8.9"),
        ("7.8.9", Some(("fuzz/Cargo.lock", "")), "fuzz/Cargo.lock has another version"),
        (
            "7.8.9",
            Some(("web/package-lock.json", "{}")),
            "web/package-lock.json has another version",
        ),
        ("7.8.9", Some(("web/package.json", "{}")), "web/package.json has another version"),
        (
            "7.8.9",
            Some((
                "pgn/Cargo.toml",
                "version = \"7.8.9\"\ncarrybit = { version = \"7.8.9-dev\" }\n",
            )),
            "pgn/Cargo.toml depends on a version with -dev",
        ),
        ("7.8.9", Some(("web/Cargo.toml", "")), "web/Cargo.toml has another version"),
        ("7.8.9", Some(("pgn/Cargo.toml", "")), "pgn/Cargo.toml has another version"),
    ] {
        if let Some((name, text)) = file {
            checkout.write(name, text);
        }
        let arguments: Vec<&str> = arguments.split_whitespace().collect();
        let output = checkout.release_as(&arguments, "0");
        assert_eq!(output.status.code(), Some(2), "{arguments:?} {file:?}");
        assert!(errors(&output).contains(reason), "{reason}: {}", errors(&output));
    }
    assert!(!Path::new(&checkout.0.path("target")).exists());
}
