//! Draws are called exactly where the rules call them.

mod support;

use carrybit::board::draw::{ClockRule, clock_limit, is_repetition};
use carrybit::board::game::Game;
use carrybit::board::{Board, Color, Outcome};
use support::{after, board, find_move};

fn play(game: &mut Game, moves: &str) {
    for text in moves.split_whitespace() {
        let mv = find_move(game.board(), text, true);
        game.play(mv);
    }
}

/// Whether the game's position has occurred twice before.
fn is_threefold(game: &Game) -> bool {
    let (board, history) = (game.board(), game.history());
    let is_threefold = is_repetition(history, board.key(), board.halfmove(), history.len());
    assert_eq!(is_threefold, game.outcome() == Some(Outcome::Threefold));
    is_threefold
}

#[test]
fn the_third_occurrence_is_a_draw_and_the_second_is_not() {
    let mut game = Game::new(Board::default());
    play(&mut game, "g1f3 g8f6 f3g1 f6g8");
    assert!(!is_threefold(&game));
    play(&mut game, "g1f3 g8f6 f3g1");
    assert!(!is_threefold(&game));
    play(&mut game, "f6g8");
    assert!(is_threefold(&game));
}

#[test]
fn one_occurrence_is_enough_at_or_after_the_root_of_a_search() {
    let mut game = Game::new(Board::default());
    play(&mut game, "b1c3 b8c6 g1f3 g8f6 f3g1 f6g8");
    let (board, history) = (game.board(), game.history());
    let repeats = |root| is_repetition(history, board.key(), board.halfmove(), root);
    // The position was history[2] before.
    assert!(repeats(0) && repeats(1) && repeats(2));
    assert!(!repeats(3) && !repeats(6));
}

#[test]
fn nothing_before_a_capture_or_pawn_move_counts() {
    let key = 7;
    let history = [key, 1, 2, 3, key, 1, 2, 3];
    assert!(is_repetition(&history, key, 8, 8));
    assert!(!is_repetition(&history, key, 7, 8));
    assert!(is_repetition(&history, key, 4, 4));
    assert!(!is_repetition(&history, key, 3, 0));
}

#[test]
fn a_clock_that_runs_further_than_the_history_is_no_harm() {
    assert!(!is_repetition(&[], 7, 60, 0));
    assert!(!is_repetition(&[7, 7, 7], 7, u16::MAX, 0));
    assert!(is_repetition(&[7, 1, 2, 3], 7, u16::MAX, 0));
}

#[test]
fn positions_with_the_other_side_to_move_do_not_count() {
    let key = 7;
    assert!(!is_repetition(&[1, key, 2, key, 3, key], key, 6, 0));
}

#[test]
fn a_lost_castling_right_makes_another_position() {
    let mut game = Game::new(board("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"));
    play(&mut game, "h1g1 h8g8 g1h1 g8h8");
    assert!(!is_threefold(&game));
    play(&mut game, "h1g1 h8g8 g1h1 g8h8");
    assert!(!is_threefold(&game), "the first time, both sides could still castle");
    play(&mut game, "h1g1 h8g8 g1h1 g8h8");
    assert!(is_threefold(&game));
}

#[test]
fn a_dead_en_passant_square_makes_no_other_position() {
    let mut game = Game::new(board("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"));
    play(&mut game, "e2e4 e8d8 e1d1 d8e8 d1e1 e8d8 e1d1 d8e8 d1e1");
    assert!(is_threefold(&game));
}

#[test]
fn fifty_moves_draw_at_the_hundredth_ply() {
    let fen = |clock| format!("4k3/8/8/8/8/8/4R3/4K3 b - - {clock} 80");
    assert!(!board(&fen(99)).is_fifty_move_draw());
    assert!(board(&fen(100)).is_fifty_move_draw());
    assert!(board(&fen(150)).is_fifty_move_draw());
}

#[test]
fn mate_on_the_hundredth_ply_wins() {
    let mated = after(&board("k7/8/K7/8/8/8/8/7R w - - 99 80"), "h1h8");
    assert_eq!(mated.halfmove(), 100);
    assert!(mated.in_check() && !mated.is_fifty_move_draw());
    let stalemated = after(&board("k7/8/2K5/8/8/8/8/1R6 w - - 99 80"), "c6c7");
    assert!(!stalemated.in_check() && stalemated.is_fifty_move_draw());
    let only_check = after(&board("k7/8/1K6/8/8/8/8/7R w - - 99 80"), "h1a1");
    assert!(only_check.in_check() && only_check.is_fifty_move_draw());
}

#[test]
fn limit_of_the_clock_is_past_it_in_a_game_that_goes_on() {
    for (halfmove, limit) in [(0, 100), (99, 100), (100, 150), (101, 151), (120, 170)] {
        assert_eq!(clock_limit(halfmove), limit, "{halfmove}");
    }
    assert_eq!(clock_limit(u16::MAX), u16::MAX);
    let game = |clock| Game::new(board(&format!("4k3/8/8/8/8/8/4R3/4K3 b - - {clock} 80")));
    for (clock, drawn_at) in [(40, 100), (99, 100), (100, 150), (130, 180)] {
        let rule = ClockRule::of(game(clock).board());
        assert_eq!(rule.is_past_claim(), clock >= 100);
        assert!(!rule.is_draw(game(drawn_at - 1).board()), "{clock}");
        assert!(rule.is_draw(game(drawn_at).board()), "{clock}");
        assert_eq!(rule.clock(drawn_at), 100);
    }
}

#[test]
fn occurrences_before_the_root_count_at_the_third_and_the_fifth() {
    for earlier in 0..8 {
        let history = [7, 1, 2, 3].repeat(earlier);
        let is_draw = is_repetition(&history, 7, 90, history.len());
        assert_eq!(is_draw, [2, 4].contains(&earlier), "{earlier}");
        // After the root once is enough.
        assert_eq!(is_repetition(&history, 7, 90, 0), earlier > 0, "{earlier}");
    }
}

#[test]
fn too_little_to_mate_is_a_draw() {
    let dead = [
        "4k3/8/8/8/8/8/8/4K3",
        "4k3/8/8/8/8/8/8/4KN2",
        "4kn2/8/8/8/8/8/8/4K3",
        "4k3/8/8/8/8/8/8/4KB2",
        "4kb2/8/8/8/8/8/8/4K3",
        "4kb2/8/8/8/8/8/8/2B1K3",
        "4kb2/8/8/8/8/4B3/3B4/B3K3",
    ];
    let alive = [
        "4k3/8/8/8/8/8/4P3/4K3",
        "4k3/8/8/8/8/8/8/4KR2",
        "4kq2/8/8/8/8/8/8/4K3",
        "4k3/8/8/8/8/8/8/4KNN1",
        "4kn2/8/8/8/8/8/8/4KN2",
        "4kn2/8/8/8/8/8/8/4KB2",
        "4kb2/8/8/8/8/8/8/4KB2",
        "4k3/8/8/8/8/8/8/4KBB1",
    ];
    for side in ["w", "b"] {
        let read = |pieces: &&str| board(&format!("{pieces} {side}"));
        for pieces in &dead {
            assert!(read(pieces).is_insufficient_material(), "{pieces}");
        }
        for pieces in &alive {
            assert!(!read(pieces).is_insufficient_material(), "{pieces}");
        }
    }
}

#[test]
fn passing_forgets_the_past() {
    let mut game = Game::new(Board::default());
    play(&mut game, "g1f3 g8f6 f3g1 f6g8");
    assert_eq!(game.history().len(), 4);
    game.play_null();
    assert_eq!(game.board().side(), Color::Black);
    assert!(game.history().is_empty());
}

#[test]
fn games_end_by_mate_stalemate_dead_material_and_fifty_moves() {
    for (fen, moves, outcome) in [
        ("7k/5Q2/8/8/8/8/8/K7 b - - 0 1", "", Some(Outcome::Stalemate)),
        ("7k/8/8/8/8/8/8/K7 w - - 0 1", "", Some(Outcome::InsufficientMaterial)),
        ("7k/5ppp/8/8/8/8/8/K5R1 w - - 0 1", "g1d1 h7h6 d1d8", None),
        ("6k1/5ppp/8/8/8/8/8/K2R4 w - - 99 1", "d1d8", Some(Outcome::Checkmate(Color::White))),
        ("7k/8/8/8/8/8/8/K5R1 w - - 98 90", "g1g2", None),
        ("7k/8/8/8/8/8/8/K5R1 w - - 99 90", "g1g2", Some(Outcome::FiftyMoves)),
        // The draw was not claimed before the game started.
        ("7k/8/8/8/8/8/8/K5R1 w - - 100 90", "g1g2 h8h7 g2g3", None),
        ("7k/8/8/8/8/8/7p/K5R1 w - - 120 90", "g1g2", None),
    ] {
        let mut game = Game::new(board(fen));
        play(&mut game, moves);
        assert_eq!(game.outcome(), outcome, "{fen} {moves}");
        let by_position = outcome.filter(|outcome| *outcome != Outcome::FiftyMoves);
        assert_eq!(game.board().status(), by_position, "{fen} {moves}");
    }
    assert_eq!(Outcome::Checkmate(Color::Black).winner(), Some(Color::Black));
    assert_eq!(Outcome::Threefold.winner(), None);
}
