//! Whole games can be replayed: every move is legal, and they end as they ended.

mod support;

use carrybit::board::draw::is_repetition;
use carrybit::board::game::Game;
use carrybit::board::{Board, IllegalMove, Move, Square};
use support::{Rng, after, board, find_move, random_game, read_data, rows};

/// The status of a game's last position by the rules, in the words of the data.
fn has_ended_by(game: &Game, how: &str) -> bool {
    let (board, history) = (game.board(), game.history());
    let moves = board.count_legal();
    match how {
        "checkmate" => moves == 0 && board.in_check(),
        "stalemate" => moves == 0 && !board.in_check(),
        "insufficient" => board.is_insufficient_material(),
        "fifty" => board.is_fifty_move_draw(),
        "threefold" => is_repetition(history, board.key(), board.halfmove(), history.len()),
        "-" => moves > 0,
        _ => panic!("unknown end: {how}"),
    }
}

#[test]
fn recorded_games_replay_to_their_end() {
    let text = read_data("replay.tsv");
    for row in rows(&text, '\t') {
        let [chess960, start, moves, end, _polyglot_key, legal_moves, how] = row[..] else {
            panic!("not seven columns: {row:?}");
        };
        let chess960 = chess960 == "1";
        let mut game = Game::new(board(start));
        for text in moves.split(' ') {
            let mv = find_move(game.board(), text, chess960);
            game.play(mv);
        }
        assert_eq!(game.board().fen(chess960), end);
        assert_eq!(game.board().count_legal().to_string(), legal_moves, "{end}");
        assert!(has_ended_by(&game, how), "{how}: {end}");
    }
}

#[test]
fn illegal_move_leaves_the_game_as_it_was() {
    for fen in [
        "3k4/8/8/8/8/8/4R3/4K3 w - - 3 9",
        "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1",
        "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2",
    ] {
        let start = Game::new(board(fen));
        let legal = start.board().legal_moves();
        for bits in 0..=u16::MAX {
            let mv = Move::from_bits(bits);
            let mut game = start.clone();
            match game.try_play(mv) {
                Ok(()) => assert!(legal.contains(&mv), "{mv} in {fen}"),
                Err(error) => {
                    assert!(!legal.contains(&mv) && error == IllegalMove(mv), "{mv} in {fen}");
                    assert_eq!(game, start);
                }
            }
        }
    }
}

#[test]
#[should_panic(expected = "e1e8 is not legal here: 4k3/8/8/8/8/8/8/4K3 w - - 0 1")]
fn playing_an_illegal_move_panics_before_the_position_changes() {
    let mut game = Game::new(board("4k3/8/8/8/8/8/8/4K3 w - - 0 1"));
    game.play(Move::capture(Square::new(4, 0), Square::new(4, 7)));
}

#[test]
fn a_game_keeps_the_keys_since_the_last_irreversible_move() {
    let mut rng = Rng(0x9a3e);
    for _ in 0..100 {
        let mut game = Game::new(Board::default());
        let mut keys = Vec::new();
        random_game(&mut rng, &Board::default(), 200, |board, mv| {
            assert_eq!(game.board(), board);
            let reach = usize::from(board.halfmove()).min(keys.len());
            assert_eq!(game.history(), &keys[keys.len() - reach..], "{board:?}");
            keys.push(board.key());
            game.play(mv);
        });
    }
}

#[test]
fn a_game_starts_with_an_empty_past_whatever_its_clock_says() {
    let game = Game::new(board("4k3/8/8/8/8/8/3R4/4K3 w - - 60 80"));
    assert_eq!(game.board().halfmove(), 60);
    assert!(game.history().is_empty());
}

#[test]
fn playing_and_making_are_the_same() {
    let mut game = Game::new(Board::default());
    for text in ["e2e4", "c7c5", "g1f3", "d7d6", "f1b5", "c8d7", "e1h1"] {
        let mv = find_move(game.board(), text, true);
        let made = game.board().make(mv);
        game.play(mv);
        assert_eq!(*game.board(), made);
    }
    let fen = "rn1qkbnr/pp1bpppp/3p4/1Bp5/4P3/5N2/PPPP1PPP/RNBQ1RK1 b kq - 3 4";
    assert_eq!(game.board().fen(false), fen);
    assert_eq!(after(&Board::default(), "e2e4").fen(false).split(' ').nth(3), Some("-"));
}
