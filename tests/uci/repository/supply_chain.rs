//! Builds use pinned inputs only: GitHub actions by commit, toolchains by version, packages by lock
//! file; npm packages run no scripts.

use std::io::{self, Write};
use std::process::Command;

use super::{files, read, root};

/// The lines of all text files in these places, with their paths. A backslash joins lines.
fn lines(places: &str) -> Vec<(String, String)> {
    let mut lines = Vec::new();
    for path in places.split(' ').flat_map(files) {
        // Skips pictures and other binary files.
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let name = path.display().to_string();
        let joined = text.replace("\\\n", " ");
        lines.extend(joined.lines().map(|line| (name.clone(), line.to_owned())));
    }
    lines
}

/// Whether the line calls a cargo command that uses a lock file, without `--locked`.
fn is_unlocked(line: &str) -> bool {
    const COMMANDS: &str =
        "bench build check clippy doc fetch install metadata publish run rustc test";
    let plain = line.replace("$(CARGO)", "cargo").replace(['"', ',', '`', '(', ')', '[', ']'], " ");
    let is_word = |word: &&str| !word.starts_with('+') && *word != "miri";
    let words: Vec<&str> = plain.split_whitespace().filter(is_word).collect();
    let plain = words.join(" ");
    // A command without options may be part of a sentence.
    let is_call = |command: &str| {
        let call = format!("cargo {command}");
        plain == call || plain.contains(&format!("{call} -"))
    };
    COMMANDS.split(' ').any(is_call) && !words.contains(&"--locked")
}

#[test]
fn cargo_is_called_with_locked() {
    assert!(is_unlocked("if ! cargo +nightly miri test --lib; then"));
    assert!(is_unlocked("subprocess.run([\"cargo\", \"build\", \"--release\"])"));
    let lines = lines(
        ".ci .github Makefile README.md CONTRIBUTING.md docs scripts web workshop fuzz tests/python \
         analyse pgn peers",
    );
    for (path, line) in &lines {
        assert!(!is_unlocked(line), "{path}: {line}");
    }
    let calls = lines.iter().filter(|(_, line)| line.contains("--locked")).count();
    assert!(calls > 30, "{calls}");
}

#[test]
fn lock_file_of_the_fuzz_targets_is_current() {
    let cargo = Command::new("cargo")
        .args(["metadata", "--locked", "--format-version", "1", "--manifest-path"])
        .arg(root().join("fuzz/Cargo.toml"))
        .env("CARGO_NET_RETRY", "0")
        .output();
    let Ok(output) = cargo else {
        let _ = writeln!(io::stderr(), "SKIPPED: there is no cargo");
        return;
    };
    let error = String::from_utf8_lossy(&output.stderr);
    let is_offline =
        ["download", "network", "resolve host"].iter().any(|word| error.contains(word));
    assert!(output.status.success() || is_offline, "{error}");
}

#[test]
fn npm_runs_no_scripts_of_packages() {
    let mut calls = 0;
    for (path, line) in lines(".ci .github README.md CONTRIBUTING.md docs scripts web") {
        let words: Vec<&str> = line.split(|c: char| c.is_whitespace() || c == '`').collect();
        let installs = ["ci", "install", "i"].iter().any(|word| words.contains(word));
        if line.contains("npm ") && installs {
            assert!(words.contains(&"--ignore-scripts"), "{path}: {line}");
            calls += 1;
        }
    }
    assert!(calls >= 4, "{calls}");
}

#[test]
fn workflows_pin_actions_and_toolchains_and_keep_no_credentials() {
    let workflows = files(".github");
    assert!(workflows.len() >= 2, "{workflows:?}");
    for path in workflows {
        let (name, text) = (path.display(), read(&path));
        for line in text.lines() {
            if let Some((_, action)) = line.split_once("uses:") {
                let (commit, version) = action
                    .split_once('@')
                    .and_then(|(_, version)| version.split_once(" # v"))
                    .unwrap_or_default();
                let is_commit = commit.len() == 40 && commit.bytes().all(|c| c.is_ascii_hexdigit());
                assert!(is_commit && !version.is_empty(), "{name}: {line}");
            }
            let is_pinned = !line.contains("rustup toolchain") || line.contains("\"$TOOLCHAIN\"");
            assert!(is_pinned, "{name}: {line}");
        }
        let checkouts = text.matches("uses: actions/checkout@").count();
        assert_eq!(text.matches("persist-credentials: false").count(), checkouts, "{name}");
        let toolchain = text.lines().find_map(|line| line.trim().strip_prefix("TOOLCHAIN: "));
        let numbers = toolchain.unwrap_or_default().split('.').map(str::parse::<u32>);
        assert_eq!(numbers.filter(Result::is_ok).count(), 3, "{name}: {toolchain:?}");
        assert!(text.contains("\npermissions:\n  contents: read\n"), "{name}");
    }
    let ci = read(".github/workflows/ci.yml");
    assert!(ci.contains("pull_request:") && !ci.contains("pull_request_target"));
    assert!(ci.contains("run: .ci/run"));
}

#[test]
fn jobs_that_may_write_only_download_attest_and_publish() {
    let mut attesting = 0;
    for path in files(".github") {
        let (name, text) = (path.display(), read(&path));
        let (head, jobs) = text.split_once("\njobs:\n").expect("there are jobs");
        assert!(!head.contains("write"), "{name}: every job may write");
        // A job begins with its name, indented by two.
        let jobs = jobs.replace("\n  ", "\n\0").replace("\0  ", "    ").replace("\0#", "  #");
        for job in jobs.split('\0').filter(|job| job.contains(": write")) {
            for (_, action) in job.lines().filter_map(|line| line.split_once("uses: ")) {
                let allowed = ["actions/download-artifact@", "actions/attest-build-provenance@"];
                assert!(allowed.iter().any(|known| action.starts_with(known)), "{name}: {action}");
            }
            for program in
                ["scripts/", ".ci/", "cargo", "npm", "npx", "pip", "apt", "curl", "git clone"]
            {
                assert!(!job.contains(program), "{name}: {program}");
            }
            attesting += usize::from(
                ["actions/attest-build-provenance@", "id-token: write", "attestations: write"]
                    .iter()
                    .all(|part| job.contains(part)),
            );
        }
    }
    assert_eq!(attesting, 1, "one job attests the archives");
}
