//! Puts the network to embed where the source includes it from: the file that the
//! environment variable `CARRYBIT_EVALFILE` names, by default the engine's own. What is
//! not a sound network of the engine's size ends the build at once.

// The engine's own check.
#[expect(dead_code, reason = "the library needs more of this file than a build does")]
#[path = "src/eval/nnue/quantised.rs"]
mod quantised;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

use quantised::QuantisedNet;

/// The variable with the file to embed; a relative path begins at the package's folder.
const VARIABLE: &str = "CARRYBIT_EVALFILE";

/// The engine's own network.
const OWN: &str = "src/eval/nnue/carrybit.nnue";

fn main() {
    println!("cargo::rerun-if-env-changed={VARIABLE}");
    let named = env::var_os(VARIABLE).filter(|path| !path.is_empty());
    let path = named.map_or_else(|| PathBuf::from(OWN), PathBuf::from);
    println!("cargo::rerun-if-changed={}", path.display());
    if let Err(error) = embed(&path) {
        println!("cargo::error=cannot embed {}: {error}", path.display());
    }
}

fn embed(path: &Path) -> Result<(), Box<dyn Error>> {
    let bytes = fs::read(path)?;
    QuantisedNet::for_engine(&bytes)?;
    let folder = PathBuf::from(env::var_os("OUT_DIR").expect("cargo names a folder to write to"));
    Ok(fs::write(folder.join("network.nnue"), bytes)?)
}
