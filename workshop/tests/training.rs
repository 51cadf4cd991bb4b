//! The program: what it leaves, what it refuses, and that no kill harms it.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use carrybit::board::Board;
use carrybit::eval::nnue::network::QuantisedNet;
use carrybit::sys::cpu::{Level, VARIABLE};
use support::{file, folder};

fn train(games: &Path, out: &Path, options: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_workshop"));
    command.arg("train").arg(games).arg("--out").arg(out);
    command.args("--validation 0.2 --threads 2 --neurons 32 --batch 512".split(' '));
    command.args(options.split_ascii_whitespace());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(mut command: Command) -> Output {
    let output = command.output().expect("the program starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

/// The message with which a command fails.
fn failure(mut command: Command) -> String {
    let output = command.output().expect("the program starts");
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8(output.stderr).expect("text");
    assert!(!message.contains("panicked"), "{message}");
    message
}

fn net(out: &Path) -> Vec<u8> {
    fs::read(out.join("net.nnue")).expect("a network")
}

fn read(path: &Path) -> QuantisedNet {
    QuantisedNet::from_bytes(&fs::read(path).expect("a file")).expect("a network")
}

/// The table of losses without the speed, which differs from run to run.
fn losses(out: &Path) -> Vec<String> {
    let table = fs::read_to_string(out.join("losses.csv")).expect("a table");
    let column = |line: &str| line.rsplit_once(',').map(|(losses, _)| losses.to_owned());
    table.lines().map(|line| column(line).expect("columns")).collect()
}

#[test]
fn a_killed_training_goes_on_to_the_same_network() {
    const EPOCHS: usize = 60;
    let games = file("killed-games", 0..60);
    let [whole, killed] = ["whole", "killed"].map(folder);
    let options = format!("--epochs {EPOCHS} --average 0.6 --resume");
    // An old picture is replaced as a whole, not written over.
    let (picture, link) = (whole.join("losses.svg"), whole.join("old.svg"));
    fs::write(&picture, "old").expect("an old picture");
    fs::hard_link(&picture, &link).expect("a second name");
    run(train(&games, &whole, &options));
    assert_eq!(fs::read_to_string(&link).expect("the old picture"), "old");
    assert_eq!(losses(&whole).len(), EPOCHS + 1);
    assert!(QuantisedNet::from_bytes(&net(&whole)).is_ok());
    for file in ["losses.svg", "summary.txt"] {
        assert!(whole.join(file).metadata().expect("a file").len() > 0);
    }

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
        child.wait().expect("it ends");
    }
    assert!(kills > 0, "it was always faster");
    run(train(&games, &killed, &options));
    assert_eq!(net(&killed), net(&whole));
    assert_eq!(losses(&killed), losses(&whole));
}

#[test]
fn one_training_at_a_time_writes_to_a_folder() {
    let games = file("two-games", 0..30);
    let out = folder("two");
    let lock = fs::File::create(out.join("lock")).expect("a file");
    lock.lock().expect("nobody else has it");
    let message = failure(train(&games, &out, "--samples 5000"));
    assert!(message.contains("another training writes"), "{message}");
    drop(lock);
    run(train(&games, &out, "--samples 5000"));
}

#[test]
fn a_training_goes_on_with_other_threads() {
    let games = file("threads-games", 0..30);
    let out = folder("threads");
    run(train(&games, &out, "--samples 5000"));
    let first = net(&out);
    run(train(&games, &out, "--samples 5000 --resume --threads 3"));
    assert_eq!(net(&out), first);
}

#[test]
fn every_level_of_vector_instructions_learns_the_same() {
    let games = file("levels-games", 0..30);
    let nets = Level::supported().map(|level| {
        let out = folder(&format!("levels-{level}"));
        let mut command = train(&games, &out, "--samples 20000");
        command.env(VARIABLE, level.name());
        run(command);
        net(&out)
    });
    let nets: Vec<Vec<u8>> = nets.collect();
    assert!(nets.iter().all(|net| *net == nets[0]));
}

#[test]
fn a_network_can_be_learned_on_from_and_keeps_its_scale() {
    let games = file("warm-games", 0..30);
    let [first, second] = ["warm-first", "warm-second"].map(folder);
    run(train(&games, &first, "--samples 20000"));
    let mut rescaled = read(&first.join("net.nnue"));
    rescaled.scale = 381;
    fs::write(first.join("net.nnue"), rescaled.to_bytes()).expect("a file can be written");
    let warm = format!("--samples 20000 --warm-start {}", first.join("net.nnue").display());
    run(train(&games, &second, &warm));
    assert_eq!(read(&second.join("net.nnue")).scale, 381);
    let first_losses = losses(&first);
    let second_losses = losses(&second);
    let loss = |line: &String| line.split(',').nth(3).and_then(|loss| loss.parse::<f64>().ok());
    assert!(loss(&second_losses[1]) < loss(&first_losses[1]), "{first_losses:?} {second_losses:?}");
    // With more neurons, too, but not with fewer.
    let wide = folder("warm-wide");
    run(train(&games, &wide, &format!("{warm} --neurons 64")));
    let wide_losses = losses(&wide);
    assert!(loss(&wide_losses[1]) < loss(&first_losses[1]), "{first_losses:?} {wide_losses:?}");
    let warm = format!("--neurons 32 --warm-start {}", wide.join("net.nnue").display());
    let message = failure(train(&games, &folder("warm-narrow"), &warm));
    assert!(message.contains("fewer neurons or threat planes have no meaning"), "{message}");
}

#[test]
fn a_network_is_converted_and_trained_in_another_shape() {
    let games = file("shape-games", 0..30);
    let [small, large] = ["shape-small", "shape-large"].map(folder);
    let options = "--samples 5000 --king-buckets 0000 --threats 0 --outputs 4";
    run(train(&games, &small, options));
    let (old, new) = (small.join("net.nnue"), small.join("new.nnue"));
    let convert = |old: &Path, options: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_workshop"));
        command.arg("convert").args([old, &new]).args(options.split_ascii_whitespace());
        command
    };
    let options = "--neurons 64 --king-buckets 0011/2222/3333 --threats 2 --outputs 8";
    let said = run(convert(&old, options));
    assert!(
        String::from_utf8_lossy(&said.stderr)
            .contains("to   64 neurons, king buckets 0011/2222/3333"),
        "{said:?}"
    );
    let [before, after] = [&old, &new].map(|path| read(path));
    for fen in [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    ] {
        let board: Board = fen.parse().expect("a sound FEN");
        assert_eq!(after.evaluate(&board), before.evaluate(&board), "{fen}");
    }
    run(train(
        &games,
        &large,
        &format!("--neurons 64 --samples 5000 --warm-start {}", new.display()),
    ));
    assert_eq!(read(&large.join("net.nnue")).shape, after.shape);
    let message = failure(convert(&new, "--king-buckets 0000"));
    assert!(message.contains("king bucket 0 has squares of the old ones 0 and 1"), "{message}");
}

#[test]
fn a_network_takes_over_the_scale_of_another() {
    let games = file("scale-games", 0..30);
    let out = folder("scale");
    run(train(&games, &out, "--samples 5000"));
    let rescale = |net: &Path, games: &Path, like: &Path, out: &Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_workshop"));
        command.arg("rescale").args([net, games]).arg("--like").arg(like).arg("--out").arg(out);
        command
    };
    let (learnt, halved) = (out.join("net.nnue"), out.join("halved.nnue"));
    let mut net = read(&learnt);
    net.scale /= 2;
    fs::write(&halved, net.to_bytes()).expect("a file can be written");
    let like = out.join("like.nnue");
    let said = run(rescale(&learnt, &games, &halved, &like));
    assert!(String::from_utf8_lossy(&said.stderr).contains("mean absolute evaluation"), "{said:?}");
    let scale = read(&like).scale;
    // Evaluations are whole centipawns.
    assert!(scale.abs_diff(net.scale) <= net.scale.unsigned_abs() / 20, "{scale}");

    net.feature_weights.fill(0);
    net.output_biases.fill(0);
    net.feature_biases.fill(0);
    let even = out.join("even.nnue");
    fs::write(&even, net.to_bytes()).expect("a file can be written");
    let refused = out.join("refused.nnue");
    let message = failure(rescale(&learnt, &games, &even, &refused));
    assert!(message.contains("cannot be compared"), "{message}");
    assert!(!refused.exists());
}

#[test]
fn networks_have_a_mean() {
    let games = file("mean-games", 0..30);
    let average = |nets: [&Path; 2], out: &Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_workshop"));
        command.arg("average").args(nets).arg("--out").arg(out);
        command
    };
    let [first, second, wide] = ["mean-first", "mean-second", "mean-wide"].map(folder);
    run(train(&games, &first, "--samples 5000"));
    let first_net = first.join("net.nnue");
    let warm = format!("--samples 5000 --seed 2 --warm-start {}", first_net.display());
    run(train(&games, &second, &warm));
    let (second_net, out) = (second.join("net.nnue"), first.join("mean.nnue"));
    run(average([&first_net, &second_net], &out));
    let [one, other, mean] = [&first_net, &second_net, &out].map(|path| read(path).feature_weights);
    assert_ne!(one, other);
    for ((one, other), mean) in one.iter().zip(other).zip(mean) {
        assert!((one + other - 2 * mean).abs() <= 1, "{mean} between {one} and {other}");
    }

    run(train(&games, &wide, "--samples 5000 --neurons 64"));
    let refused = first.join("refused.nnue");
    let message = failure(average([&first_net, &wide.join("net.nnue")], &refused));
    assert!(message.contains("64 neurons") && message.contains("32 neurons"), "{message}");
    assert!(!refused.exists());
}

#[test]
fn what_cannot_be_done_is_said() {
    let games = file("refused-games", 0..30);
    let out = folder("refused");
    let none = failure(train(Path::new("no-such-file"), &out, ""));
    assert!(none.contains("no-such-file"), "{none}");
    run(train(&games, &out, "--samples 5000"));
    let again = failure(train(&games, &out, "--samples 5000"));
    assert!(again.contains("--resume"), "{again}");
    let other = failure(train(&games, &out, "--samples 5000 --wdl 0.1 --resume"));
    assert!(other.contains("another training"), "{other}");

    let checkpoint = out.join("checkpoint");
    let mut bytes = fs::read(&checkpoint).expect("a checkpoint");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&checkpoint, bytes).expect("a file can be written");
    let damaged = failure(train(&games, &out, "--samples 5000 --resume"));
    assert!(damaged.contains("damaged"), "{damaged}");

    let net: PathBuf = out.join("net.nnue");
    fs::write(&net, b"nothing").expect("a file can be written");
    let fresh = folder("refused-warm");
    let warm = failure(train(&games, &fresh, &format!("--warm-start {}", net.display())));
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
