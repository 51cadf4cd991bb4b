//! Checks the network to embed and copies it to `OUT_DIR`, from where the library embeds it. Sets
//! `CARRYBIT_VERSION`: in an optimised build between two releases, the commit is added.
//!
//! `CARRYBIT_EVALFILE` names the file; the default is the engine's own. `none` embeds a network
//! that counts pieces, for use when the format has changed and no network fits. A network that
//! is damaged fails the build.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The environment variable that names the network file. A relative path starts in the
/// package's folder.
const VARIABLE: &str = "CARRYBIT_EVALFILE";

const OWN: &str = "src/eval/nnue/carrybit.nnue";
const NONE: &str = "none";

/// The place of the CRC-32 in a network's file, and of what it covers (`src/eval/nnue/quantised.rs`).
const CHECKSUM_AT: usize = 16;
const COVERED_FROM: usize = 20;

fn main() {
    println!("cargo::rerun-if-env-changed={VARIABLE}");
    let named = env::var_os(VARIABLE).filter(|path| !path.is_empty());
    let path = named.map_or_else(|| PathBuf::from(OWN), PathBuf::from);
    if path != Path::new(NONE) {
        println!("cargo::rerun-if-changed={}", path.display());
    }
    if let Err(error) = embed(&path) {
        println!("cargo::error=cannot embed {}: {error}", path.display());
    }
    println!("cargo::rustc-env=CARRYBIT_VERSION={}", version());
}

fn version() -> String {
    let mut version = env::var("CARGO_PKG_VERSION").expect("cargo sets it");
    // Without a commit in debug builds, tests are not built again after each commit.
    if version.ends_with("-dev")
        && env::var("PROFILE").is_ok_and(|profile| profile == "release")
        && let Some(commit) = git(&["rev-parse", "--short=8", "HEAD"])
    {
        version = format!("{version}+{commit}");
        if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]) {
            println!("cargo::rerun-if-changed={log}");
        }
    }
    version
}

/// The output of a git command, or `None` outside a repository.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

fn embed(path: &Path) -> Result<(), Box<dyn Error>> {
    let bytes = if path == Path::new(NONE) { Vec::new() } else { fs::read(path)? };
    // The header is checked where the library reads the shape from it.
    if let Some(covered) = bytes.get(COVERED_FROM..)
        && bytes[CHECKSUM_AT..COVERED_FROM] != crc32fast::hash(covered).to_le_bytes()
    {
        return Err("its checksum is wrong".into());
    }
    let folder = PathBuf::from(env::var_os("OUT_DIR").expect("cargo names a folder to write to"));
    Ok(fs::write(folder.join("network.nnue"), bytes)?)
}
