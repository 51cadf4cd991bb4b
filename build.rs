//! Puts the network to embed where the source includes it from: the file that the
//! environment variable `CARRYBIT_EVALFILE` names, by default the engine's own. Whether
//! it is a network is for `src/eval/nnue/network.rs` to check, which knows the format.

use std::path::PathBuf;
use std::{env, fs};

/// The variable with the file to embed; a relative path begins at the package's folder.
const VARIABLE: &str = "CARRYBIT_EVALFILE";

/// The engine's own network.
const OWN: &str = "src/eval/nnue/carrybit.nnue";

fn main() {
    println!("cargo::rerun-if-env-changed={VARIABLE}");
    let named = env::var_os(VARIABLE).filter(|path| !path.is_empty());
    let path = named.map_or_else(|| PathBuf::from(OWN), PathBuf::from);
    println!("cargo::rerun-if-changed={}", path.display());
    let folder = PathBuf::from(env::var_os("OUT_DIR").expect("cargo names a folder to write to"));
    let embed = |bytes| fs::write(folder.join("network.nnue"), bytes);
    if let Err(error) = fs::read(&path).and_then(embed) {
        println!("cargo::error=cannot embed the network {}: {error}", path.display());
    }
}
