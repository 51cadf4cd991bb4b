//! The readers of text find exactly the legal moves whose spellings they accept, over random games
//! (half of them Chess960) and texts that are damaged at random. (`tests/board` compares SAN with
//! that of python-chess, and reads damaged FENs.)

use std::collections::{HashMap, HashSet};

use carrybit_board::random::splitmix64;
use carrybit_board::{
    Board, CastlingMode, Color, FenError, Kind, Move, MoveError, Outcome, Square,
};

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

/// The legal moves by their texts in UCI's notation. The king's step of castling counts if it is
/// not the text of another move.
fn uci_texts(board: &Board) -> HashMap<String, Move> {
    let moves = board.legal_moves();
    let mut texts: HashMap<String, Move> =
        moves.iter().map(|&mv| (mv.uci(CastlingMode::Chess960), mv)).collect();
    for &castling in moves.iter().filter(|mv| mv.is_castling()) {
        texts.entry(format!("{}{}", castling.from(), castling.to())).or_insert(castling);
    }
    texts
}

#[test]
fn uci_texts_of_legal_moves_and_no_others_are_read() {
    for_positions(1, |board, _| {
        let texts = uci_texts(board);
        for sq in Square::ALL {
            assert_eq!(board.find_move(sq, Square::NONE, None), None, "{sq} in {board:?}");
            assert_eq!(board.find_move(Square::NONE, sq, None), None, "to {sq} in {board:?}");
        }
        for from in Square::ALL {
            for to in Square::ALL {
                for kind in [None, Some(Kind::Queen), Some(Kind::Knight), Some(Kind::King)] {
                    let promotion = kind.map_or(String::new(), |kind| kind.to_string());
                    let text = format!("{from}{to}{promotion}");
                    let expected = texts.get(&text).copied();
                    assert_eq!(board.find_move(from, to, kind), expected, "{text} in {board:?}");
                    let illegal = MoveError::Illegal(text.clone());
                    assert_eq!(board.parse_uci(&text), expected.ok_or(illegal));
                }
            }
        }
    });
}

#[test]
fn damaged_uci_is_read_only_as_the_move_of_the_text() {
    const ALPHABET: [char; 22] = [
        'a', 'b', 'c', 'g', 'h', 'i', '1', '2', '7', '8', '9', '0', 'q', 'n', 'k', 'p', 'E', 'Q',
        ' ', '-', 'é', '♔',
    ];
    let (mut read, mut all) = (0, 0);
    for_positions(20, |board, random| {
        let texts = uci_texts(board);
        for mv in board.legal_moves() {
            let promotion = format!("{}{}q", mv.from(), mv.to());
            for text in [random.damage(&mv.to_string(), &ALPHABET), promotion] {
                let found = board.parse_uci(&text).ok();
                assert_eq!(found, texts.get(&text.to_ascii_lowercase()).copied(), "{text}");
                (read, all) = (read + u32::from(found.is_some()), all + 1);
            }
        }
    });
    assert!(read > 1000 && all > 10 * read, "{read} of {all}");
    for text in ["", "e", "e2", "e2e", "e9e4", "i2e4", "e2é", "♔♔", "O-O"] {
        let error = MoveError::NoMove(text.to_owned());
        assert_eq!(Board::default().parse_uci(text), Err(error), "{text}");
    }
}

/// The spellings of a move that SAN allows, marks and the forms of promotions aside. The first of
/// a piece are in the order of the writer's preference.
fn spellings(board: &Board, mv: Move) -> Vec<String> {
    let kind = board.byte_on(mv.from()).kind().expect("a piece");
    let letter = kind.letter().to_ascii_uppercase();
    let from = mv.from().to_string();
    let places = ["", &from[..1], &from[1..], &from];
    let mut origins = places.map(|place| format!("{letter}{place}")).to_vec();
    origins.extend(places.map(str::to_owned).into_iter().skip(if kind == Kind::Pawn {
        0
    } else {
        3
    }));
    let promotion = mv.promotion_kind().map_or(String::new(), |kind| kind.to_string());
    let end = format!("{}{}", mv.target(), promotion.to_uppercase());
    let separators = [if mv.is_capture() { "x" } else { "" }, "x", "", ":", "-"];
    let spelled = |separator| origins.iter().map(move |origin| (origin, separator));
    let parts = separators.into_iter().flat_map(spelled);
    parts.map(|(origin, separator)| format!("{origin}{separator}{end}")).collect()
}

/// The legal moves by their spellings. Two squares mean castling, too, if they mean no other move.
fn san_texts(board: &Board) -> HashMap<String, HashSet<Move>> {
    let mut texts: HashMap<String, HashSet<Move>> = HashMap::new();
    let (castlings, others): (Vec<Move>, Vec<Move>) =
        board.legal_moves().into_iter().partition(|mv| mv.is_castling());
    for mv in others {
        for text in spellings(board, mv) {
            texts.entry(text).or_default().insert(mv);
        }
    }
    for mv in castlings {
        let text = if mv.target() > mv.from() { "O-O" } else { "O-O-O" };
        for letter in ["O", "0", "o"] {
            texts.insert(text.replace('O', letter), [mv].into());
        }
        for to in [mv.target(), mv.to()] {
            for separator in ["", "x", ":", "-"] {
                for king in ["", "K"] {
                    let text = format!("{king}{}{separator}{to}", mv.from());
                    texts.entry(text).or_insert_with(|| [mv].into());
                }
            }
        }
    }
    texts
}

/// The text without marks, and with a promotion as in [`spellings`].
fn plain(text: &str) -> String {
    const MARKS: [char; 5] = ['+', '#', '!', '?', ' '];
    let text = text.trim_end_matches(MARKS);
    let text = text.strip_suffix("e.p.").unwrap_or(text).trim_end_matches(MARKS);
    let inner = text.strip_suffix(')').unwrap_or(text);
    match inner.chars().next_back() {
        Some(letter) if letter.to_string().parse::<Kind>().is_ok() => {
            let before = inner[..inner.len() - 1].trim_end_matches(['=', '/', '(']);
            format!("{before}{}", letter.to_ascii_uppercase())
        }
        _ => text.to_owned(),
    }
}

#[test]
fn san_is_read_as_the_only_move_with_that_spelling() {
    const ALPHABET: [char; 26] = [
        'a', 'b', 'c', 'h', '1', '2', '8', 'N', 'B', 'R', 'Q', 'K', 'P', 'O', '0', 'o', '-', 'x',
        ':', '=', '(', ')', '+', ' ', 'q', 'é',
    ];
    let mut ambiguous = 0;
    for_positions(20, |board, random| {
        let texts = san_texts(board);
        let mut compare = |text: &str| {
            let found = board.parse_san(text);
            let fitting: Vec<Move> =
                texts.get(&plain(text)).into_iter().flatten().copied().collect();
            let is_right = match (&fitting[..], &found) {
                ([], Err(MoveError::NoMove(_) | MoveError::Illegal(_))) => true,
                ([only], Ok(found)) => found == only,
                ([_, _, ..], Err(MoveError::Ambiguous(_))) => true,
                _ => false,
            };
            assert!(is_right, "{text:?} in {board:?}: {found:?}, not {fitting:?}");
            ambiguous += u32::from(fitting.len() > 1);
        };
        texts.keys().for_each(|text| compare(text));
        for mv in board.legal_moves() {
            let san = board.san(mv);
            assert_eq!(board.parse_san(&san), Ok(mv));
            if !mv.is_castling() && !board.byte_on(mv.from()).is_kind(Kind::Pawn) {
                let shortest = spellings(board, mv).into_iter().find(|text| texts[text].len() == 1);
                assert_eq!(Some(plain(&san)), shortest, "{board:?}");
            }
            compare(&random.damage(&san, &ALPHABET));
            compare(&format!("{}-{}(Q)!?", mv.from(), mv.target()));
            compare(&format!("N{}e.p.", mv.target()));
            compare(&format!("R{}{}+ e.p. #", mv.from().file(), mv.target()));
        }
        ["O-O+", "0-0e.p.", "O-o", "", "e", "♔e1", "+", "e.p."]
            .iter()
            .for_each(|text| compare(text));
    });
    assert!(ambiguous > 1000, "{ambiguous}");
}

/// The errors and their order beyond `tests/board/fen.rs`.
#[test]
fn number_of_ranks_and_side_come_before_other_errors() {
    for (fen, error) in [
        ("/", FenError::RankCount(2)),
        ("♔/8", FenError::RankCount(2)),
        ("k7/8/8/8/8/8/8/K7/ w", FenError::RankCount(9)),
        ("k7/8/8/8/8/8/8 w", FenError::RankCount(7)),
        ("k7/8/8/8/8/8/8/ w", FenError::RankLength(1)),
        ("88/8/8/8/8/8/8/8", FenError::AdjacentDigits(8)),
        ("8/8/8/8/8/8/8/71", FenError::AdjacentDigits(1)),
        ("k7/8/8/8/8/8/8/K7\u{a0}w", FenError::Piece('\u{a0}')),
        ("8/8/8/8/8/8/8/8 x", FenError::Side),
        ("k7/8/8/8/8/8/8/K7 w é", FenError::Castling),
        ("k7/8/8/8/8/8/8/K7 w - E3", FenError::EnPassant),
    ] {
        assert_eq!(fen.parse::<Board>(), Err(error), "{fen:?}");
    }
    let blanks: Board = "k7/8/8/8/8/8/8/K7\tw\n-\r-\u{c}3".parse().expect("a FEN");
    assert_eq!(blanks.halfmove(), 3);
}

#[test]
fn parsed_positions_have_ordered_lists_and_the_status_of_their_moves() {
    for_positions(60, |board, _| {
        let board: Board = board.shredder_fen().parse().expect("its own FEN");
        let outcome = board.status();
        let is_end = matches!(outcome, Some(Outcome::Checkmate(_) | Outcome::Stalemate));
        assert_eq!(is_end, board.legal_moves().is_empty(), "{board}");
        for color in Color::ALL {
            let mut expected = Vec::new();
            for kind in Kind::ALL.into_iter().rev() {
                expected.extend(Square::all().filter(|&sq| {
                    board.byte_on(sq).is_kind(kind) && board.byte_on(sq).is_color(color)
                }));
            }
            let listed = board.pieces_of(color).map(|(sq, _)| sq);
            assert!(listed.eq(expected), "{board}");
        }
    });
}
