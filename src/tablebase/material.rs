//! What is on the board: the material, which names a table, and the pieces with their
//! squares as the tables number them. Only here is the engine's board translated into
//! these numbers (squares 0..64, a1 = 0, h8 = 63).

use crate::board::{Board, Color, Kind};

/// The most pieces that tables exist for, kings included.
pub const MAX_TABLEBASE_PIECES: usize = 7;

/// The bit of a [`Code`] that means Black.
const BLACK: u8 = 8;
/// Flips a square of the tables vertically, a1 <-> a8.
const UPSIDE_DOWN: u8 = 56;
/// The letters of table names, pawn to king.
const LETTERS: [char; 6] = ['P', 'N', 'B', 'R', 'Q', 'K'];
/// What separates the sides in a table's name.
const VERSUS: char = 'v';

/// Kind and colour of a piece as the files have it: 1 for a pawn to 6 for a king, plus 8
/// for Black.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Code(pub(super) u8);

impl Code {
    /// The code of this colour and kind.
    fn new(color: Color, kind: Kind) -> Code {
        let side = if color == Color::Black { BLACK } else { 0 };
        Code(side + kind.index() as u8 + 1)
    }

    /// Colour and kind of the piece; `None` if the number has no meaning.
    fn split(self) -> Option<(Color, Kind)> {
        let color = if self.0 & BLACK == 0 { Color::White } else { Color::Black };
        let kind = Kind::ALL.get(usize::from(self.0 & 7).checked_sub(1)?)?;
        Some((color, *kind))
    }

    /// Whether it is a pawn of either colour.
    pub(super) fn is_pawn(self) -> bool {
        self.0 & 7 == 1
    }

    /// The same kind in the other colour.
    pub(super) fn swapped(self) -> Code {
        Code(self.0 ^ BLACK)
    }
}

/// How many pieces of each kind the two sides have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Material {
    /// `[colour][kind]`, pawn to king.
    counts: [[u8; 6]; 2],
}

impl Material {
    /// The material of the table with a name such as `KQvKR`, where the first side is
    /// White. `None` if that is not the name of a table.
    pub(super) fn of_name(name: &str) -> Option<Material> {
        let (white, black) = name.split_once(VERSUS)?;
        let mut material = Material::default();
        for (side, letters) in [white, black].into_iter().enumerate() {
            if letters.len() > MAX_TABLEBASE_PIECES {
                return None;
            }
            for letter in letters.chars() {
                let kind = LETTERS.iter().position(|&known| known == letter)?;
                material.counts[side][kind] += 1;
            }
        }
        let sizes = 3..=MAX_TABLEBASE_PIECES;
        (material.has_one_king_a_side() && sizes.contains(&material.pieces())).then_some(material)
    }

    /// The material on `board`.
    pub(super) fn of_board(board: &Board) -> Material {
        let mut material = Material::default();
        for color in Color::ALL {
            for kind in board.pieces(color).filter_map(|(_, piece)| piece.kind()) {
                material.counts[color.index()][kind.index()] += 1;
            }
        }
        material
    }

    /// The material of a file's list of pieces; `None` if one of them has no meaning.
    pub(super) fn of_codes(codes: &[Code]) -> Option<Material> {
        let mut material = Material::default();
        for code in codes {
            let (color, kind) = code.split()?;
            material.counts[color.index()][kind.index()] += 1;
        }
        Some(material)
    }

    fn has_one_king_a_side(&self) -> bool {
        self.counts.iter().all(|side| side[Kind::King.index()] == 1)
    }

    /// How many pieces there are, the kings included.
    pub(super) fn pieces(&self) -> usize {
        self.counts.iter().flatten().map(|&count| usize::from(count)).sum()
    }

    /// Whether only the kings are left.
    pub(super) fn is_bare_kings(&self) -> bool {
        self.pieces() == 2
    }

    /// Whether there is any pawn.
    pub(super) fn has_pawns(&self) -> bool {
        self.counts.iter().any(|side| side[Kind::Pawn.index()] > 0)
    }

    /// Whether both sides have pawns.
    pub(super) fn has_pawns_on_both_sides(&self) -> bool {
        self.counts.iter().all(|side| side[Kind::Pawn.index()] > 0)
    }

    /// How many kinds, white and black ones apart, there are exactly once.
    pub(super) fn singles(&self) -> usize {
        self.counts.iter().flatten().filter(|&&count| count == 1).count()
    }

    /// The same with colours exchanged.
    pub(super) fn swapped(&self) -> Material {
        Material { counts: [self.counts[1], self.counts[0]] }
    }

    /// Whether both sides have the same material.
    pub(super) fn is_symmetric(&self) -> bool {
        self.counts[0] == self.counts[1]
    }
}

/// The pieces of a position, each with its code and its square.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placement {
    pieces: [(Code, u8); MAX_TABLEBASE_PIECES],
    len: usize,
}

impl Placement {
    /// No pieces.
    pub(super) fn none() -> Placement {
        Placement { pieces: [(Code(0), 0); MAX_TABLEBASE_PIECES], len: 0 }
    }

    /// Adds a piece; `None` if there are [`MAX_TABLEBASE_PIECES`] already.
    pub(super) fn add(&mut self, code: Code, square: u8) -> Option<()> {
        *self.pieces.get_mut(self.len)? = (code, square);
        self.len += 1;
        Some(())
    }

    /// The pieces on `board`; if `mirrored`, with colours exchanged and the board flipped
    /// vertically. `None` if there are more than [`MAX_TABLEBASE_PIECES`].
    pub(super) fn of_board(board: &Board, mirrored: bool) -> Option<Placement> {
        let mut pieces = Placement::none();
        for color in Color::ALL {
            for (sq, piece) in board.pieces(color) {
                let code = Code::new(color, piece.kind()?);
                let sq = sq.to_64() as u8;
                if mirrored {
                    pieces.add(code.swapped(), sq ^ UPSIDE_DOWN)?;
                } else {
                    pieces.add(code, sq)?;
                }
            }
        }
        Some(pieces)
    }

    /// The squares of all pieces with this code.
    pub(super) fn squares(&self, code: Code) -> impl Iterator<Item = u8> + '_ {
        self.pieces[..self.len].iter().filter(move |piece| piece.0 == code).map(|piece| piece.1)
    }

    /// The squares of the pieces in the order of `codes`. `None` if these are not exactly
    /// the pieces there are.
    pub(super) fn in_order(&self, codes: &[Code]) -> Option<[u8; MAX_TABLEBASE_PIECES]> {
        if codes.len() != self.len {
            return None;
        }
        let mut squares = [0; MAX_TABLEBASE_PIECES];
        let mut taken = [false; MAX_TABLEBASE_PIECES];
        for (square, &code) in squares.iter_mut().zip(codes) {
            let next = (0..self.len).find(|&i| !taken[i] && self.pieces[i].0 == code)?;
            taken[next] = true;
            *square = self.pieces[next].1;
        }
        Some(squares)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_nonsense_is_not() {
        let material = Material::of_name("KQPvKR").expect("a table's name");
        assert_eq!(material.pieces(), 5);
        assert!(material.has_pawns() && !material.has_pawns_on_both_sides());
        assert_eq!(Material::of_name("KRvKQP"), Some(material.swapped()));
        assert!(Material::of_name("KNvKN").is_some_and(|material| material.is_symmetric()));
        for name in ["", "v", "KvK", "KQK", "QvK", "KKvK", "KQRBvKQRB", "KQvKXX", "kqvk", "KQvKvK"]
        {
            assert_eq!(Material::of_name(name), None, "{name}");
        }
        assert_eq!(Material::of_name(&"K".repeat(999)), None);
    }

    #[test]
    fn boards_have_the_material_of_their_table() {
        let board: Board = "8/8/8/3k4/8/2Q5/K7/7r b - - 0 1".parse().expect("a position");
        let material = Material::of_board(&board);
        assert_eq!(Some(material), Material::of_name("KQvKR"));
        let pieces = Placement::of_board(&board, true).expect("few pieces");
        assert_eq!(pieces.squares(Code(4)).collect::<Vec<u8>>(), [63]);
        assert!(Placement::of_board(&Board::default(), false).is_none());
    }
}
