//! Reading training positions from games.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::support::{
    NO_SMOOTHING, PLIES, bytes, error, file, folder, games, name, play, run, write,
};
use carrybit::internals::eval::nnue::network::SHAPE;
use carrybit::internals::eval::nnue::{Network, Nnue};
use carrybit::internals::search::params::share_at_clock;
use carrybit::{Board, Color, Game};
use workshop::error::Error;
use workshop::games::{GameRecord, is_quiet};
use workshop::train::data::{Filter, Place, Row, TrainingData, push_inputs};
use workshop::train::inputs::Inputs;
use workshop::train::quantise::board;

const FILTER: Filter =
    Filter { min_ply: 16, max_score: 700, validation: 0.3, smoothing: NO_SMOOTHING };

fn read(path: &Path, filter: Filter) -> Result<TrainingData, Error> {
    TrainingData::read(&[path.to_owned()], &[], filter, usize::MAX, None)
}

fn sorted(features: impl Iterator<Item = u16>) -> Vec<u16> {
    let mut features: Vec<u16> = features.collect();
    features.sort_unstable();
    features
}

/// The score before the search has faded it. (The games have no known endings.)
fn unfaded(board: &Board, score: i32) -> i32 {
    let [left, whole] = share_at_clock(board.halfmove());
    score * whole / left
}

fn assert_is(row: &Row, position: &Board, white_score: i32, white_result: u8) {
    let side = position.side();
    let (score, result) = match side {
        Color::White => (white_score, white_result),
        Color::Black => (-white_score, 2 - white_result),
    };
    assert_eq!((i32::from(row.position.score), row.position.result), (score, result));
    let mut inputs = Inputs::default();
    push_inputs(row, &SHAPE, &mut inputs);
    for (index, color) in [side, !side].into_iter().enumerate() {
        let expected = SHAPE.active_features(position, color);
        let expected = expected.into_iter().map(|feature| feature as u16);
        assert_eq!(sorted(inputs.features(index).iter().copied()), sorted(expected));
    }
    let board = board(row).expect("a legal position");
    assert_eq!(board.pieces_of(Color::White).count(), position.pieces_of(side).count());
    assert!(board.side() == Color::White && !board.in_check());
}

#[test]
fn rows_have_the_view_of_the_side_to_move() {
    const GAMES: u64 = 40;
    let path = file("views", 0..GAMES);
    let mut data = read(&path, Filter { validation: 0.0, ..FILTER }).expect("valid games");
    assert!(data.validation.is_empty());
    let mut rows = data.part(0).iter();
    let (mut seen, mut refused) = ([[0; 3]; 2], [0; 4]);
    for seed in 0..GAMES {
        let GameRecord { start, moves, winner } = play(seed);
        let result = winner.map_or(1, |winner| if winner == Color::White { 2 } else { 0 });
        let mut game = Game::new(start);
        for (number, (mv, score)) in moves.into_iter().enumerate() {
            let board = game.board();
            let is_noisy = mv.is_capture() || mv.is_promotion();
            let reasons = [number < 16, score.abs() >= 700, is_noisy, board.in_check()];
            if !reasons.contains(&true) {
                let score = unfaded(board, score);
                assert_is(rows.next().expect("one more row"), board, score, result);
                seen[board.side().index()][usize::from(result)] += 1;
            }
            if let [reason] = (0..4).filter(|&index| reasons[index]).collect::<Vec<_>>()[..] {
                refused[reason] += 1;
            }
            game.play(mv);
        }
    }
    assert!(rows.next().is_none());
    // All pairs of colour and result, and each reason alone, must occur.
    assert!(seen.iter().flatten().chain(&refused).all(|&count| count > 0), "{seen:?} {refused:?}");
}

#[test]
fn evaluations_of_a_network_are_mixed_into_the_labels() {
    let path = file("rescored", 0..4);
    let filter = Filter { validation: 0.0, ..FILTER };
    let network = Network::embedded();
    let mut evaluator = Nnue::new(Arc::clone(&network));
    let mut data =
        TrainingData::read(&[path], &[], filter, usize::MAX, Some(network)).expect("valid games");
    let mut rows = data.part(0).iter();
    for seed in 0..4 {
        let GameRecord { start, moves, .. } = play(seed);
        let mut game = Game::new(start);
        // White begins.
        let sign = |ply: usize| if ply.is_multiple_of(2) { 1 } else { -1 };
        let (mut labels, mut evals) = (Vec::new(), Vec::new());
        for (ply, &(mv, score)) in moves.iter().enumerate() {
            let board = game.board();
            labels.push(unfaded(board, score));
            evals.push(is_quiet(board, mv).then(|| {
                evaluator.reset(board);
                sign(ply) * evaluator.evaluate(board)
            }));
            game.play(mv);
        }
        NO_SMOOTHING.mix(&mut labels, &evals);
        for ply in 16..moves.len() {
            if evals[ply].is_some() && moves[ply].1.abs() < FILTER.max_score {
                let row = rows.next().expect("one more row");
                assert_eq!(i32::from(row.position.score), sign(ply) * labels[ply]);
            }
        }
    }
    assert!(rows.next().is_none());
}

#[test]
fn positions_with_mate_scores_are_skipped() {
    let mut game = play(1);
    game.moves.iter_mut().for_each(|(_, score)| *score = 31_950);
    let path = folder("mates").join("games.vf");
    write(&path, [game]);
    let data = read(&path, Filter { max_score: i32::MAX, ..FILTER }).expect("a valid game");
    assert_eq!((data.positions, data.rows(), data.validation.len()), (PLIES, 0, 0));
}

#[test]
fn validation_takes_whole_games_independent_of_the_others() {
    const GAMES: u64 = 60;
    let folder = folder("split");
    let filter = Filter { max_score: 30_000, ..FILTER };
    let [mut training, mut validation] = [0, 0];
    for seed in 0..GAMES {
        let path = folder.join(format!("{seed}.vf"));
        write(&path, [play(seed)]);
        let data = read(&path, filter).expect("a valid game");
        assert!((data.rows() == 0) != data.validation.is_empty());
        training += data.rows();
        validation += data.validation.len();
    }
    assert!(validation > 0 && training > validation);
    let data = read(&folder, filter).expect("valid games");
    assert_eq!((data.rows(), data.validation.len()), (training, validation));
    assert_eq!(data.games, GAMES as usize);
}

#[test]
fn parts_have_each_row_once_and_fit_the_window() {
    const WINDOW: usize = 1500;
    const BATCH: usize = 128;
    let paths = [file("parts", 0..200)];
    let read = |window| TrainingData::read(&paths, &[], FILTER, window, None).expect("valid games");
    let sorted = |mut rows: Vec<Row>| {
        rows.sort_unstable_by_key(|row| format!("{row:?}"));
        rows
    };
    let mut whole = read(usize::MAX);
    assert_eq!(whole.parts(), 1);
    assert_eq!(read(whole.rows()).parts(), 1);
    let mut data = read(WINDOW);
    // As few parts as the groups of games permit.
    assert!(data.parts() <= data.rows().div_ceil(WINDOW) + 1);
    assert!(data.parts() > 3 && data.validation == whole.validation);
    let parts: Vec<Vec<Row>> = (0..data.parts()).map(|part| data.part(part).to_vec()).collect();
    assert!(parts.iter().all(|rows| (1..=WINDOW).contains(&rows.len())));
    assert_eq!(sorted(parts.concat()), sorted(whole.part(0).to_vec()));
    assert!(data.part(0) == parts[0]);
    // An epoch has as many steps in each part as its rows need.
    let steps = data.epoch_steps(BATCH);
    for epoch in 0..2 {
        let places = (0..steps).map(|step| data.place(epoch * steps + step, BATCH));
        let expected = parts.iter().enumerate().flat_map(|(part, rows)| {
            (0..rows.len().div_ceil(BATCH) as u64).map(move |step| Place { epoch, part, step })
        });
        assert!(places.eq(expected));
    }
}

#[test]
fn positions_of_trees_are_all_trained_on() {
    let paths = [file("tree-games", 0..40)];
    let folder = folder("trees");
    let make = |threads: &str| {
        let shard = folder.join(format!("{threads}.vf"));
        let words = ["trees", name(&paths[0]), "--out", name(&shard), "--nodes", "500"];
        run(&[&words[..], &["--share", "0.5", "--threads", threads]].concat()).expect("a shard");
        shard
    };
    let [shard, again] = ["1", "3"].map(make);
    assert_eq!(bytes(&shard), bytes(&again));
    let trees = games(&shard);
    assert!(trees.len() > 200, "{}", trees.len());
    assert!(trees.iter().all(|tree| tree.moves.len() == 1 && !tree.start.in_check()));
    let usable = trees.iter().filter(|tree| tree.start.halfmove() < 40).count();
    let read = |trees: &[PathBuf], window| {
        TrainingData::read(&paths, trees, FILTER, window, None).expect("valid games")
    };
    let without = read(&[], usize::MAX);
    for window in [usize::MAX, 500] {
        let mut with = read(std::slice::from_ref(&shard), window);
        assert_eq!(with.rows(), without.rows() + usable);
        assert_eq!((with.games, with.positions), (without.games, without.positions));
        assert!(with.validation == without.validation && with.fingerprint != without.fingerprint);
        let rows: usize = (0..with.parts()).map(|part| with.part(part).len()).sum();
        assert_eq!(rows, with.rows());
    }
    let refused = error(&["trees", name(&paths[0]), "--out", name(&shard)]);
    assert!(refused.contains("not empty"), "{refused}");
}

#[test]
fn folders_without_shards_are_refused() {
    let empty = folder("no-games");
    assert!(matches!(read(&empty, FILTER), Err(Error::Refused(_))));
    assert!(matches!(read(&empty.join("none.vf"), FILTER), Err(Error::File { .. })));
}
