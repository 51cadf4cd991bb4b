//! Where in a table the value of a position is: the numbering of positions.
//!
//! The pieces come in groups: a leading group, whose placing uses up the symmetries of
//! the board, then groups of equal pieces. Each group has a number of its own, and the
//! number of the position is the sum of these, each times the group's factor.
//!
//! * Without pawns, the leading piece is brought into the triangle a1-d1-d4. If three or
//!   more pieces are unique, three of them lead; otherwise the kings do.
//! * With pawns, the pawns of one colour lead. One of them, the leading pawn, is brought
//!   to the files a to d, each of which has a part of the table.
//!
//! The numbering is that of the Syzygy tables by Ronald de Man.

use super::material::{Code, MAX_TABLEBASE_PIECES, Material, Placement};

/// Squares of the board.
const SQUARES: usize = 64;
/// Squares a pawn can stand on.
const PAWN_SQUARES: usize = 48;
/// The first of them, a2.
const FIRST_PAWN_SQUARE: usize = 8;
/// Ranks a pawn can stand on.
const PAWN_RANKS: usize = 6;
/// The files a leading pawn can stand on, a to d.
pub(super) const PAWN_FILES: usize = 4;

/// Squares of the triangle a1-d1-d4.
const TRIANGLE: usize = 10;
/// Squares of the triangle below the long diagonal.
const BELOW_IN_TRIANGLE: u64 = 6;
/// Squares below the long diagonal.
const BELOW_DIAGONAL: u64 = 28;
/// Squares of the long diagonal.
const DIAGONAL: u64 = 8;
/// Squares of the long diagonal in the triangle.
const DIAGONAL_IN_TRIANGLE: u64 = 4;

/// Ways to place the two kings, up to symmetry.
const KING_PLACINGS: u64 = 462;

// Ways to place three unique pieces, by how many of them, from the first on, are on the
// long diagonal.
const NONE_ON_DIAGONAL: u64 = BELOW_IN_TRIANGLE * 63 * 62;
const ONE_ON_DIAGONAL: u64 = DIAGONAL_IN_TRIANGLE * BELOW_DIAGONAL * 62;
const TWO_ON_DIAGONAL: u64 = DIAGONAL_IN_TRIANGLE * (DIAGONAL - 1) * BELOW_DIAGONAL;
const THREE_ON_DIAGONAL: u64 = DIAGONAL_IN_TRIANGLE * (DIAGONAL - 1) * (DIAGONAL - 2);
const THREE_PLACINGS: u64 =
    NONE_ON_DIAGONAL + ONE_ON_DIAGONAL + TWO_ON_DIAGONAL + THREE_ON_DIAGONAL;

/// Stands for two kings that cannot be placed like this.
const NO_PLACING: u16 = u16::MAX;

const fn file(sq: u8) -> u8 {
    sq & 7
}

const fn rank(sq: u8) -> u8 {
    sq >> 3
}

const fn is_below_diagonal(sq: u8) -> bool {
    file(sq) > rank(sq)
}

const fn is_on_diagonal(sq: u8) -> bool {
    file(sq) == rank(sq)
}

/// Mirrors a square at the diagonal a1-h8.
const fn transpose(sq: u8) -> u8 {
    file(sq) << 3 | rank(sq)
}

/// `BINOMIALS[k][n]`: ways to choose `k` of `n`.
const BINOMIALS: [[u64; SQUARES]; MAX_TABLEBASE_PIECES] = {
    let mut table = [[0; SQUARES]; MAX_TABLEBASE_PIECES];
    let mut n = 0;
    while n < SQUARES {
        table[0][n] = 1;
        let mut k = 1;
        while k < MAX_TABLEBASE_PIECES && n > 0 {
            table[k][n] = table[k - 1][n - 1] + table[k][n - 1];
            k += 1;
        }
        n += 1;
    }
    table
};

/// Ways to choose `k` of `n`; 0 for numbers that no board can have.
const fn binomial(n: usize, k: usize) -> u64 {
    if k < MAX_TABLEBASE_PIECES && n < SQUARES { BINOMIALS[k][n] } else { 0 }
}

/// The squares below the long diagonal, numbered rank by rank from b1 on; 0 elsewhere.
const BELOW: [u8; SQUARES] = {
    let mut table = [0; SQUARES];
    let mut next = 0;
    let mut sq = 0;
    while sq < SQUARES {
        if is_below_diagonal(sq as u8) {
            table[sq] = next;
            next += 1;
        }
        sq += 1;
    }
    table
};

/// The number of a square of the triangle; those below the diagonal come first.
const fn in_triangle(sq: u8) -> usize {
    if is_on_diagonal(sq) {
        return BELOW_IN_TRIANGLE as usize + rank(sq) as usize;
    }
    let (file, rank) = (file(sq) as usize, rank(sq) as usize);
    // Ranks 1 to 3 have three, two and one square.
    [0, 3, 5][rank % 3] + file - rank - 1
}

/// The numbers of the ways to place two kings, the first one in the triangle. Those with
/// both on the diagonal come last.
const KINGS: [[u16; SQUARES]; TRIANGLE] = {
    let mut table = [[NO_PLACING; SQUARES]; TRIANGLE];
    let mut next = 0;
    let mut pass = 0;
    while pass < 2 {
        let mut place = 0;
        while place < TRIANGLE {
            let mut second = 0;
            while second < SQUARES as u8 {
                let first = triangle_square(place);
                let both_on_diagonal = is_on_diagonal(first) && is_on_diagonal(second);
                let is_double =
                    is_on_diagonal(first) && !is_on_diagonal(second) && !is_below_diagonal(second);
                if both_on_diagonal == (pass == 1) && !is_double && are_apart(first, second) {
                    table[place][second as usize] = next;
                    next += 1;
                }
                second += 1;
            }
            place += 1;
        }
        pass += 1;
    }
    assert!(next as u64 == KING_PLACINGS);
    table
};

/// The square of the triangle with this number.
const fn triangle_square(place: usize) -> u8 {
    let mut sq = 0;
    loop {
        let is_inside = file(sq) < 4 && file(sq) >= rank(sq);
        if is_inside && in_triangle(sq) == place {
            return sq;
        }
        sq += 1;
    }
}

/// Whether two squares are neither adjacent nor the same.
const fn are_apart(one: u8, other: u8) -> bool {
    file(one).abs_diff(file(other)) > 1 || rank(one).abs_diff(rank(other)) > 1
}

/// How many squares are left to the other pawns of the leading group if the leading pawn
/// is on this square: they are counted down file by file from the edges.
const fn squares_left(pawn: u8) -> usize {
    let from_edge = if file(pawn) < 4 { file(pawn) } else { 7 - file(pawn) };
    let is_right = if file(pawn) < 4 { 0 } else { 1 };
    let ranks_up = (rank(pawn) as usize + PAWN_RANKS - 1) % PAWN_RANKS;
    PAWN_SQUARES - 1 - 2 * PAWN_RANKS * from_edge as usize - 2 * ranks_up - is_right
}

/// The number of the first placing with the leading pawn on this `file` and `rank`, and
/// `others` in its group. (With the rank beyond the last one: the number of placings that
/// the file has.)
const fn pawn_placings_before(others: usize, file: usize, rank: usize) -> u64 {
    let mut sum = 0;
    let mut before = 1;
    while before < rank {
        sum += binomial(squares_left((before * 8 + file) as u8), others);
        before += 1;
    }
    sum
}

/// What leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lead {
    /// Three unique pieces.
    Three,
    /// The two kings.
    Kings,
    /// The pawns of one colour, and how many there are.
    Pawns(usize),
}

impl Lead {
    fn pieces(self) -> usize {
        match self {
            Lead::Three => 3,
            Lead::Kings => 2,
            Lead::Pawns(count) => count,
        }
    }
}

/// Equal pieces that are numbered together.
#[derive(Clone, Copy, Debug)]
struct Group {
    /// Where they begin in the order of pieces.
    start: usize,
    /// How many there are.
    len: usize,
    /// What their number is multiplied by.
    factor: u64,
    /// Whether they are pawns, which cannot be on every square.
    is_pawns: bool,
}

/// How the positions of one part of a table are numbered.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// The pieces in the order of the numbering.
    codes: Vec<Code>,
    lead: Lead,
    lead_factor: u64,
    groups: Vec<Group>,
    /// How many positions there are.
    size: u64,
}

impl Layout {
    /// The numbering for the pieces `codes` in this order. `places` has the places of the
    /// leading group and (if both sides have pawns) of the second group among the factors;
    /// `pawn_file` is the leading pawn's file, 0..4, if there are pawns. `None` if these do
    /// not fit together.
    pub(super) fn new(codes: Vec<Code>, places: [usize; 2], pawn_file: usize) -> Option<Layout> {
        let material = Material::of_codes(&codes)?;
        let mut groups = Vec::new();
        let mut start = 0;
        let mut free = SQUARES;
        let mut second_place = None;
        let lead = if material.has_pawns() {
            let is_lead = |&&code: &&Code| code == codes[0];
            let count = codes.iter().take_while(is_lead).count();
            if !codes[0].is_pawn() || codes.iter().filter(is_lead).count() != count {
                return None;
            }
            second_place = material.has_pawns_on_both_sides().then_some(places[1]);
            Lead::Pawns(count)
        } else if material.singles() >= Lead::Three.pieces() {
            Lead::Three
        } else {
            Lead::Kings
        };
        start += lead.pieces();
        free -= lead.pieces();
        while start < codes.len() {
            let len = codes[start..].iter().take_while(|&&code| code == codes[start]).count();
            let is_pawns = codes[start].is_pawn();
            if is_pawns != (second_place.is_some() && groups.is_empty()) {
                return None;
            }
            groups.push(Group { start, len, factor: 0, is_pawns });
            start += len;
        }
        let mut layout = Layout { codes, lead, lead_factor: 0, groups, size: 1 };
        layout.set_factors(places[0], second_place, free, pawn_file)?;
        Some(layout)
    }

    /// Gives each group its factor: the product of the placings of all groups that come
    /// before it among the factors.
    fn set_factors(
        &mut self,
        lead_place: usize,
        second_place: Option<usize>,
        mut free: usize,
        pawn_file: usize,
    ) -> Option<()> {
        let lead_placings = match self.lead {
            Lead::Three => THREE_PLACINGS,
            Lead::Kings => KING_PLACINGS,
            Lead::Pawns(count) => pawn_placings_before(count - 1, pawn_file, PAWN_RANKS + 1),
        };
        let last_place = self.groups.len();
        if lead_place > last_place
            || second_place.is_some_and(|place| place > last_place || place == lead_place)
        {
            return None;
        }
        let mut next = 0;
        if second_place.is_some() {
            free -= self.groups[0].len;
            next = 1;
        }
        for place in 0..=last_place {
            let placings = if place == lead_place {
                self.lead_factor = self.size;
                lead_placings
            } else if Some(place) == second_place {
                self.groups[0].factor = self.size;
                binomial(PAWN_SQUARES - self.lead.pieces(), self.groups[0].len)
            } else {
                let group = self.groups.get_mut(next)?;
                group.factor = self.size;
                let placings = binomial(free, group.len);
                free -= group.len;
                next += 1;
                placings
            };
            self.size = self.size.checked_mul(placings)?;
        }
        Some(())
    }

    /// How many positions are numbered, from 0.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// The first piece; with pawns, one of the leading group.
    pub(super) fn first(&self) -> Code {
        self.codes[0]
    }

    /// The number of the position with these pieces; `None` if they are not those of the
    /// table or cannot be placed like this.
    pub(super) fn number(&self, pieces: &Placement) -> Option<u64> {
        let mut buffer = pieces.in_order(&self.codes)?;
        let squares = &mut buffer[..self.codes.len()];
        let lead_number = match self.lead {
            Lead::Pawns(count) => number_of_pawns(squares, count),
            Lead::Three | Lead::Kings => {
                turn_into_triangle(squares, self.lead.pieces());
                if self.lead == Lead::Three {
                    number_of_three(squares[0], squares[1], squares[2])
                } else {
                    number_of_kings(squares[0], squares[1])?
                }
            }
        };
        let mut number = lead_number * self.lead_factor;
        for group in &self.groups {
            let (before, rest) = squares.split_at_mut(group.start);
            let ours = &mut rest[..group.len];
            ours.sort_unstable();
            let offset = if group.is_pawns { FIRST_PAWN_SQUARE } else { 0 };
            let mut group_number = 0;
            for (i, &sq) in ours.iter().enumerate() {
                let taken = before.iter().filter(|&&other| other < sq).count();
                let place = usize::from(sq).checked_sub(taken + offset)?;
                group_number += binomial(place, i + 1);
            }
            number += group_number * group.factor;
        }
        (number < self.size).then_some(number)
    }
}

/// The part of a table, 0..4, for a position with the leading group on `pawns`: the file
/// of the leading pawn, counted from the nearer edge.
pub(super) fn pawn_file(pawns: impl Iterator<Item = u8>) -> Option<usize> {
    let leading = pawns.max_by_key(|&pawn| squares_left(pawn))?;
    Some(usize::from(file(leading).min(7 - file(leading))))
}

/// Turns the board so that the first piece is in the triangle a1-d1-d4, and the first one
/// of the `leading` pieces that is off the diagonal is below it.
fn turn_into_triangle(squares: &mut [u8], leading: usize) {
    const FLIP_FILES: u8 = 7;
    const FLIP_RANKS: u8 = 56;
    if file(squares[0]) > 3 {
        squares.iter_mut().for_each(|sq| *sq ^= FLIP_FILES);
    }
    if rank(squares[0]) > 3 {
        squares.iter_mut().for_each(|sq| *sq ^= FLIP_RANKS);
    }
    let off_diagonal = squares[..leading].iter().find(|&&sq| !is_on_diagonal(sq));
    if off_diagonal.is_some_and(|&sq| !is_below_diagonal(sq)) {
        squares.iter_mut().for_each(|sq| *sq = transpose(*sq));
    }
}

/// The number of a placing of two kings, the first one in the triangle.
fn number_of_kings(first: u8, second: u8) -> Option<u64> {
    let number = KINGS[in_triangle(first)][usize::from(second)];
    (number != NO_PLACING).then_some(u64::from(number))
}

/// The number of a placing of three unique pieces, the first one in the triangle.
fn number_of_three(first: u8, second: u8, third: u8) -> u64 {
    // A square counts one less for each earlier piece on a square before it.
    let second_skips = u64::from(second > first);
    let third_skips = u64::from(third > first) + u64::from(third > second);
    let [first_rank, second_rank, third_rank] =
        [first, second, third].map(|sq| u64::from(rank(sq)));
    let below = |sq: u8| u64::from(BELOW[usize::from(sq)]);
    if !is_on_diagonal(first) {
        let (second, third) = (u64::from(second), u64::from(third));
        return (in_triangle(first) as u64 * 63 + second - second_skips) * 62 + third - third_skips;
    }
    if !is_on_diagonal(second) {
        return NONE_ON_DIAGONAL
            + (first_rank * BELOW_DIAGONAL + below(second)) * 62
            + u64::from(third)
            - third_skips;
    }
    let both = first_rank * (DIAGONAL - 1) + second_rank - second_skips;
    if !is_on_diagonal(third) {
        return NONE_ON_DIAGONAL + ONE_ON_DIAGONAL + both * BELOW_DIAGONAL + below(third);
    }
    NONE_ON_DIAGONAL + ONE_ON_DIAGONAL + TWO_ON_DIAGONAL + both * (DIAGONAL - 2) + third_rank
        - third_skips
}

/// The number of a placing of the first `count` pieces, which are the leading group. Puts
/// the leading pawn first, and turns the board so that it is on the left.
fn number_of_pawns(squares: &mut [u8], count: usize) -> u64 {
    const FLIP_FILES: u8 = 7;
    squares[..count].sort_by_key(|&pawn| std::cmp::Reverse(squares_left(pawn)));
    if file(squares[0]) > 3 {
        squares.iter_mut().for_each(|sq| *sq ^= FLIP_FILES);
        // That swaps left and right among pawns equally far from the edge.
        squares[1..count].sort_by_key(|&pawn| std::cmp::Reverse(squares_left(pawn)));
    }
    let leading = squares[0];
    let first =
        pawn_placings_before(count - 1, usize::from(file(leading)), usize::from(rank(leading)));
    let others = squares[1..count].iter().enumerate();
    first + others.map(|(i, &pawn)| binomial(squares_left(pawn), count - 1 - i)).sum::<u64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_as_many_placings_as_there_should_be() {
        assert_eq!(THREE_PLACINGS, 31_332);
        let apart = KINGS.iter().flatten().filter(|&&number| number != NO_PLACING).count();
        assert_eq!(apart as u64, KING_PLACINGS);
        assert_eq!((0..4).map(|file| pawn_placings_before(0, file, 7)).sum::<u64>(), 24);
        assert_eq!(binomial(47, 1), 47);
        assert_eq!(binomial(63, 2), 63 * 31);
    }

    /// Numbers of positions with up to seven pieces, for which there are no tables to
    /// test with.
    #[test]
    fn numbers_are_those_of_another_prober() {
        let text = include_str!("../../tests/data/syzygy/numbers.csv");
        for line in text.lines().skip(1) {
            let fields: Vec<&str> = line.split(',').collect();
            let value = |nth: usize| -> u64 { fields[nth].parse().expect("a number") };
            let code = |letter: char| Code(letter.to_digit(16).expect("a digit") as u8);
            let codes: Vec<Code> = fields[0].chars().map(code).collect();
            let mut pieces = Placement::none();
            // The other way round: the order must not matter.
            let squares: Vec<&str> = fields[4].split(' ').collect();
            for (&code, sq) in codes.iter().zip(squares).rev() {
                pieces.add(code, sq.parse().expect("a square")).expect("few pieces");
            }
            let places = [value(1) as usize, value(2) as usize];
            let file = value(3) as usize;
            let layout = Layout::new(codes.clone(), places, file).expect("a layout");
            assert_eq!(layout.size(), value(5), "{line}");
            assert_eq!(layout.number(&pieces), Some(value(6)), "{line}");
            if codes[0].is_pawn() {
                assert_eq!(pawn_file(pieces.squares(layout.first())), Some(file), "{line}");
            }
        }
    }

    #[test]
    fn squares_left_are_counted_from_a2_to_e7() {
        assert_eq!(squares_left(8), 47);
        assert_eq!(squares_left(15), 46);
        assert_eq!(squares_left(16), 45);
        assert_eq!(squares_left(51), 1);
        assert_eq!(squares_left(52), 0);
    }
}
