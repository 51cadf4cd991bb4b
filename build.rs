//! Checks the network to embed and copies it to `OUT_DIR`, from where the library embeds it; its
//! shape becomes that of the engine. Sets `CARRYBIT_VERSION`: in an optimised build between two
//! releases, the commit is added.
//!
//! `CARRYBIT_EVALFILE` names the file; the default is the engine's own. `none` embeds a network
//! that counts pieces, for use when the format has changed and no network fits. A network that
//! is damaged fails the build.

#[expect(dead_code, reason = "only the library needs the rest")]
#[path = "src/eval/nnue/shape.rs"]
mod shape;

#[expect(dead_code, reason = "only the library needs the rest")]
#[path = "src/eval/nnue/quantised.rs"]
mod quantised;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use quantised::QuantisedNet;
use shape::{ENGINE_NEURONS, Shape};

/// The environment variable that names the network file. A relative path starts in the
/// package's folder.
const VARIABLE: &str = "CARRYBIT_EVALFILE";

const OWN: &str = "src/eval/nnue/carrybit.nnue";
const NONE: &str = "none";

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
    let bytes = if path == Path::new(NONE) {
        QuantisedNet::material(Shape::DEFAULT).to_bytes()
    } else {
        fs::read(path)?
    };
    let shape = QuantisedNet::from_bytes(&bytes)?.shape;
    if !shape.neurons.is_multiple_of(ENGINE_NEURONS) {
        return Err(format!("{shape}; the neurons must be a multiple of {ENGINE_NEURONS}").into());
    }
    let folder = PathBuf::from(env::var_os("OUT_DIR").expect("cargo names a folder to write to"));
    // `Debug` writes a shape as the expression that makes it.
    fs::write(folder.join("shape.rs"), format!("{shape:?}"))?;
    Ok(fs::write(folder.join("network.nnue"), bytes)?)
}
