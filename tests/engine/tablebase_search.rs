//! With tablebases the engine preserves results, wins won positions, and reports true scores.

use carrybit::Engine;
use carrybit::internals::eval::endings;
use carrybit::internals::score::{TABLEBASE_WIN, is_mate, is_win, mate_in_moves};
use carrybit::internals::search::limits::Limits;
use carrybit::internals::search::report::{BestMove, Report};
use carrybit::{Board, Game, Move};
use carrybit_syzygy::{Tablebases, Wdl};

use crate::engine_support::{self, clock, depth, engine_with, nodes, open, own_folder};
use crate::folder_support::Folder;
use crate::support::{Rng, board, find_move, random_boards, random_colours, random_placing};
use crate::tablebase::{OWN_TABLES, shared_folder};

/// The last report and the answer of a search with a limit of nodes.
fn search(engine: &mut Engine, game: &Game, limit: u64) -> (Report, BestMove) {
    engine.set_game(game.clone());
    let (mut reports, answer) = engine_support::search(engine, nodes(limit));
    (reports.pop().expect("a report"), answer)
}

#[test]
fn scores_agree_with_the_tables() {
    let mut engine = engine_with(&own_folder());
    let ask = |engine: &mut Engine, fen: &str| search(engine, &Game::new(board(fen)), 3000).0;
    let won = ask(&mut engine, "8/8/4k3/8/8/4K3/4P3/8 w - - 0 1");
    assert!(won.score == TABLEBASE_WIN && won.tb_hits > 0, "{won:?}");
    let lost = ask(&mut engine, "8/8/8/8/4k3/8/4K3/q7 w - - 0 1");
    assert!(lost.score == -TABLEBASE_WIN || is_mate(lost.score), "{lost:?}");
    let drawn = ask(&mut engine, "8/8/8/4k3/8/4K3/4P3/8 w - - 0 1");
    assert!(drawn.score == 0 && drawn.tb_hits > 0, "{drawn:?}");
    // A mate score replaces the tablebase score.
    let mate = ask(&mut engine, "k7/8/1K6/8/8/8/8/5Q2 w - - 0 1");
    assert_eq!(mate_in_moves(mate.score), Some(1));
    // The tablebases know the position after a capture, but not the root.
    for fen in ["8/8/8/8/1b1K4/2P5/8/7k w - - 0 1", "7K/8/2p5/1B1k4/8/8/8/8 b - - 0 1"] {
        let report = ask(&mut engine, fen);
        assert!(is_win(report.score) && report.tb_hits > 0, "{report:?}");
    }
}

#[test]
fn settings_limit_the_probes() {
    let mut engine = engine_with(&own_folder());
    let game = Game::new(board("8/8/4k3/8/8/4K3/4P3/8 w - - 0 1"));
    engine.settings_mut().probing.max_pieces = 2;
    assert_eq!(search(&mut engine, &game, 3000).0.tb_hits, 0);
    engine.settings_mut().probing.max_pieces = 3;
    assert!(search(&mut engine, &game, 3000).0.tb_hits > 0);
    // Here only nodes below the root can be probed.
    let game = Game::new(board("8/8/8/8/1b1K4/2P5/8/7k w - - 0 1"));
    assert!(search(&mut engine, &game, 3000).0.tb_hits > 0);
    engine.clear();
    engine.settings_mut().probing.min_depth = 100;
    assert_eq!(search(&mut engine, &game, 3000).0.tb_hits, 0);
}

#[test]
fn wdl_tables_alone_preserve_the_result() {
    let folder = Folder::new("wdl-only");
    for name in OWN_TABLES.map(|name| format!("{name}.rtbw")) {
        folder.write(&name, &std::fs::read(own_folder().join(&name)).expect("a table"));
    }
    let tables = open(&folder.0);
    assert_eq!(tables.counts(), [5, 0]);
    // Some moves draw, the others lose.
    let game = Game::new(board("8/3k4/8/3PK3/8/8/8/8 b - - 0 1"));
    let moves = game.board().legal_moves();
    let ranking = tables.rank_moves(&game, &moves, true).expect("a ranking");
    assert!(!ranking.by_dtz);
    for ranked in &ranking.moves {
        let child = game.board().make(ranked.mv);
        assert_eq!(Some(-ranked.wdl), tables.probe_wdl(&child));
    }
    let mut engine = engine_with(&folder.0);
    let (report, answer) = search(&mut engine, &game, 2000);
    assert_eq!(report.score, 0);
    let best = game.board().make(answer.best.expect("a move"));
    assert_eq!(tables.probe_wdl(&best), Some(Wdl::Draw));
}

/// Searches with MultiPV `lines`. Returns the lines of the last iteration, best first, and the
/// answer.
fn last_lines(engine: &mut Engine, fen: &str, lines: usize) -> (Vec<Report>, BestMove) {
    engine.set_game(Game::new(board(fen)));
    engine.settings_mut().multi_pv = lines;
    let (reports, answer) = engine_support::search(engine, depth(6));
    let first = reports.iter().rposition(|report| report.multi_pv == 1).expect("a first line");
    (reports[first..].to_vec(), answer)
}

#[test]
fn lines_that_lose_the_result_come_last_with_true_scores() {
    let tables = open(&own_folder());
    for (fen, has_draws) in [
        // Some moves stalemate or lose the queen.
        ("7k/8/5K2/8/8/8/8/6Q1 w - - 0 1", true),
        ("8/8/8/8/8/1k6/8/K2R4 w - - 60 100", false),
        ("8/8/8/8/8/6k1/8/K6R w - - 120 100", true),
        // Some moves draw, the others lose.
        ("8/3k4/8/3PK3/8/8/8/8 b - - 0 1", true),
        // All moves lose.
        ("8/8/8/8/4k3/8/4K3/q7 w - - 0 1", false),
    ] {
        let position = board(fen);
        let legal = position.legal_moves().len();
        for count in [1, 2, 4, 256] {
            let mut engine = engine_with(&own_folder());
            let (reports, _) = last_lines(&mut engine, fen, count);
            assert_eq!(reports.len(), count.min(legal), "{fen}");
            let outcomes: Vec<i32> = reports
                .iter()
                .map(|report| {
                    let child = position.make(report.pv[0]);
                    let outcome = -tables.probe_wdl(&child).expect("the table is there").sign();
                    assert_eq!(report.score.signum(), outcome, "{report:?} in {fen}");
                    assert!(outcome == 0 || is_win(report.score.abs()), "{report:?} in {fen}");
                    outcome
                })
                .collect();
            assert!(outcomes.is_sorted_by(|a, b| a >= b), "{outcomes:?} in {fen}");
            let best = tables.probe_wdl(&position).expect("the table is there");
            assert_eq!(outcomes[0], best.sign(), "{fen}");
            assert!(count < legal || outcomes.contains(&0) == has_draws, "{outcomes:?} in {fen}");
        }
    }
}

#[test]
fn only_search_moves_have_lines() {
    let mut engine = engine_with(&own_folder());
    // One of them wins, the other (stalemate) comes last with a draw score.
    engine.set_game(Game::new(board("7k/8/5K2/8/8/8/8/6Q1 w - - 0 1")));
    engine.settings_mut().multi_pv = 4;
    let moves = ["g1g6", "g1g2"].map(|text| find_move(engine.game().board(), text));
    let limits = Limits { search_moves: moves.to_vec(), ..depth(4) };
    let (reports, answer) = engine_support::search(&mut engine, limits);
    assert_eq!(answer.best, Some(moves[1]));
    assert!(reports.iter().all(|report| report.multi_pv <= 2));
    assert_eq!(reports.last().map(|report| report.score), Some(0));
}

#[test]
fn limited_strength_preserves_the_result_and_reports_all_lines() {
    let tables = open(&own_folder());
    let fen = "8/3k4/8/3PK3/8/8/8/8 b - - 0 1";
    for seed in 0..20 {
        for lines in [1, 256] {
            let mut engine = engine_with(&own_folder());
            engine.settings_mut().strength.skill_level = 0;
            engine.settings_mut().strength.seed = Some(seed);
            let (reports, answer) = last_lines(&mut engine, fen, lines);
            assert_eq!(reports.len(), lines.min(board(fen).legal_moves().len()));
            let child = board(fen).make(answer.best.expect("a move"));
            assert_eq!(tables.probe_wdl(&child), Some(Wdl::Draw), "{seed} {lines}");
        }
    }
}

/// The longest defence.
fn best_defence(tables: &Tablebases, board: &Board) -> Move {
    let plies = |&&mv: &&Move| {
        let child = board.make(mv);
        match tables.probe_dtz(&child).expect("the table is there") {
            dtz if dtz > 0 => dtz,
            // The winner has made a mistake.
            dtz => 1000 - dtz,
        }
    };
    let moves = board.legal_moves();
    *moves.iter().max_by_key(plies).expect("the game goes on")
}

/// Plays a won position against the best defence, with `nodes` per move. Returns how the win was
/// missed, if it was.
fn play_out(
    engine: &mut Engine,
    tables: &Tablebases,
    start: &Board,
    nodes: u64,
) -> Result<(), String> {
    let winner = start.side();
    let mut game = Game::new(start.clone());
    loop {
        let board = game.board();
        if let Some(outcome) = game.outcome() {
            let is_won = outcome.winner() == Some(winner);
            return if is_won { Ok(()) } else { Err(format!("{outcome:?}: {}", board.fen())) };
        }
        let mv = if board.side() == winner {
            let (report, answer) = search(engine, &game, nodes);
            if !is_win(report.score) {
                return Err(format!("score {} in {}", report.score, board.fen()));
            }
            answer.best.expect("there is a move")
        } else {
            best_defence(tables, board)
        };
        game.play(mv);
    }
}

#[test]
fn won_endgames_are_won() {
    const GAMES: usize = 5;
    const NODES: u64 = 2000;
    let Some(folder) = shared_folder("won endgames") else { return };
    let tables = open(&folder);
    let mut engine = engine_with(&folder);
    let mut failures = Vec::new();
    for pieces in ["KBNk", "KQkr", "KPk", "KRkn"] {
        let mut rng = Rng(2026);
        let mut games = 0;
        while games < GAMES {
            let colours = random_colours(&mut rng, pieces);
            let Some(start) = random_placing(&mut rng, &colours) else { continue };
            // Skips positions where a capture or pawn move wins at once.
            let is_long = tables.probe_dtz(&start).is_some_and(|dtz| dtz > 1);
            if !is_long || tables.probe_wdl(&start) != Some(Wdl::Win) {
                continue;
            }
            games += 1;
            engine.clear();
            if let Err(problem) = play_out(&mut engine, &tables, &start, NODES) {
                failures.push(format!("{}: {problem}", start.fen()));
            }
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

#[test]
fn won_endgames_are_won_after_fifty_moves_without_a_claim() {
    let tables = open(&own_folder());
    let mut engine = engine_with(&own_folder());
    for fen in
        ["8/8/8/3k4/8/8/8/K6R w - -", "8/8/8/3k4/8/8/8/KQ6 w - -", "8/8/4k3/8/8/4K3/4P3/8 w - -"]
    {
        for clock in [100, 117, 150] {
            let start = board(&format!("{fen} {clock} 120"));
            engine.clear();
            assert_eq!(play_out(&mut engine, &tables, &start, 1000), Ok(()), "{fen} at {clock}");
        }
    }
}

/// Compares known endings with the tables. Returns the number of known positions, and how many
/// of them are draws that [`endings::score`] scores as a win or a loss. A draw scored as a loss
/// is not counted if there is a capture or a stalemate: the search finds those.
fn compare_known(tables: &Tablebases, boards: &[Board]) -> (usize, usize) {
    let (mut known, mut drawn) = (0, 0);
    for position in boards {
        let moves = position.legal_moves();
        let is_quiet = !moves.is_empty() && !moves.iter().any(|mv| mv.is_capture());
        let Some(eval) = endings::score(position) else { continue };
        known += 1;
        match (tables.probe_wdl(position), eval.signum()) {
            (Some(Wdl::Draw), 0) | (Some(Wdl::Win), 1) | (Some(Wdl::Loss), -1) => {}
            (Some(Wdl::Draw), -1) if !is_quiet => {}
            (Some(Wdl::Draw), _) => drawn += 1,
            (outcome, _) => panic!("{eval}, but {outcome:?}: {position:?}"),
        }
    }
    (known, drawn)
}

#[test]
fn known_endings_agree_with_the_tables() {
    let tables = open(&own_folder());
    for pieces in ["KBk", "KNk", "KQk", "KRk", "KPk"] {
        let boards = random_boards(41, pieces, 40_000);
        assert_eq!(compare_known(&tables, &boards), (40_000, 0), "{pieces}");
    }
    let Some(folder) = shared_folder("known endings of four pieces") else { return };
    let tables = open(&folder);
    let endings = "KNNk KBkb KBkn KNkn KBPk KPPk KQQk KQRk KRRk KQBk KQNk KRBk KRNk KQPk KRPk \
                   KBBk KBNk KNPk";
    for pieces in endings.split(' ') {
        let (known, drawn) = compare_known(&tables, &random_boards(43, pieces, 1000));
        let is_partly_known = ["KPPk", "KBPk", "KNPk"].contains(&pieces);
        assert!(is_partly_known || known == 1000, "{pieces}: {known}");
        // The king may fork bishop and knight.
        let most_drawn = if pieces == "KBNk" { 20 } else { 0 };
        assert!(drawn <= most_drawn, "{pieces}: {drawn} of {known}");
    }
}

#[test]
fn known_win_needs_few_nodes() {
    let mut engine = engine_with(&own_folder());
    for fen in ["8/8/8/3k4/8/8/8/Q3K3 w - - 0 1", "8/8/8/8/3k4/3p4/8/7K b - - 0 1"] {
        engine.set_game(Game::new(board(fen)));
        let (reports, _) = engine_support::search(&mut engine, clock(3_600_000, 0));
        let last = reports.last().expect("a report");
        assert!(is_win(last.score) && last.nodes < 10_000_000, "{fen}: {} nodes", last.nodes);
    }
}
