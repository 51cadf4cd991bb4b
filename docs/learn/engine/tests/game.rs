//! Plays a game between the engine of the course and the small engine, both by UCI.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

use carrybit_board::{Board, Color, Game};

/// A program, which ends with this value.
struct Engine(Child);

impl Engine {
    fn start(program: &str) -> Engine {
        let mut command = Command::new(program);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        Engine(command.spawn().expect("a program"))
    }

    fn send(&mut self, line: &str) {
        let input = self.0.stdin.as_mut().expect("a pipe");
        writeln!(input, "{line}").expect("an engine that reads");
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ended = self.0.kill().and_then(|()| self.0.wait());
    }
}

/// Plays with White and describes how the game ended.
pub fn play() -> String {
    let programs = [env!("CARGO_BIN_EXE_course_engine"), env!("CARGO_BIN_EXE_small_engine")];
    let mut engines = programs.map(Engine::start);
    let outputs = engines.each_mut().map(|engine| engine.0.stdout.take().expect("a pipe"));
    let mut lines = outputs.map(|output| BufReader::new(output).lines().map_while(Result::ok));
    let mut game = Game::new(Board::default());
    let mut moves = " e2e4 e7e5 g1f3 b8c6 f1c4 g8f6".to_owned();
    moves.split_whitespace().for_each(|mv| _ = game.play_uci(mv).expect("a legal move"));
    while game.outcome().is_none() && game.moves().len() < 400 {
        let side = game.board().side().index();
        engines[side].send(&format!("position startpos moves{moves}"));
        engines[side].send(["go depth 4", "go depth 2"][side]);
        let Some(line) = lines[side].find(|line| line.starts_with("bestmove")) else {
            panic!("\nThe engine has ended without a move; its message is above.\n");
        };
        let mv = &line["bestmove ".len()..];
        let played = game.play_uci(mv);
        assert!(played.is_ok(), "\nThe move {mv} in {}: {played:?}\n", game.board().fen());
        moves = format!("{moves} {mv}");
    }
    let number = game.moves().len().div_ceil(2);
    let Some(outcome) = game.outcome() else { return format!("No result after {number} moves") };
    let result = match outcome.winner() {
        Some(Color::White) => "Your engine won",
        Some(Color::Black) => "The small engine won",
        None => "Draw",
    };
    format!("{result} after {number} moves: {}.\nThe game:{moves}", outcome.reason())
}
