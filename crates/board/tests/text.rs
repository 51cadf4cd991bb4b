//! Compares the readers and writers of text with slow ones that are plainly correct, over random
//! games (half of them Chess960) and texts that are damaged at random.

use std::collections::HashSet;

use carrybit_board::random::splitmix64;
use carrybit_board::{
    Board, CastlingMode, CastlingSide, Color, FenError, Kind, Move, MoveError, Outcome, Piece,
    Square,
};

#[path = "support/slow.rs"]
mod slow;

/// The random numbers of a test.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 += 1;
        splitmix64(self.0) as usize % limit
    }

    /// Changes, removes or adds one to three characters.
    fn damage(&mut self, text: &str, alphabet: &[char]) -> String {
        let mut letters: Vec<char> = text.chars().collect();
        for _ in 0..=self.below(3) {
            let letter = alphabet[self.below(alphabet.len())];
            let at = self.below(letters.len() + 1);
            match self.below(3) {
                0 => letters.insert(at, letter),
                1 if at < letters.len() => letters[at] = letter,
                _ if at < letters.len() => drop(letters.remove(at)),
                _ => {}
            }
        }
        letters.into_iter().collect()
    }
}

const STARTS: [&str; 7] = [
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    // Disambiguation by file, rank and both; promotions.
    "1N3N1k/1P6/8/1N3N2/4K3/1n3n2/1p4p1/8 w - - 0 1",
    "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 0 1",
    "R6R/1P6/8/6k1/8/r6r/1p6/R3K2R w KQ - 0 1",
    "rk2r3/pppp4/8/8/8/8/PPPP4/RK2R3 w KQkq - 0 1",
];

/// Calls `check` with the positions of random games.
fn for_positions(games: u16, mut check: impl FnMut(&Board, &mut Random)) {
    let mut random = Random(960);
    for number in 0..games {
        let mut board = if number % 2 == 0 {
            Board::chess960_start(random.below(960) as u16).expect("a number below 960")
        } else {
            STARTS[usize::from(number / 2) % STARTS.len()].parse().expect("a valid FEN")
        };
        for _ in 0..100 {
            check(&board, &mut random);
            let moves = board.legal_moves();
            if moves.is_empty() {
                break;
            }
            let mv = moves[random.below(moves.len())];
            let next = board.make(mv);
            board.play(mv);
            assert_eq!((board.key(), board.pawn_key()), (next.key(), next.pawn_key()));
            assert_eq!((&board, board.check_invariants()), (&next, Ok(())));
            assert_eq!(board.list(Color::White), next.list(Color::White));
            assert_eq!(board.list(Color::Black), next.list(Color::Black));
        }
    }
}

#[test]
fn uci_is_read_and_written_as_by_the_slow_functions() {
    const ALPHABET: [char; 22] = [
        'a', 'b', 'c', 'g', 'h', 'i', '1', '2', '7', '8', '9', '0', 'q', 'n', 'k', 'p', 'E', 'Q',
        ' ', '-', 'é', '♔',
    ];
    let mut results = HashSet::new();
    for_positions(20, |board, random| {
        let compare = |text: &str| {
            let found = board.parse_uci(text);
            assert_eq!(found, slow::parse_uci(board, text), "{text:?} in {board:?}");
            std::mem::discriminant(&found.map_err(|error| matches!(error, MoveError::NoMove(_))))
        };
        for mv in board.legal_moves() {
            for mode in [CastlingMode::Standard, CastlingMode::Chess960] {
                let text = mv.uci(mode);
                assert_eq!(text, slow::uci(mv, mode));
                results.insert(compare(&text));
            }
            let step = format!("{}{}", mv.from(), mv.to());
            compare(&step);
            compare(&format!("{step}q"));
            compare(&step.to_uppercase());
            results.insert(compare(&random.damage(&mv.to_string(), &ALPHABET)));
            assert_eq!(board.find_move(mv.from(), mv.target(), mv.promotion_kind()), Some(mv));
        }
    });
    assert_eq!(results.len(), 2);
}

#[test]
fn all_pairs_of_squares_are_moves_exactly_if_the_slow_reader_finds_them() {
    for_positions(1, |board, _| {
        let mut texts: HashSet<(Square, Square)> = HashSet::new();
        for mv in board.legal_moves() {
            texts.extend([(mv.from(), mv.target()), (mv.from(), mv.to())]);
        }
        for from in Square::ALL {
            for to in Square::ALL {
                let text = format!("{from}{to}");
                let found = [None, Some(Kind::Knight), Some(Kind::King)]
                    .map(|kind| board.find_move(from, to, kind).is_some());
                if texts.contains(&(from, to)) {
                    assert_eq!(found[0], slow::parse_uci(board, &text).is_ok(), "{text} {board}");
                } else {
                    assert_eq!(found, [false; 3], "{text} {board}");
                }
            }
        }
    });
}

#[test]
fn san_is_read_and_written_as_by_the_slow_functions() {
    const ALPHABET: [char; 26] = [
        'a', 'b', 'c', 'h', '1', '2', '8', 'N', 'B', 'R', 'Q', 'K', 'P', 'O', '0', 'o', '-', 'x',
        ':', '=', '(', ')', '+', ' ', 'q', 'é',
    ];
    for_positions(20, |board, random| {
        let compare = |text: &str| {
            assert_eq!(
                board.parse_san(text),
                slow::parse_san(board, text),
                "{text:?} in {board:?}"
            );
        };
        for mv in board.legal_moves() {
            let san = board.san(mv);
            assert_eq!(san, slow::san(board, mv), "{board:?}");
            assert_eq!(board.parse_san(&san), Ok(mv));
            compare(&random.damage(&san, &ALPHABET));
            let squares = format!("{}{}", mv.from(), mv.to());
            compare(&squares);
            compare(&format!("K{squares}"));
            compare(&format!("{}{}", mv.from(), mv.target()));
            compare(&format!("{}-{}(Q)!?", mv.from(), mv.target()));
            compare(&format!("N{}e.p.", mv.target()));
            compare(&format!("Q{}", mv.target()));
            compare(&format!("R{}{}+ e.p. #", mv.from().file(), mv.target()));
        }
        ["O-O", "0-0-0", "o-o!", "O-O-O+", "0-0e.p.", "O-o", "", "e", "♔e1", "+", "e.p."]
            .iter()
            .for_each(|text| compare(text));
    });
}

#[test]
fn fens_are_read_and_written_as_by_the_slow_functions() {
    const ALPHABET: [char; 30] = [
        '/', '/', '1', '2', '3', '7', '8', '9', '0', 'p', 'P', 'k', 'K', 'q', 'R', 'r', 'n', 'B',
        'w', 'b', '-', '+', ' ', 'a', 'h', 'H', 'e', '\t', 'é', '♔',
    ];
    let mut errors = HashSet::new();
    for_positions(16, |board, random| {
        let fens = [board.fen(), board.shredder_fen()];
        assert_eq!(fens, slow::fens(board));
        for fen in fens {
            assert_eq!(fen.parse().as_ref(), Ok(board));
            for _ in 0..20 {
                let damaged = random.damage(&fen, &ALPHABET);
                for mode in [CastlingMode::Standard, CastlingMode::Chess960] {
                    let found = Board::from_fen(&damaged, mode);
                    let expected = slow::read_fen(&damaged, mode);
                    match (&found, &expected) {
                        (Ok(found), Ok(parts)) => {
                            assert_eq!(&slow::Parts::of(found), parts, "{damaged:?}");
                            assert_eq!(found.check_invariants(), Ok(()));
                        }
                        (Err(FenError::OpponentInCheck | FenError::TooManyCheckers), Ok(_)) => {}
                        _ => assert_eq!(
                            found.as_ref().err(),
                            expected.as_ref().err(),
                            "{damaged:?}: {found:?}, {expected:?}"
                        ),
                    }
                    errors.extend(found.err().map(|error| std::mem::discriminant(&error)));
                }
            }
        }
    });
    // All but `Empty`.
    assert!(errors.len() >= 12, "{errors:?}");
    assert_eq!(" \n".parse::<Board>(), Err(FenError::Empty));
}

#[test]
fn malformed_fens_have_the_errors_of_the_slow_reader() {
    let fens = [
        "",
        "/",
        "8/8/8/8/8/8/8/8/8 w",
        "♔/8",
        "8/8/8/8/8/8/8/♔7 w",
        "9/8/8/8/8/8/8/8",
        "88/8/8/8/8/8/8/8",
        "ppppppppp/8/8/8/8/8/8/8",
        "7/8/8/8/8/8/8/8",
        "8/8/8/8/8/8/8/7",
        "8/8/8/8/8/8/8/71",
        "8/8/8/8/8/8/8/11111111",
        "8/8/8/8/8/8/8/8",
        "8/8/8/8/8/8/8/K6K",
        "nnnnnnnn/nnnnnnnn/k7/8/8/8/8/K7",
        "k7/pppppppp/p7/8/8/8/8/K7",
        "k6p/8/8/8/8/8/8/KP6",
        "k7/8/8/8/8/8/8/K7 x",
        "k7/8/8/8/8/8/8/K7 W",
        "k7/8/8/8/8/8/8/K7 w x",
        "k7/8/8/8/8/8/8/K7 w KKK",
        "k7/8/8/8/8/8/8/K7 w é",
        "k7/8/8/8/8/8/8/K7 w - e9",
        "k7/8/8/8/8/8/8/K7 w - E3",
        "k7/8/8/8/8/8/8/K7 w - - x",
        "k7/8/8/8/8/8/8/K7 w - - - -",
        "k7/8/8/8/8/8/8/K7 w - - 99999 0",
        "k7/8/8/8/8/8/8/K7 w - - -1 +7",
        "k7/8/8/8/8/8/8/K7 w - - 0 1 x",
        "k7/8/8/8/8/8/8/K7\tw\n-\r-\u{c}3",
        " k7/8/8/8/8/8/8/K7",
        "k7/8/8/8/8/8/8/K7/ w",
        "k7/8/8/8/8/8/8/K7/",
        "k7/8/8/8/8/8/8/ w",
        "k7/8/8/8/8/8/8 w",
        "k7/8/8/8/8/8/8/K7\u{a0}w",
    ];
    let mut errors = HashSet::new();
    for fen in fens {
        let (found, expected) = (fen.parse::<Board>(), slow::read_fen(fen, CastlingMode::Chess960));
        assert_eq!(found.as_ref().err(), expected.as_ref().err(), "{fen:?}");
        errors.extend(found.err().map(|error| std::mem::discriminant(&error)));
    }
    // All but those of impossible checks.
    assert_eq!(errors.len(), 14);
    let impossible = [
        ("k7/8/8/8/8/8/8/K6r b - - 0 1", FenError::OpponentInCheck),
        ("kR6/2N5/8/8/4B3/8/8/K7 b - - 0 1", FenError::TooManyCheckers),
    ];
    for (fen, error) in impossible {
        assert_eq!(fen.parse::<Board>(), Err(error));
    }
}

#[test]
fn lists_of_a_parsed_position_are_in_the_order_of_kinds_and_squares() {
    for_positions(16, |board, _| {
        let board: Board = board.shredder_fen().parse().expect("its own FEN");
        for color in Color::ALL {
            let mut expected = Vec::new();
            for kind in Kind::ALL.into_iter().rev() {
                let piece = Some(Piece { color, kind });
                expected.extend(Square::all().filter(|&sq| board.piece_on(sq) == piece));
            }
            let listed: Vec<Square> =
                board.list(color).iter().copied().filter(|sq| sq.is_on_board()).collect();
            assert_eq!(listed, expected, "{board}");
        }
    });
}

#[test]
fn status_is_that_of_the_slow_function() {
    for_positions(60, |board, _| {
        let copy: Board = board.shredder_fen().parse().expect("its own FEN");
        let is_over = board.legal_moves().is_empty();
        let outcome = copy.status();
        assert_eq!(outcome.map(Outcome::reason), slow::status(board), "{board}");
        assert!(outcome.is_some() || !is_over);
    });
}

#[test]
fn castling_in_all_forms_means_the_same_move() {
    let board: Board = "4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1".parse().expect("a valid FEN");
    for (side, texts) in [
        (CastlingSide::King, ["O-O", "e1g1", "Ke1g1", "0-0"]),
        (CastlingSide::Queen, ["O-O-O", "e1b1", "Ke1c1", "o-o-o"]),
    ] {
        let rook = board.castling_rook(Color::White, side).expect("a right");
        let castling = Move::castling(Square::E1, rook);
        for text in texts {
            assert_eq!(board.parse_san(text), Ok(castling), "{text}");
        }
    }
}
