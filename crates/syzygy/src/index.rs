//! The number (index) of a position in a table, as in Ronald de Man's Syzygy tables.
//!
//! The pieces form groups: a leading group, then groups of equal pieces. Symmetries of the
//! board reduce the placings of the leading group. The number of a position is the sum of the
//! groups' numbers, each times the factor of its group.
//!
//! * Without pawns, symmetry moves the leading piece into the triangle a1-d1-d4. The leading
//!   group has three unique pieces if there are three or more, otherwise the two kings.
//! * With pawns, the pawns of one colour are the leading group. Symmetry moves one of them, the
//!   leading pawn, to the files a to d. Each of these files has its own part of the table.

use std::cmp::Reverse;
use std::sync::LazyLock;

use super::material::{FLIP_RANKS, MAX_TABLEBASE_PIECES, Material, is_pawn};

const SQUARES: usize = 64;
const PAWN_SQUARES: usize = 48;
/// a2.
const FIRST_PAWN_SQUARE: usize = 8;
const PAWN_RANKS: usize = 6;
/// The files of a leading pawn, a to d.
pub(super) const PAWN_FILES: usize = 4;

const FLIP_FILES: u8 = 7;

/// The squares of the triangle a1-d1-d4: those below the long diagonal, then those on it.
const TRIANGLE: [u8; 10] = [1, 2, 3, 10, 11, 19, 0, 9, 18, 27];

/// Placings of the two kings, up to symmetry.
const KING_PLACINGS: u64 = 462;

// Placings of three unique pieces, by how many are on the long diagonal before the first one
// that is not. The diagonal has 8 squares, 4 of them in the triangle; 28 squares are below it.
const NONE_ON_DIAGONAL: u64 = 6 * 63 * 62;
const ONE_ON_DIAGONAL: u64 = 4 * 28 * 62;
const TWO_ON_DIAGONAL: u64 = 4 * 7 * 28;
const THREE_ON_DIAGONAL: u64 = 4 * 7 * 6;
const THREE_PLACINGS: u64 =
    NONE_ON_DIAGONAL + ONE_ON_DIAGONAL + TWO_ON_DIAGONAL + THREE_ON_DIAGONAL;

/// In [`KINGS`]: an illegal pair, or one that symmetry turns into another.
const NO_PLACING: u16 = u16::MAX;

/// The numbers of placings of two kings, by the first king's place in [`TRIANGLE`] and the
/// second king's square. Those with both kings on the diagonal come last.
static KINGS: LazyLock<[[u16; SQUARES]; TRIANGLE.len()]> = LazyLock::new(|| {
    let mut numbers = [[NO_PLACING; SQUARES]; TRIANGLE.len()];
    let mut next = 0;
    for on_diagonal in [false, true] {
        for (place, &first) in TRIANGLE.iter().enumerate() {
            for second in 0..SQUARES as u8 {
                let are_apart = file(first).abs_diff(file(second)) > 1
                    || rank(first).abs_diff(rank(second)) > 1;
                // If the first king is on the diagonal, symmetry moves the second below it.
                let is_canonical = !is_on_diagonal(first) || file(second) >= rank(second);
                let both_on_diagonal = is_on_diagonal(first) && is_on_diagonal(second);
                if are_apart && is_canonical && both_on_diagonal == on_diagonal {
                    numbers[place][usize::from(second)] = next;
                    next += 1;
                }
            }
        }
    }
    numbers
});

const fn file(sq: u8) -> u8 {
    sq & 7
}

const fn rank(sq: u8) -> u8 {
    sq >> 3
}

const fn is_on_diagonal(sq: u8) -> bool {
    file(sq) == rank(sq)
}

fn in_triangle(sq: u8) -> Option<usize> {
    TRIANGLE.iter().position(|&other| other == sq)
}

fn binomial(n: usize, k: usize) -> u64 {
    (0..k as u64).fold(1, |ways, i| ways * (n as u64).saturating_sub(i) / (i + 1))
}

/// The number of squares left to the other pawns of the leading group if the leading pawn is on
/// `pawn`. Squares are numbered down, file by file from the edges.
fn squares_left(pawn: u8) -> usize {
    let is_right = file(pawn) > 3;
    let from_edge = usize::from(file(pawn).min(7 - file(pawn)));
    let ranks_up = (usize::from(rank(pawn)) + PAWN_RANKS - 1) % PAWN_RANKS;
    PAWN_SQUARES - 1 - 2 * PAWN_RANKS * from_edge - 2 * ranks_up - usize::from(is_right)
}

/// The number of placings of a leading group of pawns, with the leading pawn on `file` below
/// `rank` and `others` more pawns. (Beyond the last rank: all placings of the file.)
fn pawn_placings_before(others: usize, file: usize, rank: usize) -> u64 {
    (1..rank).map(|before| binomial(squares_left((before * 8 + file) as u8), others)).sum()
}

#[derive(Debug)]
struct Group {
    start: usize,
    len: usize,
    /// Multiplies the number of the group.
    factor: u64,
}

/// The numbering of positions in one part of a table.
#[derive(Debug, Default)]
pub(super) struct Layout {
    /// The [codes](super::material) of the pieces, in the table's order.
    pub(super) codes: Vec<u8>,
    /// The leading group, then the other side's pawns if any, then the other groups.
    groups: Vec<Group>,
    pub(super) size: u64,
}

impl Layout {
    /// The numbering for the pieces `codes` in this order. `places` gives the leading group's
    /// place in the order of the factors and, if both sides have pawns, the second group's.
    /// `pawn_file` is the leading pawn's file, 0 to 3. `None` if the arguments are inconsistent.
    pub(super) fn new(codes: Vec<u8>, places: [usize; 2], pawn_file: usize) -> Option<Layout> {
        let material = Material::of_codes(codes.iter().copied())?;
        let pawn_groups = material.pawn_sides();
        let mut groups: Vec<Group> = Vec::new();
        let mut start = 0;
        while start < codes.len() {
            let equal = codes[start..].iter().take_while(|&&code| code == codes[start]).count();
            let len = match () {
                () if start > 0 || pawn_groups > 0 => equal,
                () if material.singles() >= 3 => 3,
                () => 2,
            };
            if is_pawn(codes[start]) != (groups.len() < pawn_groups) {
                return None;
            }
            groups.push(Group { start, len, factor: 0 });
            start += len;
        }
        // The factor of a group is the product of the placings of all groups with earlier places.
        let mut others = pawn_groups.max(1)..groups.len();
        let mut free =
            SQUARES - groups[..others.start].iter().map(|group| group.len).sum::<usize>();
        let mut size: u64 = 1;
        for place in 0..groups.len() {
            let nth = match () {
                () if place == places[0] => 0,
                () if place == places[1] && pawn_groups == 2 => 1,
                () => others.next()?,
            };
            let len = groups[nth].len;
            let placings = match nth {
                0 if pawn_groups > 0 => pawn_placings_before(len - 1, pawn_file, PAWN_RANKS + 1),
                0 if len == 3 => THREE_PLACINGS,
                0 => KING_PLACINGS,
                1 if pawn_groups == 2 => binomial(PAWN_SQUARES - groups[0].len, len),
                _ => {
                    free -= len;
                    binomial(free + len, len)
                }
            };
            groups[nth].factor = size;
            size = size.checked_mul(placings)?;
        }
        Some(Layout { codes, groups, size })
    }

    /// The number of the position with these pieces, given as code and square. `None` if the
    /// table has other pieces, or for an illegal placing.
    pub(super) fn number(&self, pieces: impl IntoIterator<Item = (u8, u8)>) -> Option<u64> {
        const EMPTY: u8 = u8::MAX;
        let mut squares = [EMPTY; MAX_TABLEBASE_PIECES];
        let squares = squares.get_mut(..self.codes.len())?;
        for (code, sq) in pieces {
            let fits = |&place: &usize| self.codes[place] == code && squares[place] == EMPTY;
            let place = (0..squares.len()).find(fits)?;
            squares[place] = sq;
        }
        if squares.contains(&EMPTY) {
            return None;
        }
        let lead = &self.groups[0];
        let lead_number = if is_pawn(self.codes[0]) {
            number_of_pawns(squares, lead.len)
        } else {
            turn_into_triangle(squares, lead.len);
            match squares[..lead.len] {
                [first, second, third] => number_of_three(first, second, third)?,
                _ => number_of_kings(squares[0], squares[1])?,
            }
        };
        let mut number = lead_number * lead.factor;
        for group in &self.groups[1..] {
            let (before, rest) = squares.split_at_mut(group.start);
            let ours = &mut rest[..group.len];
            ours.sort_unstable();
            let offset = if is_pawn(self.codes[group.start]) { FIRST_PAWN_SQUARE } else { 0 };
            for (i, &sq) in ours.iter().enumerate() {
                let taken = before.iter().filter(|&&other| other < sq).count();
                let place = usize::from(sq).checked_sub(taken + offset)?;
                number += binomial(place, i + 1) * group.factor;
            }
        }
        (number < self.size).then_some(number)
    }
}

/// The part of a table, 0 to 3, for a position with the leading group on `pawns`: the file of
/// the leading pawn, counted from the nearer edge.
pub(super) fn pawn_file(pawns: impl Iterator<Item = u8>) -> Option<usize> {
    let leading = pawns.max_by_key(|&pawn| squares_left(pawn))?;
    Some(usize::from(file(leading).min(7 - file(leading))))
}

/// Applies symmetries: the first piece comes into the triangle a1-d1-d4, and the first of the
/// `leading` pieces that is off the diagonal comes below it.
fn turn_into_triangle(squares: &mut [u8], leading: usize) {
    if file(squares[0]) > 3 {
        squares.iter_mut().for_each(|sq| *sq ^= FLIP_FILES);
    }
    if rank(squares[0]) > 3 {
        squares.iter_mut().for_each(|sq| *sq ^= FLIP_RANKS);
    }
    let off_diagonal = squares[..leading].iter().find(|&&sq| !is_on_diagonal(sq));
    if off_diagonal.is_some_and(|&sq| file(sq) < rank(sq)) {
        squares.iter_mut().for_each(|sq| *sq = file(*sq) << 3 | rank(*sq));
    }
}

fn number_of_kings(first: u8, second: u8) -> Option<u64> {
    let number = KINGS[in_triangle(first)?][usize::from(second)];
    (number != NO_PLACING).then_some(u64::from(number))
}

/// The number of a placing of three unique pieces, [turned](turn_into_triangle).
fn number_of_three(first: u8, second: u8, third: u8) -> Option<u64> {
    // The number of a square below the diagonal, by ranks from b1.
    let below = |sq: u8| u64::from(rank(sq) * (15 - rank(sq)) / 2 + file(sq) - rank(sq) - 1);
    // Squares of earlier pieces are skipped.
    let second_skips = u64::from(second > first);
    let third_skips = u64::from(third > first) + u64::from(third > second);
    let [first_rank, second_rank, third_rank] =
        [first, second, third].map(|sq| u64::from(rank(sq)));
    let (second_number, third_number) = (u64::from(second), u64::from(third));
    let both = || first_rank * 7 + second_rank - second_skips;
    Some(match [first, second, third].map(is_on_diagonal) {
        [false, ..] => {
            let pair = in_triangle(first)? as u64 * 63 + second_number - second_skips;
            pair * 62 + third_number - third_skips
        }
        [true, false, _] => {
            let pair = first_rank * 28 + below(second);
            NONE_ON_DIAGONAL + pair * 62 + third_number - third_skips
        }
        [true, true, false] => NONE_ON_DIAGONAL + ONE_ON_DIAGONAL + both() * 28 + below(third),
        [true, true, true] => {
            let earlier = NONE_ON_DIAGONAL + ONE_ON_DIAGONAL + TWO_ON_DIAGONAL;
            earlier + both() * 6 + third_rank - third_skips
        }
    })
}

/// The number of the leading group, the first `count` pieces. Puts the leading pawn first, and
/// mirrors the board so that it is on the files a to d.
fn number_of_pawns(squares: &mut [u8], count: usize) -> u64 {
    squares[..count].sort_by_key(|&pawn| Reverse(squares_left(pawn)));
    if file(squares[0]) > 3 {
        squares.iter_mut().for_each(|sq| *sq ^= FLIP_FILES);
        // Mirroring swaps the order of pawns equally far from the edge.
        squares[1..count].sort_by_key(|&pawn| Reverse(squares_left(pawn)));
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

    /// Covers up to seven pieces: the tests have no tables of that size.
    #[test]
    fn numbers_are_those_of_another_prober() {
        let text = include_str!("numbers.csv");
        for line in text.lines().skip(1) {
            let fields: Vec<&str> = line.split(',').collect();
            let value = |nth: usize| -> u64 { fields[nth].parse().expect("a number") };
            let code = |letter: char| letter.to_digit(16).expect("a digit") as u8;
            let codes: Vec<u8> = fields[0].chars().map(code).collect();
            let squares: Vec<u8> =
                fields[4].split(' ').map(|sq| sq.parse().expect("a square")).collect();
            let places = [value(1) as usize, value(2) as usize];
            let file = value(3) as usize;
            let layout = Layout::new(codes.clone(), places, file).expect("a layout");
            assert_eq!(layout.size, value(5), "{line}");
            // Backwards: the order of pieces must not matter.
            let pieces = || codes.iter().copied().zip(squares.iter().copied()).rev();
            assert_eq!(layout.number(pieces()), Some(value(6)), "{line}");
            if is_pawn(codes[0]) {
                let pawns = pieces().filter(|&(code, _)| code == codes[0]).map(|(_, sq)| sq);
                assert_eq!(pawn_file(pawns), Some(file), "{line}");
            }
        }
    }
}
