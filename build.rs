//! Checks the network to embed and copies it to `OUT_DIR`, from where the library embeds it.
//!
//! `CARRYBIT_EVALFILE` names the file; the default is the engine's own. `none` embeds a network
//! that counts pieces, for use when the shape has changed and no network fits. A network that
//! is damaged or has another shape fails the build.

#[expect(dead_code, reason = "only the library needs the rest")]
#[path = "src/eval/nnue/shape.rs"]
mod shape;

#[expect(dead_code, reason = "only the library needs the rest")]
#[path = "src/eval/nnue/quantised.rs"]
mod quantised;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

use quantised::QuantisedNet;
use shape::SHAPE;

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
}

fn embed(path: &Path) -> Result<(), Box<dyn Error>> {
    let bytes = if path == Path::new(NONE) {
        QuantisedNet::material(SHAPE).to_bytes()
    } else {
        let bytes = fs::read(path)?;
        QuantisedNet::for_engine(&bytes)?;
        bytes
    };
    let folder = PathBuf::from(env::var_os("OUT_DIR").expect("cargo names a folder to write to"));
    Ok(fs::write(folder.join("network.nnue"), bytes)?)
}
