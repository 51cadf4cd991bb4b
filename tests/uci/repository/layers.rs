//! Modules use only those below them, files stay short, and `unsafe` code stays in a few files.
//! (`clippy.toml` limits the length of functions.)

use super::{files, read, root};

/// The top-level modules of `src/`, from the bottom up: a module uses only itself and those
/// before it. The test finds uses by `crate::`, so it does not see methods called on a value.
const LAYERS: &str = "host sys score eval search selfplay engine analyse tools terminal uci";

/// Files with `unsafe` code have one of these in their path.
const UNSAFE: [&str; 9] = [
    "crates/board/src/cpu.rs",
    "src/sys/encoding.rs",
    "src/sys/large_pages.rs",
    "src/sys/limits.rs",
    "crates/board/src/backend/mod.rs",
    "crates/board/src/backend/simd",
    "src/eval/nnue/simd",
    "crates/syzygy/src/map.rs",
    "/kernel.rs",
];

const LONGEST_FILE: usize = 600;

/// Path and text of each Rust file in a folder.
fn sources(folder: &str) -> Vec<(String, String)> {
    let is_rust = |path: &String| path.ends_with(".rs");
    let relative = |path: std::path::PathBuf| {
        path.strip_prefix(root()).expect("a file of ours").display().to_string().replace('\\', "/")
    };
    let paths = files(folder).into_iter().map(relative).filter(is_rust);
    paths.map(|path| (path.clone(), read(path))).collect()
}

/// The source without comments and without the tests at its end.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// The names after each `crate::`: one, or a group in braces.
fn names_after_crate(code: &str) -> impl Iterator<Item = &str> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    code.split("crate::").skip(1).flat_map(move |rest| {
        let end = if rest.starts_with('{') { rest.find(';') } else { rest.find(|c| !is_name(c)) };
        rest[..end.unwrap_or(rest.len())].split(move |c| !is_name(c))
    })
}

#[test]
fn modules_use_only_those_below_them() {
    let height = |name: &str| LAYERS.split(' ').position(|layer| layer == name);
    let mut uses = 0;
    for (path, text) in sources("src") {
        let module = path["src/".len()..].split(['/', '.']).next().expect("a name");
        if ["lib", "main", "tour"].contains(&module) {
            continue;
        }
        let own = height(module).unwrap_or_else(|| panic!("{module} has no place in LAYERS"));
        for used in names_after_crate(&code(&text)) {
            assert!(height(used).is_none_or(|used| used <= own), "{path} uses {used}");
            uses += usize::from(height(used).is_some());
        }
    }
    assert!(uses > 100, "only {uses} uses found");
}

#[test]
fn files_are_short_and_only_listed_files_have_unsafe_code() {
    for folder in ["src", "crates", "tests"] {
        for (path, text) in sources(folder) {
            let lines = text.lines().count();
            assert!(lines <= LONGEST_FILE, "{path} has {lines} lines");
            let may_be_unsafe = folder == "tests"
                || path.contains("/tests/")
                || UNSAFE.iter().any(|p| path.contains(p));
            assert!(may_be_unsafe || !text.contains("unsafe {"), "{path} has unsafe code");
        }
    }
}
