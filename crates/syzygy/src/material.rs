//! The pieces of a position in the encoding of the tables. Squares are 0 to 63 (a1 = 0, h8 = 63).
//! The code of a piece is 1 for a pawn to 6 for a king, plus 8 for Black.

use carrybit_board::{Board, Color};

/// The most pieces that tables exist for, kings included.
pub const MAX_TABLEBASE_PIECES: usize = 7;

const BLACK: u8 = 8;

/// The bits of a square to flip for a1 <-> a8.
pub(super) const FLIP_RANKS: u8 = 56;

/// The pieces on `board`, as code and square; if `mirrored`, with colours swapped and the board
/// flipped vertically.
pub(super) fn pieces(board: &Board, mirrored: bool) -> impl Iterator<Item = (u8, u8)> + '_ {
    let (flip_color, flip_square) = if mirrored { (BLACK, FLIP_RANKS) } else { (0, 0) };
    Color::ALL.into_iter().flat_map(|color| board.pieces_of(color)).map(move |(sq, piece)| {
        let code = piece.index() as u8 + 1;
        (code ^ flip_color, sq.to_64() as u8 ^ flip_square)
    })
}

pub(super) fn is_pawn(code: u8) -> bool {
    code & !BLACK == 1
}

/// The number of pieces of each kind for both sides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Material {
    /// `[colour][kind]`, pawn to king.
    counts: [[u8; 6]; 2],
}

impl Material {
    /// The material of a table by its name, such as `KQvKR` with White first. `None` if no table
    /// has this name.
    pub(super) fn of_name(name: &str) -> Option<Material> {
        let (white, black) = name.split_once('v')?;
        // Other letters become 0, which is no code.
        let code = |letter| "PNBRQK".find(letter).map_or(0, |kind| kind as u8 + 1);
        let codes = white.chars().map(code).chain(black.chars().map(|letter| code(letter) + BLACK));
        let material = Material::of_codes(codes.take(MAX_TABLEBASE_PIECES + 1))?;
        let has_kings = material.counts.iter().all(|side| side[5] == 1);
        (has_kings && (3..=MAX_TABLEBASE_PIECES).contains(&material.pieces())).then_some(material)
    }

    pub(super) fn of_board(board: &Board) -> Option<Material> {
        Material::of_codes(pieces(board, false).map(|(code, _)| code))
    }

    /// The material of these pieces; `None` if a code is invalid.
    pub(super) fn of_codes(codes: impl IntoIterator<Item = u8>) -> Option<Material> {
        let mut material = Material::default();
        for code in codes {
            let side = &mut material.counts[usize::from(code & BLACK != 0)];
            *side.get_mut(usize::from(code & !BLACK).checked_sub(1)?)? += 1;
        }
        Some(material)
    }

    /// The number of pieces, kings included.
    pub(super) fn pieces(&self) -> usize {
        self.counts.as_flattened().iter().map(|&count| usize::from(count)).sum()
    }

    pub(super) fn pawn_sides(&self) -> usize {
        self.counts.iter().filter(|side| side[0] > 0).count()
    }

    /// The number of unique pieces: those without another of their kind and colour.
    pub(super) fn singles(&self) -> usize {
        self.counts.as_flattened().iter().filter(|&&count| count == 1).count()
    }

    pub(super) fn is_symmetric(&self) -> bool {
        self.counts[0] == self.counts[1]
    }

    /// Equal for this material and the one with colours swapped, which share a table.
    pub(super) fn key(&self) -> Material {
        let [white, black] = self.counts;
        Material { counts: [white.max(black), white.min(black)] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_boards_give_the_material_of_their_table() {
        let material = Material::of_name("KQPvKR").expect("a table's name");
        assert_eq!((material.pieces(), material.pawn_sides(), material.singles()), (5, 1, 5));
        assert_eq!(Material::of_name("KRvKQP").map(|other| other.key()), Some(material.key()));
        assert!(Material::of_name("KNvKN").is_some_and(|material| material.is_symmetric()));
        let long = "K".repeat(999);
        for name in ["", "v", "KvK", "KQK", "QvK", "KKvK", "KQRBvKQRB", "KQvKXX", "kqvk", "KQvKvK"]
            .into_iter()
            .chain([long.as_str()])
        {
            assert_eq!(Material::of_name(name), None, "{name}");
        }
        let board: Board = "8/8/8/3k4/8/2Q5/K7/7r b - - 0 1".parse().expect("a position");
        assert_eq!(Material::of_board(&board), Material::of_name("KQvKR"));
        assert_eq!(pieces(&board, true).find(|&(code, _)| code == 4), Some((4, 63)));
    }
}
