//! Promises of the hand-crafted evaluation: it treats both colours alike, remembers
//! nothing that matters, and knows the endgames it claims to know.

use carrybit::board::{Board, Color, Move, NoObserver};
use carrybit::eval::Evaluator;
use carrybit::score::clamp_eval;
use fastrand::Rng;
use workshop::hce::sums::{PHASE_MAX, Sums};
use workshop::hce::tapered::Tapered;
use workshop::hce::{self, Hce, king, weights};

/// Starts of random games: openings, castling, en passant, promotions, endgames.
const STARTS: [&str; 8] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1",
    "4k3/pppp4/8/8/8/8/4PPPP/4K3 w - - 0 1",
    "8/8/2b1k3/3p4/3P4/2B1K3/5P2/8 w - - 0 1",
    "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/2N2N2/PPPP1PPP/R1BQK2R w KQkq - 6 5",
];

/// How many games are played from each start.
const GAMES: u64 = 40;
/// The longest game, in plies.
const GAME_PLIES: usize = 120;

fn board(fen: &str) -> Board {
    fen.parse().expect("a valid FEN")
}

/// Plays random games and shows each position that is not check.
fn visit_random_games(mut visit: impl FnMut(&Board)) {
    for (number, start) in STARTS.into_iter().enumerate() {
        for game in 0..GAMES {
            let mut rng = Rng::with_seed(number as u64 * 1000 + game);
            let mut position = board(start);
            for _ in 0..GAME_PLIES {
                if !position.in_check() {
                    visit(&position);
                }
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                position = position.make(moves[rng.usize(..moves.len())], &mut NoObserver);
            }
        }
    }
}

/// The position with colours exchanged and the board flipped vertically.
fn mirrored(position: &Board) -> Board {
    let fen = position.fen(true);
    let swap = |text: &str| -> String {
        text.chars()
            .map(|c| {
                if c.is_ascii_uppercase() { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() }
            })
            .collect()
    };
    let fields: Vec<&str> = fen.split(' ').collect();
    let placement = swap(fields[0]).split('/').rev().collect::<Vec<_>>().join("/");
    let side = if fields[1] == "w" { "b" } else { "w" };
    let ep = match fields[3].strip_suffix('3') {
        Some(file) => format!("{file}6"),
        None => fields[3].replace('6', "3"),
    };
    board(&format!("{placement} {side} {} {ep} {} {}", swap(fields[2]), fields[4], fields[5]))
}

fn evaluate(position: &Board) -> i32 {
    let mut hce = Hce::new();
    hce.reset(position);
    hce.evaluate(position)
}

#[test]
fn colours_make_no_difference() {
    let mut hce = Hce::new();
    visit_random_games(|position| {
        hce.reset(position);
        let eval = hce.evaluate(position);
        let mirror = mirrored(position);
        hce.reset(&mirror);
        assert_eq!(eval, hce.evaluate(&mirror), "{position:?}");
    });
}

#[test]
fn running_sums_equal_recomputation() {
    /// Walks two plies of everything and back.
    fn walk(position: &Board, depth: usize, hce: &mut Hce) {
        assert_eq!(*hce.sums(), Sums::of(position), "{position:?}");
        if depth == 0 {
            return;
        }
        let moves: Vec<Move> = position.legal_moves().to_vec();
        for mv in moves {
            let child = position.make(mv, hce.push());
            walk(&child, depth - 1, hce);
            hce.pop();
            assert_eq!(*hce.sums(), Sums::of(position), "{position:?} {mv}");
        }
    }
    let mut hce = Hce::new();
    for start in STARTS {
        let position = board(start);
        hce.reset(&position);
        walk(&position, 3, &mut hce);
    }
}

#[test]
fn a_null_move_changes_no_sums() {
    let position = board(STARTS[1]);
    let mut hce = Hce::new();
    hce.reset(&position);
    hce.push();
    assert_eq!(*hce.sums(), Sums::of(&position.make_null()));
    hce.pop();
}

#[test]
fn caches_do_not_change_results() {
    let mut warm = Hce::new();
    let mut position_number = 0;
    visit_random_games(|position| {
        position_number += 1;
        warm.reset(position);
        let first = warm.evaluate(position);
        assert_eq!(first, warm.evaluate(position), "{position:?}");
        assert_eq!(first, warm.evaluate_uncached(position), "{position:?}");
        if position_number % 50 == 0 {
            assert_eq!(first, evaluate(position), "{position:?}");
        }
    });
}

#[test]
fn the_trace_adds_up_to_the_evaluation() {
    visit_random_games(|position| {
        let Some(traced) = hce::traced(position) else { return };
        let mut linear = Tapered::ZERO;
        for entry in &traced.log.linear {
            let value = weights::LINEAR[entry.term] * entry.count;
            linear += if entry.side == Color::White { value } else { -value };
        }
        let mut danger = [0; 2];
        for entry in &traced.log.danger {
            danger[entry.side.index()] += weights::DANGER[entry.term] * entry.count;
        }
        let sum = linear - king::price(danger[0]) + king::price(danger[1]);
        let blended = (sum.mg() * traced.phase + sum.eg() * (PHASE_MAX - traced.phase)) / PHASE_MAX;
        assert_eq!(blended, traced.unscaled, "{position:?}");
        if traced.scale == [hce::endgame::SCALE_FULL; 2] {
            let turn = if position.side() == Color::White { 1 } else { -1 };
            assert_eq!(evaluate(position), turn * blended, "{position:?}");
        }
    });
}

#[test]
fn the_start_position_is_worth_the_move_and_no_more() {
    let eval = evaluate(&Board::default());
    assert!((1..=60).contains(&eval), "{eval}");
}

#[test]
fn a_pawn_is_worth_about_a_hundred() {
    let mut sum = 0;
    for fen in [
        "rnbqkbnr/pppp1ppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "rnbqkbnr/pp1ppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "4k3/5ppp/8/8/8/8/4PPPP/4K3 w - - 0 1",
        "4k3/1ppp4/8/8/8/8/PPPP4/4K3 w - - 0 1",
    ] {
        sum += evaluate(&board(fen));
    }
    assert!((4 * 60..=4 * 190).contains(&sum), "{}", sum / 4);
}

#[test]
fn what_cannot_win_is_a_draw() {
    for fen in [
        "8/8/4k3/8/8/3K4/8/8 w - - 0 1",
        "8/8/4k3/8/8/3K1N2/8/8 w - - 0 1",
        "8/8/4k3/8/8/3K1B2/8/8 b - - 0 1",
        "8/8/4k3/8/8/3KNN2/8/8 w - - 0 1",
        "8/8/4k3/8/8/3KB1B1/8/8 w - - 0 1",
        // The wrong bishop for the rook pawn, and the rook pawn alone.
        "k7/8/8/8/P7/3KB3/8/8 w - - 0 1",
        "1k6/8/8/8/P7/3K4/8/8 w - - 0 1",
        "8/8/5b2/7p/3k3p/8/8/6K1 b - - 0 1",
    ] {
        assert_eq!(evaluate(&board(fen)), 0, "{fen}");
    }
}

#[test]
fn small_advantages_without_pawns_are_nearly_draws() {
    for fen in [
        "8/8/4k1n1/8/8/3K1R2/8/8 w - - 0 1",
        "8/8/4k2b/8/8/3K1R2/8/8 w - - 0 1",
        "8/8/r3k3/8/8/3K1RB1/8/8 w - - 0 1",
        "8/8/4k2b/8/8/3KN1B1/8/8 w - - 0 1",
    ] {
        let eval = evaluate(&board(fen));
        assert!(eval.abs() <= 100, "{fen}: {eval}");
    }
}

#[test]
fn won_endings_are_known_and_have_a_direction() {
    // The second of each pair is nearer to mate.
    for (before, after) in [
        ("8/8/8/4k3/8/8/3K4/7R w - - 0 1", "6k1/8/6K1/8/8/8/8/7R w - - 0 1"),
        ("8/8/8/4k3/8/8/3K4/7Q w - - 0 1", "4k3/8/4K3/8/8/8/8/Q7 w - - 0 1"),
        ("8/8/8/4k3/8/8/3KBB2/8 w - - 0 1", "8/8/8/8/8/1K6/4BB2/k7 w - - 0 1"),
    ] {
        let (before, after) = (evaluate(&board(before)), evaluate(&board(after)));
        assert!(before > 4000, "{before}");
        assert!(after > before, "{before} {after}");
    }
    // A bishop of the light squares mates in a light corner.
    let wrong = evaluate(&board("7k/8/6K1/8/8/8/8/2N2B2 w - - 0 1"));
    let right = evaluate(&board("k7/8/1K6/8/8/8/8/2N2B2 w - - 0 1"));
    assert!(right > wrong + 100, "{right} {wrong}");
}

#[test]
fn crowded_positions_are_evaluated_without_overflow() {
    for fen in [
        "2QQ1Q2/Q6Q/2Q3Q1/K3Q3/1Q5Q/7Q/k7/2QQ1QQ1 w - - 0 1",
        "2qq1qq1/K7/7q/1q5q/k3q3/2q3q1/q6q/2qq1q2 b - - 0 1",
        "4k3/8/8/8/8/8/RRRR1RRR/RRRR1RRK w - - 0 1",
        "4k3/8/8/8/8/8/BBBBBBBB/BBBBBBBK w - - 0 1",
        "nnnnnnnk/nnnnnnnn/8/8/8/8/8/4K3 b - - 0 1",
    ] {
        let mut hce = Hce::new();
        let mut rng = Rng::with_seed(15);
        let mut position = board(fen);
        for _ in 0..30 {
            let men = |color: Color| position.pieces(color).count();
            let (ours, theirs) = (men(position.side()), men(!position.side()));
            // Seven officers more are a win.
            if !position.in_check() && (ours == 1 && theirs > 7 || theirs == 1 && ours > 7) {
                hce.reset(&position);
                let value = hce.evaluate(&position);
                assert_eq!(value, clamp_eval(value), "{position:?}");
                assert_eq!(value > 500, ours > theirs, "{value} for {position:?}");
                assert_eq!(value < -500, ours < theirs, "{value} for {position:?}");
            }
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            position = position.make(moves[rng.usize(..moves.len())], &mut NoObserver);
        }
    }
}
