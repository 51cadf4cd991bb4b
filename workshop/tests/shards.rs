//! Self-play: shards are what they promise to be, whatever happens to them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use carrybit::board::{Board, Color, Game, Move};
use clap::Parser;
use workshop::command::{Arguments, WorkshopError};
use workshop::games::error::GamesError;
use workshop::games::record::{Ending, GameRecord};
use workshop::games::shard::{Shard, ShardError, Writer};

/// An empty folder for one test.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("carrybit-{}-{test}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder for temporary files");
        Folder(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// What a command says.
fn told(words: &[&str], shard: &Path) -> Result<String, GamesError> {
    let path = shard.to_str().expect("a plain path");
    let words = ["workshop", words[0], path].into_iter().chain(words[1..].iter().copied());
    let mut out = Vec::new();
    match Arguments::parse_from(words).command.run(&mut out) {
        Ok(()) => Ok(String::from_utf8(out).expect("text")),
        Err(WorkshopError::Games(error)) => Err(error),
        Err(other) => panic!("{other}"),
    }
}

fn play(shard: &Path, limit: &[&str]) -> Result<String, GamesError> {
    told(&[&["play", "--seed", "7", "--nodes", "20"], limit].concat(), shard)
}

/// The games of a shard.
fn games(shard: &Path) -> Vec<GameRecord> {
    let shard = Shard::read(shard).expect("it is there");
    shard.records().collect::<Result<_, _>>().expect("sound games")
}

fn bytes(shard: &Path) -> Vec<u8> {
    fs::read(shard).expect("it is there")
}

#[test]
fn games_do_not_depend_on_the_threads() {
    let folder = Folder::new("threads");
    let (one, three) = (folder.file("one.vf"), folder.file("three.vf"));
    play(&one, &["--games", "7", "--threads", "1"]).expect("games");
    play(&three, &["--games", "7", "--threads", "3"]).expect("games");
    assert_eq!(games(&one).len(), 7);
    assert_eq!(bytes(&one), bytes(&three));
}

#[test]
fn random_games_do_not_depend_on_the_threads_and_refuse_a_network() {
    let folder = Folder::new("random");
    let (one, three) = (folder.file("one.vf"), folder.file("three.vf"));
    let play = |shard: &Path, more: &[&str]| {
        told(&[&["play", "--random", "--seed", "7"], more].concat(), shard)
    };
    play(&one, &["--games", "200", "--threads", "1"]).expect("games");
    play(&three, &["--games", "50", "--threads", "3"]).expect("games");
    play(&three, &["--games", "200", "--threads", "3"]).expect("games");
    assert_eq!(bytes(&one), bytes(&three));
    let settings = fs::read_to_string(folder.file("one.vf.toml")).expect("settings");
    assert!(settings.contains("evaluation = \"material, random moves\""), "{settings}");
    let searched = told(&["play", "--seed", "7", "--nodes", "20", "--games", "201"], &one);
    assert!(matches!(searched, Err(GamesError::OtherSettings { .. })), "{searched:?}");
    for more in [["--net", "x"], ["--starts", "x"], ["--nodes", "9"], ["--random-plies", "9"]] {
        let words = ["workshop", "play", "x.vf", "--random"].iter().chain(&more);
        assert!(Arguments::try_parse_from(words).is_err(), "{more:?}");
    }
}

#[test]
fn a_shard_cut_off_anywhere_goes_on_as_if_nothing_had_happened() {
    let folder = Folder::new("cut");
    let shard = folder.file("games.vf");
    play(&shard, &["--games", "3"]).expect("games");
    let whole = bytes(&shard);
    let first_two = 2 * whole.len() / 3;
    for len in [0, 1, 31, 40, 200, first_two, whole.len() - 4, whole.len() - 1, whole.len()] {
        fs::write(&shard, &whole[..len]).expect("a file");
        let left = games(&shard).len();
        assert!(left <= 3, "{len} bytes");
        play(&shard, &["--games", "3", "--threads", "2"]).expect("games");
        assert_eq!(bytes(&shard), whole, "cut off after {len} bytes, {left} games left");
    }
}

#[test]
fn a_shard_whose_end_has_become_zeros_goes_on_as_if_nothing_had_happened() {
    let folder = Folder::new("zeros");
    let shard = folder.file("games.vf");
    play(&shard, &["--games", "3"]).expect("games");
    let whole = bytes(&shard);
    let written = games(&shard);
    for (len, zeros) in [
        // In a first position, in the moves, at a game's end; as long as the shard was and not.
        (10, whole.len() - 10),
        (40, 1),
        (200, 4096),
        (2 * whole.len() / 3, whole.len() / 3),
        (2 * whole.len() / 3, 4096),
        (whole.len() - 9, 9),
        (whole.len() - 2, 10_000),
        (whole.len(), 1),
        (whole.len(), 35),
        (whole.len(), 36),
        (whole.len(), 37),
    ] {
        fs::write(&shard, [&whole[..len], &vec![0; zeros]].concat()).expect("a file");
        let left = games(&shard);
        assert_eq!(left, written[..left.len()], "{zeros} zeros after {len} bytes");
        assert!(left.len() < 3, "who knows where the last game ended?");
        play(&shard, &["--games", "3"]).expect("games");
        assert_eq!(bytes(&shard), whole, "{zeros} zeros after {len} bytes");
    }
}

#[test]
fn what_is_no_game_is_named_with_what_can_be_kept() {
    let folder = Folder::new("advice");
    let shard = folder.file("games.vf");
    play(&shard, &["--games", "2"]).expect("games");
    let whole = bytes(&shard);
    let first = whole.len() - Shard::read(&shard).expect("it is there").raw(1).len();
    let mut broken = whole.clone();
    broken[first..first + 8].fill(0);
    fs::write(&shard, &broken).expect("a file");
    let error = play(&shard, &["--games", "2"]).expect_err("it is no game").to_string();
    let advice = format!("truncate -s {first} {}", shard.display());
    assert!(error.contains("games.vf, game 2: ") && error.ends_with(&advice), "{error}");
    fs::write(&shard, &broken[..first]).expect("a file");
    play(&shard, &["--games", "2"]).expect("games");
    assert_eq!(bytes(&shard), whole);
    // What has no sound game before it may be something else altogether.
    fs::write(&shard, &broken[first..]).expect("a file");
    let error = play(&shard, &["--games", "2"]).expect_err("it is no game").to_string();
    assert!(error.contains("game 1: ") && !error.contains("truncate"), "{error}");
}

#[test]
fn limits_count_what_is_there_already() {
    let folder = Folder::new("limits");
    let shard = folder.file("games.vf");
    play(&shard, &["--games", "2"]).expect("games");
    let before = bytes(&shard);
    play(&shard, &["--games", "2"]).expect("nothing to do");
    play(&shard, &["--positions", "1"]).expect("nothing to do");
    play(&shard, &["--seconds", "0"]).expect("nothing to do");
    assert_eq!(bytes(&shard), before);
    assert!(matches!(play(&shard, &[]), Err(GamesError::NoLimit)));
}

#[test]
fn other_settings_are_refused() {
    let folder = Folder::new("settings");
    let shard = folder.file("games.vf");
    play(&shard, &["--games", "1"]).expect("a game");
    let before = bytes(&shard);
    let other = told(&["play", "--seed", "8", "--nodes", "20", "--games", "2"], &shard);
    assert!(matches!(other, Err(GamesError::OtherSettings { .. })), "{other:?}");
    assert_eq!(bytes(&shard), before);
}

#[test]
fn what_is_no_shard_is_left_alone() {
    let folder = Folder::new("foreign");
    let file = folder.file("letter.txt");
    let letter = "Dear reader,\n".repeat(50);
    fs::write(&file, &letter).expect("a file");
    let refused = play(&file, &["--games", "1"]);
    assert!(matches!(refused, Err(GamesError::Shard(_))), "{refused:?}");
    assert_eq!(bytes(&file), letter.as_bytes());
}

#[test]
fn a_file_without_settings_is_left_alone_however_short() {
    let folder = Folder::new("short");
    let (file, settings) = (folder.file("note.txt"), folder.file("note.txt.toml"));
    fs::write(&file, "hello").expect("a file");
    let refused = play(&file, &["--games", "1"]);
    assert!(matches!(refused, Err(GamesError::NoSettings(_))), "{refused:?}");
    assert_eq!(bytes(&file), b"hello");
    assert!(!settings.exists());
}

#[test]
fn settings_of_something_else_are_left_alone() {
    let folder = Folder::new("cargo");
    let (shard, settings) = (folder.file("Cargo"), folder.file("Cargo.toml"));
    let foreign = "[package]\nname = \"mine\"\n";
    fs::write(&settings, foreign).expect("a file");
    let refused = play(&shard, &["--games", "1"]);
    assert!(matches!(refused, Err(GamesError::ForeignSettings(_))), "{refused:?}");
    assert_eq!(bytes(&settings), foreign.as_bytes());
    assert!(!shard.exists());
}

#[test]
fn a_shard_does_not_go_on_by_other_rules() {
    let folder = Folder::new("rules");
    let (shard, settings) = (folder.file("games.vf"), folder.file("games.vf.toml"));
    play(&shard, &["--games", "1"]).expect("a game");
    let (before, text) = (bytes(&shard), fs::read_to_string(&settings).expect("settings"));
    for rule in ["hash 1 MB", "8 times", "within 200 cp", "won at 1000 cp", "at ply 500"] {
        assert_eq!(text.matches(rule).count(), 1, "{rule} in {text}");
        fs::write(&settings, text.replace(rule, "something else")).expect("a file");
        let refused = play(&shard, &["--games", "2"]);
        assert!(matches!(refused, Err(GamesError::OtherSettings { .. })), "{refused:?}");
    }
    assert_eq!(bytes(&shard), before);
}

#[test]
fn a_shard_goes_on_with_another_version_that_plays_alike() {
    let folder = Folder::new("version");
    let (shard, settings) = (folder.file("games.vf"), folder.file("games.vf.toml"));
    play(&shard, &["--games", "2"]).expect("games");
    let whole = bytes(&shard);
    let text = fs::read_to_string(&settings).expect("settings");
    let older = text.replace(&format!("version = {:?}", carrybit::VERSION), "version = \"0.0.1\"");
    assert_ne!(older, text);
    fs::write(&settings, &older).expect("a file");
    fs::write(&shard, &whole[..whole.len() - 1]).expect("a file");
    play(&shard, &["--games", "2"]).expect("games");
    assert_eq!(bytes(&shard), whole);
    // Who began it stays known.
    assert_eq!(fs::read_to_string(&settings).expect("settings"), older);
}

#[test]
fn time_ends_a_thought_however_long() {
    let folder = Folder::new("seconds");
    let shard = folder.file("games.vf");
    let start = Instant::now();
    let words = ["play", "--nodes", "1000000000", "--seconds", "1"];
    told(&words, &shard).expect("no game");
    // A search of a billion nodes takes many minutes.
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
    assert!(bytes(&shard).is_empty());
}

#[test]
fn settings_are_written_with_the_first_game_and_missed_afterwards() {
    let folder = Folder::new("missed");
    let (shard, settings) = (folder.file("games.vf"), folder.file("games.vf.toml"));
    fs::write(&shard, []).expect("a file");
    fs::write(&settings, []).expect("a file");
    play(&shard, &["--games", "1"]).expect("killed before the first game");
    let before = bytes(&shard);
    fs::remove_file(&settings).expect("it was there");
    assert!(play(&shard, &["--games", "2"]).is_err());
    assert_eq!(bytes(&shard), before);
}

#[test]
fn random_moves_that_lead_nowhere_are_an_error() {
    let folder = Folder::new("nowhere");
    let shard = folder.file("games.vf");
    let limit = ["--games", "2", "--random-plies", "100", "--threads", "2"];
    let failed = play(&shard, &limit);
    // That long random games are level is possible, but not often.
    assert!(failed.is_ok() || matches!(failed, Err(GamesError::NoOpening)), "{failed:?}");
    let words = ["workshop", "play", "x.vf", "--games", "1"];
    let most = u64::MAX.to_string();
    for bad in [
        ["--random-plies", "101"],
        ["--nodes", "0"],
        ["--nodes", "1000000001"],
        ["--threads", "0"],
        ["--threads", "1025"],
        ["--threads", &most],
    ] {
        assert!(Arguments::try_parse_from(words.iter().chain(&bad)).is_err(), "{bad:?}");
    }
}

#[test]
fn scores_and_results_are_of_the_same_game() {
    let folder = Folder::new("signs");
    let shard = folder.file("games.vf");
    play(&shard, &["--games", "12"]).expect("games");
    let mut decided = 0;
    for game in games(&shard) {
        let last = game.moves.last().map_or(0, |(_, white_score)| *white_score);
        match game.ending {
            Ending::Win(Color::White) => assert!(last > 0, "White won with {last}"),
            Ending::Win(Color::Black) => assert!(last < 0, "Black won with {last}"),
            Ending::Draw => continue,
        }
        decided += 1;
    }
    assert!(decided > 3, "{decided}");
}

#[test]
fn two_writers_are_one_too_many() {
    let folder = Folder::new("writers");
    let shard = folder.file("games.vf");
    let writer = Writer::open(&shard).expect("a new shard");
    assert!(play(&shard, &["--games", "1"]).is_err());
    drop(writer);
    play(&shard, &["--games", "1"]).expect("a game");
}

/// The game in which these moves are played.
fn record(fen: &str, moves: &[&str], ending: Ending) -> GameRecord {
    let start: Board = fen.parse().expect("a sound FEN");
    let mut game = Game::new(start.clone());
    let find = |game: &Game, text: &str| -> Move {
        let legal = game.board().legal_moves();
        let mut found = legal.iter().copied().filter(|&mv| game.board().uci(mv, true) == text);
        found.next().unwrap_or_else(|| panic!("{text} is not legal"))
    };
    let mut scores = (-31_000..).step_by(7_500);
    let moves = moves.iter().map(|text| {
        let mv = find(&game, text);
        game.play(mv);
        (mv, scores.next().expect("there is always another"))
    });
    GameRecord { moves: moves.collect(), start, ending }
}

#[test]
fn every_sort_of_move_comes_back() {
    let folder = Folder::new("moves");
    let shard = folder.file("games.vf");
    let white = Ending::Win(Color::White);
    let written = [
        record(
            "r3k2r/1P4P1/8/2p5/3P4/8/P4P2/R3K2R w KQkq - 0 20",
            &["b7a8n", "c5c4", "g7h8q", "e8e7", "e1h1", "c4c3", "a2a4"],
            Ending::Draw,
        ),
        record("4k3/3p4/8/4P3/8/8/8/R3K3 b Q - 3 9", &["d7d5", "e5d6", "e8f8", "e1a1"], white),
        record("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", &[], white),
        record(
            "1kr3r1/8/8/8/8/8/1P6/1R1K3R b H - 0 1",
            &["g8h8", "d1h1"],
            Ending::Win(Color::Black),
        ),
        record("8/k1P5/8/8/8/8/2p5/K7 b - - 99 200", &["c2c1r", "a1b2", "a7b7", "c7c8b"], white),
    ];
    let mut writer = Writer::open(&shard).expect("a new shard");
    for record in &written {
        writer.append(record).expect("room for it");
    }
    writer.append(&written[0]).expect("room for it");
    drop(writer);
    assert_eq!(games(&shard)[..5], written);
    let told = told(&["stats"], &shard).expect("sound games");
    let counts: Vec<&str> = told.lines().flat_map(|line| line.split_whitespace()).collect();
    let expected = [
        ["games", "6", "won", "by", "White", "3", "50.00", "%"].as_slice(),
        &["drawn", "2", "33.33", "%", "won", "by", "Black", "1", "16.67", "%"],
        &["from", "a", "known", "start", "1", "16.67", "%", "positions", "24"],
        &["quiet", "14", "58.33", "%", "with", "a", "mate", "in", "sight", "0", "0.00", "%"],
        &["seen", "before", "7", "29.17", "%", "plies", "for", "each", "game", "4.0"],
        &["positions", "by", "White's", "score"],
    ]
    .concat();
    assert_eq!(counts[..expected.len()], expected, "{told}");
    let bars = told.lines().filter_map(|line| line.strip_prefix("  from ")?.split_once(" cp "));
    let bars: Vec<&str> = bars.map(|(score, _)| score).collect();
    // The games' scores are -31000, -23500, and so on, and the ends take all beyond.
    assert_eq!(bars, ["-2500", "-1000", "2400"], "{told}");
}

#[test]
fn what_is_no_game_is_an_error_and_never_a_panic() {
    let folder = Folder::new("hostile");
    let shard = folder.file("games.vf");
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let mut writer = Writer::open(&shard).expect("a new shard");
    writer.append(&record(start, &["e2e4", "e7e5", "g1f3"], Ending::Draw)).expect("room for it");
    drop(writer);
    let sound = bytes(&shard);
    let mut errors = 0;
    for at in 0..sound.len() {
        for flip in [1, 4, 0x80, 0xFF] {
            let mut hostile = sound.clone();
            hostile[at] ^= flip;
            fs::write(&shard, hostile).expect("a file");
            errors += u32::from(told(&["stats"], &shard).is_err());
        }
    }
    // Scores, clocks and the result may be anything.
    assert!(errors > 60, "{errors}");
    fs::write(&shard, [0xFF; 4000]).expect("a file");
    assert!(told(&["stats"], &shard).is_err());
    fs::write(&shard, [0; 4000]).expect("a file");
    assert!(told(&["stats"], &shard).is_err());
    // Legal bytes, but no legal move: 1. e4 e5 2. Nf3 becomes 1. e4 e5 2. Ng1-e5.
    let mut illegal = sound.clone();
    let third = illegal.len() - 8;
    illegal[third..third + 2].copy_from_slice(&(6_u16 | 36 << 6).to_le_bytes());
    fs::write(&shard, illegal).expect("a file");
    let error = told(&["stats"], &shard).expect_err("that move is not legal").to_string();
    assert!(error.contains("game 1: "), "{error}");
    assert!(told(&["stats"], &folder.file("missing.vf")).is_err());
}

#[test]
fn a_picture_is_drawn() {
    let folder = Folder::new("picture");
    let (shard, picture) = (folder.file("games.vf"), folder.file("games.svg"));
    play(&shard, &["--games", "2"]).expect("games");
    told(&["stats", "--picture", picture.to_str().expect("a plain path")], &shard).expect("stats");
    let svg = fs::read_to_string(&picture).expect("a picture");
    assert!(svg.contains("<svg") && svg.contains("games by length"), "{svg}");
    // The old picture is replaced as a whole, not written over.
    let link = folder.file("link.svg");
    fs::hard_link(&picture, &link).expect("a second name");
    fs::write(&picture, "old").expect("an old picture");
    told(&["stats", "--picture", picture.to_str().expect("a plain path")], &shard).expect("stats");
    assert!(fs::read_to_string(&picture).expect("a picture") == svg);
    assert!(fs::read_to_string(&link).expect("the old one") == "old");
    let nowhere = folder.file("no/such/folder.svg");
    let failed = told(&["stats", "--picture", nowhere.to_str().expect("a plain path")], &shard);
    assert!(matches!(failed, Err(GamesError::Picture { .. })));
}

/// The program itself, to look at a shard.
fn program(words: &[&str], shard: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_workshop"));
    command.arg(words[0]).arg(shard).args(&words[1..]).stderr(Stdio::piped());
    command
}

#[test]
fn statistics_that_nobody_reads_on_end_quietly() {
    let folder = Folder::new("pipe");
    let shard = folder.file("games.vf");
    play(&shard, &["--games", "1"]).expect("a game");
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let output = program(&["stats"], &shard).stdout(writer).output().expect("it starts");
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn games_are_played_though_nobody_can_be_told() {
    let folder = Folder::new("full");
    let shard = folder.file("games.vf");
    let full = || fs::File::options().write(true).open("/dev/full").expect("a full device");
    let words = ["play", "--nodes", "20", "--games", "1"];
    let status = program(&words, &shard).stderr(full()).status().expect("it starts");
    assert!(status.success(), "{status}");
    assert_eq!(games(&shard).len(), 1);
}

#[test]
fn every_other_game_begins_near_an_earlier_one() {
    let folder = Folder::new("starts");
    let [earlier, once, in_parts] = ["earlier", "once", "parts"].map(|name| folder.file(name));
    play(&earlier, &["--games", "12"]).expect("games");
    let from = ["--starts", earlier.to_str().expect("a plain path")];
    play(&once, &[&["--games", "12"], &from[..]].concat()).expect("games");
    let plies: Vec<usize> = games(&once).iter().map(|game| game.start.ply()).collect();
    // A game from the start position begins after eight or nine random moves.
    assert!(plies.iter().filter(|&&ply| ply > 9).count() > 2, "{plies:?}");
    assert!(plies.iter().filter(|&&ply| ply <= 9).count() > 2, "{plies:?}");

    play(&in_parts, &[&["--games", "5"], &from[..]].concat()).expect("games");
    let others = play(&in_parts, &["--games", "12"]);
    assert!(matches!(others, Err(GamesError::OtherSettings { .. })), "{others:?}");
    play(&in_parts, &[&["--games", "12"], &from[..]].concat()).expect("games");
    assert_eq!(bytes(&in_parts), bytes(&once));

    let empty = folder.file("empty");
    fs::write(&empty, b"").expect("a file");
    let nothing =
        play(&once, &["--games", "13", "--starts", empty.to_str().expect("a plain path")]);
    assert!(matches!(nothing, Err(GamesError::Shard(ShardError::Empty(_)))), "{nothing:?}");
}
