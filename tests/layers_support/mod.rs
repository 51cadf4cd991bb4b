//! Which file of the source uses which, read off the source itself.
//!
//! A file uses another if it names something of it, in an import or in a path. To
//! declare a module or to pass on what it exports (`pub use`) is no use: who names it
//! by such a path uses the file that it comes from.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};

/// The path of a module from the root of its crate, without `crate`.
pub(crate) type Module = Vec<String>;

/// All `.rs` files in `dir` and its folders.
pub(crate) fn rust_files(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            found.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// What one file says.
#[derive(Default)]
pub(crate) struct Source {
    /// How many inline modules enclose the item being read.
    depth: usize,
    /// The paths that it names, segment by segment.
    names: Vec<Vec<String>>,
    /// What it passes on: the name, and the path that it comes from.
    passes_on: Vec<(String, Vec<String>)>,
    /// The methods that it calls.
    pub(crate) calls: BTreeSet<String>,
    /// The methods and functions that it defines for others.
    pub(crate) offers: BTreeSet<String>,
}

/// Whether an item is compiled for tests only.
fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")).any(|attribute| {
        let condition = attribute.meta.require_list().expect("`cfg` has a condition");
        condition
            .tokens
            .to_string()
            .split(|c: char| !c.is_alphanumeric())
            .any(|word| word == "test")
    })
}

/// The paths of a `use`, each with the name it goes by here; `*` for all names.
fn paths_of(tree: &syn::UseTree, before: &[String], found: &mut Vec<(String, Vec<String>)>) {
    let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
    match tree {
        syn::UseTree::Path(path) => paths_of(&path.tree, &with(&path.ident), found),
        syn::UseTree::Name(name) => found.push((name.ident.to_string(), with(&name.ident))),
        syn::UseTree::Rename(name) => found.push((name.rename.to_string(), with(&name.ident))),
        syn::UseTree::Glob(_) => found.push(("*".to_owned(), before.to_vec())),
        syn::UseTree::Group(group) => {
            group.items.iter().for_each(|tree| paths_of(tree, before, found));
        }
    }
}

impl Source {
    /// Notes a path, as it would be written outside of inline modules.
    fn name(&mut self, mut path: Vec<String>) {
        let supers = path.iter().take_while(|segment| *segment == "super").count();
        let inner = supers.min(self.depth);
        if inner > 0 {
            let outside = if inner == supers { Some("self".to_owned()) } else { None };
            path.splice(..inner, outside);
        }
        self.names.push(path);
    }
}

impl<'ast> Visit<'ast> for Source {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_test(&item.attrs) {
            self.depth += 1;
            visit::visit_item_mod(self, item);
            self.depth -= 1;
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let mut found = Vec::new();
        paths_of(&item.tree, &[], &mut found);
        match item.vis {
            syn::Visibility::Inherited => {
                found.into_iter().for_each(|(_, path)| self.name(path));
            }
            _ => self.passes_on.extend(found),
        }
    }

    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {
        // Who may use an item is no use of it.
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.name(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, item: &'ast syn::Macro) {
        // What a macro makes of its input is not known, but paths look like paths.
        let text: String = item.tokens.to_string().split_whitespace().collect();
        let path = |c: char| !(c.is_alphanumeric() || c == '_' || c == ':');
        let paths = text.split(path).filter(|path| path.contains("::"));
        paths.for_each(|path| self.name(path.split("::").map(str::to_owned).collect()));
        visit::visit_macro(self, item);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        self.calls.insert(call.method.to_string());
        visit::visit_expr_method_call(self, call);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if !matches!(item.vis, syn::Visibility::Inherited) {
            self.offers.insert(item.sig.ident.to_string());
        }
        visit::visit_impl_item_fn(self, item);
    }
}

/// The files of one crate, and who uses whom.
pub(crate) struct Graph {
    pub(crate) sources: BTreeMap<Module, Source>,
    /// The files that each file uses.
    pub(crate) uses: BTreeMap<Module, BTreeSet<Module>>,
}

impl Graph {
    /// Reads the crate whose root is in that folder. Programs (`main.rs`, `bin/`) stand
    /// above all and are left out.
    pub(crate) fn read(src: &Path) -> Graph {
        let mut sources = BTreeMap::new();
        for file in rust_files(src) {
            let relative = file.strip_prefix(src).expect("a file of the folder").with_extension("");
            let mut module: Module =
                relative.iter().map(|part| part.to_string_lossy().into_owned()).collect();
            match module.last().map(String::as_str) {
                Some("mod") => drop(module.pop()),
                Some("lib") if module.len() == 1 => module.clear(),
                Some("main") if module.len() == 1 => continue,
                _ if module[0] == "bin" => continue,
                _ => {}
            }
            let text = fs::read_to_string(&file).expect("a readable file");
            let parsed = syn::parse_file(&text)
                .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            let mut source = Source::default();
            source.visit_file(&parsed);
            sources.insert(module, source);
        }
        let mut graph = Graph { sources, uses: BTreeMap::new() };
        for (module, source) in &graph.sources {
            let used = source.names.iter().filter_map(|path| graph.resolve(module, path, 0));
            graph.uses.insert(module.clone(), used.filter(|used| used != module).collect());
        }
        graph
    }

    /// The file that a path named in `from` leads to, if it is one of this crate.
    fn resolve(&self, from: &Module, path: &[String], depth: usize) -> Option<Module> {
        const DEEPEST: usize = 8;
        let mut rest = path.iter().peekable();
        let mut module = from.clone();
        match path.first()?.as_str() {
            "crate" => {
                module.clear();
                rest.next();
            }
            "self" => drop(rest.next()),
            "super" => {
                while rest.next_if(|segment| *segment == "super").is_some() {
                    module.pop();
                }
            }
            first if self.sources.contains_key(&[from, [first.to_owned()].as_slice()].concat()) => {
            }
            _ => return None,
        }
        while let Some(segment) = rest.peek() {
            let inner = [module.as_slice(), &[(*segment).clone()]].concat();
            if !self.sources.contains_key(&inner) {
                break;
            }
            module = inner;
            rest.next();
        }
        let source = self.sources.get(&module)?;
        let passed_on = rest
            .peek()
            .and_then(|name| source.passes_on.iter().find(|(known, _)| known == *name))
            .filter(|_| depth < DEEPEST)
            .and_then(|(_, path)| self.resolve(&module, path, depth + 1));
        Some(passed_on.unwrap_or(module))
    }

    /// All files that `module` uses, and those that these use, and so on.
    fn reached_from<'a>(&'a self, module: &'a Module) -> BTreeSet<&'a Module> {
        let mut reached = BTreeSet::new();
        let mut open = vec![module];
        while let Some(next) = open.pop() {
            open.extend(self.uses[next].iter().filter(|&used| reached.insert(used)));
        }
        reached
    }

    /// The files that use each other in a circle, each with those of the circle that it
    /// uses; empty if there is none.
    pub(crate) fn circle(&self) -> Vec<(String, Vec<String>)> {
        let reached: BTreeMap<&Module, BTreeSet<&Module>> =
            self.sources.keys().map(|module| (module, self.reached_from(module))).collect();
        let Some(first) = reached.keys().find(|module| reached[*module].contains(*module)) else {
            return Vec::new();
        };
        let is_in =
            |module: &Module| reached[first].contains(module) && reached[module].contains(first);
        self.sources
            .keys()
            .filter(|module| is_in(module))
            .map(|module| {
                let used = self.uses[module].iter().filter(|used| is_in(used));
                (module.join("::"), used.map(|used| used.join("::")).collect())
            })
            .collect()
    }
}
