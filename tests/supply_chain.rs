//! Builds take nothing that was not fixed before: GitHub's actions by commit, toolchains by
//! version, packages by lock file, and no scripts of npm packages.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The files below a folder or file, without builds and installed packages.
fn files(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    let entries = fs::read_dir(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let paths = entries.map(|entry| entry.expect("a readable folder").path());
    let is_ours = |path: &PathBuf| {
        let ignored = ["target", "node_modules", "dist", "corpus", "artifacts", "__pycache__"];
        !ignored.iter().any(|name| path.ends_with(name))
    };
    paths.filter(is_ours).flat_map(|path| files(&path)).collect()
}

/// Path and text of each file below these places that is text.
fn texts(places: &[&str]) -> Vec<(PathBuf, String)> {
    let all = places.iter().flat_map(|place| files(&root().join(place)));
    all.filter_map(|path| Some((path.clone(), fs::read_to_string(path).ok()?))).collect()
}

/// The workflows of GitHub.
fn workflows() -> Vec<(PathBuf, String)> {
    let workflows = texts(&[".github"]);
    assert!(workflows.len() >= 2, "{workflows:?}");
    workflows
}

/// The lines of a text, those that a backslash continues as one.
fn lines(text: &str) -> Vec<String> {
    text.replace("\\\n", " ").lines().map(str::to_owned).collect()
}

/// Whether a line calls cargo for something that needs a lock file, and not with `--locked`.
fn is_unlocked(line: &str) -> bool {
    const COMMANDS: [&str; 12] = [
        "bench", "build", "check", "clippy", "doc", "fetch", "install", "metadata", "publish",
        "run", "rustc", "test",
    ];
    let plain = line.replace("$(CARGO)", "cargo").replace(['"', ',', '`', '(', ')', '[', ']'], " ");
    let words: Vec<&str> = plain.split_whitespace().collect();
    words.iter().enumerate().any(|(at, &word)| {
        let is_wrapper = |word: &&&str| word.starts_with('+') || **word == "miri";
        let rest = &words[at + 1..];
        let rest = &rest[rest.iter().take_while(is_wrapper).count()..];
        let Some((command, arguments)) = rest.split_first() else { return false };
        // A mention in a sentence has no options.
        let is_call = at == 0 || arguments.first().is_some_and(|next| next.starts_with('-'));
        word == "cargo" && COMMANDS.contains(command) && is_call && !arguments.contains(&"--locked")
    })
}

#[test]
fn unlocked_calls_are_recognised() {
    for line in [
        "cargo build",
        "    cargo build --release || die",
        "$(CARGO) build --release",
        "subprocess.run([\"cargo\", \"build\", \"--release\"])",
        "if ! cargo +nightly test --lib; then",
        "`cargo run --release -p peers`",
        "cargo +nightly miri test --lib",
    ] {
        assert!(is_unlocked(line), "{line}");
    }
    for line in [
        "cargo build --locked",
        "cargo +nightly miri test --locked --lib",
        "which `cargo test` replays",
        "cargo fmt --check",
        "(cargo install cargo-fuzz --locked)",
        "[\"cargo\", \"metadata\", \"--locked\"]",
    ] {
        assert!(!is_unlocked(line), "{line}");
    }
}

#[test]
fn cargo_is_called_with_its_lock_file() {
    let places = [
        ".ci",
        ".github",
        "Makefile",
        "README.md",
        "CONTRIBUTING.md",
        "docs",
        "scripts",
        "web",
        "workshop",
        "fuzz",
        "tests/python",
        "analyse",
        "pgn",
        "peers",
    ];
    let mut calls = 0;
    for (path, text) in texts(&places) {
        for line in lines(&text) {
            assert!(!is_unlocked(&line), "{}: {line}", path.display());
            calls += usize::from(line.contains("--locked"));
        }
    }
    assert!(calls > 30, "{calls}");
}

#[test]
fn the_lock_file_of_the_fuzz_targets_fits() {
    let manifest = root().join("fuzz/Cargo.toml");
    let cargo = Command::new("cargo")
        .args(["metadata", "--locked", "--format-version", "1", "--manifest-path"])
        .arg(manifest)
        .env("CARGO_NET_RETRY", "0")
        .output();
    let Ok(output) = cargo else {
        eprintln!("Skipped: there is no cargo.");
        return;
    };
    // Other failures are those of a network that is not there.
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(!error.contains("because --locked was passed"), "{error}");
}

#[test]
fn npm_runs_no_scripts_of_packages() {
    let places = [".ci", ".github", "README.md", "CONTRIBUTING.md", "docs", "scripts", "web"];
    let mut calls = 0;
    for (path, text) in texts(&places) {
        for line in lines(&text).iter().filter(|line| line.contains("npm ")) {
            let words: Vec<&str> = line.split(|c: char| c.is_whitespace() || c == '`').collect();
            let installs = words.iter().any(|word| ["ci", "install", "i"].contains(word));
            assert!(!installs || words.contains(&"--ignore-scripts"), "{}: {line}", path.display());
            calls += usize::from(installs);
        }
    }
    assert!(calls >= 4, "{calls}");
}

#[test]
fn actions_are_fixed_by_commit() {
    let mut actions = 0;
    for (path, text) in workflows() {
        for line in text.lines() {
            let line = line.trim_start().trim_start_matches("- ");
            let Some(action) = line.strip_prefix("uses:").map(str::trim) else { continue };
            let commit = action.split_once('@').map_or("", |(_, commit)| commit);
            let (commit, version) = commit.split_once(" # v").unwrap_or((commit, ""));
            let is_commit = commit.len() == 40 && commit.bytes().all(|c| c.is_ascii_hexdigit());
            assert!(is_commit && !version.is_empty(), "{}: {line}", path.display());
            actions += 1;
        }
    }
    assert!(actions >= 4, "{actions}");
}

#[test]
fn checkouts_keep_no_credentials_and_toolchains_have_a_version() {
    for (path, text) in workflows() {
        let checkouts = text.matches("uses: actions/checkout@").count();
        let kept = checkouts != text.matches("persist-credentials: false").count();
        assert!(!kept, "{}: a checkout keeps its credentials", path.display());
        for line in text.lines().filter(|line| line.contains("rustup toolchain")) {
            assert!(line.contains("\"$TOOLCHAIN\""), "{}: {line}", path.display());
        }
        let version = text.lines().find_map(|line| line.trim().strip_prefix("TOOLCHAIN: "));
        let is_fixed = version.is_some_and(|version| {
            version.split('.').count() == 3 && version.split('.').all(|n| n.parse::<u32>().is_ok())
        });
        assert!(is_fixed, "{}: {version:?}", path.display());
        assert!(text.contains("\npermissions:\n  contents: read\n"), "{}", path.display());
    }
}

#[test]
fn release_archives_are_attested_and_submissions_checked() {
    let text = |name: &str| {
        let path = root().join(".github/workflows").join(name);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    let release = text("release.yml");
    for needed in ["actions/attest-build-provenance@", "id-token: write", "attestations: write"] {
        assert!(release.contains(needed), "{needed}");
    }
    let ci = text("ci.yml");
    assert!(ci.contains("pull_request:") && !ci.contains("pull_request_target"));
    assert!(ci.contains("run: .ci/run"));
}
