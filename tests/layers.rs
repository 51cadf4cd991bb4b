//! The source keeps the order that README promises: arrows of use point
//! downwards only.

use std::fs;
use std::path::{Path, PathBuf};

/// The layers, from the bottom up. A file may use its own layer and those below.
const LAYERS: [&str; 11] = [
    "random",
    "files",
    "simd",
    "score",
    "board",
    "tablebase",
    "eval",
    "search",
    "engine",
    "tools",
    "uci",
];

fn rust_files(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn arrows_of_use_point_downwards() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for (height, layer) in LAYERS.iter().enumerate() {
        let mut files = Vec::new();
        let (file, folder) = (src.join(format!("{layer}.rs")), src.join(layer));
        if file.exists() {
            files.push(file);
        } else {
            rust_files(&folder, &mut files);
        }
        assert!(!files.is_empty(), "the layer {layer} has no files");
        for file in files {
            let text = fs::read_to_string(&file).expect("a readable file");
            for above in &LAYERS[height + 1..] {
                let forbidden = format!("crate::{above}");
                let used = text
                    .lines()
                    .find(|line| !line.trim_start().starts_with("//") && line.contains(&forbidden));
                assert_eq!(used, None, "{} uses a layer above it", file.display());
            }
        }
    }
}

#[test]
fn unsafe_code_stays_where_it_belongs() {
    let mut files = Vec::new();
    for src in ["src", "workshop/src"] {
        rust_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join(src), &mut files);
    }
    for file in files {
        let text = fs::read_to_string(&file).expect("a readable file");
        let is_allowed = file.ends_with("prefetch.rs")
            || file.ends_with("workshop/src/kernel.rs")
            || file.ends_with("large_pages.rs")
            || file.ends_with("tablebase/mapping.rs")
            || file.components().any(|part| part.as_os_str() == "simd");
        assert!(is_allowed || !text.contains("unsafe {"), "{}", file.display());
    }
}
