//! FENs survive reading and writing, and invalid ones are refused with a reason.

use carrybit::{Board, Color, Square};
use carrybit_board::fen::{FenError, START};

use crate::support::{CROWDED, Rng, board, random_game, read_data, rows, tricky_positions};

/// The FEN that the engine writes for a FEN, as in standard chess.
fn rewritten(fen: &str) -> String {
    board(fen).fen()
}

/// Checks an accepted position, and plays random moves from it, which must not panic.
fn assert_playable(board: &Board, rng: &mut Rng) {
    assert_eq!(board.check_invariants(), Ok(()), "{board:?}");
    random_game(rng, board, 20, |_, _| {});
}

#[test]
fn start_position_is_the_default() {
    assert_eq!(Board::default().fen(), START);
    assert_eq!(board(START), Board::default());
    assert_eq!(Board::default().shredder_fen(), START.replace("KQkq", "HAha"));
}

#[test]
fn chess960_starts_survive_both_notations() {
    let text = read_data("startpos960.csv");
    for row in rows(&text, ',') {
        let [number, xfen, shredder, moves] = row[..] else { panic!("not four columns") };
        let start = Board::chess960_start(number.parse().expect("a number"));
        assert_eq!(start.expect("a start").fen(), xfen);
        for fen in [xfen, shredder] {
            let board = board(fen);
            assert_eq!(board.fen(), xfen);
            assert_eq!(board.shredder_fen(), shredder);
            assert_eq!(board.count_legal().to_string(), moves, "{fen}");
        }
    }
}

#[test]
fn missing_fields_have_defaults_and_blanks_are_ignored() {
    let pieces = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
    assert_eq!(rewritten(pieces), format!("{pieces} w - - 0 1"));
    assert_eq!(rewritten(&format!("{pieces} b")), format!("{pieces} b - - 0 1"));
    for more in ["KQkq", "KQkq -", "KQkq - 0"] {
        assert_eq!(rewritten(&format!("{pieces} w {more}")), START);
    }
    assert_eq!(rewritten(&format!("  {}\t\n", START.replace(' ', " \t "))), START);
}

/// The castling rights after reading a FEN.
fn rights(fen: &str) -> String {
    fen.split(' ').nth(2).map(str::to_owned).expect("six fields")
}

#[test]
fn castling_rights_are_read_in_all_notations() {
    const ROOKS: &str = "1r2k2r/8/8/8/8/8/8/RR2K2R";
    for (written, shredder) in
        [("KQkq", "HAhb"), ("HBhb", "HBhb"), ("KBhq", "HBhb"), ("qkQK", "HAhb"), ("Q", "A")]
    {
        assert_eq!(rights(&board(&format!("{ROOKS} w {written} - 0 1")).shredder_fen()), shredder);
    }
    // A rook that is not the outermost needs its file.
    assert_eq!(rights(&board(&format!("{ROOKS} w HBhb")).fen()), "KBkq");
}

#[test]
fn castling_rights_without_king_or_rook_are_ignored() {
    for (fen, kept) in [
        ("4k3/8/8/8/8/8/8/4K3 w KQkq", "-"),
        ("r3k2r/8/8/8/8/8/8/R3K3 w KQkq", "Qkq"),
        ("r3k2r/8/8/8/8/8/4K3/R6R w KQkq", "kq"),
        ("r3k3/8/8/8/8/8/8/R3K2R w GBha", "q"),
        // A rook of the other side does not count.
        ("4k3/8/8/8/8/8/8/r2NK2R w KQ", "K"),
        // Two rights on one side: the first one in the FEN counts.
        ("4k3/8/8/8/8/8/8/RR2K3 w AB", "Q"),
        ("4k3/8/8/8/8/8/8/RR2K3 w BA", "B"),
    ] {
        assert_eq!(rights(&board(fen).fen()), kept, "{fen}");
    }
}

#[test]
fn en_passant_square_needs_a_legal_capture() {
    let ep = |fen: &str| board(fen).en_passant();
    assert_eq!(ep("4k3/8/8/3pP3/8/8/8/4K3 w - d6"), Some(Square::D6));
    assert_eq!(ep("4k3/8/8/8/3pP3/8/8/4K3 b - e3"), Some(Square::E3));
    let pointless = [
        "4k3/8/8/3p4/8/8/8/4K3 w - d6",
        "4k3/8/8/3pP3/8/8/8/4K3 w - e6",
        "4k3/8/8/3pP3/8/8/8/4K3 w - d5",
        "4k3/8/8/3pP3/8/8/8/4K3 b - d6",
        "4k3/8/3n4/3pP3/8/8/8/4K3 w - d6",
        "4k3/3p4/8/3pP3/8/8/8/4K3 w - d6",
        "4k3/8/8/3PP3/8/8/8/4K3 w - d6",
        "4k3/8/8/K2pP2r/8/8/8/8 w - d6",
        "4k3/8/8/3pP3/8/8/8/4K3 w - a1",
        "4k3/8/8/3pP3/8/8/8/4K3 w - h8",
    ];
    for fen in pointless {
        assert_eq!(ep(fen), None, "{fen}");
    }
}

#[test]
fn counters_are_clamped() {
    for (text, counters) in [
        ("7 31", (7, 31)),
        ("150 300", (150, 300)),
        ("- -", (0, 1)),
        ("-5 -7", (0, 1)),
        ("+5 0", (5, 1)),
        ("99999999999999999999 70000", (9_999, 9_999)),
        ("-99999999999999999999 007", (0, 7)),
    ] {
        let board = board(&format!("4k3/8/8/8/8/8/8/4K3 w - - {text}"));
        assert_eq!((board.halfmove(), board.fullmove()), counters, "{text}");
    }
}

#[test]
fn errors_name_the_cause() {
    for (fen, error) in [
        (" \t", FenError::Empty),
        ("8/8/8", FenError::RankCount(3)),
        ("4k3/8/8/8/8/8/7/4K3", FenError::RankLength(2)),
        ("4k3/ppppppppp/8/8/8/8/8/4K3", FenError::RankLength(7)),
        ("4k3/8p/8/8/8/8/8/4K3", FenError::RankLength(7)),
        ("4k3/44/8/8/8/8/8/4K3", FenError::AdjacentDigits(7)),
        ("4k3/9/8/8/8/8/8/4K3", FenError::Piece('9')),
        ("4k3/8/8/8/8/8/0/4K3", FenError::Piece('0')),
        ("4♔3/8/8/8/8/8/8/4K3", FenError::Piece('♔')),
        ("4k3/8/8/8/8/8/8/4K3 W", FenError::Side),
        ("4k3/8/8/8/8/8/8/4K3 w KX", FenError::Castling),
        ("4k3/8/8/8/8/8/8/4K3 w KQK", FenError::Castling),
        ("4k3/8/8/8/8/8/8/4K3 w - e9", FenError::EnPassant),
        ("4k3/8/8/8/8/8/8/4K3 w - - 1.5", FenError::Counter),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 +", FenError::Counter),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1 x", FenError::TooManyFields),
        ("4k3/8/8/8/8/8/8/8", FenError::Kings(Color::White, 0)),
        ("4k2k/8/8/8/8/8/8/4K3", FenError::Kings(Color::Black, 2)),
        ("rnbqkbnr/pppppppp/8/8/8/N7/PPPPPPPP/RNBQKBNR", FenError::TooManyPieces(Color::White)),
        ("4k3/pppppppp/p7/8/8/8/8/4K3", FenError::TooManyPawns(Color::Black)),
        ("p3k3/8/8/8/8/8/8/4K3", FenError::PawnOnBackRank("a8".parse().expect("a square"))),
        ("4k3/4R3/8/8/8/8/8/4K3 w", FenError::OpponentInCheck),
        ("8/8/8/3kK3/8/8/8/8 w", FenError::OpponentInCheck),
        ("4k3/8/3N1N2/1B6/8/8/8/4K3 b", FenError::TooManyCheckers),
    ] {
        assert_eq!(fen.parse::<Board>(), Err(error), "{fen:?}");
    }
}

#[test]
fn unusual_fens_are_refused_or_playable() {
    let text = read_data("fens.tsv");
    let mut rng = Rng(0xbad);
    assert_eq!(rows(&text, '\t').count(), 100);
    for fen in CROWDED {
        assert_eq!(rewritten(fen), fen);
        assert_playable(&board(fen), &mut rng);
    }
    for row in rows(&text, '\t') {
        let (verdict, category, fen) = (row[0], row[1], row[2].replace("\\t", "\t"));
        let read = fen.parse::<Board>();
        // An invalid castling right or en passant square may also be ignored.
        let stray = matches!(category, "castling-inconsistent" | "ep-inconsistent");
        match verdict {
            "ok" => assert!(read.is_ok(), "{fen}: {read:?}"),
            "syntax" => assert!(read.is_err(), "{category}: {fen}"),
            "illegal" => assert!(read.is_err() || stray, "{category}: {fen}"),
            "lenient" => {}
            _ => panic!("unknown verdict: {verdict}"),
        }
        if let Ok(board) = read {
            assert_playable(&board, &mut rng);
        }
    }
}

/// Swaps, replaces, removes or inserts a few bytes.
fn corrupt(fen: &str, rng: &mut Rng) -> String {
    const ALPHABET: &[u8] = b"pnbrqkPNBRQK12345678/ wb-KQkqABCDEFGHabcdefgh0129+.\t\x00\xff~";
    let mut bytes = fen.as_bytes().to_vec();
    for _ in 0..=rng.below(3) {
        let (at, other) = (rng.below(bytes.len()), rng.below(bytes.len()));
        let byte = *rng.pick(ALPHABET);
        match rng.below(8) {
            0..4 => bytes.swap(at, other),
            4 | 5 => bytes[at] = byte,
            6 => bytes.insert(at, byte),
            _ => drop(bytes.remove(at)),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn corrupted_fens_are_refused_or_valid() {
    const INPUTS: usize = 50_000;
    let mut rng = Rng(0xf022);
    let fens: Vec<String> =
        tricky_positions().iter().flat_map(|board| [board.fen(), board.shredder_fen()]).collect();
    let mut accepted = 0;
    for _ in 0..INPUTS {
        let text = if rng.below(8) == 0 {
            let noise: Vec<u8> = (0..rng.below(90)).map(|_| rng.next() as u8).collect();
            String::from_utf8_lossy(&noise).into_owned()
        } else {
            let fen = rng.below(fens.len());
            corrupt(&fens[fen], &mut rng)
        };
        let Ok(board) = text.parse::<Board>() else { continue };
        accepted += 1;
        assert_eq!(board.check_invariants(), Ok(()), "{text:?}");
        assert_eq!(board.shredder_fen().parse::<Board>(), Ok(board.clone()), "{text:?}");
        for &mv in &board.legal_moves() {
            assert_eq!(board.make(mv).check_invariants(), Ok(()), "{text:?}");
        }
    }
    assert!(accepted > INPUTS / 50, "only {accepted} of {INPUTS} were FENs");
}
