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
    CROWDED, Rng, Seen, board, chess960_starts, mirrored, random_double_chess960, random_game,
    random_positions, tricky_positions, with_colours_exchanged,
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

/// A random walk through the game tree.
struct Walk {
    rng: Rng,
    network: QuantisedNet,
    evaluators: Vec<Nnue>,
    seen: Seen,
    evaluated: usize,
}

impl Walk {
    /// Makes and unmakes some of the moves down to `depth`, and evaluates half of the positions.
    fn visit(&mut self, position: &Board, depth: usize) {
        self.evaluate_sometimes(position);
        if depth == 0 {
            return;
        }
        if !position.in_check() && self.rng.below(4) == 0 {
            self.seen.note("null move", true);
            for nnue in &mut self.evaluators {
                nnue.push();
            }
            self.visit(&position.make_null(), depth - 1);
            self.take_back(position);
        }
        let mut moves = position.legal_moves().to_vec();
        // Rare moves first, then any.
        let at = self.rng.below(moves.len().max(1));
        moves.rotate_left(at);
        let is_rare = |mv: &Move| mv.is_castling() || mv.is_en_passant() || mv.is_promotion();
        moves.sort_by_key(|mv| !is_rare(mv));
        for mv in moves.into_iter().take(3) {
            self.evaluators.iter_mut().for_each(Nnue::push);
            let child = position.make(mv);
            self.seen.note("castling", mv.is_castling());
            self.seen.note("en passant", mv.is_en_passant());
            self.seen.note("promotion", mv.is_promotion());
            for color in Color::ALL {
                let [before, after] = [position, &child].map(|board| Perspective::of(board, color));
                self.seen.note("mirroring", before.is_mirrored() != after.is_mirrored());
                self.seen.note("another king bucket", before.king_bucket() != after.king_bucket());
            }
            self.visit(&child, depth - 1);
            self.take_back(position);
        }
    }

    fn take_back(&mut self, position: &Board) {
        for nnue in &mut self.evaluators {
            nnue.pop();
        }
        self.evaluate_sometimes(position);
    }

    /// Evaluates half of the positions, so that accumulators are often out of date.
    fn evaluate_sometimes(&mut self, position: &Board) {
        if position.in_check() || self.rng.below(2) == 0 {
            return;
        }
        self.evaluated += 1;
        let expected = score::clamp_eval(self.network.evaluate(position));
        for nnue in &mut self.evaluators {
            assert_eq!(nnue.evaluate(position), expected, "{position:?}");
        }
    }
}

#[test]
fn accumulators_follow_moves_and_unmade_moves_at_all_levels() {
    let embedded = QuantisedNet::from_bytes(include_bytes!("../../src/eval/nnue/carrybit.nnue"))
        .expect("the embedded network is valid");
    for network in [random_network(1), embedded] {
        let evaluators = evaluators(&network);
        let mut walk =
            Walk { rng: Rng(2), network, evaluators, seen: Seen::default(), evaluated: 0 };
        let starts = chess960_starts();
        let mut rng = Rng(3);
        let shuffled = (0..100).map(|_| random_double_chess960(&mut rng, &starts));
        for position in tricky_positions().into_iter().take(200).chain(shuffled) {
            for nnue in &mut walk.evaluators {
                nnue.reset(&position);
            }
            walk.visit(&position, 4);
        }
        assert!(walk.evaluated > 5_000, "{}", walk.evaluated);
        walk.seen.assert_each_at_least(20);
    }
}

#[test]
fn accumulators_follow_long_games_and_back() {
    let network = random_network(4);
    let starts = chess960_starts();
    for mut nnue in evaluators(&network) {
        for game in 0..20 {
            let mut rng = Rng(game);
            let start = random_double_chess960(&mut rng, &starts);
            nnue.reset(&start);
            let mut line = vec![start.clone()];
            random_game(&mut rng, &start, 200, |position, mv| {
                nnue.push();
                let next = position.make(mv);
                // Evaluates rarely, so that an update spans several plies.
                if line.len().is_multiple_of(17) && !next.in_check() {
                    let expected = score::clamp_eval(network.evaluate(&next));
                    assert_eq!(nnue.evaluate(&next), expected, "{next:?}");
                }
                line.push(next);
            });
            while let Some(position) = line.pop() {
                if !position.in_check() {
                    let expected = score::clamp_eval(network.evaluate(&position));
                    assert_eq!(nnue.evaluate(&position), expected, "{position:?}");
                }
                if !line.is_empty() {
                    nnue.pop();
                }
            }
        }
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
