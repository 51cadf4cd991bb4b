//! The tablebases: their values are exact, damaged files do no harm, and with them the
//! engine wins what is won.
//!
//! A few small tables are in `tests/data/syzygy`. More is tested if all tables with four
//! pieces are there: in `../shared/data/syzygy`, or in the folder that the environment
//! variable `CARRYBIT_SYZYGY` names.

mod engine_support;
mod support;
mod uci_support;

use std::env;
use std::fs;
use std::io::{self, Write};
#[cfg(unix)]
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
#[cfg(unix)]
use std::process::Command;
use std::time::{Duration, Instant};

use carrybit::board::draw::{clock_limit, is_repetition};
use carrybit::board::{Board, Game, Move};
use carrybit::engine::Engine;
use carrybit::eval::endings;
use carrybit::score::{TABLEBASE_WIN, is_mate, is_win};
use carrybit::search::limits::{Outcome, Report};
use carrybit::tablebase::{Tablebases, Wdl};
use engine_support::{engine_with, open, own_folder};
use support::{Rng, board, find_move, random_boards, random_colours};
use support::{random_placing, rows};
#[cfg(unix)]
use uci_support::Conversation;

/// The tables that are always there.
const OWN_TABLES: [&str; 5] = ["KBvK", "KNvK", "KPvK", "KQvK", "KRvK"];

/// Says that something is not tested, bypassing the test harness, which would hide that.
fn skip(what: &str) {
    let _ = writeln!(io::stderr(), "SKIPPED: {what}");
}

/// The folder with all tables of four pieces; if there is none, says so.
fn shared_folder(test: &str) -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/syzygy");
    let folder = env::var_os("CARRYBIT_SYZYGY").map_or(beside, PathBuf::from);
    if folder.join("KRvKN.rtbz").is_file() {
        return Some(folder);
    }
    skip(&format!("{test}: no tables of four pieces in {}", folder.display()));
    None
}

/// An empty folder for a test to write into.
fn scratch_folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tablebase").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a scratch folder");
    folder
}

/// Checks a file `fen,wdl,dtz`; returns how many lines it has.
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
fn the_values_of_the_small_tables_are_exact() {
    let tables = open(&own_folder());
    assert_eq!((tables.counts(), tables.max_pieces()), ([5, 5], 3));
    assert_eq!(check_vectors(&tables, &own_folder().join("vectors.csv")), 500);
}

#[test]
fn the_values_of_all_tables_of_four_men_are_exact() {
    let Some(folder) = shared_folder("values of four men") else { return };
    let tables = open(&folder);
    assert_eq!((tables.counts(), tables.max_pieces()), ([35, 35], 4));
    assert_eq!(check_vectors(&tables, &folder.join("probe_vectors.csv")), 3650);
}

/// What follows from the rules alone: the value is that of the best move.
#[test]
fn outcomes_are_those_of_the_best_move() {
    let Some(folder) = shared_folder("outcomes of best moves") else { return };
    let tables = open(&folder);
    for men in ["KQkr", "KPkp", "KRkn", "KPPk", "KBPk", "KNkp", "KRkp"] {
        for position in random_boards(3, men, 150) {
            let wdl = tables.probe_wdl(&position).expect("the table is there");
            let child = |&mv: &Move| position.make(mv);
            let values = position.legal_moves();
            let values = values.iter().map(|mv| -tables.probe_wdl(&child(mv)).expect("there"));
            let stuck = if position.in_check() { Wdl::Loss } else { Wdl::Draw };
            assert_eq!(wdl, values.max().unwrap_or(stuck), "{position:?}");
            let dtz = tables.probe_dtz(&position).expect("the table is there");
            assert_eq!(dtz.signum(), wdl.sign(), "{position:?}");
        }
    }
}

#[test]
fn what_tables_cannot_know_is_not_known() {
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
    let none = Tablebases::open("").0;
    assert_eq!(none.probe_wdl(&board("4k3/8/8/8/8/8/8/4KQ2 w - - 0 1")), None);
    let bare_kings = board("4k3/8/8/8/8/8/8/4K3 w - - 0 1");
    assert_eq!(tables.probe_wdl(&bare_kings), Some(Wdl::Draw));
}

#[test]
fn folders_and_files_that_are_no_tables_are_left_out() {
    let folder = scratch_folder("no-tables");
    fs::create_dir(folder.join("KQvK.rtbw")).expect("a folder with a table's name");
    fs::write(folder.join("KRvK.rtbw"), b"").expect("an empty file");
    fs::write(folder.join("KBvK.rtbw"), [0; 80]).expect("zeros");
    fs::copy(own_folder().join("KPvK.rtbw"), folder.join("KNvK.rtbw")).expect("a wrong name");
    fs::copy(own_folder().join("KPvK.rtbw"), folder.join("KPvK.rtbz")).expect("a wrong kind");
    fs::write(folder.join("notes.txt"), b"no table").expect("another file");
    fs::write(folder.join("KKvK.rtbw"), b"no table").expect("another file");
    let path = folder.to_str().expect("a readable path");
    let (tables, problems) = Tablebases::open(&format!("{path};{path}/missing;"));
    assert_eq!((tables.counts(), tables.max_pieces()), ([0, 0], 0));
    assert_eq!(problems.len(), 6, "{problems:#?}");
    for name in ["KQvK", "KRvK", "KBvK", "KNvK", "KPvK", "missing"] {
        assert!(problems.iter().any(|problem| problem.contains(name)), "{name} in {problems:#?}");
    }
}

/// A pipe that nobody writes to: whoever opens it waits for ever.
#[cfg(unix)]
fn make_pipe(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status().expect("mkfifo is there");
    assert!(made.success(), "{}", path.display());
}

#[cfg(unix)]
#[test]
fn pipes_and_devices_are_named_at_once_and_left_out() {
    let folder = scratch_folder("pipes");
    // Tables of up to five pieces are opened at once, others when they are first needed.
    for name in ["pipe", "KQvK.rtbw", "KQvK.rtbz", "KRBNvKRN.rtbw"] {
        make_pipe(&folder.join(name));
    }
    for name in ["KRvK.rtbw", "KRRBvKQQ.rtbw"] {
        symlink("/dev/zero", folder.join(name)).expect("a link");
    }
    symlink("nowhere", folder.join("KQQvKRBN.rtbz")).expect("a link");
    fs::write(folder.join("file"), "no folder").expect("a file");
    let path = folder.display().to_string();
    let paths = format!("{path}/pipe;{path}/file;/dev/zero;{path}");
    let conversation = Conversation::start();
    let answer = conversation.ask(&format!("setoption name SyzygyPath value {paths}"));
    let mut named = vec!["pipe", "file", "/dev/zero", "KQQvKRBN.rtbz", "KQvK.rtbw", "KQvK.rtbz"];
    named.extend(["KRBNvKRN.rtbw", "KRRBvKQQ.rtbw"]);
    for (line, name) in answer.iter().zip(&named) {
        let is_named = line.contains(&format!("{name}: "));
        assert!(line.starts_with("info string ignoring ") && is_named, "{name} in {answer:#?}");
    }
    let rest =
        ["info string and 1 more problems with tablebases", "info string found no tablebases"];
    assert_eq!(answer[named.len()..], rest);
    let board = "position fen 4k3/8/8/8/8/8/8/QB2K1NR w - - 0 1";
    conversation.search(&[board, "go depth 2"]);
    conversation.end();
}

#[test]
fn tables_in_memory_are_those_in_files() {
    let files = || {
        OWN_TABLES.iter().flat_map(|name| [format!("{name}.rtbw"), format!("{name}.rtbz")]).map(
            |name| {
                let bytes = fs::read(own_folder().join(&name)).expect("a table");
                (name, bytes.into_boxed_slice())
            },
        )
    };
    let files: Vec<(String, Box<[u8]>)> = files().collect();
    let files = files.iter().map(|(name, bytes)| (name.as_str(), bytes.clone()));
    let (tables, problems) = Tablebases::of_files(files);
    assert_eq!(problems, Vec::<String>::new());
    assert_eq!((tables.counts(), tables.max_pieces()), ([5, 5], 3));
    assert_eq!(check_vectors(&tables, &own_folder().join("vectors.csv")), 500);
    let (none, problems) = Tablebases::of_files([("KQvK.rtbw", Box::from([1, 2, 3]))]);
    assert_eq!((none.max_pieces(), problems.len()), (0, 1));
}

#[test]
fn paths_may_have_several_folders() {
    let folder = scratch_folder("several");
    for kind in ["rtbw", "rtbz"] {
        let name = format!("KQvK.{kind}");
        fs::copy(own_folder().join(&name), folder.join(&name)).expect("a copy");
    }
    let (first, second) = (folder.display(), own_folder());
    let separator = if cfg!(windows) { ';' } else { ':' };
    for path in [
        format!("{first};{}", second.display()),
        format!(" {first} {separator} {} {separator}", second.display()),
    ] {
        let (tables, problems) = Tablebases::open(&path);
        assert_eq!((tables.counts(), problems.len()), ([5, 5], 0), "{path}");
    }
}

/// Opening a pipe would wait for ever.
#[cfg(unix)]
#[test]
fn pipes_are_left_out() {
    let folder = scratch_folder("pipe");
    let made = std::process::Command::new("mkfifo").arg(folder.join("KQvK.rtbw")).status();
    if !made.is_ok_and(|status| status.success()) {
        return skip("pipes: there is no mkfifo");
    }
    let (tables, problems) = Tablebases::open(folder.to_str().expect("a readable path"));
    assert_eq!((tables.counts(), problems.len()), ([0, 0], 1));
}

/// Probes everything that can be probed; the answers do not matter.
fn ask_all(folder: &Path, boards: &[Board]) {
    let (tables, _) = Tablebases::open(folder.to_str().expect("a readable path"));
    for board in boards {
        let _ = tables.probe_wdl(board);
        let _ = tables.probe_dtz(board);
    }
    let game = Game::new(boards[0].clone());
    let _ = tables.rank_moves(&game, &boards[0].legal_moves(), true);
}

/// Hands damaged copies of the table `name` from `source` to [`ask_all`], `count` of each
/// of its two files, made by `damage` from the file's bytes.
fn damage_table(
    source: &Path,
    name: &str,
    men: &str,
    count: usize,
    mut damage: impl FnMut(&mut Rng, usize, &mut Vec<u8>),
) {
    let mut rng = Rng(name.len() as u64 + count as u64);
    let boards = random_boards(11, men, 24);
    let folder = scratch_folder(&format!("{name}-{count}"));
    let kinds = ["rtbw", "rtbz"].map(|kind| format!("{name}.{kind}"));
    for file in &kinds {
        let whole = fs::read(source.join(file)).expect("the table is there");
        for other in &kinds {
            // Read and written: a copy would be read only where the tables are.
            let bytes = fs::read(source.join(other)).expect("the table is there");
            fs::write(folder.join(other), bytes).expect("a copy");
        }
        for nth in 0..count {
            let mut bytes = whole.clone();
            damage(&mut rng, nth, &mut bytes);
            fs::write(folder.join(file), bytes).expect("a damaged copy");
            ask_all(&folder, &boards);
        }
    }
}

/// Changes a bit near the beginning of the file (where its structure is described) or
/// anywhere, or several bytes.
fn flip(rng: &mut Rng, nth: usize, bytes: &mut [u8]) {
    const HEADER_BYTES: usize = 160;
    let reach = if nth.is_multiple_of(2) { HEADER_BYTES.min(bytes.len()) } else { bytes.len() };
    if nth % 3 < 2 {
        bytes[rng.below(reach)] ^= 1 << rng.below(8);
    } else {
        for _ in 0..=rng.below(8) {
            bytes[rng.below(reach)] = rng.next() as u8;
        }
    }
}

#[test]
fn flipped_bits_do_no_harm() {
    for (name, men) in [("KPvK", "KPk"), ("KQvK", "KQk"), ("KRvK", "KRk"), ("KNvK", "KNk")] {
        damage_table(&own_folder(), name, men, 1500, |rng, nth, bytes| flip(rng, nth, bytes));
    }
    let Some(folder) = shared_folder("flipped bits of four men") else { return };
    for (name, men) in [("KPvKP", "KPkp"), ("KNvKN", "KNkn"), ("KQvKR", "KQkr")] {
        damage_table(&folder, name, men, 300, |rng, nth, bytes| flip(rng, nth, bytes));
    }
}

#[test]
fn every_bit_of_a_small_table_can_be_wrong() {
    let bits = 8 * fs::read(own_folder().join("KQvK.rtbw")).expect("the table").len();
    damage_table(&own_folder(), "KQvK", "KQk", bits, |_, nth, bytes| {
        bytes[nth / 8] ^= 1 << (nth % 8);
    });
}

#[test]
fn truncated_files_do_no_harm() {
    for name in OWN_TABLES {
        let men = format!("K{}k", &name[1..2]);
        damage_table(&own_folder(), name, &men, 250, |rng, nth, bytes| {
            // All short lengths; half of the others are lengths that tables have.
            let length = match nth {
                0..100 => nth,
                _ if nth % 2 == 0 => rng.below(bytes.len()),
                _ => rng.below(bytes.len() / 64 + 1) * 64 + 16,
            };
            bytes.truncate(length);
        });
    }
}

/// Searches to the end: the last report and the outcome.
fn search(engine: &mut Engine, game: &Game, nodes: u64) -> (Report, Outcome) {
    engine.set_game(game.clone());
    let (mut reports, outcome) = engine_support::search(engine, engine_support::nodes(nodes));
    (reports.pop().expect("a report"), outcome)
}

#[test]
fn scores_tell_what_the_tables_know() {
    let mut engine = engine_with(&own_folder());
    let ask = |engine: &mut Engine, fen: &str| search(engine, &Game::new(board(fen)), 3000).0;
    let won = ask(&mut engine, "8/8/4k3/8/8/4K3/4P3/8 w - - 0 1");
    assert!(won.score == TABLEBASE_WIN && won.tb_hits > 0, "{won:?}");
    let lost = ask(&mut engine, "8/8/8/8/4k3/8/4K3/q7 w - - 0 1");
    assert!(lost.score == -TABLEBASE_WIN || is_mate(lost.score), "{lost:?}");
    let drawn = ask(&mut engine, "8/8/8/4k3/8/4K3/4P3/8 w - - 0 1");
    assert!(drawn.score == 0 && drawn.tb_hits > 0, "{drawn:?}");
    // A mate says more than the tablebases.
    let mate = ask(&mut engine, "k7/8/1K6/8/8/8/8/5Q2 w - - 0 1");
    assert_eq!(carrybit::score::mate_in_moves(mate.score), Some(1));
    // One capture away from the tablebases, below the root.
    for fen in ["8/8/8/8/1b1K4/2P5/8/7k w - - 0 1", "7K/8/2p5/1B1k4/8/8/8/8 b - - 0 1"] {
        let beside = ask(&mut engine, fen);
        assert!(is_win(beside.score) && beside.tb_hits > 0, "{beside:?}");
    }
}

#[test]
fn settings_limit_what_is_looked_up() {
    let mut engine = engine_with(&own_folder());
    let game = Game::new(board("8/8/4k3/8/8/4K3/4P3/8 w - - 0 1"));
    engine.settings_mut().probing.max_pieces = 2;
    assert_eq!(search(&mut engine, &game, 3000).0.tb_hits, 0);
    engine.settings_mut().probing.max_pieces = 3;
    assert!(search(&mut engine, &game, 3000).0.tb_hits > 0);
    // Here only nodes below the root can be probed.
    let game = Game::new(board("8/8/8/8/1b1K4/2P5/8/7k w - - 0 1"));
    assert!(search(&mut engine, &game, 3000).0.tb_hits > 0);
    engine.clear();
    engine.settings_mut().probing.min_depth = 100;
    assert_eq!(search(&mut engine, &game, 3000).0.tb_hits, 0);
}

#[test]
fn the_fifty_move_clock_counts_at_the_root() {
    let tables = open(&own_folder());
    let rank = |fen: &str, fifty_moves: bool| {
        let game = Game::new(board(fen));
        let moves = game.board().legal_moves();
        let ranking = tables.rank_moves(&game, &moves, fifty_moves).expect("the tables know");
        assert!(ranking.by_dtz);
        *ranking.moves.iter().max_by_key(|ranked| ranked.rank).expect("there are moves")
    };
    // A mate with the rook from here takes more than ten plies, but less than fifty.
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
fn without_dtz_tables_the_outcome_is_still_kept() {
    let folder = scratch_folder("wdl-only");
    for name in OWN_TABLES.map(|name| format!("{name}.rtbw")) {
        fs::copy(own_folder().join(&name), folder.join(&name)).expect("a copy");
    }
    let tables = open(&folder);
    assert_eq!(tables.counts(), [5, 0]);
    // Some moves draw, the others lose.
    let game = Game::new(board("8/3k4/8/3PK3/8/8/8/8 b - - 0 1"));
    let moves = game.board().legal_moves();
    let ranking = tables.rank_moves(&game, &moves, true).expect("the tables know");
    assert!(!ranking.by_dtz);
    for ranked in &ranking.moves {
        let child = game.board().make(ranked.mv);
        assert_eq!(Some(-ranked.wdl), tables.probe_wdl(&child));
    }
    let mut engine = engine_with(&folder);
    let (report, outcome) = search(&mut engine, &game, 2000);
    assert_eq!(report.score, 0);
    let best = game.board().make(outcome.best.expect("a move"));
    assert_eq!(tables.probe_wdl(&best), Some(Wdl::Draw));
}

#[test]
fn a_repetition_makes_the_winner_hurry() {
    let tables = open(&own_folder());
    let mut game = Game::new(board("8/8/8/3k4/8/8/8/K6R w - - 0 1"));
    for text in ["h1h2", "d5d4", "h2h1", "d4d5"] {
        game.play(find_move(game.board(), text, false));
    }
    let moves = game.board().legal_moves();
    let ranking = tables.rank_moves(&game, &moves, true).expect("the tables know");
    let best = ranking.moves.iter().max_by_key(|ranked| ranked.rank).expect("there are moves");
    let dtz = tables.probe_dtz(game.board()).expect("the table is there");
    let child = game.board().make(best.mv);
    let next = tables.probe_dtz(&child).expect("the table is there");
    assert!(dtz > 0 && next.abs() < dtz, "{dtz} {next}");
}

/// The defence that lasts the longest.
fn best_defence(tables: &Tablebases, board: &Board) -> Move {
    let plies = |&&mv: &&Move| {
        let child = board.make(mv);
        match tables.probe_dtz(&child).expect("the table is there") {
            dtz if dtz > 0 => dtz,
            // A mistake of the winner: a draw, or better.
            dtz => 1000 - dtz,
        }
    };
    let moves = board.legal_moves();
    *moves.iter().max_by_key(plies).expect("the game goes on")
}

/// Plays a won position out, the winner with `nodes` per move. `Err` says how the win was
/// missed.
fn play_out(
    engine: &mut Engine,
    tables: &Tablebases,
    start: &Board,
    nodes: u64,
) -> Result<(), String> {
    let winner = start.side();
    let mut game = Game::new(start.clone());
    loop {
        let (board, history) = (game.board(), game.history());
        if !board.has_legal_move() {
            let is_mate = board.in_check() && board.side() != winner;
            return if is_mate { Ok(()) } else { Err("not mate".to_owned()) };
        }
        let limit = clock_limit(start.halfmove());
        if board.is_drawn_at(limit) || board.is_insufficient_material() {
            return Err(format!("drawn: {}", board.fen(false)));
        }
        if is_repetition(history, board.key(), board.halfmove(), history.len()) {
            return Err(format!("repeated: {}", board.fen(false)));
        }
        let mv = if board.side() == winner {
            let (report, outcome) = search(engine, &game, nodes);
            if !is_win(report.score) {
                return Err(format!("score {} in {}", report.score, board.fen(false)));
            }
            outcome.best.expect("there is a move")
        } else {
            best_defence(tables, board)
        };
        game.play(mv);
    }
}

#[test]
fn won_endgames_are_won() {
    const GAMES: usize = 25;
    const NODES: u64 = 2000;
    let Some(folder) = shared_folder("won endgames") else { return };
    let tables = open(&folder);
    let mut engine = engine_with(&folder);
    let mut failures = Vec::new();
    for men in ["KBNk", "KQkr", "KPk", "KRkn"] {
        let mut rng = Rng(2026);
        let mut games = 0;
        while games < GAMES {
            let colours = random_colours(&mut rng, men);
            let Some(start) = random_placing(&mut rng, &colours) else { continue };
            // Not those that end with the next capture.
            let is_long = tables.probe_dtz(&start).is_some_and(|dtz| dtz > 1);
            if !is_long || tables.probe_wdl(&start) != Some(Wdl::Win) {
                continue;
            }
            games += 1;
            engine.clear();
            if let Err(problem) = play_out(&mut engine, &tables, &start, NODES) {
                failures.push(format!("{}: {problem}", start.fen(false)));
            }
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

#[test]
fn won_endgames_are_won_after_fifty_moves_unclaimed() {
    let tables = open(&own_folder());
    let mut engine = engine_with(&own_folder());
    for fen in
        ["8/8/8/3k4/8/8/8/K6R w - -", "8/8/8/3k4/8/8/8/KQ6 w - -", "8/8/4k3/8/8/4K3/4P3/8 w - -"]
    {
        for clock in [100, 117, 150] {
            let start = board(&format!("{fen} {clock} 120"));
            engine.clear();
            assert_eq!(play_out(&mut engine, &tables, &start, 1000), Ok(()), "{fen} at {clock}");
        }
    }
}

/// Compares what the evaluation knows of an ending with the tables. A win may need a few
/// plies of search to be seen: it counts where nothing can be taken and it is not
/// stalemate. Returns how many positions it knows, and how many of its wins are draws.
fn compare_known(tables: &Tablebases, boards: &[Board]) -> (usize, usize) {
    let (mut known, mut spoilt) = (0, 0);
    for position in boards {
        let moves = position.legal_moves();
        let is_quiet = !moves.is_empty() && !moves.iter().any(|mv| mv.is_capture());
        let Some(eval) = endings::known(position) else { continue };
        known += 1;
        match (tables.probe_wdl(position), eval.signum()) {
            (Some(Wdl::Draw), 0) | (Some(Wdl::Win), 1) | (Some(Wdl::Loss), -1) => {}
            (Some(Wdl::Draw), -1) if !is_quiet => {}
            (Some(Wdl::Draw), _) => spoilt += 1,
            (outcome, _) => panic!("{eval}, but {outcome:?}: {position:?}"),
        }
    }
    (known, spoilt)
}

#[test]
fn known_endings_of_three_men_are_those_of_the_tables() {
    let tables = open(&own_folder());
    for men in ["KBk", "KNk", "KQk", "KRk", "KPk"] {
        let boards = random_boards(41, men, 40_000);
        assert_eq!(compare_known(&tables, &boards), (40_000, 0), "{men}");
    }
}

#[test]
fn known_endings_of_four_men_are_those_of_the_tables() {
    let Some(folder) = shared_folder("known endings of four men") else { return };
    let tables = open(&folder);
    for men in ["KNNk", "KBkb", "KBkn", "KNkn", "KBPk", "KPPk", "KQQk", "KQRk", "KRRk"]
        .into_iter()
        .chain(["KQBk", "KQNk", "KRBk", "KRNk", "KQPk", "KRPk", "KBBk", "KBNk", "KNPk"])
    {
        let (known, spoilt) = compare_known(&tables, &random_boards(43, men, 1000));
        let is_partly_known = ["KPPk", "KBPk", "KNPk"].contains(&men);
        assert!(is_partly_known || known == 1000, "{men}: {known}");
        // A bishop or a knight may be forked by the king.
        let is_lost = if men == "KBNk" { spoilt <= 20 } else { spoilt == 0 };
        assert!(is_lost, "{men}: {spoilt} of {known}");
    }
}

#[test]
fn a_win_that_is_known_takes_little_thought() {
    let mut engine = engine_with(&own_folder());
    for fen in ["8/8/8/3k4/8/8/8/Q3K3 w - - 0 1", "8/8/8/8/3k4/3p4/8/7K b - - 0 1"] {
        engine.set_game(Game::new(board(fen)));
        let begun = Instant::now();
        let (reports, _) = engine_support::search(&mut engine, engine_support::clock(3_600_000, 0));
        assert!(begun.elapsed() < Duration::from_secs(5), "{fen}");
        assert!(reports.last().is_some_and(|report| is_win(report.score)), "{fen}");
    }
}
