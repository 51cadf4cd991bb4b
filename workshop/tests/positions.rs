//! Positions come out of the games as the engine sees them.

mod support;

use std::fs;
use std::path::Path;

use carrybit::board::Color;
use carrybit::eval::nnue::features::View;
use rayon::ThreadPoolBuilder;
use support::{PLIES, Ply, ROUGH, file, folder, play};
use workshop::games::shard::ShardError;
use workshop::games::stats::{self, StatsArguments};
use workshop::random::{Random, below};
use workshop::train::data::{DataError, Filter, Row, TrainingData, push_views};
use workshop::train::quantise::board;
use workshop::train::views::Views;

const FILTER: Filter = Filter { min_ply: 16, max_score: 700, validation: 0.3, smoothing: ROUGH };

fn read(path: &Path, filter: Filter) -> Result<TrainingData, DataError> {
    TrainingData::read(&[path.to_owned()], filter)
}

fn sorted(features: impl Iterator<Item = u16>) -> Vec<u16> {
    let mut features: Vec<u16> = features.collect();
    features.sort_unstable();
    features
}

fn assert_is(row: &Row, ply: &Ply, white_result: u8) {
    let side = ply.board.side();
    let (score, result) = match side {
        Color::White => (ply.score, white_result),
        Color::Black => (-ply.score, 2 - white_result),
    };
    assert_eq!((row.position.score, row.position.result), (score, result));
    let mut views = Views::new();
    push_views(row, &mut views);
    for (index, color) in [side, !side].into_iter().enumerate() {
        let expected = View::of(&ply.board, color).active(&ply.board).map(|index| index as u16);
        assert_eq!(sorted(views.features(index).iter().copied()), sorted(expected));
    }
    let board = board(row).expect("a legal position");
    assert_eq!(board.pieces(Color::White).count(), ply.board.pieces(side).count());
    assert!(board.side() == Color::White && !board.in_check());
}

#[test]
fn positions_scores_and_results_are_the_side_to_moves() {
    const GAMES: u64 = 40;
    let path = file("views", 0..GAMES);
    let data = read(&path, Filter { validation: 0.0, ..FILTER }).expect("good games");
    assert!(matches!(data.check(), Err(DataError::TooFew { validation: 0, .. })));
    let mut rows = data.training.iter();
    let (mut seen, mut refused) = ([[0; 3]; 2], [0; 4]);
    for seed in 0..GAMES {
        let game = play(seed);
        for (number, ply) in game.plies.iter().enumerate() {
            let is_noisy = ply.mv.is_capture() || ply.mv.is_promotion();
            let reasons = [number < 16, ply.score.abs() >= 700, is_noisy, ply.board.in_check()];
            if !reasons.contains(&true) {
                assert_is(rows.next().expect("one more row"), ply, game.result);
                seen[ply.board.side().index()][usize::from(game.result)] += 1;
            }
            if let [reason] = (0..4).filter(|&index| reasons[index]).collect::<Vec<_>>()[..] {
                refused[reason] += 1;
            }
        }
    }
    assert!(rows.next().is_none());
    // Every colour with every result, and every reason alone, has been met.
    assert!(seen.iter().flatten().chain(&refused).all(|&count| count > 0), "{seen:?} {refused:?}");
}

#[test]
fn mates_are_no_scores_to_learn_from() {
    let mut game = play(1);
    for ply in &mut game.plies {
        ply.score = 31_950;
    }
    let path = folder("mates").join("games.vf");
    fs::write(&path, game.bytes()).expect("a file can be written");
    let data = read(&path, Filter { max_score: i32::MAX, ..FILTER }).expect("a good game");
    assert_eq!((data.positions, data.training.len(), data.validation.len()), (PLIES, 0, 0));
}

#[test]
fn whole_games_validate_and_always_the_same() {
    const GAMES: u64 = 60;
    let folder = folder("split");
    let filter = Filter { max_score: 30_000, ..FILTER };
    let [mut training, mut validation] = [0, 0];
    for seed in 0..GAMES {
        let path = folder.join(format!("{seed}.vf"));
        fs::write(&path, play(seed).bytes()).expect("a file can be written");
        let data = read(&path, filter).expect("a good game");
        assert!(data.training.is_empty() != data.validation.is_empty());
        training += data.training.len();
        validation += data.validation.len();
    }
    assert!(validation > 0 && training > validation);
    let data = read(&folder, filter).expect("good games");
    assert_eq!((data.training.len(), data.validation.len()), (training, validation));
    assert_eq!(data.games, GAMES as usize);
}

#[test]
fn a_torn_last_game_is_left_out() {
    let path = file("torn", 0..10);
    let whole = fs::read(&path).expect("the file");
    let last = play(9).bytes().len();
    let filter = Filter { validation: 0.5, ..FILTER };
    for cut in [1, 2, 3, 4, 5, 50, last - 33, last - 32, last - 31, last - 1] {
        fs::write(&path, &whole[..whole.len() - cut]).expect("a file can be written");
        let data = read(&path, filter).expect("nine good games");
        assert_eq!(data.games, 9, "{cut} bytes cut off");
    }
}

#[test]
fn wrong_games_are_named() {
    let path = file("wrong", 0..3);
    let whole = fs::read(&path).expect("the file");
    let start = play(0).bytes().len();
    const STEP: usize = 19;
    let mut refused = 0;
    for at in (start..whole.len()).step_by(STEP) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x55;
        fs::write(&path, &bytes).expect("a file can be written");
        match read(&path, FILTER) {
            // What is not touched is not blamed.
            Err(DataError::Shard(ShardError::Game { number, problem, .. })) => {
                assert!((2..=3).contains(&number) && !problem.is_empty());
                refused += 1;
            }
            // A score may have changed, or the end of a game.
            Ok(_) => {}
            Err(other) => panic!("{other}"),
        }
    }
    assert!(refused > (whole.len() - start) / STEP / 4);
}

#[test]
fn what_statistics_refuse_is_not_learnt_from() {
    let path = file("fuzzed", 0..3);
    let whole = fs::read(&path).expect("the file");
    let mut random = Random::new(1);
    let mut refused = 0;
    for _ in 0..250 {
        let mut bytes = whole.clone();
        for _ in 0..=below(random.bits(), 2) {
            let at = below(random.bits(), bytes.len());
            bytes[at] = random.bits() as u8;
        }
        bytes.truncate(bytes.len() - below(random.bits(), 40));
        fs::write(&path, &bytes).expect("a file can be written");
        let arguments = StatsArguments { shards: vec![path.clone()], picture: None };
        let stats = stats::show(&arguments, &mut Vec::new());
        let data = read(&path, FILTER);
        assert_eq!(stats.is_ok(), data.is_ok(), "{stats:?}, but {:?}", data.err());
        refused += u32::from(stats.is_err());
    }
    assert!((50..250).contains(&refused), "{refused}");
}

#[test]
fn threads_do_not_change_what_is_read() {
    let path = file("many", 0..600);
    let all = [1, 2, 5].map(|threads| {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let data = pool.install(|| read(&path, FILTER)).expect("good games");
        (data.games, data.positions, data.fingerprint, data.training, data.validation)
    });
    assert!(all[0] == all[1] && all[0] == all[2]);
    assert_eq!(all[0].0, 600);
}

#[test]
fn folders_need_games() {
    let empty = folder("empty");
    assert!(matches!(read(&empty, FILTER), Err(DataError::NoFiles(_))));
    assert!(matches!(read(&empty.join("none.vf"), FILTER), Err(DataError::Shard(_))));
}
