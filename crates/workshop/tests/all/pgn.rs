//! Conversion of PGN to shards and back.

use std::path::Path;
use std::{fs, iter};

use crate::support::{bytes, error, folder, games, name, run};
use carrybit::internals::eval::wdl;
use carrybit::internals::score::{MATE, is_mate};
use carrybit::{CastlingMode, Color, Game};

/// Converts a shard to PGN and back, which must give the same shard.
pub fn assert_round_trip(shard: &Path) {
    let (pgn, again) = (shard.with_extension("pgn"), shard.with_extension("again"));
    let text = run(&["to-pgn", name(shard)]).expect("valid games");
    fs::write(&pgn, text).expect("a file");
    run(&["from-pgn", name(&again), name(&pgn)]).expect("valid games");
    let [first, second] = [shard, &again].map(bytes);
    assert!(!first.is_empty());
    assert!(first == second, "{} and {} differ", shard.display(), again.display());
}

/// Games in the format of fastchess, with some deviations.
const GAMES: &str = r#"[Event "Fastchess Tournament"]
[Result "1-0"]
[Termination "adjudication"]

1. e4 {book} e5 {book} 2. Nf3 {+0.35/12 0.051s} Nc6 {-0.20/11 0.048s}
3. Bc4 $1 {+0.41/13, 0.050s, n=20112} (3. Bb5 a6) Bc5
{0.00/12 0.05s, White wins by adjudication} 1-0

[Event "by genfens"]
[Result "1-0"]
[SetUp "1"]
[FEN "6k1/5ppp/8/8/8/8/8/K2R4 b - - 3 40"]
[Termination "normal"]

40... Kh8 {-M2/20 0.1s} 41. Rd8# {+M1/5 0.001s, White mates} 1-0

[Event "interrupted"]
[Result "*"]
[Termination "unterminated"]

1. e4 {+0.35/12 0.051s} *

[Event "late"]
[Result "0-1"]
[Termination "time forfeit"]

1. e4 {+0.35/12 5.051s, White loses on time} 0-1

[Event "wrong"]
[Result "0-1"]
[Termination "illegal move"]

1. e2e5 {+0.35/12 0.051s, White makes an illegal move} 0-1

[Event "Chess960"]
[Result "1/2-1/2"]
[Variant "Chess960"]
[SetUp "1"]
[FEN "1r2k3/8/8/8/8/8/8/4K1R1 w Gb - 0 1"]

1. O-O {+0.10/8 0.01s} O-O-O {+0.05/8 0.01s} 1/2-1/2

1. d4 {+0.30/9 0s} d5 {0.00/0 0s} 2. c4 {+0.31/9 0s} 1/2-1/2
"#;

#[test]
fn self_play_games_survive_the_round_trip() {
    let shard = folder("pgn-ours").join("games.vf");
    let words = ["--seed", "7", "--nodes", "20", "--games", "12"];
    run(&[&["play", name(&shard)], &words[..]].concat()).expect("games");
    assert_round_trip(&shard);
    let scores = games(&shard).into_iter().flat_map(|record| record.moves);
    let mates = scores.filter(|&(_, score)| is_mate(score)).count();
    assert!(mates > 0, "no mate score occurred");
}

#[test]
fn games_of_a_match_runner_are_converted_and_written_one_by_one() {
    let folder = folder("pgn-fastchess");
    let (pgn, shard) = (folder.join("games.pgn"), folder.join("games.vf"));
    fs::write(&pgn, GAMES).expect("a file");
    let output = run(&["from-pgn", name(&shard), name(&pgn)]).expect("valid games");
    let skipped = "skipped: 1 without a result, 2 for their Termination";
    assert_eq!(output, format!("4 games, 9 positions\n{skipped}\n"));
    let white = Some(Color::White);
    let expected = [
        (
            "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w HAha - 0 2",
            "g1f3 35, b8c6 20, f1c4 41, f8c5 0".to_owned(),
            white,
        ),
        (
            "6k1/5ppp/8/8/8/8/8/K2R4 b - - 3 40",
            format!("g8h8 {}, d1d8 {}", MATE - 2, MATE - 1),
            white,
        ),
        ("1r2k3/8/8/8/8/8/8/4K1R1 w Gb - 0 1", "e1g1 10, e8b8 -5".to_owned(), None),
        (
            "rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w HAha - 0 2",
            "c2c4 31".to_owned(),
            None,
        ),
    ];
    let read = games(&shard).into_iter().map(|record| {
        let fen = record.start.shredder_fen();
        let mut game = Game::new(record.start);
        let moves = record.moves.into_iter().map(|(mv, score)| {
            let text = mv.uci(CastlingMode::Chess960);
            game.play(mv);
            format!("{text} {score}")
        });
        (fen, moves.collect::<Vec<_>>().join(", "), record.winner)
    });
    let read: Vec<_> = read.collect();
    assert_eq!(read, expected.map(|(fen, moves, winner)| (fen.to_owned(), moves, winner)));
    assert_round_trip(&shard);
    let internal = folder.join("internal.vf");
    run(&["from-pgn", "--shown", name(&internal), name(&pgn)]).expect("valid games");
    let mut converted = 0;
    for (game, internal) in iter::zip(games(&shard), games(&internal)) {
        let mut board = game.start;
        for ((mv, shown), (_, score)) in iter::zip(game.moves, internal.moves) {
            match is_mate(shown) {
                true => assert_eq!(score, shown),
                false => {
                    let material = wdl::material(&board);
                    assert_eq!(wdl::shown_cp(score, material), shown);
                    assert_eq!(score, wdl::internal_cp(shown, material));
                }
            }
            converted += usize::from(score != shown);
            board = board.make(mv);
        }
    }
    assert!(converted > 0);
    let single = run(&["to-pgn", name(&shard), "--game", "2"]).expect("a game");
    for part in
        ["[Round \"2\"]", "[Result \"1-0\"]", "K2R4 b", "40... Kh8 { -M2 } 41. Rd8# { +M1 } 1-0"]
    {
        assert!(single.contains(part), "{part} in {single}");
    }
    assert_eq!(single.matches("[Event \"games.vf\"]").count(), 1);
    let missing = error(&["to-pgn", name(&shard), "--game", "5"]);
    assert!(missing.ends_with("no game 5; the shard has 4 games"), "{missing}");
    // Two files, the second with line ends of Windows.
    let (windows, twice) = (folder.join("windows.pgn"), folder.join("twice.vf"));
    fs::write(&windows, GAMES.replace('\n', "\r\n")).expect("a file");
    fs::write(&twice, "").expect("an empty file");
    run(&["from-pgn", name(&twice), name(&pgn), name(&windows)]).expect("valid games");
    let whole = bytes(&shard).repeat(2);
    assert!(bytes(&twice) == whole);
    let error = error(&["from-pgn", name(&twice), name(&pgn)]);
    assert!(error.contains("the file is not empty") && bytes(&twice) == whole, "{error}");
}

#[test]
fn invalid_pgn_is_located_and_no_shard_is_written() {
    const SOUND: &str = "1. e4 {+0.10/5 0s} 1-0\n\n";
    let folder = folder("pgn-wrong");
    let (pgn, shard) = (folder.join("games.pgn"), folder.join("games.vf"));
    for (wrong, reason) in [
        ("1. e4 {+0.10/5} Ke4 {+0.10/5} 1-0", "move 1... Ke4 is not legal"),
        ("1. e4 {+0.10/5} -- {+0.10/5} 1-0", "move 1... \"--\" is not a move"),
        ("1. e4 {+0.10/5} e5 {book} 1-0", "move 1... \"e5\" has no score"),
        ("1. e4 e5 2. Nf3 1/2-1/2", "move 2. \"Nf3\" has no score"),
        ("1. e4 {+0.10/5} e5 {+0.10", "a comment is not closed"),
        ("1. e4 {+0.10/5} e5 {+0.10/5}", "no result after the moves"),
        ("[Result \"0-1\"]\n\n1. e4 {+0.10/5} 1-0", "\"0-1\" in the tag, \"1-0\" after the moves"),
        ("[Event \"x\"]\n\n1-0", "the game has no moves"),
        (
            "[FEN \"4k3/8/8/8/8/8/8/R3K3 w - - 99 80\"]\n\n80. Ra2 {+5.00/9} Ke7 {-5.00/9} 1-0",
            "move 80... \"Ke7\" follows a draw by the fifty-move rule",
        ),
        (
            "[FEN \"6k1/5ppp/8/8/8/8/8/K2R4 w - - 3 40\"]\n\n40. Rd8# {+M1/5 0s} 1/2-1/2",
            "the last position contradicts the result",
        ),
    ] {
        fs::write(&pgn, format!("{SOUND}{wrong}\n")).expect("a file");
        let error = error(&["from-pgn", name(&shard), name(&pgn)]);
        // Tags begin in line 3, moves after tags in line 5.
        let line = if wrong.contains(" 80\"]") || wrong.contains(" 40\"]") { 5 } else { 3 };
        let place = format!("{}, game 2, line {line}: ", name(&pgn));
        assert!(error.starts_with(&place), "{error}");
        assert!(error.contains(reason), "{error}");
        assert!(!shard.exists(), "{wrong}");
    }
    for (text, reason) in
        [("", "the file has no games"), ("BZh91AY&SY", "compressed with bzip2: unpack it")]
    {
        fs::write(&pgn, text).expect("a file");
        let error = error(&["from-pgn", name(&shard), name(&pgn)]);
        assert!(error.contains(reason), "{error}");
    }
    let error = error(&["from-pgn", name(&shard), "missing.pgn"]);
    assert!(error.contains("missing.pgn") && !shard.exists(), "{error}");
}
