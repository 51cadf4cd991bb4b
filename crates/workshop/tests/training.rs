//! The commands about networks, as programs: results, error messages, and kills.

mod support;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

use carrybit::Board;
use carrybit::internals::eval::nnue::network::{QuantisedNet, SHAPE, Shape};
use carrybit_board::cpu::{Level, VARIABLE};
use support::{bytes, failure, file, folder, name, program, succeed};
use workshop::error::Error;
use workshop::train::network_file;

fn train(games: &Path, out: &Path, options: &str) -> Command {
    let mut command = program(&[&"train", &games, &"--out", &out]);
    command.args("--validation 0.2 --threads 2 --neurons 64 --batch 512".split(' '));
    command.args(options.split_ascii_whitespace());
    command
}

fn net(out: &Path) -> Vec<u8> {
    bytes(&out.join("net.nnue"))
}

fn read(path: &Path) -> QuantisedNet {
    network_file::read(path).expect("a network")
}

/// The table of losses without the speed, which varies.
fn losses(out: &Path) -> Vec<String> {
    let table = fs::read_to_string(out.join("losses.csv")).expect("a table");
    let column = |line: &str| line.rsplit_once(',').map(|(losses, _)| losses.to_owned());
    table.lines().map(|line| column(line).expect("columns")).collect()
}

#[test]
fn killed_training_resumes_to_the_same_network() {
    const EPOCHS: usize = 60;
    let games = file("killed-games", 0..60);
    let [whole, killed] = ["whole", "killed"].map(folder);
    let options = format!("--epochs {EPOCHS} --average 0.6 --resume");
    // An old table must be replaced as a whole, not overwritten.
    let (table, link) = (whole.join("losses.csv"), whole.join("old.csv"));
    fs::write(&table, "old").expect("an old table");
    fs::hard_link(&table, &link).expect("a second name");
    succeed(train(&games, &whole, &options));
    assert_eq!(bytes(&link), b"old");
    assert_eq!(losses(&whole).len(), EPOCHS + 1);
    assert!(QuantisedNet::from_bytes(&net(&whole)).is_ok());
    assert!(whole.join("summary.txt").metadata().expect("a file").len() > 0);

    let mut kills = 0;
    for delay in [0, 5, 20, 40, 80] {
        let mut child = train(&games, &killed, &options).spawn().expect("the program starts");
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
    succeed(train(&games, &killed, &format!("{options} --threads 3")));
    assert_eq!(net(&killed), net(&whole));
    assert_eq!(losses(&killed), losses(&whole));
}

#[test]
fn training_resumes_with_more_games_and_another_end() {
    let (first, more) = (file("fewer-games", 0..30), file("more-games", 0..60));
    let out = folder("grown");
    let resume = |games: &Path, options: &str| {
        let output = succeed(train(games, &out, &format!("{options} --resume")));
        String::from_utf8(output.stderr).expect("UTF-8")
    };
    resume(&first, "--samples 5120");
    assert_eq!(losses(&out).last().map(|line| line.starts_with("10,")), Some(true));
    let before = net(&out);
    let message = resume(&more, "--samples 10240 --lr 1e-3 --window 500");
    assert!(message.contains("continuing at step 10 with other games"), "{message}");
    assert_eq!(losses(&out).last().map(|line| line.starts_with("20,")), Some(true));
    assert_ne!(net(&out), before);
}

#[test]
fn second_training_in_a_folder_is_refused() {
    let games = file("two-games", 0..30);
    let out = folder("two");
    let lock = fs::File::create(out.join("lock")).expect("a file");
    lock.lock().expect("a lock");
    let message = failure(train(&games, &out, "--samples 5000"));
    assert!(message.contains("another training is writing"), "{message}");
    drop(lock);
    succeed(train(&games, &out, "--samples 5000"));
}

#[test]
fn all_levels_of_vector_instructions_give_the_same_network() {
    let games = file("levels-games", 0..30);
    let nets = Level::supported().map(|level| {
        let out = folder(&format!("levels-{level}"));
        let mut command = train(&games, &out, "--samples 20000");
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
    let [first, second] = ["warm-first", "warm-second"].map(folder);
    succeed(train(&games, &first, "--samples 20000"));
    let mut rescaled = read(&first.join("net.nnue"));
    rescaled.scale = 381;
    fs::write(first.join("net.nnue"), rescaled.to_bytes()).expect("a file");
    let warm = format!("--samples 20000 --warm-start {}", first.join("net.nnue").display());
    succeed(train(&games, &second, &warm));
    assert_eq!(read(&second.join("net.nnue")).scale, 381);
    let first_losses = losses(&first);
    let second_losses = losses(&second);
    let loss = |line: &String| line.split(',').nth(3).and_then(|loss| loss.parse::<f64>().ok());
    assert!(loss(&second_losses[1]) < loss(&first_losses[1]), "{first_losses:?} {second_losses:?}");
    // More neurons are possible, fewer are not.
    let wide = folder("warm-wide");
    succeed(train(&games, &wide, &format!("{warm} --neurons 128")));
    let wide_losses = losses(&wide);
    assert!(loss(&wide_losses[1]) < loss(&first_losses[1]), "{first_losses:?} {wide_losses:?}");
    let warm = format!("--neurons 64 --warm-start {}", wide.join("net.nnue").display());
    let message = failure(train(&games, &folder("warm-narrow"), &warm));
    assert!(message.contains("neurons and threat planes cannot be removed"), "{message}");
}

#[test]
fn network_is_converted_and_trained_in_another_shape() {
    let games = file("shape-games", 0..30);
    let [small, large] = ["shape-small", "shape-large"].map(folder);
    let options = "--samples 5000 --king-buckets 0000 --threats 0 --outputs 4";
    succeed(train(&games, &small, options));
    let (old, new) = (small.join("net.nnue"), small.join("new.nnue"));
    let convert = |old: &Path, options: &str| {
        let mut command = program(&[&"convert", &old, &new]);
        command.args(options.split_ascii_whitespace());
        command
    };
    let options = "--neurons 128 --king-buckets 0011/2222/3333 --threats 2 --outputs 8";
    let output = succeed(convert(&old, options));
    let expected = "to   128 neurons, king buckets 0011/2222/3333";
    assert!(String::from_utf8_lossy(&output.stderr).contains(expected), "{output:?}");
    let [before, after] = [&old, &new].map(|path| read(path));
    for fen in [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    ] {
        let board: Board = fen.parse().expect("a FEN");
        assert_eq!(after.evaluate(&board), before.evaluate(&board), "{fen}");
    }
    let options = format!("--neurons 128 --samples 5000 --warm-start {}", new.display());
    succeed(train(&games, &large, &options));
    assert_eq!(read(&large.join("net.nnue")).shape, after.shape);
    let message = failure(convert(&new, "--king-buckets 0000"));
    assert!(message.contains("king bucket 0 has squares of the old buckets 0 and 1"), "{message}");
}

#[test]
fn rescale_gives_the_scale_of_another_network() {
    let games = file("scale-games", 0..30);
    let out = folder("scale");
    succeed(train(&games, &out, "--samples 5000"));
    let (trained, halved) = (out.join("net.nnue"), out.join("halved.nnue"));
    let rescale = |like: &Path, out: &Path| {
        program(&[&"rescale", &trained, &games, &"--like", &like, &"--out", &out])
    };
    let mut net = read(&trained);
    net.scale /= 2;
    fs::write(&halved, net.to_bytes()).expect("a file");
    let like = out.join("like.nnue");
    let output = succeed(rescale(&halved, &like));
    let expected = "mean absolute evaluation";
    assert!(String::from_utf8_lossy(&output.stderr).contains(expected), "{output:?}");
    let scale = read(&like).scale;
    // Evaluations are rounded to whole centipawns, so the new scale is not exact.
    assert!(scale.abs_diff(net.scale) <= net.scale.unsigned_abs() / 20, "{scale}");

    let level = out.join("level.nnue");
    fs::write(&level, QuantisedNet::zeroed(net.shape).to_bytes()).expect("a file");
    let refused = out.join("refused.nnue");
    let message = failure(rescale(&level, &refused));
    assert!(message.contains("cannot compare"), "{message}");
    assert!(!refused.exists());
}

#[test]
fn error_is_the_distance_from_scores_at_the_best_factor() {
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
    let boards =
        ["4k3/8/8/8/8/8/P7/4K3 w - -", "4k3/pp6/8/8/8/8/8/4K3 w - -", "4k3/8/8/8/8/8/8/4K3 b - -"];
    let net = read(&path("same"));
    let evaluate = |fen: &str| net.evaluate(&fen.parse::<Board>().expect("a position"));
    let lines = boards.map(|fen| format!("{fen} acn 60000; ce {};\n", evaluate(fen)));
    let positions = path("positions.epd");
    fs::write(&positions, lines.concat()).expect("a file");
    let error = |against: &Path| {
        let [a, b, c] = networks.map(|(name, ..)| path(name));
        program(&[&"error", &a, &b, &c, &"--against", &against])
    };
    let output = succeed(error(&positions));
    let output = String::from_utf8(output.stdout).expect("UTF-8");
    let lines: Vec<&str> = output.lines().collect();
    assert_eq!(lines.len(), 4, "{output}");
    assert!(lines[1].contains("same: 0.0, 0.00 at a factor of 1.000"), "{output}");
    let number = |line: &str, before: &str| {
        let (_, after) = line.split_once(before).expect("the text before the number");
        let end = after.find([' ', ',']).unwrap_or(after.len());
        after[..end].parse::<f64>().expect("a number")
    };
    // Evaluations are rounded to whole centipawns.
    assert!((number(lines[2], "factor of ") - 0.5).abs() < 0.01, "{output}");
    assert!(number(lines[2], "double: ") < 10.0, "{output}");
    assert!(number(lines[3], "other: ") > 1000.0, "{output}");
    for (text, expected) in [
        ("4k3/8/8/8/8/8/8/4K3 w - - ce 10;\nnothing ce 1;\n", "wrong.epd, line 2: "),
        ("4k3/8/8/8/8/8/8/4K3 w - - acd 3;\n", "line 1: the operation ce is missing"),
        ("4k3/8/8/8/8/8/8/4K3 w - - ce x;\n", "line 1: ce x: "),
        ("", "cannot compare"),
    ] {
        let wrong = path("wrong.epd");
        fs::write(&wrong, text).expect("a file");
        let message = failure(error(&wrong));
        assert!(message.contains(expected), "{message}");
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
    let options = "--samples 10240 --resume";
    succeed(train(&games, &out, options));
    let (network, checkpoint) = (net(&out), out.join("checkpoint"));
    let finished = bytes(&checkpoint);
    // The last of 20 steps begins with parameters that are not numbers.
    alter_checkpoint(&checkpoint, f32::NAN, 19);
    let altered = bytes(&checkpoint);
    let message = failure(train(&games, &out, options));
    assert!(message.contains("the loss of step 20 is not finite"), "{message}");
    assert!(bytes(&checkpoint) == altered && net(&out) == network);
    // All steps are done, but numbers of 2,000 are too large after the first layer.
    fs::write(&checkpoint, finished).expect("a file");
    alter_checkpoint(&checkpoint, 2000.0, 20);
    let message = failure(train(&games, &out, options));
    assert!(message.contains("the result does not fit the engine's integers"), "{message}");
    assert!(net(&out) == network);
}

#[test]
fn network_that_does_not_fit_is_neither_written_nor_trained() {
    let folder = folder("misfit");
    let (games, path) = (file("misfit-games", 0..5), folder.join("net.nnue"));
    let mut net = QuantisedNet::zeroed(SHAPE);
    net.feature_biases.fill(i16::MAX);
    let error = network_file::write(&path, &net);
    assert!(matches!(error, Err(Error::Unfit(_))) && !path.exists(), "{error:?}");

    let net = QuantisedNet::zeroed(Shape { neurons: 48, ..SHAPE });
    network_file::write(&path, &net).expect("a network");
    let warm = format!("--warm-start {}", path.display());
    let message = failure(train(&games, &folder.join("out"), &warm));
    assert!(message.contains("48 neurons are not a multiple of 64"), "{message}");
}

#[test]
fn invalid_input_ends_with_an_error_message() {
    let games = file("refused-games", 0..30);
    let out = folder("refused");
    let missing = failure(train(Path::new("no-such-file"), &out, ""));
    assert!(missing.contains("no-such-file"), "{missing}");
    succeed(train(&games, &out, "--samples 5000"));
    let again = failure(train(&games, &out, "--samples 5000"));
    assert!(again.contains("--resume"), "{again}");
    let other = failure(train(&games, &out, "--samples 5000 --wdl 0.1 --resume"));
    assert!(other.contains("another training"), "{other}");

    let checkpoint = out.join("checkpoint");
    let mut bytes = bytes(&checkpoint);
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&checkpoint, bytes).expect("a file");
    let damaged = failure(train(&games, &out, "--samples 5000 --resume"));
    assert!(damaged.contains("damaged"), "{damaged}");

    let net = out.join("net.nnue");
    fs::write(&net, b"nothing").expect("a file");
    let fresh = folder("refused-warm");
    let warm = failure(train(&games, &fresh, &format!("--warm-start {}", name(&net))));
    assert!(warm.contains("not a network"), "{warm}");
    for wrong in [
        "--neurons 48",
        "--king-buckets 0022",
        "--threats 3",
        "--outputs 0",
        "--average 1.5",
        "--wdl 1.5",
        "--scale 0",
        "--scale 1e-40",
        "--epochs 0",
        "--lr nan",
        "--lr 1e38",
        "--lr 1e-4 --final-lr 1e-3",
        "--batch 18446744073709551615",
        "--threads 5000",
        "--threads 18446744073709551615",
    ] {
        let output = train(&games, &fresh, wrong).output().expect("the program starts");
        assert_eq!(output.status.code(), Some(2), "{wrong}");
    }
}
