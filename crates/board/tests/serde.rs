//! The feature `serde`.
#![cfg(feature = "serde")]

use carrybit_board::{Board, Color, Kind, Piece, Square};

fn round_trip<T>(value: &T, json: &str)
where
    T: serde_core::Serialize + serde_core::de::DeserializeOwned + PartialEq + std::fmt::Debug,
{
    assert_eq!(serde_json::to_string(value).expect("a text"), json);
    assert_eq!(&serde_json::from_str::<T>(json).expect("its own text"), value);
}

#[test]
fn values_are_texts_and_come_back() {
    round_trip(&Square::E4, "\"e4\"");
    round_trip(&Color::Black, "\"b\"");
    round_trip(&Kind::Knight, "\"n\"");
    round_trip(&Piece { color: Color::White, kind: Kind::King }, "\"K\"");
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    round_trip(&Board::default(), &format!("{start:?}"));
    let chess960 = Board::chess960_start(0).expect("a number below 960");
    round_trip(&chess960, "\"bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1\"");
    assert!(serde_json::from_str::<Square>("\"e9\"").is_err());
    assert!(serde_json::from_str::<Board>("\"8/8 w\"").is_err());
}

#[test]
fn a_move_is_written_with_castling_as_king_takes_rook() {
    let board: Board = "4k3/8/8/8/8/8/8/4K2R w K - 0 1".parse().expect("a valid FEN");
    let castling = board.parse_uci("e1g1").expect("a legal move");
    let json = serde_json::to_string(&castling).expect("a text");
    assert_eq!(json, "\"e1h1\"");
    let text: String = serde_json::from_str(&json).expect("a text");
    assert_eq!(board.parse_uci(&text), Ok(castling));
}
