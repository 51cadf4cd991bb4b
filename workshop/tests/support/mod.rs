//! Games to test with: random moves, with the material as score.

#![allow(dead_code)]

use std::fs;
use std::path::PathBuf;

use carrybit::board::{Board, Color, Kind, Move};
use viriformat::chess::board::{Board as OtherBoard, DrawType, GameOutcome, WinType};
use viriformat::dataformat::Game;
use workshop::random::{Random, below};
use workshop::train::smoothing::Smoothing;

/// Plies in a game, if it does not end before.
pub const PLIES: usize = 100;

/// Scores as they are in the games.
pub const ROUGH: Smoothing = Smoothing { plies: 0, scale: 400.0 };

/// A position of a game, with its move and White's score.
pub struct Ply {
    pub board: Board,
    pub mv: Move,
    pub score: i16,
}

/// A game with its result in White's half points.
pub struct Played {
    pub plies: Vec<Ply>,
    pub result: u8,
}

/// What the side has, in centipawns: pieces, and something for each rank gained.
fn material(board: &Board, color: Color) -> i16 {
    let value = |kind| match kind {
        Kind::Pawn => 100,
        Kind::Knight | Kind::Bishop => 300,
        Kind::Rook => 500,
        Kind::Queen => 900,
        Kind::King => 0,
    };
    board
        .pieces(color)
        .filter_map(|(sq, piece)| Some(value(piece.kind()?) + 3 * i16::from(sq.rank_for(color))))
        .sum()
}

/// Plays a random game.
pub fn play(seed: u64) -> Played {
    let mut random = Random::new(seed);
    let mut board = Board::default();
    let mut plies = Vec::new();
    while plies.len() < PLIES {
        let moves = board.legal_moves();
        if moves.is_empty() || board.is_fifty_move_draw() || board.is_insufficient_material() {
            break;
        }
        let mv = moves[below(random.bits(), moves.len())];
        let score = material(&board, Color::White) - material(&board, Color::Black);
        let next = board.make(mv);
        plies.push(Ply { board, mv, score });
        board = next;
    }
    let balance = plies.last().map_or(0, |ply| ply.score);
    let result = if balance < -150 { 0 } else { 1 + u8::from(balance > 150) };
    Played { plies, result }
}

impl Played {
    /// The game as it lies in a file.
    pub fn bytes(&self) -> Vec<u8> {
        let mut board = OtherBoard::default();
        let mut game = Game::new(&board);
        for ply in &self.plies {
            let mv = board.parse_uci(&ply.board.uci(ply.mv, true)).expect("a legal move");
            game.add_move(mv, ply.score);
            assert!(board.make_move_simple(mv));
        }
        game.set_outcome(match self.result {
            0 => GameOutcome::BlackWin(WinType::Adjudication),
            1 => GameOutcome::Draw(DrawType::Adjudication),
            _ => GameOutcome::WhiteWin(WinType::Adjudication),
        });
        let mut bytes = Vec::new();
        game.serialise_into(&mut bytes).expect("memory takes what is written to it");
        bytes
    }
}

/// An empty folder of this name.
pub fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("a folder can be made");
    path
}

/// A file with the games of these seeds, in an empty folder.
pub fn file(name: &str, seeds: std::ops::Range<u64>) -> PathBuf {
    let path = folder(name).join("games.vf");
    let bytes: Vec<u8> = seeds.flat_map(|seed| play(seed).bytes()).collect();
    fs::write(&path, bytes).expect("a file can be written");
    path
}
