//! Which tables there are. The folders of a path are searched for files by name, and each
//! file is opened when it is first needed.

use std::collections::HashMap;
use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::{encoding, files};

use super::bytes::FileBytes;
use super::material::Material;
use super::table::{Content, Table, TableError};

/// Tables with no more pieces than this are opened at once, so that damage comes to light
/// early. There are few of them, so that takes no noticeable time.
const OPENED_AT_ONCE_PIECES: usize = 5;

/// What separates the folders of a path on this system; a semicolon does everywhere.
const SEPARATORS: &[char] = if cfg!(windows) { &[';'] } else { &[';', ':'] };

/// A file that has the name of a table.
pub(super) struct TableFile {
    path: PathBuf,
    content: Content,
    material: Material,
    /// The table, once it has been needed; the inner value is `None` if it cannot be used.
    table: OnceLock<Option<Table>>,
}

impl TableFile {
    /// The table, which is opened now if it has not been before. `None` if it cannot be
    /// used, which is logged once.
    fn table(&self) -> Option<&Table> {
        let open = || match Table::open(&self.path, self.content, self.material) {
            Ok(table) => Some(table),
            Err(error) => {
                log::warn!("ignoring {}: {error}", self.path.display());
                None
            }
        };
        self.table.get_or_init(open).as_ref()
    }
}

/// All tables of one content, by material.
#[derive(Default)]
pub(super) struct Shelf {
    files: HashMap<Material, TableFile>,
}

impl Shelf {
    /// The table of `material`, with colours either way.
    pub(super) fn table(&self, material: &Material) -> Option<&Table> {
        let file = self.files.get(material).or_else(|| self.files.get(&material.swapped()));
        file?.table()
    }

    /// How many files there are.
    pub(super) fn len(&self) -> usize {
        self.files.len()
    }

    /// The most pieces that any of the tables has; 0 if there are none.
    pub(super) fn max_pieces(&self) -> usize {
        self.files.keys().map(Material::pieces).max().unwrap_or(0)
    }

    fn has(&self, material: &Material) -> bool {
        self.files.contains_key(material) || self.files.contains_key(&material.swapped())
    }
}

/// The tables of both contents, and the problems met while looking for them.
#[derive(Default)]
pub(super) struct Catalogue {
    pub(super) wdl: Shelf,
    pub(super) dtz: Shelf,
    pub(super) problems: Vec<String>,
}

impl Catalogue {
    /// Searches the folders of `path`; an empty one has none. Of several files of the same
    /// table the first one is used.
    pub(super) fn of_path(path: &str) -> Catalogue {
        let mut catalogue = Catalogue::default();
        for folder in path.split(SEPARATORS).map(str::trim).filter(|folder| !folder.is_empty()) {
            catalogue.add_folder(&encoding::path(folder));
        }
        catalogue
    }

    /// The tables in these files, each given by name and bytes. Of several files of the
    /// same table the first one is used.
    pub(super) fn of_files<'a>(files: impl IntoIterator<Item = (&'a str, Box<[u8]>)>) -> Catalogue {
        let mut catalogue = Catalogue::default();
        for (name, bytes) in files {
            let path = PathBuf::from(name);
            if let Some((content, material)) = named(&path)
                && !catalogue.shelf(content).has(&material)
            {
                let table = Table::read(FileBytes::Held(bytes), content, material);
                catalogue.add(path, content, material, table.map_err(TableError::from));
            }
        }
        catalogue
    }

    fn add_folder(&mut self, folder: &Path) {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => return self.note(folder, &error),
        };
        // Sorted, so that the same path always gives the same tables.
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            self.add_file(path);
        }
    }

    /// Adds the file if it has the name of a table and can be used.
    fn add_file(&mut self, path: PathBuf) {
        let Some((content, material)) = named(&path) else { return };
        if self.shelf(content).has(&material) {
            return;
        }
        if material.pieces() <= OPENED_AT_ONCE_PIECES {
            let table = Table::open(&path, content, material);
            return self.add(path, content, material, table);
        }
        // That it is no file, but perhaps a pipe, must not come to light in a search.
        match files::check(&path) {
            Ok(()) => self.shelve(path, content, material, OnceLock::new()),
            Err(error) => self.note(&path, &error),
        }
    }

    /// Adds a table that has been opened, or notes why it cannot be used.
    fn add(
        &mut self,
        path: PathBuf,
        content: Content,
        material: Material,
        table: Result<Table, TableError>,
    ) {
        match table {
            Ok(table) => self.shelve(path, content, material, OnceLock::from(Some(table))),
            Err(error) => self.note(&path, &error),
        }
    }

    fn shelve(
        &mut self,
        path: PathBuf,
        content: Content,
        material: Material,
        table: OnceLock<Option<Table>>,
    ) {
        let file = TableFile { path, content, material, table };
        self.shelf(content).files.insert(material, file);
    }

    fn shelf(&mut self, content: Content) -> &mut Shelf {
        match content {
            Content::Wdl => &mut self.wdl,
            Content::Dtz => &mut self.dtz,
        }
    }

    fn note(&mut self, path: &Path, error: &dyn Display) {
        self.problems.push(format!("ignoring {}: {error}", path.display()));
    }
}

/// What is in the file according to its name; `None` if that is not the name of a table.
fn named(path: &Path) -> Option<(Content, Material)> {
    let extension = path.extension()?.to_str()?;
    let content = Content::ALL.into_iter().find(|kind| kind.extension() == extension)?;
    Some((content, Material::of_name(path.file_stem()?.to_str()?)?))
}
