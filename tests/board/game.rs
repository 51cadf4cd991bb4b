//! Whole games: recorded games have their recorded outcome, and draws follow the rules.

use carrybit::{Board, Color, Game, Move, Outcome, Square};
use carrybit_board::draw::{FiftyMoveRule, halfmove_limit, is_repetition};

use crate::support::{Rng, after, board, find_move, play, random_game, read_data, rows};

#[test]
fn recorded_games_have_their_outcome() {
    let text = read_data("replay.tsv");
    for row in rows(&text, '\t') {
        let [chess960, start, moves, end, legal_moves, how] = row[..] else {
            panic!("not six columns: {row:?}");
        };
        let mut game = Game::new(board(start));
        for text in moves.split(' ') {
            let mv = find_move(game.board(), text);
            let made = game.board().make(mv);
            game.play(mv);
            assert_eq!(*game.board(), made);
        }
        let board = game.board();
        assert_eq!(if chess960 == "1" { board.shredder_fen() } else { board.fen() }, end);
        assert_eq!(game.board().count_legal().to_string(), legal_moves, "{end}");
        let found = game.outcome();
        assert!(found.map_or("-", Outcome::reason).starts_with(how), "{end}: {found:?}, {how}");
        let of_position =
            [Outcome::Checkmate(!board.side()), Outcome::Stalemate, Outcome::InsufficientMaterial];
        assert_eq!(board.status(), found.filter(|end| of_position.contains(end)), "{end}");
    }
}

#[test]
#[should_panic(expected = "e1e8 is not legal here: 4k3/8/8/8/8/8/8/4K3 w - - 0 1")]
fn illegal_move_panics() {
    let mut game = Game::new(board("4k3/8/8/8/8/8/8/4K3 w - - 0 1"));
    game.play(Move::capture(Square::new(4, 0), Square::new(4, 7)));
}

#[test]
fn history_has_the_keys_since_the_last_irreversible_move() {
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
    let game = Game::new(board("4k3/8/8/8/8/8/3R4/4K3 w - - 60 80"));
    assert_eq!(game.board().halfmove(), 60);
    assert!(game.history().is_empty());
}

#[test]
fn null_move_clears_the_history() {
    let mut game = Game::new(Board::default());
    play(&mut game, "g1f3 g8f6 f3g1 f6g8");
    assert_eq!(game.history().len(), 4);
    game.play_null();
    assert_eq!(game.board().side(), Color::Black);
    assert!(game.history().is_empty());
    let mut again = Game::new(Board::default());
    game.moves().iter().for_each(|&mv| again.play(mv));
    assert_eq!(again, game);
}

#[test]
fn third_occurrence_is_a_draw() {
    const CASTLING: &str = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    const PAWN: &str = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
    let knights = "g1f3 g8f6 f3g1 f6g8 ";
    let rooks = "h1g1 h8g8 g1h1 g8h8 ";
    let start = Board::default().fen();
    for (fen, moves, is_draw) in [
        (start.as_str(), knights.to_owned(), false),
        (&start, knights.to_owned() + "g1f3 g8f6 f3g1", false),
        (&start, knights.repeat(2), true),
        // At the first occurrence, both sides could still castle.
        (CASTLING, rooks.repeat(2), false),
        (CASTLING, rooks.repeat(3), true),
        // No en passant capture is possible.
        (PAWN, "e2e4 e8d8 e1d1 d8e8 d1e1 e8d8 e1d1 d8e8 d1e1".to_owned(), true),
    ] {
        let mut game = Game::new(board(fen));
        play(&mut game, &moves);
        assert_eq!(game.outcome(), is_draw.then_some(Outcome::Threefold), "{fen} {moves}");
        let (board, history) = (game.board(), game.history());
        let repeats = is_repetition(history, board.key(), board.halfmove(), history.len());
        assert_eq!(repeats, is_draw, "{fen} {moves}");
    }
}

/// Plays quiet moves to new positions up to a draw by the fifty-move rule; returns their number.
fn plies_to_fifty_moves(mut game: Game) -> usize {
    let mut plies = 0;
    while game.outcome().is_none() {
        let is_new = |mv: &Move| {
            let child = game.board().make(*mv);
            !mv.is_capture() && child.has_legal_move() && !game.history().contains(&child.key())
        };
        let mv = game.board().legal_moves().iter().copied().find(is_new);
        game.play(mv.expect("a quiet move to a new position"));
        plies += 1;
    }
    assert_eq!(game.outcome(), Some(Outcome::FiftyMoves));
    plies
}

#[test]
fn fifty_move_draw_comes_at_the_clock_limit() {
    for (clock, plies) in [(0, 100), (60, 40), (99, 1), (100, 50), (130, 50)] {
        let start = board(&format!("7k/8/8/8/8/8/8/K5R1 w - - {clock} 90"));
        assert_eq!(plies_to_fifty_moves(Game::new(start)), plies, "{clock}");
    }
    // A capture resets the clock and the limit.
    let mut game = Game::new(board("7k/8/8/8/8/8/p7/K5R1 w - - 120 90"));
    play(&mut game, "a1a2");
    assert_eq!(plies_to_fifty_moves(game), 100);
}

#[test]
fn one_repetition_within_the_search_tree_is_a_draw() {
    let mut game = Game::new(Board::default());
    play(&mut game, "b1c3 b8c6 g1f3 g8f6 f3g1 f6g8");
    let (board, history) = (game.board(), game.history());
    let repeats = |root| is_repetition(history, board.key(), board.halfmove(), root);
    // The position occurred at history[2].
    assert!(repeats(0) && repeats(1) && repeats(2));
    assert!(!repeats(3) && !repeats(6));
    // Before the root, only the third and the fifth occurrence are a draw.
    for earlier in 0..8 {
        let history = [7, 1, 2, 3].repeat(earlier);
        let is_draw = is_repetition(&history, 7, 90, history.len());
        assert_eq!(is_draw, [2, 4].contains(&earlier), "{earlier}");
        assert_eq!(is_repetition(&history, 7, 90, 0), earlier > 0, "{earlier}");
    }
}

#[test]
fn repetitions_need_the_same_side_and_stay_within_the_clock() {
    for (history, halfmove, root, is_draw) in [
        (&[7, 1, 2, 3, 7, 1, 2, 3][..], 8, 8, true),
        (&[7, 1, 2, 3, 7, 1, 2, 3], 7, 8, false),
        (&[7, 1, 2, 3, 7, 1, 2, 3], 4, 4, true),
        (&[7, 1, 2, 3, 7, 1, 2, 3], 3, 0, false),
        // The clock may be longer than the history.
        (&[], 60, 0, false),
        (&[7, 7, 7], u16::MAX, 0, false),
        (&[7, 1, 2, 3], u16::MAX, 0, true),
        // The other side was to move.
        (&[1, 7, 2, 7, 3, 7], 6, 0, false),
    ] {
        let found = is_repetition(history, 7, halfmove, root);
        assert_eq!(found, is_draw, "{history:?} {halfmove} {root}");
    }
}

#[test]
fn hundredth_ply_is_a_draw_unless_it_mates() {
    let rule = FiftyMoveRule::of(&Board::default());
    for (clock, is_draw) in [(99, false), (100, true), (150, true)] {
        let board = board(&format!("4k3/8/8/8/8/8/4R3/4K3 b - - {clock} 80"));
        assert_eq!(rule.is_draw(&board), is_draw, "{clock}");
    }
    for (fen, mv, is_check, is_draw) in [
        ("k7/8/K7/8/8/8/8/7R w - - 99 80", "h1h8", true, false),
        ("k7/8/2K5/8/8/8/8/1R6 w - - 99 80", "c6c7", false, true),
        ("k7/8/1K6/8/8/8/8/7R w - - 99 80", "h1a1", true, true),
    ] {
        let end = after(&board(fen), mv);
        assert_eq!((end.in_check(), rule.is_draw(&end)), (is_check, is_draw), "{fen}");
    }
}

#[test]
fn clock_limit_grows_after_fifty_moves() {
    for (halfmove, limit) in [(0, 100), (99, 100), (100, 150), (101, 151), (120, 170)] {
        assert_eq!(halfmove_limit(halfmove), limit, "{halfmove}");
    }
    assert_eq!(halfmove_limit(u16::MAX), u16::MAX);
    let game = |clock| Game::new(board(&format!("4k3/8/8/8/8/8/4R3/4K3 b - - {clock} 80")));
    for (clock, drawn_at) in [(40, 100), (99, 100), (100, 150), (130, 180)] {
        let rule = FiftyMoveRule::of(game(clock).board());
        assert_eq!(rule.is_past_claim(), clock >= 100);
        assert!(!rule.is_draw(game(drawn_at - 1).board()), "{clock}");
        assert!(rule.is_draw(game(drawn_at).board()), "{clock}");
        assert_eq!(rule.shifted(drawn_at), 100);
    }
}

#[test]
fn insufficient_material_is_a_draw() {
    for (pieces, is_draw) in [
        ("4k3/8/8/8/8/8/8/4K3", true),
        ("4k3/8/8/8/8/8/8/4KN2", true),
        ("4kn2/8/8/8/8/8/8/4K3", true),
        ("4k3/8/8/8/8/8/8/4KB2", true),
        ("4kb2/8/8/8/8/8/8/4K3", true),
        ("4kb2/8/8/8/8/8/8/2B1K3", true),
        ("4kb2/8/8/8/8/4B3/3B4/B3K3", true),
        ("4k3/8/8/8/8/8/4P3/4K3", false),
        ("4k3/8/8/8/8/8/8/4KR2", false),
        ("4kq2/8/8/8/8/8/8/4K3", false),
        ("4k3/8/8/8/8/8/8/4KNN1", false),
        ("4kn2/8/8/8/8/8/8/4KN2", false),
        ("4kn2/8/8/8/8/8/8/4KB2", false),
        ("4kb2/8/8/8/8/8/8/4KB2", false),
        ("4k3/8/8/8/8/8/8/4KBB1", false),
    ] {
        for side in ["w", "b"] {
            let board = board(&format!("{pieces} {side}"));
            assert_eq!(board.is_insufficient_material(), is_draw, "{pieces} {side}");
        }
    }
}
