//! The feature `serde`: values as their texts. A [`Board`] is a FEN, and a Shredder-FEN if a king
//! or rook that may castle stands elsewhere than in standard chess.
//!
//! A [`Move`] is only written, in UCI's notation with castling as king takes rook: to read it
//! takes the board. Read the text as a string and call [`Board::parse_uci`].

use alloc::string::String;

use serde_core::de::{Deserialize, Deserializer, Error};
use serde_core::ser::{Serialize, Serializer};

use super::{Board, CastlingMode, Color, Kind, Move, Piece, Square};

macro_rules! deserialize_text {
    ($($value:ty)*) => {
        $(impl<'de> Deserialize<'de> for $value {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<$value, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
            }
        })*
    };
}

deserialize_text! { Board Square Color Kind Piece }

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
