//! UCI notation: games are read as they are written.

use carrybit::uci::command::Command;
use carrybit::uci::parser::parse;
use carrybit::uci::position::find_move;

use crate::support::{Rng, Starts, random_game};

#[test]
fn written_games_are_read_back() {
    let (mut rng, starts) = (Rng(0x9a8e), Starts::read());
    for nth in 0..300 {
        let start = starts.pick(&mut rng, nth);
        let chess960 = rng.below(2) == 0;
        let mut text = format!("position fen {} moves", start.fen(chess960));
        let mut end = start.clone();
        random_game(&mut rng, &start, 40, |board, played| {
            for &mv in board.legal_moves().iter() {
                let written = board.uci(mv, chess960);
                assert_eq!(find_move(board, &written), Some(mv), "{written}");
                assert_eq!(find_move(board, &written.to_uppercase()), Some(mv), "{written}");
            }
            text = format!("{text} {}", board.uci(played, chess960));
            end = board.make(played);
        });
        let Ok(Command::Position(setup)) = parse(&text) else { panic!("{text}") };
        let (record, problems) = setup.history(true).expect("a valid position");
        assert_eq!(problems, Vec::<String>::new());
        assert_eq!(record.board(), &end, "{text}");
    }
}
