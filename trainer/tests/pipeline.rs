//! From nothing to a second generation, as `scripts/generations.sh` does it, on a
//! budget of seconds.

mod support;

use std::path::Path;
use std::process::Command;

use carrybit::eval::nnue::Network;
use carrybit::eval::nnue::network::{HIDDEN, QuantisedNet};
use carrybit::tools::datagen::{Arguments, run};
use clap::Parser;
use support::folder;

/// Plays games with what `evaluation` says, and returns the statistics of the shard.
fn play(shard: &Path, evaluation: &[&str]) -> String {
    let path = shard.to_str().expect("a plain path");
    let words = ["datagen", "play", path, "--nodes", "30", "--games", "40"];
    let mut out = Vec::new();
    run(&Arguments::parse_from(words.iter().chain(evaluation)), &mut out).expect("games");
    run(&Arguments::parse_from(["datagen", "stats", path]), &mut out).expect("sound games");
    String::from_utf8(out).expect("text")
}

fn train(shard: &Path, out: &Path, more: &[&str]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_train"));
    command.arg(shard).arg("--out").arg(out).arg("--hidden").arg(HIDDEN.to_string());
    command.args(["--epochs", "4", "--batch", "256", "--validation", "0.2", "--resume"]).args(more);
    let output = command.output().expect("the program starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn two_generations_from_nothing() {
    let folder = folder("pipeline");
    let (games, nets) = ([0, 1].map(|n| folder.join(format!("gen{n}.vf"))), ["net0", "net1"]);
    let [first, second] = nets.map(|name| folder.join(name));
    let told = play(&games[0], &["--by-hand"]);
    assert!(told.starts_with("games                           40"), "{told}");
    train(&games[0], &first, &[]);
    let net = first.join("net.nnue");
    let net_path = net.to_str().expect("a plain path");
    play(&games[1], &["--net", net_path]);
    train(&games[1], &second, &["--warm-start", net_path, "--lr", "3e-4"]);
    let bytes = [&first, &second].map(|out| std::fs::read(out.join("net.nnue")).expect("a net"));
    assert_ne!(bytes[0], bytes[1]);
    for bytes in bytes {
        Network::read(&bytes).expect("the engine takes it");
        let start = QuantisedNet::from_bytes(&bytes).expect("sound").evaluate(&Default::default());
        assert!(start.abs() < 1000, "{start} for the start position");
    }
}
