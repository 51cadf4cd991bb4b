//! FENs are read as written, written as read, and refused with a reason.

mod support;

use carrybit::board::fen::{FenError, START};
use carrybit::board::{Board, Color, Square};
use support::{
    Rng, board, chess960_starts, double_chess960, random_game, random_positions, read_data, rows,
    tricky_positions,
};

fn error(fen: &str) -> FenError {
    match fen.parse::<Board>() {
        Ok(board) => panic!("{fen:?} was read as {board:?}"),
        Err(error) => error,
    }
}

/// The FEN as it is written after being read, as in standard chess.
fn normal(fen: &str) -> String {
    board(fen).fen(false)
}

/// Moves about at random: an accepted position must be one that can be played.
fn assert_playable(board: &Board, rng: &mut Rng) {
    assert_eq!(board.check_invariants(), Ok(()), "{board:?}");
    random_game(rng, board, 20, |_, _| {});
}

#[test]
fn the_start_position_is_the_default() {
    assert_eq!(Board::default().fen(false), START);
    assert_eq!(board(START), Board::default());
    assert_eq!(Board::default().fen(true), START.replace("KQkq", "HAha"));
}

#[test]
fn fens_that_were_written_are_read_as_the_same_position() {
    for written in random_positions(0xfe4, 600, 60) {
        for chess960 in [false, true] {
            let fen = written.fen(chess960);
            let read = board(&fen);
            assert_eq!(read.fen(chess960), fen);
            assert_eq!(read.key(), written.key(), "{fen}");
        }
    }
}

#[test]
fn the_960_starts_are_read_and_written_in_both_notations() {
    let text = read_data("startpos960.csv");
    for row in rows(&text, ',') {
        let [_number, xfen, shredder, moves] = row[..] else { panic!("not four columns") };
        for fen in [xfen, shredder] {
            let board = board(fen);
            assert_eq!(board.fen(false), xfen);
            assert_eq!(board.fen(true), shredder);
            assert_eq!(board.count_legal().to_string(), moves, "{fen}");
        }
    }
}

#[test]
fn double_chess960_starts_are_read_and_written() {
    let starts = chess960_starts();
    for (white, black) in starts.iter().zip(starts.iter().cycle().skip(517)) {
        let fen = double_chess960(white, black);
        assert_eq!(board(&fen).fen(true), fen);
    }
}

#[test]
fn missing_fields_take_their_defaults() {
    let pieces = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
    assert_eq!(normal(pieces), format!("{pieces} w - - 0 1"));
    assert_eq!(normal(&format!("{pieces} b")), format!("{pieces} b - - 0 1"));
    assert_eq!(normal(&format!("{pieces} w KQkq")), START);
    assert_eq!(normal(&format!("{pieces} w KQkq -")), START);
    assert_eq!(normal(&format!("{pieces} w KQkq - 0")), START);
}

#[test]
fn blanks_and_tabs_between_the_fields_do_not_matter() {
    assert_eq!(normal(&format!("  {}\t\n", START.replace(' ', " \t "))), START);
}

#[test]
fn castling_rights_may_be_written_in_any_notation() {
    let pieces = "1r2k2r/8/8/8/8/8/8/RR2K2R";
    let shredder = |rights: &str| {
        let fen = board(&format!("{pieces} w {rights} - 0 1")).fen(true);
        fen.split(' ').nth(2).map(str::to_owned).expect("six fields")
    };
    assert_eq!(shredder("KQkq"), "HAhb");
    assert_eq!(shredder("HBhb"), "HBhb");
    assert_eq!(shredder("KBhq"), "HBhb");
    assert_eq!(shredder("qkQK"), "HAhb");
    assert_eq!(shredder("Q"), "A");
    // Not the outermost rook: only the file says which one.
    assert_eq!(normal(&format!("{pieces} w HBhb")), format!("{pieces} w KBkq - 0 1"));
}

#[test]
fn rights_without_king_and_rook_in_place_are_ignored() {
    let rights = |fen: &str| normal(fen).split(' ').nth(2).map(str::to_owned).expect("six fields");
    assert_eq!(rights("4k3/8/8/8/8/8/8/4K3 w KQkq"), "-");
    assert_eq!(rights("r3k2r/8/8/8/8/8/8/R3K3 w KQkq"), "Qkq");
    assert_eq!(rights("r3k2r/8/8/8/8/8/4K3/R6R w KQkq"), "kq");
    assert_eq!(rights("r3k3/8/8/8/8/8/8/R3K2R w GBha"), "q");
    // A rook of the other side does not count.
    assert_eq!(rights("4k3/8/8/8/8/8/8/r2NK2R w KQ"), "K");
    // Two rooks on one wing: the first right counts.
    assert_eq!(rights("4k3/8/8/8/8/8/8/RR2K3 w AB"), "Q");
    assert_eq!(rights("4k3/8/8/8/8/8/8/RR2K3 w BA"), "B");
}

#[test]
fn an_en_passant_square_is_kept_only_if_a_capture_is_legal() {
    let ep = |fen: &str| board(fen).ep();
    assert_eq!(ep("4k3/8/8/3pP3/8/8/8/4K3 w - d6").to_string(), "d6");
    assert_eq!(ep("4k3/8/8/8/3pP3/8/8/4K3 b - e3").to_string(), "e3");
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
        assert_eq!(ep(fen), Square::NONE, "{fen}");
    }
}

#[test]
fn counters_out_of_range_are_cut() {
    let counters = |text: &str| {
        let board = board(&format!("4k3/8/8/8/8/8/8/4K3 w - - {text}"));
        (board.halfmove(), board.fullmove())
    };
    assert_eq!(counters("7 31"), (7, 31));
    assert_eq!(counters("150 300"), (150, 300));
    assert_eq!(counters("- -"), (0, 1));
    assert_eq!(counters("-5 -7"), (0, 1));
    assert_eq!(counters("+5 0"), (5, 1));
    assert_eq!(counters("99999999999999999999 70000"), (9_999, 9_999));
    assert_eq!(counters("-99999999999999999999 007"), (0, 7));
}

#[test]
fn what_is_wrong_is_named() {
    assert_eq!(error(" \t"), FenError::Empty);
    assert_eq!(error("8/8/8"), FenError::RankCount(3));
    assert_eq!(error("4k3/8/8/8/8/8/7/4K3"), FenError::RankLength(2));
    assert_eq!(error("4k3/ppppppppp/8/8/8/8/8/4K3"), FenError::RankLength(7));
    assert_eq!(error("4k3/8p/8/8/8/8/8/4K3"), FenError::RankLength(7));
    assert_eq!(error("4k3/44/8/8/8/8/8/4K3"), FenError::AdjacentDigits(7));
    assert_eq!(error("4k3/9/8/8/8/8/8/4K3"), FenError::Piece('9'));
    assert_eq!(error("4k3/8/8/8/8/8/0/4K3"), FenError::Piece('0'));
    assert_eq!(error("4♔3/8/8/8/8/8/8/4K3"), FenError::Piece('♔'));
    assert_eq!(error("4k3/8/8/8/8/8/8/4K3 W"), FenError::Side);
    assert_eq!(error("4k3/8/8/8/8/8/8/4K3 w KX"), FenError::Castling);
    assert_eq!(error("4k3/8/8/8/8/8/8/4K3 w KQK"), FenError::Castling);
    assert_eq!(error("4k3/8/8/8/8/8/8/4K3 w - e9"), FenError::EnPassant);
    assert_eq!(error("4k3/8/8/8/8/8/8/4K3 w - - 1.5"), FenError::Counter);
    assert_eq!(error("4k3/8/8/8/8/8/8/4K3 w - - 0 +"), FenError::Counter);
    assert_eq!(error("4k3/8/8/8/8/8/8/4K3 w - - 0 1 x"), FenError::TooManyFields);
    assert_eq!(error("4k3/8/8/8/8/8/8/8"), FenError::Kings(Color::White, 0));
    assert_eq!(error("4k2k/8/8/8/8/8/8/4K3"), FenError::Kings(Color::Black, 2));
    let seventeen = "rnbqkbnr/pppppppp/8/8/8/N7/PPPPPPPP/RNBQKBNR";
    assert_eq!(error(seventeen), FenError::TooManyMen(Color::White));
    assert_eq!(error("4k3/pppppppp/p7/8/8/8/8/4K3"), FenError::TooManyPawns(Color::Black));
    let on_a8 = "a8".parse().expect("a square");
    assert_eq!(error("p3k3/8/8/8/8/8/8/4K3"), FenError::PawnOnBackRank(on_a8));
    assert_eq!(error("4k3/4R3/8/8/8/8/8/4K3 w"), FenError::OpponentInCheck);
    assert_eq!(error("8/8/8/3kK3/8/8/8/8 w"), FenError::OpponentInCheck);
    assert_eq!(error("4k3/8/3N1N2/1B6/8/8/8/4K3 b"), FenError::TooManyCheckers);
}

#[test]
fn any_men_will_do_up_to_sixteen_a_side() {
    let mut rng = Rng(0x0f);
    for fen in [
        "2QQ1Q2/Q6Q/2Q3Q1/K3Q3/1Q5Q/7Q/k7/2QQ1QQ1 w - - 0 1",
        "qqqqqqqk/qqqqqqqq/8/8/8/8/QQQQQQQQ/QQQQQQQK w - - 0 1",
        "bbbbbbbk/bbbbbbbb/8/8/8/8/RRRRRRRR/RRRRRRRK w - - 0 1",
        "nnnnnnnk/nnnnnnnn/8/8/8/8/NNNNNNNN/NNNNNNNK b - - 0 1",
        "4k3/pppppppp/qqqqqqq1/8/8/QQQQQQQ1/PPPPPPPP/4K3 w - - 0 1",
    ] {
        let position = board(fen);
        assert_eq!(position.fen(false), fen);
        assert_playable(&position, &mut rng);
    }
}

#[test]
fn hostile_fens_are_refused_or_read_as_something_playable() {
    let text = read_data("fens.tsv");
    let mut rng = Rng(0xbad);
    let mut seen = 0;
    for row in rows(&text, '\t') {
        let (verdict, category, fen) = (row[0], row[1], row[2].replace("\\t", "\t"));
        let read = fen.parse::<Board>();
        // A stray right or square may also be ignored.
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
        seen += 1;
    }
    assert_eq!(seen, 100);
}

/// Corrupts a FEN: swaps, replaces, removes or inserts a few bytes.
fn spoil(fen: &str, rng: &mut Rng) -> String {
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

/// Reads corrupted FENs and plain noise; whatever is accepted must be sound.
fn fuzz(inputs: usize, seed: u64) {
    let mut rng = Rng(seed);
    let fens: Vec<String> =
        tricky_positions().iter().map(|board| board.fen(rng.below(2) == 0)).collect();
    let mut accepted = 0;
    for _ in 0..inputs {
        let text = if rng.below(8) == 0 {
            let noise: Vec<u8> = (0..rng.below(90)).map(|_| rng.next() as u8).collect();
            String::from_utf8_lossy(&noise).into_owned()
        } else {
            let fen = rng.below(fens.len());
            spoil(&fens[fen], &mut rng)
        };
        let Ok(board) = text.parse::<Board>() else { continue };
        accepted += 1;
        assert_eq!(board.check_invariants(), Ok(()), "{text:?}");
        assert_eq!(board.fen(true).parse::<Board>(), Ok(board.clone()), "{text:?}");
        for &mv in board.legal_moves().iter() {
            assert_eq!(board.make(mv).check_invariants(), Ok(()), "{text:?}");
        }
    }
    assert!(accepted > inputs / 50, "only {accepted} of {inputs} were FENs");
}

#[test]
fn spoiled_fens_are_refused_or_read_as_something_sound() {
    fuzz(100_000, 0xf022);
}

#[test]
#[ignore = "takes minutes"]
fn millions_of_spoiled_fens_are_refused_or_read_as_something_sound() {
    fuzz(5_000_000, 0xf023);
}
