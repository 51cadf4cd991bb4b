//! The table files: folders are searched for them by name, and each file is opened when it
//! is first needed.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::sys::{encoding, files};

use super::material::Material;
use super::table::Table;

/// Tables with no more pieces than this are opened at once, to report damage early. There
/// are few of them, so that takes no noticeable time.
const OPENED_AT_ONCE_PIECES: usize = 5;

/// Separators of the folders of a path on this system; a semicolon works everywhere.
const SEPARATORS: &[char] = if cfg!(windows) { &[';'] } else { &[';', ':'] };

/// All tables found, shared by the search threads.
#[derive(Default)]
pub struct Tablebases {
    /// By the [key](Material::key) of the material.
    wdl: HashMap<Material, TableFile>,
    dtz: HashMap<Material, TableFile>,
    max_pieces: usize,
}

/// A file that has the name of a table.
struct TableFile {
    path: PathBuf,
    /// Empty until the table is first needed; `None` if it cannot be used.
    table: OnceLock<Option<Table>>,
}

impl Tablebases {
    /// The tables in the folders of `path`, separated by `;` (or, except on Windows, by
    /// `:`). Of several files of the same table the first one is used. Also returns
    /// messages about folders and files that cannot be used.
    pub fn open(path: &str) -> (Tablebases, Vec<String>) {
        let (mut tables, mut problems) = (Tablebases::default(), Vec::new());
        for folder in path.split(SEPARATORS).map(str::trim).filter(|folder| !folder.is_empty()) {
            let folder = encoding::path(folder);
            match fs::read_dir(&folder) {
                Err(error) => problems.push(ignored(&folder, &error)),
                Ok(entries) => {
                    // Sorted, so that the same path always gives the same tables.
                    let mut paths: Vec<PathBuf> =
                        entries.flatten().map(|entry| entry.path()).collect();
                    paths.sort();
                    for path in paths {
                        let result = tables.add(&path, None);
                        problems.extend(result.err().map(|error| ignored(&path, &error)));
                    }
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
        let (mut tables, mut problems) = (Tablebases::default(), Vec::new());
        for (name, bytes) in files {
            let path = Path::new(name);
            let result = tables.add(path, Some(bytes));
            problems.extend(result.err().map(|error| ignored(path, &error)));
        }
        (tables, problems)
    }

    /// Adds the file if it has the name of a table that is not there yet. Its content is
    /// `bytes`, or on disk.
    fn add(&mut self, path: &Path, bytes: Option<Box<[u8]>>) -> io::Result<()> {
        let Some((is_dtz, material)) = named(path) else { return Ok(()) };
        let tables = if is_dtz { &mut self.dtz } else { &mut self.wdl };
        if tables.contains_key(&material.key()) {
            return Ok(());
        }
        let table = match bytes {
            Some(bytes) => OnceLock::from(Some(Table::read(Box::new(bytes), is_dtz, material)?)),
            None if material.pieces() <= OPENED_AT_ONCE_PIECES => {
                OnceLock::from(Some(Table::open(path, is_dtz, material)?))
            }
            None => {
                // A pipe or a device must be refused now, not in a search.
                files::check(path)?;
                OnceLock::new()
            }
        };
        tables.insert(material.key(), TableFile { path: path.to_owned(), table });
        if !is_dtz {
            self.max_pieces = self.max_pieces.max(material.pieces());
        }
        Ok(())
    }

    /// The most pieces, kings included, in any WDL table; 0 if there is none.
    #[inline]
    pub fn max_pieces(&self) -> usize {
        self.max_pieces
    }

    /// How many WDL and DTZ files there are.
    pub fn counts(&self) -> [usize; 2] {
        [self.wdl.len(), self.dtz.len()]
    }

    /// The WDL table of `material`.
    pub(super) fn wdl_table(&self, material: Material) -> Option<&Table> {
        self.wdl.get(&material.key())?.table(false, material)
    }

    /// The DTZ table of `material`.
    pub(super) fn dtz_table(&self, material: Material) -> Option<&Table> {
        self.dtz.get(&material.key())?.table(true, material)
    }
}

impl TableFile {
    /// The table, opened now if it has not been before. A problem is logged once.
    fn table(&self, is_dtz: bool, material: Material) -> Option<&Table> {
        let open = || {
            let table = Table::open(&self.path, is_dtz, material);
            table.inspect_err(|error| log::warn!("{}", ignored(&self.path, error))).ok()
        };
        self.table.get_or_init(open).as_ref()
    }
}

/// The content of a file by its name, DTZ or WDL, and its material; `None` if that is not
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
