//! UCI's notation: moves, `position` and `go` are read as they are written.

use carrybit::uci::command::Command;
use carrybit::uci::go::Go;
use carrybit::uci::parser::parse;
use carrybit::uci::position::find_move;

use crate::support::{Rng, Starts, random_game};

#[test]
fn games_are_read_as_they_are_written() {
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
        let (record, problems) = setup.history(true).expect("a sound position");
        assert_eq!(problems, Vec::<String>::new());
        assert_eq!(record.board(), &end, "{text}");
    }
}

/// Words of a `go` command, and what they set.
type Part = (&'static str, fn(&mut Go));

const PARTS: [Part; 12] = [
    ("wtime -50", |go| go.clocks[0] = Some(-50)),
    ("btime 60000", |go| go.clocks[1] = Some(60_000)),
    ("winc 0", |go| go.increments[0] = 0),
    ("BINC 9223372036854775807", |go| go.increments[1] = i64::MAX),
    ("movestogo 40", |go| go.moves_to_go = Some(40)),
    ("movetime 5000", |go| go.other.move_time_ms = Some(5000)),
    ("depth 12", |go| go.other.depth = Some(12)),
    ("nodes 18446744073709551615", |go| go.other.nodes = Some(u64::MAX)),
    ("mate -7", |go| go.other.mate = Some(7)),
    ("Infinite", |go| go.other.infinite = true),
    ("ponder", |go| go.other.ponder = true),
    ("searchmoves e2e4 0000", |go| go.search_moves = ["e2e4", "0000"].map(str::to_owned).to_vec()),
];

#[test]
fn go_is_read_in_any_order() {
    let mut rng = Rng(0x60);
    for _ in 0..1000 {
        let mut parts = PARTS;
        for i in (1..parts.len()).rev() {
            parts.swap(i, rng.below(i + 1));
        }
        let (mut text, mut expected) = ("go".to_owned(), Go::default());
        for (words, set) in &parts[..rng.below(parts.len() + 1)] {
            text = format!("{text}  {words}");
            set(&mut expected);
        }
        assert_eq!(parse(&text), Ok(Command::Go(expected)), "{text}");
    }
}
