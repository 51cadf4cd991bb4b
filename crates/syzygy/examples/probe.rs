//! Prints the outcome of a position and the moves in the order of their ranks:
//! `cargo run --example probe -- FOLDER FEN`.

use std::error::Error;
use std::io::{self, Write};

use carrybit_board::{Board, Game};
use carrybit_syzygy::Tablebases;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, fen] = &arguments[..] else { return Err("usage: probe FOLDER FEN".into()) };
    let (tables, problems) = Tablebases::open(&[folder.into()]);
    problems.iter().for_each(|problem| eprintln!("{problem}"));
    Ok(writeln!(io::stdout(), "{}", describe(&tables, fen)?)?)
}

fn describe(tables: &Tablebases, fen: &str) -> Result<String, Box<dyn Error>> {
    let board: Board = fen.parse()?;
    let wdl = tables.probe_wdl(&board).ok_or("this position is in no table")?;
    let mut text = format!("{wdl:?}");
    if let Some(plies) = tables.probe_dtz(&board) {
        text += &format!(", {plies} plies to a capture, a pawn move or mate");
    }
    let moves: Vec<_> = board.legal_moves().iter().copied().collect();
    let ranking = tables.rank_moves(&Game::new(board.clone()), &moves, true);
    let mut ranked = ranking.ok_or("a move leads to a position that is in no table")?.moves;
    ranked.sort_by_key(|ranked| -ranked.rank);
    for ranked in ranked {
        text += &format!("\n{} {:?}", board.san(ranked.mv), ranked.wdl);
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcome_and_moves_are_shown() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/syzygy");
        let (tables, _) = Tablebases::open(&[folder.into()]);
        let text = describe(&tables, "7k/8/5K2/8/8/8/8/Q7 w - - 0 1").expect("a table");
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("Win, ") && lines[1].ends_with(" Win"), "{text}");
        assert!(describe(&tables, "4k3/8/8/8/8/8/8/4K2R w K - 0 1").is_err());
        assert!(describe(&tables, "start").is_err());
    }
}
