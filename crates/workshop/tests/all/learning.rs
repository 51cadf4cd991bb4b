//! The trainer: gradients, quantisation, averages, and results independent of threads.

use std::iter::zip;
use std::ops::Range;

use crate::support::{NO_SMOOTHING, file};
use carrybit::internals::eval::nnue::network::{KING_SQUARES, L2, L3, ONE, SHAPE, Shape};
use fastrand::Rng;
use rayon::ThreadPoolBuilder;
use workshop::train::adam::Schedule;
use workshop::train::data::{Filter, Row, TrainingData, push_inputs};
use workshop::train::gradient;
use workshop::train::inputs::{CHUNK, Inputs};
use workshop::train::model::{BLOCK, FirstLayer, FloatNet, PAIR};
use workshop::train::pass::Pass;
use workshop::train::quantise::{Comparison, board, dequantise, quantise};
use workshop::train::smoothing::SCALE;
use workshop::train::training::{EXPONENT, Objective, Order, PASSES, Plan, Trainer, forward};

const OBJECTIVE: Objective = Objective { wdl: 0.3, output_cp: SCALE as f32 };

const FILTER: Filter =
    Filter { min_ply: 16, max_score: 2000, validation: 0.1, smoothing: NO_SMOOTHING };

/// The engine's shape with another number of neurons.
const fn shape(neurons: usize) -> Shape {
    Shape { neurons, ..SHAPE }
}

/// Differs from `shape(PAIR)` in everything but the number of neurons.
const OTHER: Shape =
    Shape { neurons: PAIR, king_buckets: [0; KING_SQUARES], threat_planes: 1, outputs: 3 };

fn data(name: &str, seeds: Range<u64>) -> TrainingData {
    TrainingData::read(&[file(name, seeds)], &[], FILTER, usize::MAX, None).expect("valid games")
}

fn rows(name: &str, seeds: Range<u64>) -> Vec<Row> {
    data(name, seeds).part(0).to_vec()
}

fn plan(batch: usize, steps: u64) -> Plan {
    let schedule = Schedule { rate: 2e-3, final_rate: 1e-5, warmup: 20, steps };
    Plan { batch, seed: 7, schedule, weight_decay: 0.01, average: 0.0, objective: OBJECTIVE }
}

/// Trains a small random network to the last step.
fn train(plan: Plan, rows: &[Row]) -> Trainer {
    let scale = plan.objective.output_cp as i32;
    let mut trainer = Trainer::new(FloatNet { scale, ..FloatNet::random(OTHER, 1) }, plan);
    while !trainer.is_finished() {
        trainer.train_batch(rows, Order { key: 7, first: trainer.step * plan.batch as u64 });
    }
    trainer
}

/// The mean absolute error to a power, computed naively in double precision.
fn loss(network: &FloatNet, parameters: &[f64], rows: &[Row], exponent: f32) -> f64 {
    let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
    let neurons = network.shape.neurons;
    let mut inputs = Inputs::default();
    let mut sum = 0.0;
    for row in rows {
        inputs.clear();
        push_inputs(row, &network.shape, &mut inputs);
        let bucket = inputs.output(0);
        let activations = [0, 1].map(|side| -> Vec<f64> {
            let mut sums = parameters[network.feature_bias(0)..][..neurons].to_vec();
            for &feature in inputs.features(side) {
                for (block, sums) in sums.chunks_mut(BLOCK).enumerate() {
                    let weights = network.feature_weight(feature.into(), block * BLOCK);
                    zip(sums, &parameters[weights..]).for_each(|(sum, weight)| *sum += weight);
                }
            }
            let (one, other) = sums.split_at(neurons / 2);
            zip(one, other).map(|(a, b)| a.clamp(0.0, 1.0) * b.clamp(0.0, 1.0)).collect()
        });
        let mut dense = parameters[network.dense_numbers(bucket)].iter().copied();
        let mut next = || dense.next().expect("all numbers");
        let mut second = [0; L2].map(|_| next());
        for (neuron, total) in second.iter_mut().enumerate() {
            for (side, activations) in activations.iter().enumerate() {
                for (block, activations) in activations.chunks(BLOCK).enumerate() {
                    let weights = network.l1_weight(bucket, neuron, side, block * BLOCK);
                    *total +=
                        zip(activations, &parameters[weights..]).map(|(a, w)| a * w).sum::<f64>();
                }
            }
        }
        let inputs = second.map(|value| value.clamp(0.0, 1.0));
        let squares = second.map(|value| (value * value).min(1.0));
        let mut third = [0.0; L3];
        for input in inputs.into_iter().chain(squares) {
            third.iter_mut().for_each(|total| *total += input * next());
        }
        third.iter_mut().for_each(|total| *total += next());
        let output: f64 = third.map(|total| total.clamp(0.0, 1.0) * next()).iter().sum();
        let output = output + next();
        let expected = sigmoid(f64::from(row.position.score) / SCALE);
        let target = 0.3 * f64::from(row.position.result) / 2.0 + 0.7 * expected;
        sum += (sigmoid(output) - target).abs().powf(exponent.into());
    }
    sum / rows.len() as f64
}

#[test]
fn reshaped_network_has_the_same_outputs() {
    let rows: Vec<Row> = rows("growing", 0..5).into_iter().take(20).collect();
    let outputs = |net: &FloatNet| {
        forward(&mut Pass::new(&net.shape), net, &FirstLayer::new(net), &rows).to_vec()
    };
    let small = FloatNet { scale: 381, ..FloatNet::random(OTHER, 3) };
    let mut king_buckets: [u8; KING_SQUARES] = std::array::from_fn(|sq| sq as u8);
    king_buckets.reverse();
    for larger in [
        Shape { neurons: 3 * PAIR, ..OTHER },
        Shape { threat_planes: 2, ..OTHER },
        Shape { outputs: 6, ..OTHER },
        Shape { king_buckets, ..OTHER },
        Shape { king_buckets, neurons: 2 * PAIR, threat_planes: 2, outputs: 9 },
    ] {
        let reshaped = small.reshaped(larger, 4).expect("a larger shape");
        assert_eq!((reshaped.shape, reshaped.scale), (larger, 381));
        assert_eq!(outputs(&reshaped), outputs(&small), "{larger}");
        assert_eq!(dequantise(&quantise(&reshaped)).map(|net| net.scale), Some(381));
    }
    // New neurons have different weights, so their gradients differ.
    let grown = small.reshaped(Shape { neurons: 3 * PAIR, ..OTHER }, 4).expect("more neurons");
    let weight = |neuron: usize| grown.parameters[grown.feature_weight(700, neuron)];
    assert!(weight(PAIR) != 0.0 && weight(PAIR) != weight(PAIR + 1));
    // Nothing may be removed or merged.
    let large = FloatNet::random(SHAPE, 5);
    for smaller in [
        shape(PAIR),
        Shape { threat_planes: 1, ..SHAPE },
        Shape { king_buckets: [0; KING_SQUARES], ..SHAPE },
    ] {
        assert!(large.reshaped(smaller, 4).is_err(), "{smaller}");
    }
}

#[test]
fn gradients_equal_finite_differences() {
    check_gradients("gradients", shape(2 * PAIR));
}

#[test]
fn gradients_of_another_shape_equal_finite_differences() {
    check_gradients("gradients-other", OTHER);
}

fn check_gradients(name: &str, shape: Shape) {
    const STEP: f64 = 1e-6;
    let rows: Vec<Row> = rows(name, 0..5).into_iter().step_by(7).take(20).collect();
    let mut network = FloatNet::random(shape, 4);
    // Some neurons leave the range 0..=1 at both ends.
    network.parameters.iter_mut().for_each(|number| *number *= 3.0);
    // The trainer rounds the first two layers to units of 1/127, which leaves these numbers as they
    // are. Sums of the first layer have a remainder of 1 by 4, so no neuron is at an end of the
    // range, 0 or 127, where the derivative jumps.
    let (biases, l1_weights) =
        (network.feature_bias(0), network.feature_bias(network.shape.neurons));
    let dense = network.dense_numbers(0).start;
    for (index, number) in network.parameters[..dense].iter_mut().enumerate() {
        let multiple = if index < l1_weights { 4.0 } else { 1.0 };
        let remainder = if (biases..l1_weights).contains(&index) { 1.0 } else { 0.0 };
        let units = *number * ONE as f32;
        *number = ((units / multiple).round() * multiple + remainder) / ONE as f32;
    }
    let first_layer = FirstLayer::new(&network);
    let mut gradient = vec![0f32; network.parameters.len()];
    let mut outputs = Vec::new();
    // Two passes at a time; the last one is empty.
    let mut passes = vec![Pass::new(&network.shape); 2];
    for round in [[&rows[..7], &rows[7..14]], [&rows[14..], &[]]] {
        for (pass, rows) in passes.iter_mut().zip(round) {
            let found = forward(pass, &network, &first_layer, rows).to_vec();
            let losses = found.iter().zip(rows).map(|(&output, row)| OBJECTIVE.loss(output, row));
            pass.prepare_backward(&losses.map(|(_, slope)| slope / 20.0).collect::<Vec<f32>>());
            outputs.extend(found);
        }
        gradient::add(&mut gradient, &network, &passes);
    }

    let mut parameters: Vec<f64> = network.parameters.iter().copied().map(f64::from).collect();
    let losses = outputs.iter().zip(&rows).map(|(&output, row)| OBJECTIVE.loss(output, row).0);
    let mean = f64::from(losses.sum::<f32>()) / rows.len() as f64;
    assert!((mean - loss(&network, &parameters, &rows, 2.0)).abs() < 1e-6);

    let largest = gradient.iter().fold(0f32, |largest, slope| largest.max(slope.abs()));
    let behind = (network.feature_bias(0)..parameters.len()).step_by(17);
    let used = (0..network.feature_bias(0)).filter(|&index| gradient[index] != 0.0);
    let unused = (0..network.feature_bias(0)).filter(|&index| gradient[index] == 0.0);
    let output_biases = (0..network.shape.outputs).map(|at| network.dense_numbers(at).end - 1);
    let checked =
        output_biases.chain(behind).chain(used.step_by(300)).chain(unused.step_by(10_000));
    for index in checked {
        let number = parameters[index];
        parameters[index] = number + STEP;
        let above = loss(&network, &parameters, &rows, EXPONENT);
        parameters[index] = number - STEP;
        let below = loss(&network, &parameters, &rows, EXPONENT);
        parameters[index] = number;
        let (expected, found) = ((above - below) / (2.0 * STEP), f64::from(gradient[index]));
        // The trainer rounds derivatives to eight bits (bfloat16).
        let tolerance = 1e-2 * expected.abs() + 2e-4 * f64::from(largest);
        assert!((expected - found).abs() < tolerance, "{index}: {found}, not {expected}");
    }
}

#[test]
fn network_can_overfit_a_hundred_positions() {
    let mut rng = Rng::with_seed(1);
    let mut rows: Vec<Row> = rows("overfitting", 0..20).into_iter().step_by(9).take(100).collect();
    assert_eq!(rows.len(), 100);
    for row in &mut rows {
        row.position.score = rng.i16(-600..600);
        row.position.result = rng.u8(..3);
    }
    let before = train(plan(100, 0), &rows).loss(&rows);
    let after = train(plan(100, 1200), &rows).loss(&rows);
    assert!(before > 0.01 && after < 1e-4, "{before}, then {after}");
}

#[test]
fn quantised_network_evaluates_like_the_trained_one() {
    let mut data = data("integers", 0..200);
    let shape = Shape { neurons: 2 * PAIR, ..OTHER };
    let mut trainer = Trainer::new(FloatNet::random(shape, 1), plan(512, 300));
    let before = trainer.loss(&data.validation);
    while !trainer.is_finished() {
        trainer.train_unit(&mut data, |_, _| {}).expect("finite losses");
    }
    let after = trainer.records.last().expect("an epoch").validation;
    assert!(after < 0.6 * before, "{before}, then {after}");

    let network = trainer.network();
    let net = quantise(network);
    assert_eq!(net.check(), Ok(()));
    let rows = data.part(0);
    let compare = |network| Comparison::new(network, &net, rows, OBJECTIVE, usize::MAX);
    let rounding = compare(network);
    assert!(rounding.positions >= 5_000, "{rounding:?}");
    assert!(rounding.mean_distance < 2.0 && rounding.max_distance < 15.0, "{rounding:?}");
    assert!(rounding.quantised_loss < 1.2 * rounding.float_loss, "{rounding:?}");

    let dequantised = dequantise(&net).expect("a multiple of PAIR");
    let distance = compare(&dequantised).mean_distance - rounding.mean_distance;
    assert!(distance.abs() < 0.01, "{distance}");
    assert_eq!(quantise(&dequantised), net);
}

#[test]
fn evaluations_have_the_same_unit_as_the_scores() {
    let mut rows = rows("scale", 0..20);
    rows.retain(|row| row.position.score.abs() < 400);
    let rows: Vec<Row> = rows.into_iter().step_by(5).take(100).collect();
    let objective = Objective { wdl: 0.0, output_cp: 300.0 };
    let net = quantise(train(Plan { objective, ..plan(100, 800) }, &rows).network());
    // Least squares: evaluation = slope * score.
    let (mut product, mut square) = (0.0, 0.0);
    for row in &rows {
        let score = f64::from(row.position.score);
        product += score * f64::from(net.evaluate(&board(row).expect("a legal position")));
        square += score * score;
    }
    let slope = product / square;
    assert!((0.9..1.1).contains(&slope), "{slope}");
}

#[test]
fn data_and_training_do_not_depend_on_the_threads() {
    let shards = [file("threads", 0..300)];
    let trained = |threads| {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| {
            let mut data =
                TrainingData::read(&shards, &[], FILTER, usize::MAX, None).expect("valid games");
            // More samples than all passes take at a time.
            let plan = plan(PASSES * CHUNK + 616, 2);
            let mut trainer = Trainer::new(FloatNet::random(shape(2 * PAIR), 1), plan);
            while !trainer.is_finished() {
                trainer.train_unit(&mut data, |_, _| {}).expect("finite losses");
            }
            let losses: Vec<(f64, f64)> =
                trainer.records.iter().map(|record| (record.training, record.validation)).collect();
            (data.part(0).to_vec(), data.fingerprint, trainer.network().clone(), losses)
        })
    };
    let one = trained(1);
    assert!(one == trained(2) && one == trained(5));
}

#[test]
fn outputs_do_not_depend_on_chunks() {
    let rows = rows("chunks", 0..20);
    let rows: Vec<Row> = rows.iter().copied().cycle().take(CHUNK + 500).collect();
    let network = FloatNet::random(shape(3 * PAIR), 5);
    let (mut pass, first_layer) = (Pass::new(&network.shape), FirstLayer::new(&network));
    let together: Vec<f32> = rows
        .chunks(CHUNK)
        .flat_map(|rows| forward(&mut pass, &network, &first_layer, rows).to_vec())
        .collect();
    let alone: Vec<f32> = rows
        .iter()
        .rev()
        .map(|row| forward(&mut pass, &network, &first_layer, &[*row])[0])
        .collect();
    assert!(together.iter().eq(alone.iter().rev()));
}

#[test]
fn average_covers_the_last_share() {
    let mut data = data("average", 0..40);
    let rows = data.part(0).to_vec();
    let train = |average, steps| {
        let plan = Plan { average, ..plan(256, steps) };
        let mut trainer = train(plan, &rows);
        (trainer.averaged, trainer.network().clone(), trainer.loss(&data.validation))
    };
    // Of the last 50 steps, every eighth is averaged, counted back from the last.
    let (averaged, network, loss) = train(0.5, 100);
    assert_eq!(averaged, 7);
    let (none, last, last_loss) = train(0.0, 100);
    assert_eq!(none, 0);
    assert!(network != last && loss < 1.1 * last_loss, "{loss}, not {last_loss}");
    assert_eq!(train(0.1, 1).0, 0);
    assert_eq!(train(1.0, 1).0, 1);
}
