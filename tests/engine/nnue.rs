//! The network follows the moves exactly, is symmetric, and gives the same value on every
//! processor.

use std::iter;
use std::sync::Arc;

use carrybit::internals::eval::Nnue;
use carrybit::internals::eval::nnue::Network;
use carrybit::internals::eval::nnue::features::Perspective;
use carrybit::internals::eval::nnue::network::{Dense, MAX_DENSE, QuantisedNet, SHAPE};
use carrybit::internals::score;
use carrybit::{Board, Color, Move};
use carrybit_board::cpu::Level;

use crate::support::{
    CROWDED, Rng, Seen, Starts, board, mirrored, random_game, random_positions,
    with_colours_exchanged,
};

/// A network of random numbers.
fn random_network(seed: u64) -> QuantisedNet {
    let mut rng = Rng(seed);
    let mut below = |limit: i16| rng.below(2 * limit as usize + 1) as i16 - limit;
    let mut network = QuantisedNet::zeroed(SHAPE);
    network.feature_weights.fill_with(|| below(120) as i8);
    network.feature_biases.fill_with(|| below(120));
    for stack in &mut network.stacks {
        stack.l1_weights.fill_with(|| below(20) as i8);
        let numbers = iter::repeat_with(|| f32::from(below(500)) / 1000.0);
        stack.dense = Dense::from_numbers(numbers);
    }
    network.scale = 370;
    network
}

/// An evaluator for each level of vector instructions.
fn evaluators(network: &QuantisedNet) -> Vec<Nnue> {
    let network = Arc::new(Network::read(&network.to_bytes()).expect("a good network"));
    Level::supported().map(|level| Nnue::with_level(Arc::clone(&network), level)).collect()
}

fn evaluate(nnue: &mut Nnue, position: &Board) -> i32 {
    nnue.reset(position);
    nnue.evaluate(position)
}

/// Compares all evaluators with the value computed from scratch.
fn assert_exact(evaluators: &mut [Nnue], network: &QuantisedNet, position: &Board) {
    let expected = score::clamp_eval(network.evaluate(position));
    for nnue in evaluators {
        assert_eq!(nnue.evaluate(position), expected, "{position:?}");
    }
}

/// A move, rarely a null move.
fn step(rng: &mut Rng, position: &Board, moves: &[Move], seen: &mut Seen) -> Board {
    let is_null = !position.in_check() && rng.below(8) == 0;
    seen.note("null move", is_null);
    if is_null {
        return position.make_null();
    }
    let is_rare = |mv: &Move| mv.is_castling() || mv.is_en_passant() || mv.is_promotion();
    let rare: Vec<Move> = moves.iter().copied().filter(is_rare).collect();
    let mv = *rng.pick(if rare.is_empty() { moves } else { &rare });
    seen.note("castling", mv.is_castling());
    seen.note("en passant", mv.is_en_passant());
    seen.note("promotion", mv.is_promotion());
    let child = position.make(mv);
    for color in Color::ALL {
        let [before, after] = [position, &child].map(|board| Perspective::of(board, color));
        seen.note("mirroring", before.is_mirrored() != after.is_mirrored());
        seen.note("another king bucket", before.king_bucket() != after.king_bucket());
    }
    child
}

#[test]
fn accumulators_follow_moves_and_unmade_moves_at_all_levels() {
    const LONGEST: usize = 200;
    let embedded = QuantisedNet::from_bytes(include_bytes!("../../src/eval/nnue/carrybit.nnue"))
        .expect("the embedded network is valid");
    let starts = Starts::read();
    for network in [random_network(1), embedded] {
        let mut evaluators = evaluators(&network);
        let (mut rng, mut seen) = (Rng(2), Seen::default());
        for nth in 0..150 {
            let mut line = vec![starts.pick(&mut rng, nth)];
            evaluators.iter_mut().for_each(|nnue| nnue.reset(&line[0]));
            for _ in 0..300 {
                let position = line.last().expect("the start");
                // Evaluates rarely, so that an update spans several plies.
                if !position.in_check() && rng.below(6) == 0 {
                    seen.note("evaluation", true);
                    assert_exact(&mut evaluators, &network, position);
                }
                let moves = position.legal_moves();
                if !moves.is_empty() && line.len() < LONGEST && rng.below(4) > 0 {
                    let next = step(&mut rng, position, &moves, &mut seen);
                    evaluators.iter_mut().for_each(Nnue::push);
                    line.push(next);
                } else if line.len() > 1 {
                    evaluators.iter_mut().for_each(Nnue::pop);
                    line.pop();
                }
            }
        }
        seen.assert_each_at_least(50);
    }
}

#[test]
fn evaluation_is_symmetric() {
    let network = random_network(8);
    let mut nnue = evaluators(&network).pop().expect("one at least");
    for position in random_positions(9, 300, 60) {
        if position.in_check() {
            continue;
        }
        let eval = evaluate(&mut nnue, &position);
        for changed in [with_colours_exchanged(&position), mirrored(&position)] {
            assert_eq!(evaluate(&mut nnue, &changed), eval, "{position:?}");
        }
    }
}

#[test]
fn crowded_positions_do_not_overflow() {
    let mut evaluator = Nnue::new(Network::embedded());
    let mut rng = Rng(15);
    for fen in CROWDED {
        random_game(&mut rng, &board(fen), 30, |board, _| {
            if board.in_check() {
                return;
            }
            let value = evaluate(&mut evaluator, board);
            let count = |color: Color| board.pieces_of(color).count();
            let (ours, theirs) = (count(board.side()), count(!board.side()));
            // More than seven pieces against a lone king are a win, though no game has such
            // positions, and the network undervalues them. An overflow would change the sign.
            if ours == 1 && theirs > 7 || theirs == 1 && ours > 7 {
                assert_eq!(value > 200, ours > theirs, "{value} for {board:?}");
                assert_eq!(value < -200, ours < theirs, "{value} for {board:?}");
            }
        });
    }
}

#[test]
fn values_are_clamped() {
    let mut network = QuantisedNet::zeroed(SHAPE);
    for bias in [MAX_DENSE, -MAX_DENSE] {
        network.stacks.iter_mut().for_each(|stack| stack.dense.l3_bias = bias);
        let eval = score::EVAL_LIMIT * bias.signum() as i32;
        for mut nnue in evaluators(&network) {
            assert_eq!(evaluate(&mut nnue, &Board::default()), eval);
        }
    }
}

#[test]
fn eval_shows_the_value_of_each_piece() {
    let network = QuantisedNet::material(SHAPE);
    for nnue in evaluators(&network) {
        let text = nnue.explain(&board("4k3/8/8/8/8/8/8/3QK2R w K - 0 1"), |score| score / 2);
        assert!(text.contains("|   Q   |   K   |"), "{text}");
        assert!(text.contains("|   +450|       |"), "{text}");
        assert!(text.contains("Evaluation: +700 cp for White; White is to move"), "{text}");
        let text = nnue.explain(&board("3qk3/8/8/8/8/8/8/4K2R b K - 0 1"), |score| score);
        assert!(text.contains("Evaluation: -400 cp for White; Black is to move"), "{text}");
    }
}
