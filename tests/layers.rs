//! The source keeps the order that docs/source.md promises: arrows of use point downwards
//! only, there are no circles, and no file or function grows too long to read.

mod layers_support;

use std::fs;
use std::path::{Path, PathBuf};

use layers_support::{Graph, Module, rust_files};

/// The layers of the engine, from the bottom up. A file may use its own layer and those
/// below.
const LAYERS: [&str; 14] = [
    "random",
    "host",
    "sys",
    "score",
    "board",
    "tablebase",
    "eval",
    "search",
    "selfplay",
    "engine",
    "tools",
    "uci",
    "terminal",
    "",
];

/// The rooms of the board, from the bottom up. A file may use its own room and those
/// below.
const ROOMS: [&str; 24] = [
    "color",
    "square",
    "piece",
    "moves",
    "zobrist",
    "check_info",
    "position",
    "difference",
    "sink",
    "make",
    "castling",
    "en_passant",
    "see",
    "threats",
    "invariants",
    "backend::portable",
    "backend::simd",
    "backend",
    "legality",
    "draw",
    "upcoming_repetition",
    "fen",
    "san",
    "game",
];

/// The most lines of a file.
const LONGEST_FILE: usize = 600;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The folders with the source of a crate.
fn crates() -> Vec<PathBuf> {
    ["src", "workshop/src", "analyse/src", "pgn/src"].iter().map(|src| root().join(src)).collect()
}

/// How high `module` is among the `heights`, which are paths below `inside`: that of the
/// longest one that it begins with.
fn height(module: &[String], inside: &[&str], heights: &[&str]) -> usize {
    let path = module[inside.len()..].join("::");
    let is_within = |room: &str| {
        room.is_empty()
            || path == room
            || path.strip_prefix(room).is_some_and(|rest| rest.starts_with("::"))
    };
    let rooms = heights.iter().enumerate().filter(|(_, room)| is_within(room));
    let (height, _) = rooms
        .max_by_key(|(_, room)| room.len())
        .unwrap_or_else(|| panic!("nobody knows where {path} belongs"));
    height
}

/// Every file of `inside` uses only what is no higher than itself.
fn assert_downwards(inside: &[&str], heights: &[&str]) {
    let graph = Graph::read(&root().join("src"));
    let is_inside = |module: &Module| {
        module.len() > inside.len() && module.iter().zip(inside).all(|(a, b)| a == b)
    };
    let mut arrows = 0;
    for (module, used) in graph.uses.iter().filter(|(module, _)| is_inside(module)) {
        for other in used.iter().filter(|other| is_inside(other)) {
            let heights = [other, module].map(|module| height(module, inside, heights));
            assert!(heights[0] <= heights[1], "{} uses {}", module.join("::"), other.join("::"));
            arrows += 1;
        }
    }
    assert!(arrows > 50, "there must be arrows to look at: {arrows}");
}

#[test]
fn arrows_of_use_point_downwards() {
    assert_downwards(&[], &LAYERS);
    assert_downwards(&["board"], &ROOMS);
}

#[test]
fn no_files_use_each_other_in_a_circle() {
    for src in crates() {
        let graph = Graph::read(&src);
        assert!(graph.sources.len() > 5, "{} must have files", src.display());
        assert_eq!(graph.circle(), [], "in {}", src.display());
    }
}

#[test]
fn portable_and_simd_do_not_use_each_other() {
    let graph = Graph::read(&root().join("src"));
    let backend = |room: &str| ["board", "backend", room].map(str::to_owned);
    for (one, other) in [("portable", "simd"), ("simd", "portable")] {
        let arrows = graph.uses.iter().filter(|(module, _)| module.starts_with(&backend(one)));
        for (module, used) in arrows {
            assert!(
                !used.iter().any(|used| used.starts_with(&backend(other))),
                "{}",
                module.join("::")
            );
        }
    }
}

#[test]
fn backends_do_not_call_the_dispatcher() {
    // Methods need no import, so that the arrows do not show them.
    let graph = Graph::read(&root().join("src"));
    let door = &graph.sources[&["board", "backend"].map(str::to_owned).to_vec()].offers;
    assert!(door.contains("check_info") && door.contains("make"));
    let top = ROOMS.iter().position(|&room| room == "backend").expect("the dispatcher is a room");
    for (module, source) in &graph.sources {
        if module.len() > 1 && module[0] == "board" && height(module, &["board"], &ROOMS) < top {
            let knocks: Vec<&String> = source.calls.intersection(door).collect();
            assert!(knocks.is_empty(), "{} calls {knocks:?}", module.join("::"));
        }
    }
}

#[test]
fn no_file_is_too_long_to_read() {
    for file in
        crates().iter().flat_map(|src| rust_files(src)).chain(rust_files(&root().join("tests")))
    {
        let lines = fs::read_to_string(&file).expect("a readable file").lines().count();
        assert!(lines <= LONGEST_FILE, "{} has {lines} lines", file.display());
    }
}

#[test]
fn unsafe_code_stays_where_it_belongs() {
    const PLACES: [&str; 9] = [
        "sys/cpu.rs",
        "sys/encoding.rs",
        "sys/files.rs",
        "sys/large_pages.rs",
        "sys/limits.rs",
        "board/backend/mod.rs",
        "board/backend/simd",
        "eval/nnue/simd",
        "train/kernel.rs",
    ];
    for (src, file) in
        crates().iter().flat_map(|src| rust_files(src).into_iter().map(move |file| (src, file)))
    {
        let text = fs::read_to_string(&file).expect("a readable file");
        let place = file.strip_prefix(src).expect("a file of the folder");
        let is_allowed = PLACES.iter().any(|allowed| place.starts_with(Path::new(allowed)));
        assert!(is_allowed || !text.contains("unsafe {"), "{}", file.display());
    }
}
