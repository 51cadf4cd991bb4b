//! The table files: found by name in folders; large ones are opened at the first probe.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::map;
use super::material::Material;
use super::table::{Table, check_size};

/// Tables with at most this many pieces are opened at once, to report damage early. They are
/// few, so it takes no noticeable time.
const OPENED_AT_ONCE_PIECES: usize = 5;

/// All tables found, shared by the search threads.
#[derive(Default)]
pub struct Tablebases {
    /// WDL tables, then DTZ tables, by the [key](Material::key) of the material.
    tables: [HashMap<Material, TableFile>; 2],
    max_pieces: usize,
}

struct TableFile {
    path: PathBuf,
    /// Empty until the file is opened; `None` if the file is damaged.
    table: OnceLock<Option<Table>>,
}

impl Tablebases {
    /// The tables in the folders. Of several files of one table the first is used. Also returns
    /// messages about folders and files that cannot be used. Subfolders are not searched; a folder
    /// without tables gives no message (see [`counts`](Tablebases::counts)).
    pub fn open(folders: &[PathBuf]) -> (Tablebases, Vec<String>) {
        let (mut tables, mut problems) = (Tablebases::default(), Vec::new());
        for folder in folders {
            match fs::read_dir(folder) {
                Err(error) => problems.push(ignored(folder, &error)),
                Ok(entries) => {
                    let mut paths: Vec<PathBuf> =
                        entries.flatten().map(|entry| entry.path()).collect();
                    // A system may list them in any order.
                    paths.sort();
                    problems.extend(paths.iter().filter_map(|path| tables.add(path, None)));
                }
            }
        }
        (tables, problems)
    }

    /// The tables in these files, each given by a name such as `KQvK.rtbw` and its bytes.
    /// Also returns messages about files that cannot be used.
    pub fn of_files<'a>(
        files: impl IntoIterator<Item = (&'a str, Box<[u8]>)>,
    ) -> (Tablebases, Vec<String>) {
        let mut tables = Tablebases::default();
        let add = |(name, bytes)| tables.add(Path::new(name), Some(bytes));
        let problems = files.into_iter().filter_map(add).collect();
        (tables, problems)
    }

    /// Adds the file if it has the name of a table that is still missing. Its content is in
    /// `bytes`, or on disk if that is `None`. Returns a message if it cannot be used.
    fn add(&mut self, path: &Path, bytes: Option<Box<[u8]>>) -> Option<String> {
        let (is_dtz, material) = named(path)?;
        let tables = &mut self.tables[usize::from(is_dtz)];
        if tables.contains_key(&material.key()) {
            return None;
        }
        let opened = |table| OnceLock::from(Some(table));
        let table = match bytes {
            Some(bytes) => Table::read(Box::new(bytes), is_dtz, material).map(opened),
            None if material.pieces() <= OPENED_AT_ONCE_PIECES => {
                Table::open(path, is_dtz, material).map(opened)
            }
            // Refuse a pipe, a device or an incomplete file now, not in a search.
            None => map::check(path).and_then(check_size).map(|()| OnceLock::new()),
        };
        match table {
            Err(error) => Some(ignored(path, &error)),
            Ok(table) => {
                tables.insert(material.key(), TableFile { path: path.to_owned(), table });
                if !is_dtz {
                    self.max_pieces = self.max_pieces.max(material.pieces());
                }
                None
            }
        }
    }

    /// The most pieces, kings included, in any WDL table; 0 if there is none.
    #[inline]
    pub fn max_pieces(&self) -> usize {
        self.max_pieces
    }

    /// The numbers of WDL and DTZ files.
    pub fn counts(&self) -> [usize; 2] {
        self.tables.each_ref().map(HashMap::len)
    }

    /// The WDL or DTZ table of `material`, opened if necessary. Logs a problem once.
    pub(super) fn table(&self, is_dtz: bool, material: Material) -> Option<&Table> {
        let TableFile { path, table } = self.tables[usize::from(is_dtz)].get(&material.key())?;
        let open = || {
            let table = Table::open(path, is_dtz, material);
            table.inspect_err(|error| log::warn!("{}", ignored(path, error))).ok()
        };
        table.get_or_init(open).as_ref()
    }
}

/// Whether a file is a DTZ table, and its material, both read from its name. `None` if this is not
/// the name of a table.
fn named(path: &Path) -> Option<(bool, Material)> {
    let is_dtz = match path.extension()?.to_str()? {
        "rtbw" => false,
        "rtbz" => true,
        _ => return None,
    };
    Some((is_dtz, Material::of_name(path.file_stem()?.to_str()?)?))
}

fn ignored(path: &Path, error: &io::Error) -> String {
    format!("ignoring {}: {error}", path.display())
}
