//! The board writes SAN as python-chess does; it reads that form and others.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use carrybit::MoveError;
use flate2::read::GzDecoder;

use crate::support::{board, find_move, read_data, rows};

#[test]
fn san_agrees_with_python_chess() {
    assert_eq!(check_vectors(&read_data("san.csv")), 408);
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = root.join("../shared/data/pgn/san_vectors.csv.gz");
    let Ok(file) = File::open(&path) else {
        // The test harness hides lines of `eprintln`.
        let _ = writeln!(io::stderr(), "SKIPPED: there is no {}", path.display());
        return;
    };
    let mut text = String::new();
    GzDecoder::new(file).read_to_string(&mut text).expect("a gzip file");
    assert!(check_vectors(&text) > 4000);
}

/// Checks rows of `fen,uci,san`; returns their number.
fn check_vectors(text: &str) -> usize {
    let rows: Vec<_> = rows(text, ',').collect();
    for row in &rows {
        let [fen, uci, san] = row[..] else { panic!("not three columns: {row:?}") };
        let board = board(fen);
        let mv = find_move(&board, uci);
        assert_eq!(board.san(mv), san, "{uci} in {fen}");
        for text in [san, uci, san.trim_end_matches(['+', '#'])] {
            assert_eq!(board.parse_san(text), Ok(mv), "{text} in {fen}");
        }
    }
    rows.len()
}

#[test]
fn moves_are_written_in_their_shortest_form() {
    for (fen, uci, san) in [
        // Another queen on the file and one on the rank.
        ("7k/8/8/8/2Q1Q3/8/2Q5/K7 w - - 0 1", "c4d3", "Qc4d3"),
        // One of two knights is pinned.
        ("4r1k1/8/8/8/1N6/4N3/8/4K3 w - - 0 1", "b4d5", "Nd5"),
        ("6k1/8/8/8/8/4R3/8/4R1K1 w - - 0 1", "e3e2", "R3e2"),
        ("8/PP5k/8/8/8/8/8/K7 w - - 0 1", "a7a8n", "a8=N"),
        ("8/8/8/8/pP6/8/8/k1K5 b - b3 0 1", "a4b3", "axb3"),
        ("5k2/5P2/5K2/8/8/8/8/R7 w - - 0 1", "a1a8", "Ra8#"),
        // In Chess960 the king may castle without moving.
        ("4k3/8/8/8/8/8/8/6KR w H - 0 1", "g1h1", "O-O"),
    ] {
        let board = board(fen);
        assert_eq!(board.san(find_move(&board, uci)), san, "{uci} in {fen}");
    }
}

#[test]
fn other_forms_are_read() {
    const CASTLING: &str = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    const PROMOTION: &str = "3r3k/2P5/8/8/8/8/8/K7 w - - 0 1";
    const EN_PASSANT: &str = "7k/8/8/1pP5/8/8/8/K7 w - b6 0 1";
    // A king next to its rook: a single step is not castling.
    const NEXT_TO_ROOK: &str = "4k3/8/8/8/8/8/8/5K1R w H - 0 1";
    for (fen, uci, texts) in [
        (CASTLING, "e1h1", &["O-O", "0-0", "o-o", "O-O+", "0-0!?", "e1g1", "e1h1", "Ke1g1"][..]),
        (CASTLING, "e1a1", &["O-O-O", "0-0-0", "o-o-o", "e1c1", "e1a1"]),
        (NEXT_TO_ROOK, "f1g1", &["f1g1", "Kg1"]),
        (NEXT_TO_ROOK, "f1h1", &["O-O", "f1h1"]),
        (CASTLING, "e1f1", &["Kf1", "Ke1f1", "Ke1-f1", "e1-f1", "e1f1"]),
        (CASTLING, "h1h8", &["Rxh8", "Rh8", "R1xh8", "R:h8+", "Rh1xh8+", "Rhh8", "h1h8", "h1xh8"]),
        (
            PROMOTION,
            "c7d8n",
            &["cxd8=N", "cxd8N", "c7d8n", "c7xd8=n", "cd8/N", "cd8(N)", "cxd8=N?"],
        ),
        (PROMOTION, "c7c8q", &["c8=Q", "c8Q+", "Pc8=Q", "c7-c8=Q+!!"]),
        (
            EN_PASSANT,
            "c5b6",
            &["cxb6", "cb6", "cxb6e.p.", "cxb6 e.p.+", "cxb6e.p.!", "c5xb6", "Pc5xb6"],
        ),
    ] {
        let board = board(fen);
        let mv = find_move(&board, uci);
        for text in texts {
            assert_eq!(board.parse_san(text), Ok(mv), "{text} in {fen}");
        }
    }
}

#[test]
fn invalid_moves_are_refused_with_a_reason() {
    let board = board("3r3k/2P5/8/8/8/8/8/KR3R2 w - - 0 1");
    let owned = |text: &str| text.to_owned();
    for text in
        ["", "+", "x", "Z0", "--", "e9", "Ni4", "N", "é4", "Nf3x", "Qé", "1-0", "Nxx3", "=Q"]
    {
        assert_eq!(board.parse_san(text), Err(MoveError::NoMove(owned(text))), "{text}");
    }
    for text in ["c8", "Nc3", "e4", "O-O", "O-O-O", "c8=K", "Rb3=Q", "Kc1", "a1c1", "a1b1", "bxd8"]
    {
        assert_eq!(board.parse_san(text), Err(MoveError::Illegal(owned(text))), "{text}");
    }
    assert_eq!(board.parse_san("Rd1"), Err(MoveError::Ambiguous(owned("Rd1"))));
}
