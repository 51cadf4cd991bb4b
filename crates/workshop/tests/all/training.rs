//! The commands about networks: results, error messages, and kills.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

use crate::support::{bytes, file, folder, name, program, run, succeed};
use carrybit::Board;
use carrybit::internals::eval::nnue::network::{QuantisedNet, SHAPE, Shape};
use carrybit_board::cpu::{Level, VARIABLE};
use clap::Parser;
use workshop::command::Arguments;
use workshop::error::Error;
use workshop::files::{read_network, write_network};

/// The words of a training of a small network, without the name of the program.
fn words<'a>(games: &'a Path, out: &'a Path, options: &'a str) -> Vec<&'a str> {
    const USUAL: &str = "--validation 0.2 --threads 2 --batch 512 --neurons 64 \
                         --king-buckets 0000 --threats 1 --outputs 2";
    let words = ["train", name(games), "--out", name(out)].into_iter();
    words.chain(USUAL.split_whitespace()).chain(options.split_whitespace()).collect()
}

fn train(games: &Path, out: &Path, options: &str) -> Result<String, Error> {
    run(&words(games, out, options))
}

#[track_caller]
fn assert_refused(result: Result<String, Error>, message: &str) {
    let error = result.expect_err(message).to_string();
    assert!(error.contains(message), "{error}");
}

fn net(out: &Path) -> Vec<u8> {
    bytes(&out.join("net.nnue"))
}

fn read(path: &Path) -> QuantisedNet {
    read_network(path).expect("a network")
}

/// The table of losses without the speed, which varies.
fn losses(out: &Path) -> Vec<String> {
    let table = fs::read_to_string(out.join("losses.csv")).expect("a table");
    let column = |line: &str| line.rsplit_once(',').map(|(losses, _)| losses.to_owned());
    table.lines().map(|line| column(line).expect("columns")).collect()
}

/// The training loss after the first epoch.
fn first_loss(out: &Path) -> f64 {
    let loss = losses(out)[1].split(',').nth(3).map(str::parse);
    loss.expect("a column").expect("a number")
}

#[test]
fn killed_training_resumes_to_the_same_network() {
    const EPOCHS: usize = 30;
    let games = file("killed-games", 0..60);
    let [whole, killed] = ["whole", "killed"].map(folder);
    let options = format!("--epochs {EPOCHS} --average 0.6 --resume");
    // An old table must be replaced as a whole, not overwritten.
    let (table, link) = (whole.join("losses.csv"), whole.join("old.csv"));
    fs::write(&table, "old").expect("an old table");
    fs::hard_link(&table, &link).expect("a second name");
    train(&games, &whole, &options).expect("a network");
    assert_eq!(bytes(&link), b"old");
    assert_eq!(losses(&whole).len(), EPOCHS + 1);
    assert!(whole.join("summary.txt").metadata().expect("a file").len() > 0);

    let mut kills = 0;
    for delay in [0, 5, 20, 40, 80] {
        let mut child = program(&words(&games, &killed, &options)).spawn().expect("a program");
        if delay > 0 {
            let checkpoint = killed.join("checkpoint");
            while !checkpoint.exists() && child.try_wait().expect("a child").is_none() {
                thread::sleep(Duration::from_millis(1));
            }
        }
        thread::sleep(Duration::from_millis(delay));
        kills += usize::from(child.try_wait().expect("a child").is_none());
        child.kill().expect("the program can be killed");
        child.wait().expect("the program ends");
    }
    assert!(kills > 0, "every run ended before its kill");
    // Also with another number of threads.
    train(&games, &killed, &options.replace("--resume", "--resume --threads 3")).expect("the rest");
    assert_eq!(net(&killed), net(&whole));
    assert_eq!(losses(&killed), losses(&whole));
}

#[test]
fn training_resumes_with_more_games_and_another_end() {
    let (first, more) = (file("fewer-games", 0..30), file("more-games", 0..60));
    let out = folder("grown");
    train(&first, &out, "--samples 5120").expect("a network");
    assert!(losses(&out).last().is_some_and(|line| line.starts_with("10,")));
    let before = net(&out);
    let options = "--samples 10240 --lr 1e-3 --window 500 --resume";
    let output = succeed(program(&words(&more, &out, options)));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.contains("continuing at step 10 with other games"), "{message}");
    assert!(losses(&out).last().is_some_and(|line| line.starts_with("20,")));
    assert_ne!(net(&out), before);
}

#[test]
fn all_levels_of_vector_instructions_give_the_same_network() {
    let games = file("levels-games", 0..30);
    let nets = Level::supported().map(|level| {
        let out = folder(&format!("levels-{level}"));
        let mut command = program(&words(&games, &out, "--samples 20000"));
        command.env(VARIABLE, level.name());
        succeed(command);
        net(&out)
    });
    let nets: Vec<Vec<u8>> = nets.collect();
    assert!(nets.iter().all(|net| *net == nets[0]));
}

#[test]
fn warm_start_keeps_the_scale_and_begins_with_a_lower_loss() {
    let games = file("warm-games", 0..30);
    let [first, second, wide] = ["warm-first", "warm-second", "warm-wide"].map(folder);
    train(&games, &first, "--samples 20000").expect("a network");
    let path = first.join("net.nnue");
    let rescaled = QuantisedNet { scale: 381, ..read(&path) };
    write_network(&path, &rescaled).expect("a file");
    let warm = format!("--samples 20000 --warm-start {}", name(&path));
    train(&games, &second, &warm).expect("a network");
    assert_eq!(read(&second.join("net.nnue")).scale, 381);
    // More neurons are possible, fewer are not.
    train(&games, &wide, &format!("{warm} --neurons 128")).expect("a network");
    let [cold, warm, wider] = [&first, &second, &wide].map(|out| first_loss(out));
    assert!(warm < cold && wider < cold, "{cold} {warm} {wider}");
    let warm = format!("--warm-start {}", name(&wide.join("net.nnue")));
    let narrow = train(&games, &folder("warm-narrow"), &warm);
    assert_refused(narrow, "neurons and threat planes cannot be removed");
}

#[test]
fn network_is_converted_and_trained_in_another_shape() {
    let games = file("shape-games", 0..30);
    let [small, large] = ["shape-small", "shape-large"].map(folder);
    train(&games, &small, "--samples 5000 --threats 0 --outputs 4").expect("a network");
    let (old, new) = (small.join("net.nnue"), small.join("new.nnue"));
    let convert = |old: &Path, options: &str| {
        let words = ["convert", name(old), name(&new)].into_iter();
        run(&words.chain(options.split_whitespace()).collect::<Vec<_>>())
    };
    let options = "--neurons 128 --king-buckets 0011/2222/3333 --threats 2 --outputs 8";
    convert(&old, options).expect("a larger shape");
    let [before, after] = [&old, &new].map(|path| read(path));
    let shape = after.shape.to_string();
    assert!(shape.starts_with("128 neurons, king buckets 0011/2222/3333"), "{shape}");
    for fen in [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    ] {
        let board: Board = fen.parse().expect("a FEN");
        assert_eq!(after.evaluate(&board), before.evaluate(&board), "{fen}");
    }
    let options = format!("{options} --samples 5000 --warm-start {}", name(&new));
    train(&games, &large, &options).expect("a network");
    assert_eq!(read(&large.join("net.nnue")).shape, after.shape);
    let merged = convert(&new, "--king-buckets 0000");
    assert_refused(merged, "king bucket 0 has squares of the old buckets 0 and 1");
}

#[test]
fn rescale_gives_the_scale_of_another_network() {
    let games = file("scale-games", 0..300);
    let out = folder("scale");
    train(&games, &out, "--samples 5000").expect("a network");
    let [trained, halved, like, level, refused] =
        ["net", "halved", "like", "level", "refused"].map(|net| out.join(format!("{net}.nnue")));
    let rescale = |like: &Path, out: &Path| {
        run(&["rescale", name(&trained), name(&games), "--like", name(like), "--out", name(out)])
    };
    let mut net = read(&trained);
    net.scale /= 2;
    // The output for more pieces is larger than the other one.
    const LARGER: f32 = 1.5;
    let dense = &mut net.stacks[1].dense;
    dense.l3_weights.iter_mut().chain([&mut dense.l3_bias]).for_each(|number| *number *= LARGER);
    write_network(&halved, &net).expect("a file");
    rescale(&halved, &like).expect("a network");
    let rescaled = read(&like);
    let worth = |net: &QuantisedNet, output: usize, at: usize| {
        net.scale as f32 * net.stacks[output].dense.l3_weights[at]
    };
    for output in [0, 1] {
        let weights = &net.stacks[output].dense.l3_weights;
        let largest = |&at: &usize| (weights[at].abs() * 1e6) as i32;
        let at = (0..weights.len()).max_by_key(largest).expect("a weight");
        let (found, wanted) = (worth(&rescaled, output, at), worth(&net, output, at));
        // Evaluations are rounded to whole centipawns, so the new scale is not exact.
        assert!((found / wanted - 1.0).abs() < 0.05, "{output}: {found}, not {wanted}");
    }

    write_network(&level, &QuantisedNet::zeroed(net.shape)).expect("a file");
    assert_refused(rescale(&level, &refused), "cannot compare");
    assert!(!refused.exists());
}

#[test]
fn mean_of_networks_is_the_mean_of_their_numbers() {
    let folder = folder("mean");
    let path = |name: &str| folder.join(format!("{name}.nnue"));
    let shape = Shape { neurons: 12, ..SHAPE };
    for (name, number, neurons) in [("one", 3, 12), ("two", 6, 12), ("wide", 0, 16)] {
        let mut net = QuantisedNet::zeroed(Shape { neurons, ..shape });
        net.feature_weights.fill(-number);
        net.feature_biases.fill(i16::from(number));
        net.stacks[1].l1_weights.fill(number);
        net.stacks[2].dense.l2_biases.fill(number.into());
        net.scale = i32::from(number) + 100;
        write_network(&path(name), &net).expect("a file");
    }
    let [one, two, wide, out] = ["one", "two", "wide", "out"].map(path);
    let nets = [name(&two), name(&one), name(&two)];
    run(&[&["mean"], &nets[..], &["--out", name(&out)]].concat()).expect("a network");
    let net = read(&out);
    assert_eq!(net.shape, shape);
    assert!(net.feature_weights.iter().all(|&weight| weight == -5));
    assert!(net.feature_biases.iter().all(|&bias| bias == 5));
    assert!(net.stacks[1].l1_weights.iter().all(|&weight| weight == 5));
    assert_eq!((net.stacks[2].dense.l2_biases[0], net.stacks[0].dense.l3_bias), (5.0, 0.0));
    assert_eq!(net.scale, 105);
    let refused = run(&["mean", name(&one), name(&wide), "--out", name(&out)]);
    assert_refused(refused, "16 neurons, not 12 neurons");
}

#[test]
fn error_is_the_distance_from_scores_after_the_best_map() {
    let folder = folder("error");
    let path = |name: &str| folder.join(name);
    let networks = [("same", 400, 1.0), ("double", 800, 1.0), ("other", 400, -1.0)];
    for (name, scale, sign) in networks {
        let mut net = QuantisedNet::material(Shape { neurons: 12, ..SHAPE });
        net.scale = scale;
        for dense in net.stacks.iter_mut().map(|stack| &mut stack.dense) {
            dense.l3_weights = dense.l3_weights.map(|number| sign * number);
            dense.l3_bias *= sign;
        }
        fs::write(path(name), net.to_bytes()).expect("a file");
    }
    let net = read(&path("same"));
    let lines = ["P7/4K3 w", "pp6/4K3 w", "8/4K3 b"].map(|end| {
        let fen = format!("4k3/8/8/8/8/8/{end} - -");
        let eval = net.evaluate(&fen.parse().expect("a position"));
        format!("{fen} acn 60000; ce {eval};\n")
    });
    let positions = path("positions.epd");
    fs::write(&positions, lines.concat()).expect("a file");
    let error = |against: &Path| {
        let [a, b, c] = networks.map(|(name, ..)| path(name));
        run(&["error", name(&a), name(&b), name(&c), "--against", name(against)])
    };
    let output = error(&positions).expect("networks and positions");
    let lines: Vec<&str> = output.lines().collect();
    assert_eq!(lines.len(), 4, "{output}");
    assert!(lines[1].contains("same: 0.0, 0.00"), "{output}");
    assert!(lines[2].contains("double: 0.0, 0.00"), "{output}");
    let (_, other) = lines[3].split_once("other: ").expect("the third network");
    let (square, _) = other.split_once(',').expect("two errors");
    assert!(square.parse::<f64>().expect("a number") > 1000.0, "{output}");
    for (text, expected) in [
        ("4k3/8/8/8/8/8/8/4K3 w - - ce 10;\nnothing ce 1;\n", "wrong.epd, line 2: "),
        ("4k3/8/8/8/8/8/8/4K3 w - - acd 3;\n", "line 1: the operation ce is missing"),
        ("4k3/8/8/8/8/8/8/4K3 w - - ce x;\n", "line 1: ce x: "),
        ("", "cannot compare"),
    ] {
        let wrong = path("wrong.epd");
        fs::write(&wrong, text).expect("a file");
        assert_refused(error(&wrong), expected);
    }
}

/// Sets all numbers of a checkpoint to `number`, and its step to `step` instead of 20.
fn alter_checkpoint(path: &Path, number: f32, step: u32) {
    const HEADER_AT: usize = 12;
    let mut bytes = bytes(path);
    let len = u32::from_le_bytes(bytes[HEADER_AT - 4..HEADER_AT].try_into().expect("4 bytes"));
    let content = bytes.len() - 4;
    let (header, numbers) = bytes[HEADER_AT..content].split_at_mut(len as usize);
    let text = str::from_utf8(header).expect("UTF-8");
    let altered = text.replacen("\nstep = 20\n", &format!("\nstep = {step}\n"), 1);
    header.copy_from_slice(altered.as_bytes());
    numbers.as_chunks_mut().0.fill(number.to_le_bytes());
    let checksum = crc32fast::hash(&bytes[..content]);
    bytes[content..].copy_from_slice(&checksum.to_le_bytes());
    fs::write(path, bytes).expect("a file");
}

#[test]
fn loss_that_is_not_finite_or_an_unfit_result_ends_training_with_an_error() {
    let games = file("unfit-games", 0..30);
    let out = folder("unfit");
    let train = || train(&games, &out, "--samples 10240 --resume");
    train().expect("a network");
    let (network, checkpoint) = (net(&out), out.join("checkpoint"));
    let finished = bytes(&checkpoint);
    // The last of 20 steps begins with parameters that are not numbers.
    alter_checkpoint(&checkpoint, f32::NAN, 19);
    let altered = bytes(&checkpoint);
    assert_refused(train(), "the loss of step 20 is not finite");
    assert!(bytes(&checkpoint) == altered && net(&out) == network);
    // All steps are done, but numbers of 2,000 are too large after the first layer.
    fs::write(&checkpoint, finished).expect("a file");
    alter_checkpoint(&checkpoint, 2000.0, 20);
    assert_refused(train(), "the result does not fit the engine's integers");
    assert!(net(&out) == network);
}

#[test]
fn invalid_input_ends_with_an_error_message() {
    let games = file("refused-games", 0..30);
    let [out, fresh] = ["refused", "refused-warm"].map(folder);
    assert_refused(train(Path::new("no-such-file"), &out, ""), "no-such-file");
    let lock = fs::File::create(out.join("lock")).expect("a file");
    lock.lock().expect("a lock");
    assert_refused(train(&games, &out, "--samples 5000"), "another training is writing");
    drop(lock);
    train(&games, &out, "--samples 5000").expect("a network");
    assert_refused(train(&games, &out, "--samples 5000"), "--resume");
    assert_refused(train(&games, &out, "--samples 5000 --wdl 0.1 --resume"), "another training");

    let checkpoint = out.join("checkpoint");
    let mut bytes = bytes(&checkpoint);
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&checkpoint, bytes).expect("a file");
    assert_refused(train(&games, &out, "--samples 5000 --resume"), "damaged");

    let net = out.join("net.nnue");
    let warm = format!("--warm-start {}", name(&net));
    fs::write(&net, b"nothing").expect("a file");
    assert_refused(train(&games, &fresh, &warm), "not a network");
    let narrow = QuantisedNet::zeroed(Shape { neurons: 48, ..SHAPE });
    write_network(&net, &narrow).expect("a network");
    assert_refused(train(&games, &fresh, &warm), "48 neurons are not a multiple of 64");
    assert_refused(train(&games, &fresh, "--validation 0"), "too few games");
    assert_refused(train(&games, &fresh, "--lr 1e-4 --final-lr 1e-3"), "above --lr");
    for wrong in [
        "--neurons 48",
        "--king-buckets 0022",
        "--threats 3",
        "--outputs 0",
        "--average 1.5",
        "--wdl 1.5",
        "--epochs 0",
        "--lr nan",
        "--lr 1e38",
        "--batch 18446744073709551615",
        "--threads 5000",
    ] {
        let words = words(&games, &fresh, wrong);
        assert!(Arguments::try_parse_from(["workshop"].iter().chain(&words)).is_err(), "{wrong}");
    }
}
