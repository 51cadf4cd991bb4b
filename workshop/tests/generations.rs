//! From nothing to a second generation, as `workshop/generations.sh` does it, on a
//! budget of seconds.

mod support;

use std::path::Path;
use std::process::Command;

use carrybit::board::{Board, Color, Game};
use carrybit::eval::nnue::Network;
use carrybit::eval::nnue::network::{HIDDEN, QuantisedNet};
use clap::Parser;
use support::folder;
use workshop::command::Arguments;
use workshop::games::record::{Ending, GameRecord};
use workshop::games::shard::Writer;
use workshop::train::data::{Filter, TrainingData};
use workshop::train::smoothing::Smoothing;

/// Plays games with what `evaluation` says, and returns the statistics of the shard.
fn play(shard: &Path, evaluation: &[&str]) -> String {
    let path = shard.to_str().expect("a plain path");
    let words = ["workshop", "play", path, "--nodes", "30", "--games", "40"];
    let mut out = Vec::new();
    let play = Arguments::parse_from(words.iter().chain(evaluation)).command;
    play.run(&mut out).expect("games");
    let stats = Arguments::parse_from(["workshop", "stats", path]).command;
    stats.run(&mut out).expect("sound games");
    String::from_utf8(out).expect("text")
}

fn train(shard: &Path, out: &Path, more: &[&str]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_workshop"));
    command.arg("train").arg(shard).arg("--out").arg(out).arg("--hidden").arg(HIDDEN.to_string());
    command.args(["--epochs", "4", "--batch", "256", "--validation", "0.2", "--resume"]).args(more);
    let output = command.output().expect("the program starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// White is winning, says the score of both sides' positions, and wins.
#[test]
fn scores_and_results_arrive_with_the_right_sign() {
    let shard = folder("signs").join("games.vf");
    let start: Board = "4k3/8/8/8/8/8/PPP5/RN2K3 w - - 0 20".parse().expect("a sound FEN");
    let mut game = Game::new(start.clone());
    let mut moves = Vec::new();
    for text in ["b1c3", "e8e7", "c3d5", "e7e6"] {
        let legal = game.board().legal_moves();
        let mv = legal.iter().copied().find(|mv| mv.to_string() == text).expect("a legal move");
        moves.push((mv, 700 + moves.len() as i32));
        game.play(mv);
    }
    let ending = Ending::Win(Color::White);
    Writer::open(&shard)
        .and_then(|mut writer| writer.append(&GameRecord { start, moves, ending }))
        .expect("a shard");
    let filter = Filter {
        min_ply: 16,
        max_score: 2000,
        validation: 0.0,
        smoothing: Smoothing { plies: 0, scale: 400.0 },
    };
    let data = TrainingData::read(&[shard], filter).expect("a sound shard");
    let rows: Vec<(i16, u8)> =
        data.training.iter().map(|row| (row.position.score, row.position.result)).collect();
    // From the side to move's view. In the last position there is a check.
    assert_eq!(rows, [(700, 2), (-701, 0), (702, 2)]);
}

#[test]
fn two_generations_from_nothing() {
    let folder = folder("pipeline");
    let (games, nets) = ([0, 1].map(|n| folder.join(format!("gen{n}.vf"))), ["net0", "net1"]);
    let [first, second] = nets.map(|name| folder.join(name));
    let told = play(&games[0], &[]);
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
