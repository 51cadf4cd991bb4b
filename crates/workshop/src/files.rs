//! Reads files and networks, and replaces them atomically.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::sync::Arc;

use carrybit::internals::eval::nnue::Network;
use carrybit::internals::eval::nnue::network::QuantisedNet;

use crate::error::Error;

pub fn read(path: &Path) -> Result<Vec<u8>, Error> {
    fs::read(path).map_err(Error::at(path))
}

/// Reads a file; `None` if it is missing.
pub fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    match read(path) {
        Err(Error::File { source, .. }) if source.kind() == ErrorKind::NotFound => Ok(None),
        result => result.map(Some),
    }
}

/// Reads a network of any shape.
pub fn read_network(path: &Path) -> Result<QuantisedNet, Error> {
    QuantisedNet::from_bytes(&read(path)?).map_err(|error| Error::of(path, error))
}

/// The network of the engine's shape in a file, or the engine's own.
pub fn load_network(path: Option<&Path>) -> Result<Arc<Network>, Error> {
    path.map_or_else(
        || Ok(Network::embedded()),
        |path| Network::load(path).map(Arc::new).map_err(Error::at(path)),
    )
}

/// Replaces a file atomically: even after a crash, the path holds the old file or the new
/// one, complete. After an error the old file is unchanged.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(".new");
    let write = || {
        let mut file = File::create(&temporary)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&temporary, path)
    };
    write().map_err(Error::at(path))
}

pub fn write_network(path: &Path, net: &QuantisedNet) -> Result<(), Error> {
    net.check().map_err(|error| {
        Error::Refused(format!("the result does not fit the engine's integers: {error}"))
    })?;
    replace(path, &net.to_bytes())
}
