//! Self-play: shards are reproducible, resume after damage, and are never overwritten.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::support::{bytes, folder, games, name, program, succeed};
use carrybit::{Board, CastlingMode, Color, Game};
use clap::Parser;
use workshop::command::Arguments;
use workshop::error::Error;
use workshop::games::GameRecord;
use workshop::games::shard::{Shard, Writer};

/// The path of a shard in an empty folder.
fn new_shard(folder: &str) -> PathBuf {
    crate::support::folder(folder).join("games.vf")
}

/// The settings file of a shard.
fn settings(shard: &Path) -> PathBuf {
    PathBuf::from(format!("{}.toml", shard.display()))
}

/// Runs a command on a shard and returns its output.
fn run(words: &[&str], shard: &Path) -> Result<String, Error> {
    crate::support::run(&[&[words[0], name(shard)], &words[1..]].concat())
}

fn play(shard: &Path, options: &[&str]) -> Result<String, Error> {
    run(&[&["play", "--seed", "7", "--nodes", "20"], options].concat(), shard)
}

/// Plays, which must fail with this message.
#[track_caller]
fn assert_refused(shard: &Path, options: &[&str], message: &str) {
    let error = play(shard, options).expect_err(message).to_string();
    assert!(error.contains(message), "{error}");
}

#[test]
fn random_games_do_not_depend_on_the_threads() {
    let folder = folder("random");
    let [one, three] = ["one.vf", "three.vf"].map(|name| folder.join(name));
    let play_random = |shard: &Path, options: &[&str]| {
        run(&[&["play", "--random", "--seed", "7"], options].concat(), shard).expect("games");
    };
    play_random(&one, &["--games", "200", "--threads", "1"]);
    play_random(&three, &["--games", "50", "--threads", "3"]);
    play_random(&three, &["--games", "200", "--threads", "3"]);
    assert_eq!(bytes(&one), bytes(&three));
    let text = fs::read_to_string(settings(&one)).expect("settings");
    assert!(text.contains("evaluation = \"material, random moves\""), "{text}");
    assert_refused(&one, &["--games", "201"], "begun with other settings");
}

#[test]
fn damaged_shard_resumes_to_the_same_file() {
    let shard = new_shard("damaged");
    play(&shard, &["--games", "3", "--threads", "1"]).expect("games");
    let (whole, written) = (bytes(&shard), games(&shard));
    assert_ne!(written[0], written[1]);
    let (len, two_thirds) = (whole.len(), 2 * whole.len() / 3);
    let cut = [0, 31, 40, two_thirds, len - 1, len].map(|kept| (kept, 0));
    // Zeros from within a first position, the moves or a game's end. The file keeps its length or
    // grows.
    let in_games = [(10, len - 10), (40, 1), (two_thirds, 4096)];
    let at_the_end = [(len - 9, 9), (len - 2, 10_000), (len, 1), (len, 36), (len, 37)];
    for (kept, zeros) in cut.into_iter().chain(in_games).chain(at_the_end) {
        fs::write(&shard, [&whole[..kept], &vec![0; zeros]].concat()).expect("a file");
        let left = games(&shard);
        assert_eq!(left, written[..left.len()], "{zeros} zeros after {kept} bytes");
        assert!(zeros == 0 || left.len() < 3, "zeros may have replaced the end of the last game");
        play(&shard, &["--games", "3", "--threads", "2"]).expect("games");
        assert_eq!(bytes(&shard), whole, "{zeros} zeros after {kept} bytes");
    }
}

#[test]
fn error_of_an_invalid_game_says_how_to_keep_the_others() {
    let shard = new_shard("advice");
    play(&shard, &["--games", "2"]).expect("games");
    let whole = bytes(&shard);
    let first = whole.len() - Shard::read(&shard).expect("a shard").raw(1).len();
    let mut broken = whole.clone();
    broken[first..first + 8].fill(0);
    fs::write(&shard, &broken).expect("a file");
    assert_refused(&shard, &["--games", "2"], "games.vf, game 2: ");
    assert_refused(&shard, &["--games", "2"], &format!("truncate -s {first} {}", name(&shard)));
    fs::write(&shard, &broken[..first]).expect("a file");
    play(&shard, &["--games", "2"]).expect("games");
    assert_eq!(bytes(&shard), whole);
    // Without a valid game at its beginning, the file may not be a shard: no advice.
    fs::write(&shard, &broken[first..]).expect("a file");
    let error = play(&shard, &["--games", "2"]).expect_err("an invalid game").to_string();
    assert!(error.contains("game 1: ") && !error.contains("truncate"), "{error}");
}

#[test]
fn limits_include_existing_games() {
    let shard = new_shard("limits");
    play(&shard, &["--games", "2"]).expect("games");
    let before = bytes(&shard);
    for limit in [["--games", "2"], ["--positions", "1"], ["--seconds", "0"]] {
        play(&shard, &limit).expect("no game to play");
    }
    assert_eq!(bytes(&shard), before);
    assert_refused(&shard, &[], "a limit is missing");
}

#[test]
fn other_files_are_refused_and_unchanged() {
    let letter = "Dear reader,\n".repeat(50);
    for (content, toml, message) in [
        (Some(letter.as_str()), None, "game 1: "),
        (Some("hello"), None, "its settings are missing"),
        (None, Some("[package]\n"), "not the settings of a shard"),
    ] {
        let shard = new_shard("foreign");
        let files = [(shard.clone(), content), (settings(&shard), toml)];
        for (path, content) in &files {
            content.map(|content| fs::write(path, content).expect("a file"));
        }
        assert_refused(&shard, &["--games", "1"], message);
        for (path, content) in &files {
            assert_eq!(fs::read_to_string(path).ok().as_deref(), *content, "{}", path.display());
        }
    }
}

#[test]
fn shard_is_continued_by_another_version_but_not_with_other_settings_or_rules() {
    let shard = new_shard("rules");
    play(&shard, &["--games", "2"]).expect("games");
    let (whole, text) = (bytes(&shard), fs::read_to_string(settings(&shard)).expect("settings"));
    assert_refused(&shard, &["--random-plies", "9", "--games", "3"], "begun with other settings");
    for rule in ["hash 1 MB", "8 times", "within 200 cp", "won at 600 cp", "at ply 500"] {
        assert_eq!(text.matches(rule).count(), 1, "{rule} in {text}");
        fs::write(settings(&shard), text.replace(rule, "something else")).expect("a file");
        assert_refused(&shard, &["--games", "3"], "begun with other settings");
    }
    assert_eq!(bytes(&shard), whole);
    let older = text.replace(&format!("version = {:?}", carrybit::VERSION), "version = \"0.0.1\"");
    assert_ne!(older, text);
    fs::write(settings(&shard), &older).expect("a file");
    fs::write(&shard, &whole[..whole.len() - 1]).expect("a file");
    play(&shard, &["--games", "2"]).expect("games");
    assert_eq!(bytes(&shard), whole);
    // The settings keep the version that began the shard.
    assert_eq!(fs::read_to_string(settings(&shard)).expect("settings"), older);
}

#[test]
fn time_limit_interrupts_a_search() {
    let shard = new_shard("seconds");
    // A billion nodes would take many minutes.
    run(&["play", "--nodes", "1000000000", "--seconds", "1"], &shard).expect("no game");
    assert!(bytes(&shard).is_empty());
}

#[test]
fn empty_shard_with_empty_settings_is_begun() {
    // A kill before the first game may leave two empty files.
    let shard = new_shard("empty");
    fs::write(&shard, []).expect("a file");
    fs::write(settings(&shard), []).expect("a file");
    play(&shard, &["--games", "1"]).expect("a game");
    assert_eq!(games(&shard).len(), 1);
}

#[test]
fn numbers_out_of_range_and_options_that_exclude_each_other_are_errors() {
    for bad in [
        ["--random-plies", "101"],
        ["--nodes", "0"],
        ["--nodes", "1000000001"],
        ["--threads", "0"],
        ["--threads", "1025"],
        ["--random", "--net=x"],
        ["--random", "--nodes=9"],
        ["--random", "--random-plies=9"],
        ["--random", "--chess960"],
    ] {
        let words = ["workshop", "play", "x.vf", "--games", "1"].iter().chain(&bad);
        assert!(Arguments::try_parse_from(words).is_err(), "{bad:?}");
    }
}

#[test]
fn last_score_agrees_with_the_result() {
    let shard = new_shard("signs");
    play(&shard, &["--games", "12"]).expect("games");
    let mut decided = 0;
    for game in games(&shard) {
        let last = game.moves.last().map_or(0, |(_, white_score)| *white_score);
        if let Some(winner) = game.winner {
            assert!(if winner == Color::White { last > 0 } else { last < 0 }, "{winner:?} {last}");
            decided += 1;
        }
    }
    assert!(decided > 3, "{decided}");
}

#[test]
fn second_writer_of_a_shard_is_refused() {
    let shard = new_shard("writers");
    let writer = Writer::open(&shard).expect("a new shard");
    assert_refused(&shard, &["--games", "1"], "another process is writing to it");
    drop(writer);
    play(&shard, &["--games", "1"]).expect("a game");
}

/// A game with these moves.
fn record(fen: &str, moves: &[&str], winner: Option<Color>) -> GameRecord {
    let start: Board = fen.parse().expect("a FEN");
    let mut game = Game::new(start.clone());
    let moves = (-31_000..).step_by(7_500).zip(moves).map(|(score, text)| {
        let legal = game.board().legal_moves();
        let mv = legal.iter().copied().find(|&mv| mv.uci(CastlingMode::Chess960) == *text);
        let mv = mv.unwrap_or_else(|| panic!("{text} is not legal"));
        game.play(mv);
        (mv, score)
    });
    GameRecord { moves: moves.collect(), start, winner }
}

#[test]
fn all_kinds_of_moves_survive_writing_and_reading() {
    let shard = new_shard("moves");
    let white = Some(Color::White);
    let written = [
        record(
            "r3k2r/1P4P1/8/2p5/3P4/8/P4P2/R3K2R w KQkq - 0 20",
            &["b7a8n", "c5c4", "g7h8q", "e8e7", "e1h1", "c4c3", "a2a4"],
            None,
        ),
        record("4k3/3p4/8/4P3/8/8/8/R3K3 b Q - 3 9", &["d7d5", "e5d6", "e8f8", "e1a1"], white),
        record("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", &[], white),
        record("1kr3r1/8/8/8/8/8/1P6/1R1K3R b H - 0 1", &["g8h8", "d1h1"], Some(Color::Black)),
        record("8/k1P5/8/8/8/8/2p5/K7 b - - 99 200", &["c2c1r", "a1b2", "a7b7", "c7c8b"], white),
    ];
    let mut writer = Writer::open(&shard).expect("a new shard");
    for record in written.iter().chain(&written[..1]) {
        writer.append(record).expect("space on the disk");
    }
    drop(writer);
    assert_eq!(games(&shard)[..5], written);
    let output = run(&["stats"], &shard).expect("valid games");
    let counts: Vec<&str> = output.lines().flat_map(|line| line.split_whitespace()).collect();
    let expected = [
        ["games", "6", "won", "by", "White", "3", "50.00", "%"].as_slice(),
        &["drawn", "2", "33.33", "%", "won", "by", "Black", "1", "16.67", "%"],
        &["from", "a", "known", "start", "1", "16.67", "%", "positions", "24"],
        &["quiet", "14", "58.33", "%", "with", "a", "mate", "in", "sight", "0", "0.00", "%"],
        &["seen", "before", "7", "29.17", "%", "plies", "for", "each", "game", "4.0"],
        &["positions", "by", "White's", "score"],
    ]
    .concat();
    assert_eq!(counts[..expected.len()], expected, "{output}");
    let bars = output.lines().filter_map(|line| line.strip_prefix("  from ")?.split_once(" cp "));
    let bars: Vec<&str> = bars.map(|(score, _)| score).collect();
    // The scores are -31000, -23500, and so on; the first and last bars include all beyond.
    assert_eq!(bars, ["-2500", "-1000", "2400"], "{output}");
}

#[test]
fn inner_rook_keeps_its_castling_right() {
    let shard = new_shard("inner");
    let written = record("1r1k1r2/8/8/8/8/8/8/RR1K1R2 w BFf - 0 1", &["d1b1", "d8e8"], None);
    Writer::open(&shard).and_then(|mut writer| writer.append(&written)).expect("a new shard");
    assert_eq!(games(&shard), [written]);
}

#[test]
fn chess960_games_begin_at_many_positions_and_return_from_pgn() {
    let shard = new_shard("chess960");
    play(&shard, &["--chess960", "--random-plies", "0", "--games", "12"]).expect("games");
    let starts: BTreeSet<String> = games(&shard).iter().map(|game| game.start.fen()).collect();
    assert!(starts.len() > 10, "{starts:?}");
    crate::pgn::assert_round_trip(&shard);
}

#[test]
fn invalid_bytes_are_an_error_and_never_a_panic() {
    let shard = new_shard("hostile");
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let game = record(start, &["e2e4", "e7e5", "g1f3"], None);
    Writer::open(&shard).and_then(|mut writer| writer.append(&game)).expect("a new shard");
    let valid = bytes(&shard);
    let mut errors = 0;
    for at in 0..valid.len() {
        for flip in [1, 4, 0x80, 0xFF] {
            let mut hostile = valid.clone();
            hostile[at] ^= flip;
            fs::write(&shard, hostile).expect("a file");
            errors += u32::from(run(&["stats"], &shard).is_err());
        }
    }
    // Changes of scores, clocks and the result are not errors.
    assert!(errors > 60, "{errors}");
    for byte in [0xFF, 0] {
        fs::write(&shard, [byte; 4000]).expect("a file");
        assert!(run(&["stats"], &shard).is_err());
    }
    // A valid encoding of an illegal move: 1. e4 e5 2. Nf3 becomes 1. e4 e5 2. Ng1-e5.
    let mut illegal = valid;
    let third = illegal.len() - 8;
    illegal[third..third + 2].copy_from_slice(&(6_u16 | 36 << 6).to_le_bytes());
    fs::write(&shard, illegal).expect("a file");
    let error = run(&["stats"], &shard).expect_err("an illegal move").to_string();
    assert!(error.contains("game 1: "), "{error}");
}

#[test]
fn program_ends_quietly_if_its_output_is_closed() {
    let shard = new_shard("pipe");
    play(&shard, &["--games", "1"]).expect("a game");
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let mut command = program(&["stats", name(&shard)]);
    command.stdout(writer);
    let output = succeed(command);
    assert!(output.stderr.is_empty(), "{output:?}");
    // Other errors have a message and an exit code.
    let output = program(&["stats", "missing.vf"]).output().expect("the program starts");
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.starts_with("workshop: missing.vf: "), "{message}");
    assert_eq!(output.status.code(), Some(1));
}

#[cfg(target_os = "linux")]
#[test]
fn play_continues_if_standard_error_cannot_be_written() {
    let shard = new_shard("full");
    let full = fs::File::options().write(true).open("/dev/full").expect("a full device");
    let mut command = program(&["play", name(&shard), "--nodes", "20", "--games", "1"]);
    command.stderr(Stdio::from(full));
    succeed(command);
    assert_eq!(games(&shard).len(), 1);
}
