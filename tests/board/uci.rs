//! UCI notation: games are read as they are written.

use carrybit::CastlingMode;
use carrybit::internals::uci::command::Command;
use carrybit::internals::uci::parser::parse;

use crate::support::{Rng, Starts, random_game};

#[test]
fn written_games_are_read_back() {
    let (mut rng, starts) = (Rng(0x9a8e), Starts::read());
    for nth in 0..300 {
        let start = starts.pick(&mut rng, nth);
        let mode = if rng.below(2) == 0 { CastlingMode::Chess960 } else { CastlingMode::Standard };
        let mut text = format!("position fen {} moves", start.shredder_fen());
        let mut end = start.clone();
        random_game(&mut rng, &start, 40, |board, played| {
            for &mv in &board.legal_moves() {
                let written = mv.uci(mode);
                assert_eq!(board.parse_uci(&written), Ok(mv));
                assert_eq!(board.parse_uci(&written.to_uppercase()), Ok(mv));
            }
            text = format!("{text} {}", played.uci(mode));
            end = board.make(played);
        });
        let Ok(Command::Position(Some(setup))) = parse(&text) else { panic!("{text}") };
        let (game, problems) = setup.game(CastlingMode::Chess960).expect("a valid position");
        assert_eq!(problems, Vec::<String>::new());
        assert_eq!(game.board(), &end, "{text}");
    }
}
