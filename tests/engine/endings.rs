//! Known endings: the engine reports draws as draws and wins as wins, and it wins the won ones.
//! (`tablebase_search.rs` compares them with tablebases.)

use carrybit::Engine;
use carrybit::internals::eval::endings;
use carrybit::internals::score::{DRAW, EVAL_LIMIT, is_decisive, mate_in_moves};
use carrybit::{Game, Outcome};

use crate::engine_support::{KIWIPETE, depth, engine, nodes, search};
use crate::support::{Rng, board, random_boards, with_colours_exchanged};
use crate::uci_support::Conversation;

/// The score in centipawns (`None` for a mate) and the WDL chances at the end of a search.
fn score_and_wdl(conversation: &Conversation, fen: &str, nodes: u32) -> (Option<i32>, [u32; 3]) {
    let position = format!("position fen {fen}");
    let go = format!("go nodes {nodes}");
    let lines = conversation.search(&["ucinewgame", &position, &go]);
    let line = lines.iter().rfind(|line| line.contains(" wdl ")).expect("chances are shown");
    let words: Vec<&str> = line.split(' ').collect();
    let after = |word| 1 + words.iter().position(|&at| at == word).expect("the word");
    let cp = (words[after("score")] == "cp").then(|| words[after("cp")].parse().expect("a score"));
    let chance = |i: usize| -> u32 { words[after("wdl") + i].parse().expect("a chance") };
    (cp, [0, 1, 2].map(chance))
}

#[test]
fn known_endings_are_reported_with_their_result() {
    let conversation = Conversation::start();
    conversation.send(&["setoption name UCI_ShowWDL value true"]);
    // Nodes, range of scores, minimum chances of a win and of a draw.
    for (fen, nodes, scores, least_win, least_draw) in [
        ("8/8/8/3k4/8/8/8/K6R w - - 0 1", 5_000, 500..5000, 990, 0),
        ("8/8/8/8/3K4/8/3P4/k7 w - - 0 1", 5_000, 500..5000, 990, 0),
        // Lucena.
        ("1K1k4/1P6/8/8/8/8/r7/2R5 w - - 0 1", 300_000, 151..5000, 950, 0),
        ("2K5/2P1k3/8/8/8/8/1r6/3R4 w - - 0 1", 20_000, 151..5000, 950, 0),
        ("8/8/8/3k4/8/8/8/K5NN w - - 0 1", 5_000, 0..1, 0, 1000),
        ("8/8/3k4/8/3K4/3P4/8/8 w - - 0 1", 5_000, 0..1, 0, 1000),
        ("7k/8/8/8/8/8/K6P/5B2 w - - 0 1", 5_000, 0..1, 0, 1000),
        ("8/6r1/8/3k4/8/8/8/K6R w - - 0 1", 20_000, -20..21, 0, 950),
    ] {
        let (cp, [win, draw, loss]) = score_and_wdl(&conversation, fen, nodes);
        assert!(cp.is_none_or(|cp| scores.contains(&cp)), "{fen}: {cp:?}");
        assert!(win >= least_win && draw >= least_draw, "{fen}: {win} {draw} {loss}");
        assert!(loss == 0 || least_draw > 0, "{fen}: {win} {draw} {loss}");
    }
    for (fen, is_known) in [("8/8/4k3/8/8/3K1B2/8/8 w - - 0 1", true), (KIWIPETE, false)] {
        conversation.ask(&format!("position fen {fen}"));
        let answer = conversation.ask("eval");
        let is_named = |line: &String| line.starts_with("The pieces left decide this ending");
        assert_eq!(answer.iter().any(is_named), is_known, "{answer:#?}");
    }
    conversation.end();
}

#[test]
fn known_draws_have_a_value_and_undecided_endings_none() {
    for (fen, expected) in [
        ("8/8/4k3/8/8/3K4/8/8 w - - 0 1", Some(DRAW)),
        ("8/8/4k3/8/8/3K1N2/8/8 w - - 0 1", Some(DRAW)),
        ("8/8/4k3/8/8/3K1B2/8/8 b - - 0 1", Some(DRAW)),
        ("8/8/4k3/8/8/3KNN2/8/8 w - - 0 1", Some(DRAW)),
        ("8/8/4k3/8/8/3Knn2/8/8 b - - 0 1", Some(DRAW)),
        ("8/8/4k3/8/8/3KB1B1/8/8 w - - 0 1", Some(DRAW)),
        ("8/8/4k1n1/8/8/3KB3/8/8 w - - 0 1", Some(DRAW)),
        // The wrong bishop for the rook pawn; rook pawns alone.
        ("k7/8/8/8/P7/3KB3/8/8 w - - 0 1", Some(DRAW)),
        ("8/8/5b2/7p/3k3p/8/8/6K1 b - - 0 1", Some(DRAW)),
        ("1k6/8/P7/8/P7/3K4/8/8 w - - 0 1", Some(DRAW)),
        ("8/8/4k3/8/8/3KBP2/8/8 w - - 0 1", None),
        // The right bishop, and a knight that drives the king away.
        ("k7/8/8/8/P7/3K4/4B3/8 w - - 0 1", None),
        ("k7/8/8/8/P7/3K1N2/8/8 w - - 0 1", None),
        ("8/8/4k3/2n5/8/3KBB2/8/8 w - - 0 1", None),
        ("8/8/4k2r/8/8/3K1R2/8/8 w - - 0 1", None),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", None),
        // Not Lucena: the rook does not cut the king off, or the king attacks the rook.
        ("1K6/1P1k4/8/8/8/8/2r5/R7 w - - 0 1", None),
        ("1K6/1P1k4/2R5/8/8/8/r7/8 b - - 0 1", None),
        // The rook can be taken.
        ("1K6/1P6/4k3/8/2r5/8/8/2R5 b - - 0 1", None),
        // Drawn: the king is on the next file, or three files from a rook pawn.
        ("1K6/1P6/2k5/8/8/8/2r5/R7 w - - 0 1", None),
        ("K7/P2k4/8/8/8/8/2r5/1R6 b - - 0 1", None),
        // The pawn's king is away, or the pawn is on the sixth rank.
        ("8/1P1k4/8/1K6/8/8/r7/2R5 w - - 0 1", None),
        ("8/1K1k4/1P6/8/8/8/r7/2R5 w - - 0 1", None),
        // Other pieces.
        ("1K6/1P1k4/8/8/8/8/q7/2R5 w - - 0 1", None),
        ("1K6/1P1k4/8/8/8/8/r6p/2R5 w - - 0 1", None),
        ("1K6/1P1k4/7p/8/8/8/8/2R5 w - - 0 1", None),
    ] {
        assert_eq!(endings::score(&board(fen)), expected, "{fen}");
    }
}

#[test]
fn won_values_grow_towards_mate() {
    // The second of each pair is nearer to mate.
    for (before, after) in [
        ("8/8/8/4k3/8/8/3K4/7R w - - 0 1", "6k1/8/6K1/8/8/8/8/7R w - - 0 1"),
        ("8/8/8/4k3/8/8/3KBB2/8 w - - 0 1", "8/8/8/8/8/1K6/4BB2/k7 w - - 0 1"),
        // With bishop and knight, the mate is in a corner of the bishop's colour.
        ("7k/8/6K1/8/8/8/8/2N2B2 w - - 0 1", "k7/8/1K6/8/8/8/8/2N2B2 w - - 0 1"),
        ("k7/8/1K6/8/8/8/8/2N1B3 w - - 0 1", "7k/8/6K1/8/8/8/8/2N1B3 w - - 0 1"),
        ("8/8/8/8/3K4/8/3P4/k7 w - - 0 1", "8/3P4/8/8/3K4/8/8/k7 w - - 0 1"),
    ] {
        let [before, after] =
            [before, after].map(|fen| endings::score(&board(fen)).expect("a known win"));
        assert!(before > 4000 && after > before, "{before} {after}");
    }
}

#[test]
fn known_values_are_no_mate_scores_and_symmetric() {
    let mut rng = Rng(7);
    let mut count = 0;
    for pieces in ["Kk", "KBNk", "KQRRBBNNPPk", "KQQQQQQQQQRRBBNNk", "KPk", "KBBNPk", "KNNNk"] {
        for position in random_boards(rng.next(), pieces, 200) {
            let Some(eval) = endings::score(&position) else { continue };
            count += 1;
            assert!(eval.abs() <= EVAL_LIMIT && !is_decisive(eval), "{eval}: {position:?}");
            let exchanged = with_colours_exchanged(&position);
            assert_eq!(endings::score(&exchanged), Some(eval), "{position:?}");
        }
    }
    assert!(count > 1000, "{count}");
}

#[test]
fn lucena_positions_are_won() {
    let value = |fen| endings::score(&board(fen));
    for fen in [
        "1K6/1P1k4/8/8/8/8/r7/2R5 w - - 0 1",
        "8/1P6/1K6/5k2/2R5/8/8/7r b - - 0 1",
        "1K6/1P1k4/8/8/8/8/r7/2R5 b - - 0 1",
        "6K1/4k1P1/8/8/8/8/7r/5R2 w - - 0 1",
        "K7/P3k3/8/8/8/8/2r5/1R6 w - - 0 1",
    ] {
        let for_white = value(fen).map(|eval| if fen.contains(" w ") { eval } else { -eval });
        assert!(for_white.is_some_and(|eval| (500..1000).contains(&eval)), "{fen}: {for_white:?}");
    }
    assert!(value("2r5/R7/8/8/8/3K4/1p6/1k6 b - - 0 1").is_some_and(|eval| eval > 500));
    // The further away a king is cut off, the better.
    let near = value("1K6/1P1k4/8/8/8/8/r7/2R5 w - - 0 1");
    assert!(value("1K6/1P3k2/8/8/8/8/r7/2R5 w - - 0 1") > near);
}

/// The engine plays both sides to the end of the game.
fn play_out(fen: &str, limit: u64) -> (Game, Outcome) {
    let mut game = Game::new(board(fen));
    let mut engine = Engine::new();
    loop {
        if let Some(outcome) = game.outcome() {
            return (game, outcome);
        }
        engine.set_game(game.clone());
        let mv = engine.best_move(nodes(limit)).expect("the game goes on");
        game.play(mv);
    }
}

#[test]
fn engine_wins_known_wins() {
    for (fen, nodes, most_plies) in [
        // Bishop and knight, with a dark bishop and a light one.
        ("8/8/8/3k4/8/8/8/K5BN w - - 0 1", 8_000, 90),
        ("8/8/8/4k3/8/8/8/KB4N1 w - - 0 1", 8_000, 90),
        // The bare king is in a corner that the bishop cannot attack.
        ("k7/8/8/3K4/3BN3/8/8/8 b - - 0 1", 8_000, 90),
        ("7k/8/8/3K4/3NB3/8/8/8 w - - 0 1", 8_000, 90),
        ("8/8/8/8/2bn4/3k4/8/K7 b - - 0 1", 8_000, 90),
        ("8/8/8/8/2nb4/3k4/8/7K w - - 0 1", 8_000, 90),
        // Lucena.
        ("1K1k4/1P6/8/8/8/8/r7/2R5 w - - 0 1", 3_000, 100),
        ("6K1/4k1P1/8/8/8/8/7r/5R2 w - - 0 1", 3_000, 100),
        ("3r4/8/8/8/8/R7/4K1p1/6k1 b - - 0 1", 3_000, 100),
        ("3K4/3P4/1k6/8/8/8/4r3/2R5 w - - 0 1", 3_000, 100),
        ("K7/P3k3/8/8/8/8/2r5/1R6 w - - 0 1", 3_000, 100),
    ] {
        let (game, outcome) = play_out(fen, nodes);
        assert!(outcome.winner().is_some(), "{fen} ends in {:?}", game.board());
        assert!(game.history().len() <= most_plies, "{fen}: {} plies", game.history().len());
    }
}

#[test]
fn known_draw_is_zero_after_other_searches_and_with_any_clock() {
    let mut engine = engine(KIWIPETE);
    search(&mut engine, depth(9));
    for fen in [
        "8/8/8/3k4/8/3K4/8/8 w - - 0 1",
        "8/8/8/3k4/8/8/8/K5NN w - - 60 90",
        "8/8/8/3k4/8/8/6n1/K5B1 b - - 30 70",
    ] {
        engine.set_game(Game::new(board(fen)));
        let (reports, _) = search(&mut engine, depth(8));
        assert!(reports.iter().all(|report| report.score == DRAW), "{fen}");
    }
}

#[test]
fn mate_in_a_drawn_ending_is_found() {
    let (reports, _) = search(&mut engine("k7/3N4/1K6/3N4/8/8/8/8 w - - 0 1"), depth(4));
    let last = reports.last().expect("there is a report");
    assert_eq!(mate_in_moves(last.score), Some(1));
}
