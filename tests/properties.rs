//! What holds for every position, every game and every line, tried on random ones. A
//! failing case is made as small as possible before it is shown.

mod support;

use carrybit::board::{Board, Move};
use carrybit::uci::command::Command;
use carrybit::uci::go::Go;
use carrybit::uci::parser::parse;
use carrybit::uci::position::find_move;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use support::{chess960_starts, tricky_positions};

/// Positions where games begin.
fn starts() -> Vec<Board> {
    let shuffled = chess960_starts();
    let shuffled = shuffled.iter().step_by(40).map(|fen| support::board(fen));
    let usual = std::iter::repeat_n(Board::default(), 10);
    usual.chain(shuffled).chain(tricky_positions()).collect()
}

/// A game: where it begins, and its moves.
#[derive(Clone, Debug)]
struct Line {
    start: Board,
    moves: Vec<Move>,
}

impl Line {
    /// The game with the moves that are chosen, up to its end.
    fn of(start: &Board, choices: &[Index]) -> Line {
        let mut line = Line { start: start.clone(), moves: Vec::new() };
        let mut board = start.clone();
        for choice in choices {
            let moves = board.legal_moves();
            if moves.is_empty() {
                break;
            }
            let mv = moves[choice.index(moves.len())];
            line.moves.push(mv);
            board = board.make(mv);
        }
        line
    }

    /// All its positions, including the last one.
    fn boards(&self) -> Vec<Board> {
        let mut boards = vec![self.start.clone()];
        for &mv in &self.moves {
            boards.push(boards[boards.len() - 1].make(mv));
        }
        boards
    }

    fn end(&self) -> Board {
        self.boards().pop().expect("at least the start")
    }
}

fn any_line() -> impl Strategy<Value = Line> {
    (select(starts()), vec(any::<Index>(), 0..60))
        .prop_map(|(start, choices)| Line::of(&start, &choices))
}

/// A protocol word, a number, or anything.
fn any_word() -> impl Strategy<Value = String> {
    const WORDS: [&str; 24] = [
        "position",
        "startpos",
        "fen",
        "moves",
        "go",
        "wtime",
        "btime",
        "winc",
        "binc",
        "depth",
        "nodes",
        "mate",
        "movetime",
        "movestogo",
        "infinite",
        "ponder",
        "searchmoves",
        "perft",
        "setoption",
        "name",
        "value",
        "e2e4",
        "w",
        "-",
    ];
    prop_oneof![
        4 => select(&WORDS[..]).prop_map(str::to_owned),
        2 => any::<i64>().prop_map(|number| number.to_string()),
        1 => "\\PC{0,12}",
    ]
}

fn any_clock() -> impl Strategy<Value = Option<i64>> {
    option::of(any::<i64>())
}

/// A `go` that can be written, and the words that say so, in groups that may stand in any
/// order.
fn any_go() -> impl Strategy<Value = (Go, Vec<String>)> {
    let clocks = [any_clock(), any_clock()];
    let increments = [0..=i64::MAX, 0..=i64::MAX];
    let limits = (
        option::of(1..=u32::MAX),
        option::of(1..=i64::MAX as u64),
        option::of(1..=100_i32),
        option::of(1..=u64::MAX),
        option::of(1..=50_i32),
    );
    let moves = vec(select(&["e2e4", "g1f3", "a7a8q", "0000"][..]), 0..4);
    (clocks, increments, limits, any::<[bool; 2]>(), moves).prop_map(
        |(clocks, increments, limits, [infinite, ponder], moves)| {
            let (moves_to_go, move_time, depth, nodes, mate) = limits;
            let search_moves = moves.iter().map(|&mv| mv.to_owned()).collect();
            let go = Go {
                clocks,
                increments,
                moves_to_go,
                move_time,
                depth,
                nodes,
                mate,
                infinite,
                ponder,
                search_moves,
                ..Go::default()
            };
            let mut words =
                vec![format!("winc {}", increments[0]), format!("BINC {}", increments[1])];
            let mut say = |word: &str, number: Option<String>| {
                words.extend(number.map(|number| format!("{word} {number}")));
            };
            say("wtime", clocks[0].map(|ms| ms.to_string()));
            say("btime", clocks[1].map(|ms| ms.to_string()));
            say("movestogo", moves_to_go.map(|moves| moves.to_string()));
            say("movetime", move_time.map(|ms| ms.to_string()));
            say("depth", depth.map(|plies| plies.to_string()));
            say("nodes", nodes.map(|nodes| nodes.to_string()));
            say("mate", mate.map(|moves| format!("-{moves}")));
            words.extend(infinite.then(|| "Infinite".to_owned()));
            words.extend(ponder.then(|| "ponder".to_owned()));
            words.push(format!("searchmoves {}", moves.join(" ")));
            (go, words)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..Default::default() })]

    #[test]
    fn a_position_is_written_and_read_as_the_same(line in any_line()) {
        let board = line.end();
        for chess960 in [false, true] {
            let fen = board.fen(chess960);
            let read = fen.parse::<Board>();
            prop_assert_eq!(read.as_ref(), Ok(&board), "{}", fen);
            prop_assert_eq!(read.expect("just compared").key(), board.key());
        }
    }

    #[test]
    fn moves_keep_what_a_position_is_and_leave_the_old_one_alone(line in any_line()) {
        for board in line.boards() {
            prop_assert_eq!(board.check_invariants(), Ok(()));
            let (fen, key) = (board.fen(true), board.key());
            for &mv in board.legal_moves().iter() {
                let after = board.make(mv);
                prop_assert_eq!(after.check_invariants(), Ok(()), "{} in {}", mv, fen);
                prop_assert_ne!(after.key(), key);
            }
            prop_assert_eq!((board.fen(true), board.key()), (fen, key));
        }
    }

    #[test]
    fn every_move_is_written_and_read_as_itself(line in any_line(), chess960: bool) {
        let board = line.end();
        for &mv in board.legal_moves().iter() {
            let text = board.uci(mv, chess960);
            prop_assert_eq!(find_move(&board, &text), Some(mv), "{}", &text);
            prop_assert_eq!(find_move(&board, &text.to_uppercase()), Some(mv));
        }
    }

    #[test]
    fn every_game_is_accepted_as_a_position(line in any_line(), chess960: bool) {
        let mut text = format!("position fen {} moves", line.start.fen(chess960));
        for (board, &mv) in line.boards().iter().zip(&line.moves) {
            text = format!("{text} {}", board.uci(mv, chess960));
        }
        let Ok(Command::Position(setup)) = parse(&text) else {
            return Err(TestCaseError::fail(text));
        };
        let (record, problems) = setup.record(true).expect("a sound position");
        prop_assert_eq!(problems, Vec::<String>::new());
        prop_assert_eq!(record.board(), &line.end());
    }

    #[test]
    fn every_go_is_understood_in_any_order(
        (go, words) in any_go().prop_flat_map(|(go, words)| (Just(go), Just(words).prop_shuffle()))
    ) {
        let text = format!("go {}", words.join("  "));
        prop_assert_eq!(parse(&text), Ok(Command::Go(go)), "{}", text);
    }

    #[test]
    fn any_words_are_a_command_or_none(words in vec(any_word(), 0..20)) {
        let text = words.join(" ");
        for line in [text.clone(), format!("position {text}"), format!("go {text}")] {
            match parse(&line) {
                Ok(Command::Position(setup)) => drop(setup.record(true)),
                Ok(Command::Go(go)) => drop(go.limits(&Board::default())),
                _ => {}
            }
        }
    }
}
