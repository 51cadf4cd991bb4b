//! Tablebase values are exact, and damaged files cause no crash.
//!
//! Small tables are in `tests/data/syzygy`. Some tests need all tables of four pieces, in
//! `../shared/data/syzygy` or in the folder named by the environment variable `CARRYBIT_SYZYGY`.

use std::env;
use std::fs;
use std::io::{self, Write};
#[cfg(unix)]
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
#[cfg(unix)]
use std::process::Command;

use carrybit::Game;
use carrybit::internals::sys::encoding::folders;
use carrybit_syzygy::{Tablebases, Wdl};

use crate::engine_support::{open, own_folder};
use crate::folder_support::Folder;
use crate::support::{Rng, board, play, random_boards, rows};
#[cfg(unix)]
use crate::uci_support::Conversation;

/// The tables in `tests/data/syzygy`.
pub(crate) const OWN_TABLES: [&str; 5] = ["KBvK", "KNvK", "KPvK", "KQvK", "KRvK"];

/// The folder with all tables of four pieces; prints a message if it is missing.
pub(crate) fn shared_folder(test: &str) -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/syzygy");
    let folder = env::var_os("CARRYBIT_SYZYGY").map_or(beside, PathBuf::from);
    if folder.join("KRvKN.rtbz").is_file() {
        return Some(folder);
    }
    // The test harness hides lines of `eprintln`.
    let tables = folder.display();
    let _ = writeln!(io::stderr(), "SKIPPED: {test}: no tables of four pieces in {tables}");
    None
}

/// Checks a file of `fen,wdl,dtz`; returns the number of lines.
fn check_vectors(tables: &Tablebases, path: &Path) -> usize {
    let text = fs::read_to_string(path).expect("a readable file");
    let mut count = 0;
    for row in rows(&text, ',') {
        let [fen, wdl, dtz] = row[..] else { panic!("not a vector: {row:?}") };
        let position = board(fen);
        let found = tables.probe_wdl(&position).map(|wdl| wdl.index() as i32 - 2);
        assert_eq!(found, wdl.parse().ok(), "wdl of {fen}");
        assert_eq!(tables.probe_dtz(&position), dtz.parse().ok(), "dtz of {fen}");
        count += 1;
    }
    count
}

#[test]
fn small_tables_have_exact_values() {
    let tables = open(&own_folder());
    assert_eq!((tables.counts(), tables.max_pieces()), ([5, 5], 3));
    assert_eq!(check_vectors(&tables, &own_folder().join("vectors.csv")), 500);
}

#[test]
fn four_piece_tables_have_exact_values() {
    let Some(folder) = shared_folder("values of four pieces") else { return };
    let tables = open(&folder);
    assert_eq!((tables.counts(), tables.max_pieces()), ([35, 35], 4));
    assert_eq!(check_vectors(&tables, &folder.join("probe_vectors.csv")), 3650);
}

#[test]
fn positions_without_a_table_have_no_value() {
    let tables = open(&own_folder());
    for fen in [
        "r3k3/8/8/8/8/8/8/4K3 b q - 0 1",
        "4k3/8/8/8/8/8/8/QR2K3 w - - 0 1",
        "4k3/8/8/8/3q4/8/8/R3K3 w - - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    ] {
        assert_eq!(tables.probe_wdl(&board(fen)), None, "{fen}");
        assert_eq!(tables.probe_dtz(&board(fen)), None, "{fen}");
    }
    let none = Tablebases::open(&[]).0;
    assert_eq!(none.probe_wdl(&board("4k3/8/8/8/8/8/8/4KQ2 w - - 0 1")), None);
    let bare_kings = board("4k3/8/8/8/8/8/8/4K3 w - - 0 1");
    assert_eq!(tables.probe_wdl(&bare_kings), Some(Wdl::Draw));
}

#[test]
fn invalid_files_and_folders_are_skipped() {
    let folder = Folder::new("no-tables");
    let table = fs::read(own_folder().join("KPvK.rtbw")).expect("a table");
    fs::create_dir(folder.path("KQvK.rtbw")).expect("a folder with a table's name");
    for (name, bytes) in [
        ("KRvK.rtbw", &b""[..]),
        ("KBvK.rtbw", &[0; 80]),
        ("KNvK.rtbw", &table),
        ("KPvK.rtbz", &table),
        ("notes.txt", b"no table"),
        ("KKvK.rtbw", b"no table"),
        ("KQRvKQR.rtbw", b"the begin"),
    ] {
        folder.write(name, bytes);
    }
    let path = folder.path("");
    let (tables, problems) = Tablebases::open(&folders(&format!("{path};{path}/missing;")));
    assert_eq!((tables.counts(), tables.max_pieces()), ([0, 0], 0));
    assert_eq!(problems.len(), 7, "{problems:#?}");
    for name in ["KQvK", "KRvK", "KBvK", "KNvK", "KPvK", "KQRvKQR", "missing"] {
        assert!(problems.iter().any(|problem| problem.contains(name)), "{name} in {problems:#?}");
    }
}

#[cfg(unix)]
#[test]
fn pipes_and_devices_are_reported_and_skipped() {
    let folder = Folder::new("pipes");
    // Tables of up to five pieces are opened at once, others when they are first needed. Opening
    // a pipe without a writer would block.
    for name in ["pipe", "KQvK.rtbw", "KQvK.rtbz", "KRBNvKRN.rtbw"] {
        let made = Command::new("mkfifo").arg(folder.path(name)).status().expect("mkfifo is there");
        assert!(made.success(), "{name}");
    }
    for name in ["KRvK.rtbw", "KRRBvKQQ.rtbw"] {
        symlink("/dev/zero", folder.path(name)).expect("a link");
    }
    symlink("nowhere", folder.path("KQQvKRBN.rtbz")).expect("a link");
    folder.write("file", b"no folder");
    let path = folder.0.display();
    let paths = format!("{path}/pipe;{path}/file;/dev/zero;{path}");
    let conversation = Conversation::start();
    let answer = conversation.ask(&format!("setoption name SyzygyPath value {paths}"));
    let mut named = vec!["pipe", "file", "/dev/zero", "KQQvKRBN.rtbz", "KQvK.rtbw", "KQvK.rtbz"];
    named.extend(["KRBNvKRN.rtbw", "KRRBvKQQ.rtbw"]);
    for (line, name) in answer.iter().zip(&named) {
        let is_named = line.contains(&format!("{name}: "));
        assert!(line.starts_with("info string ignoring ") && is_named, "{name} in {answer:#?}");
    }
    let rest = [
        "info string problems with tablebases that are not listed: 1",
        "info string found no tablebases",
    ];
    assert_eq!(answer[named.len()..], rest);
    let board = "position fen 4k3/8/8/8/8/8/8/QB2K1NR w - - 0 1";
    conversation.search(&[board, "go depth 2"]);
    conversation.end();
}

#[test]
fn tables_in_memory_equal_those_in_files() {
    let names =
        OWN_TABLES.iter().flat_map(|name| ["rtbw", "rtbz"].map(|kind| format!("{name}.{kind}")));
    let files: Vec<(String, Vec<u8>)> = names
        .map(|name| (name.clone(), fs::read(own_folder().join(name)).expect("a table")))
        .collect();
    let files = files.iter().map(|(name, bytes)| (name.as_str(), bytes[..].into()));
    let (tables, problems) = Tablebases::of_files(files);
    assert_eq!(problems, Vec::<String>::new());
    assert_eq!((tables.counts(), tables.max_pieces()), ([5, 5], 3));
    assert_eq!(check_vectors(&tables, &own_folder().join("vectors.csv")), 500);
    let (none, problems) = Tablebases::of_files([("KQvK.rtbw", Box::from([1, 2, 3]))]);
    assert_eq!((none.max_pieces(), problems.len()), (0, 1));
}

#[test]
fn path_may_list_several_folders() {
    let folder = Folder::new("several");
    for name in ["KQvK.rtbw", "KQvK.rtbz"] {
        folder.write(name, &fs::read(own_folder().join(name)).expect("a table"));
    }
    let (first, second) = (folder.0.display(), own_folder());
    let separator = if cfg!(windows) { ';' } else { ':' };
    for path in [
        format!("{first};{}", second.display()),
        format!(" {first} {separator} {} {separator}", second.display()),
    ] {
        let (tables, problems) = Tablebases::open(&folders(&path));
        assert_eq!((tables.counts(), problems.len()), ([5, 5], 0), "{path}");
    }
}

/// Probes `count` damaged copies of each file of a table. Any result will do, but no panic.
fn damage_table(
    source: &Path,
    name: &str,
    count: usize,
    mut damage: impl FnMut(&mut Rng, usize, &mut Vec<u8>),
) {
    let mut rng = Rng(name.len() as u64 + count as u64);
    let (white, black) = name.split_once('v').expect("a table's name");
    let boards = random_boards(11, &format!("{white}{}", black.to_lowercase()), 24);
    let game = Game::new(boards[0].clone());
    let files = ["rtbw", "rtbz"].map(|kind| {
        let file = format!("{name}.{kind}");
        let bytes = fs::read(source.join(&file)).expect("the table is there");
        (file, bytes)
    });
    for damaged in 0..files.len() {
        for nth in 0..count {
            let mut files = files.clone();
            damage(&mut rng, nth, &mut files[damaged].1);
            let files = files.each_ref().map(|(file, bytes)| (file.as_str(), bytes[..].into()));
            let (tables, _) = Tablebases::of_files(files);
            for board in &boards {
                let _ = tables.probe_wdl(board);
                let _ = tables.probe_dtz(board);
            }
            let _ = tables.rank_moves(&game, &boards[0].legal_moves(), true);
        }
    }
}

/// Changes some bits, in the header or anywhere.
fn flip(rng: &mut Rng, nth: usize, bytes: &mut [u8]) {
    const HEADER_BYTES: usize = 160;
    let reach = if nth.is_multiple_of(2) { HEADER_BYTES.min(bytes.len()) } else { bytes.len() };
    for _ in 0..=rng.below(8) {
        bytes[rng.below(reach)] ^= 1 << rng.below(8);
    }
}

#[test]
fn flipped_bits_do_not_crash() {
    for name in ["KPvK", "KQvK", "KRvK", "KNvK"] {
        damage_table(&own_folder(), name, 150, |rng, nth, bytes| flip(rng, nth, bytes));
    }
    let bits = 8 * fs::read(own_folder().join("KQvK.rtbw")).expect("the table").len();
    damage_table(&own_folder(), "KQvK", bits, |_, nth, bytes| bytes[nth / 8] ^= 1 << (nth % 8));
    let Some(folder) = shared_folder("flipped bits of four pieces") else { return };
    for name in ["KPvKP", "KNvKN", "KQvKR"] {
        damage_table(&folder, name, 60, |rng, nth, bytes| flip(rng, nth, bytes));
    }
}

#[test]
fn truncated_files_do_not_crash() {
    for name in OWN_TABLES {
        damage_table(&own_folder(), name, 250, |rng, nth, bytes| {
            // All short lengths; half of the others are lengths that a table can have.
            let length = match nth {
                0..100 => nth,
                _ if nth % 2 == 0 => rng.below(bytes.len()),
                _ => rng.below(bytes.len() / 64 + 1) * 64 + 16,
            };
            bytes.truncate(length);
        });
    }
}

#[test]
fn root_ranking_uses_the_fifty_move_clock() {
    let tables = open(&own_folder());
    let rank = |fen: &str, fifty_moves: bool| {
        let game = Game::new(board(fen));
        let moves = game.board().legal_moves();
        let ranking = tables.rank_moves(&game, &moves, fifty_moves).expect("a ranking");
        assert!(ranking.by_dtz);
        *ranking.moves.iter().max_by_key(|ranked| ranked.rank).expect("there are moves")
    };
    // The mate with the rook takes between ten and fifty plies.
    let fen = |clock: u32| format!("8/8/8/3k4/8/8/8/K6R w - - {clock} 90");
    assert_eq!(rank(&fen(0), true).wdl, Wdl::Win);
    assert_eq!(rank(&fen(50), true).wdl, Wdl::Win);
    assert_eq!(rank(&fen(90), true).wdl, Wdl::CursedWin);
    assert_eq!(rank(&fen(90), false).wdl, Wdl::Win);
    // The pawn must move now, or the game is drawn.
    let must_push = rank("8/8/3k4/8/8/4K3/P7/8 w - - 99 90", true);
    assert!(must_push.mv.to_string().starts_with("a2a"), "{must_push:?}");
}

#[test]
fn after_a_repetition_the_ranking_prefers_progress() {
    let tables = open(&own_folder());
    let mut game = Game::new(board("8/8/8/3k4/8/8/8/K6R w - - 0 1"));
    play(&mut game, "h1h2 d5d4 h2h1 d4d5");
    let moves = game.board().legal_moves();
    let ranking = tables.rank_moves(&game, &moves, true).expect("a ranking");
    let best = ranking.moves.iter().max_by_key(|ranked| ranked.rank).expect("there are moves");
    let dtz = tables.probe_dtz(game.board()).expect("the table is there");
    let child = game.board().make(best.mv);
    let next = tables.probe_dtz(&child).expect("the table is there");
    assert!(dtz > 0 && next.abs() < dtz, "{dtz} {next}");
}
