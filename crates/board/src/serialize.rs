//! The feature `serde`: values as their texts. A [`Board`] is a FEN, and a Shredder-FEN if a king
//! or rook that may castle stands elsewhere than in standard chess.
//!
//! A [`Move`] is only written, in UCI's notation with castling as king takes rook: to read it
//! takes the board. Read the text as a string and call [`Board::parse_uci`].

use core::fmt;
use core::marker::PhantomData;
use core::str::FromStr;

use serde_core::de::{Deserialize, Deserializer, Error, Visitor};
use serde_core::ser::{Serialize, Serializer};

use super::{Board, CastlingMode, Color, Kind, Move, Piece, Square};

struct TextVisitor<T> {
    expected: &'static str,
    value: PhantomData<T>,
}

impl<T: FromStr<Err: fmt::Display>> Visitor<'_> for TextVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expected)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(E::custom)
    }
}

macro_rules! deserialize_text {
    ($($value:ty: $expected:literal,)*) => {
        $(impl<'de> Deserialize<'de> for $value {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<$value, D::Error> {
                let visitor = TextVisitor { expected: $expected, value: PhantomData };
                deserializer.deserialize_str(visitor)
            }
        })*
    };
}

deserialize_text! {
    Board: "a FEN",
    Square: "the name of a square",
    Color: "w or b",
    Kind: "the letter of a kind",
    Piece: "the FEN letter of a piece",
}

macro_rules! serialize_text {
    ($($value:ty)*) => {
        $(impl Serialize for $value {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        })*
    };
}

serialize_text! { Square Color Kind Piece }

impl Serialize for Board {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let is_chess960 = self.has_chess960_castling();
        serializer.serialize_str(&if is_chess960 { self.shredder_fen() } else { self.fen() })
    }
}

impl Serialize for Move {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.uci_buffer(CastlingMode::Chess960).as_str())
    }
}
