//! `peers pgn`: compares reading PGN with pgn-reader, and playing its moves with pgn-reader and
//! shakmaty. Both count the moves of the main lines.

use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::ops::ControlFlow;
use std::path::PathBuf;

use carrybit_pgn::entries;
use cpu_time::ThreadTime;
use pgn_reader::{RawTag, Reader, SanPlus, Skip, Visitor};
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Position};

use crate::{RUNS, median};

/// Returns the number of moves in a text.
type Work = fn(&str) -> u64;

/// Prints MB/s of CPU time and the ratio for each file.
pub fn run(files: &[PathBuf]) -> Result<(), Box<dyn Error>> {
    for path in files {
        let text = fs::read_to_string(path)?;
        println!("{}, {} bytes", path.display(), text.len());
        let rows: [(&str, Work, Work); 2] = [
            ("read", read, |text| visit(text, false)),
            ("read and played", play, |text| visit(text, true)),
        ];
        for (name, ours, theirs) in rows {
            let (mut speeds, mut ratios) = ([Vec::new(), Vec::new()], Vec::new());
            let mut moves = [0; 2];
            for _ in 0..RUNS {
                for (at, work) in [ours, theirs].into_iter().enumerate() {
                    let start = ThreadTime::now();
                    moves[at] = black_box(work(black_box(&text)));
                    speeds[at].push(text.len() as f64 / start.elapsed().as_secs_f64() / 1e6);
                }
                ratios
                    .push(speeds[0].last().expect("a speed") / speeds[1].last().expect("a speed"));
            }
            let [own, other] = speeds.map(median);
            println!(
                "  {name:<16} {own:>7.1} MB/s, pgn-reader {other:>7.1}, ratio {:.2}",
                median(ratios)
            );
            if moves[0] != moves[1] {
                println!("  (we count {} moves, pgn-reader {})", moves[0], moves[1]);
            }
        }
    }
    Ok(())
}

fn read(text: &str) -> u64 {
    let games = entries(text).filter_map(|entry| entry.game.ok());
    games.map(|game| game.moves.moves.len() as u64).sum()
}

fn play(text: &str) -> u64 {
    let games = entries(text).filter_map(|entry| entry.game.ok());
    games.map(|game| game.replay().map_or(0, |played| played.moves().len() as u64)).sum()
}

fn visit(text: &str, plays: bool) -> u64 {
    let mut reader = Reader::new(text.as_bytes());
    let mut moves = 0;
    while let Ok(Some(more)) = reader.read_game(&mut Counter { plays }) {
        moves += more;
    }
    moves
}

/// Counts moves, and plays them if `plays`.
struct Counter {
    plays: bool,
}

impl Visitor for Counter {
    type Tags = Option<Chess>;
    type Movetext = (Option<Chess>, u64);
    type Output = u64;

    fn begin_tags(&mut self) -> ControlFlow<u64, Option<Chess>> {
        ControlFlow::Continue(self.plays.then(Chess::default))
    }

    fn tag(
        &mut self,
        board: &mut Option<Chess>,
        name: &[u8],
        value: RawTag<'_>,
    ) -> ControlFlow<u64> {
        if self.plays && name == b"FEN" {
            let fen = Fen::from_ascii(value.as_bytes()).ok();
            *board = fen.and_then(|fen| fen.into_position(CastlingMode::Standard).ok());
            if board.is_none() {
                return ControlFlow::Break(0);
            }
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, board: Option<Chess>) -> ControlFlow<u64, Self::Movetext> {
        ControlFlow::Continue((board, 0))
    }

    fn san(&mut self, (board, moves): &mut Self::Movetext, san: SanPlus) -> ControlFlow<u64> {
        if let Some(board) = board {
            let Ok(mv) = san.san.to_move(board) else { return ControlFlow::Break(*moves) };
            board.play_unchecked(mv);
        }
        *moves += 1;
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, _: &mut Self::Movetext) -> ControlFlow<u64, Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn end_game(&mut self, (board, moves): Self::Movetext) -> u64 {
        black_box(board);
        moves
    }
}
