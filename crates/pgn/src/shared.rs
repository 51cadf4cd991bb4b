//! The shared collection of games, for tests: in `../shared/data/pgn` beside the project, or in the
//! folder `CARRYBIT_PGN`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::{env, fs};

use crate::text::decode;

/// The decoded files of the collection. If it is missing, prints a message and returns none.
pub(crate) fn texts() -> Vec<String> {
    files().into_iter().map(|bytes| decode(bytes).expect("text")).collect()
}

/// The files of the collection, as stored.
pub(crate) fn files() -> Vec<Vec<u8>> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/pgn");
    let folder = env::var_os("CARRYBIT_PGN").map_or(beside, PathBuf::from);
    let mut paths = Vec::new();
    for folder in [folder.clone(), folder.join("special")] {
        let files = fs::read_dir(folder).into_iter().flatten().flatten();
        let path = files.map(|file| file.path());
        paths.extend(path.filter(|path| path.to_string_lossy().contains(".pgn")));
    }
    if paths.is_empty() {
        // Not `eprintln!`: the test harness shows its output for failed tests only.
        let _ = writeln!(io::stderr(), "SKIPPED: there are no games in {}", folder.display());
    }
    paths.sort();
    paths.iter().map(|path| fs::read(path).expect("a file")).collect()
}
