//! One table file, and the value it has for a position. (Format: Ronald de Man.)
//!
//! A table has one part, or with pawns one for each file of the leading pawn. Each part has a
//! sequence of values for each side to move, compressed in two steps:
//!
//! * Recursive pairing (Larsson and Moffat): a new symbol replaces the most frequent pair of
//!   neighbouring symbols, again and again.
//! * A canonical Huffman code, in blocks of equal size.
//!
//! A sparse index divides the values into spans of equal length and has the block of the middle
//! of each span. From there, the number of values in each block leads to the right block.
//!
//! A file with an invalid header is refused when it is opened. Damage after the header only
//! makes single values wrong or unknown.

use std::io::{self, ErrorKind};
use std::path::Path;

use super::map;
use carrybit_board::{Board, Color};

use super::Wdl;
use super::index::{Layout, PAWN_FILES, pawn_file};
use super::material::{Material, is_pawn, pieces};

/// The length of a file, without the checksum at its end, is a multiple of this, in bytes.
const SIZE_MODULUS: u64 = 64;
const CHECKSUM_BYTES: u64 = 16;
const WDL_MAGIC: [u8; 4] = [0x71, 0xe8, 0x23, 0x5d];
const DTZ_MAGIC: [u8; 4] = [0xd7, 0x66, 0x0c, 0xa5];

// Flags of the header.
const HAS_BOTH_SIDES: u8 = 1;
const HAS_PAWNS: u8 = 2;

// Flags of a DTZ part. Wins and losses are counted in plies or in moves; maps have 16 or 8 bits.
const FOR_BLACK: u8 = 1;
const IS_MAPPED: u8 = 2;
const WINS_IN_PLIES: u8 = 4;
const LOSSES_IN_PLIES: u8 = 8;
const HAS_WIDE_MAPS: u8 = 16;
/// Flag of a part: all positions have one value.
const ONE_VALUE: u8 = 0x80;

/// The right half of a symbol that is a value, not a pair.
const NO_PAIR: u16 = 0xfff;
const SYMBOL_BYTES: usize = 3;
/// An entry of the sparse index has a block (4 bytes) and a place in it (2 bytes).
const INDEX_ENTRY_BYTES: usize = 6;
const BLOCK_ALIGNMENT: usize = 64;
const MAX_WORD_BITS: u32 = 32;
/// The largest exponent of sizes, which are powers of two.
const MAX_EXPONENT: u8 = 31;

fn damage(problem: &'static str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, problem)
}

/// Fails if a file of this many bytes is no table.
pub(super) fn check_size(bytes: u64) -> io::Result<()> {
    if bytes % SIZE_MODULUS == CHECKSUM_BYTES {
        return Ok(());
    }
    Err(damage("the size is wrong; the file may be incomplete"))
}

fn too_short() -> io::Error {
    damage("the file is too short")
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> io::Result<&'a [u8]> {
        let end = self.at.checked_add(count).ok_or_else(too_short)?;
        let taken = self.bytes.get(self.at..end).ok_or_else(too_short)?;
        self.at = end;
        Ok(taken)
    }

    /// Skips an array; returns its offset.
    fn skip(&mut self, len: usize, element_bytes: usize) -> io::Result<usize> {
        let at = self.at;
        self.take(len.checked_mul(element_bytes).ok_or_else(too_short)?)?;
        Ok(at)
    }

    fn u8(&mut self) -> io::Result<u8> {
        Ok(self.take(1)?[0])
    }

    fn u16(&mut self) -> io::Result<u16> {
        u16_at(self.take(2)?, 0).ok_or_else(too_short)
    }

    fn u32(&mut self) -> io::Result<u32> {
        u32_at(self.take(4)?, 0).ok_or_else(too_short)
    }

    fn align(&mut self, alignment: usize) {
        self.at = self.at.next_multiple_of(alignment);
    }
}

pub(super) struct Table {
    /// The file, mapped or in memory.
    bytes: Box<dyn AsRef<[u8]> + Send + Sync>,
    /// The material in the file's own colours, which may be swapped against those of its name.
    material: Material,
    /// The values of each part: for White to move, then for Black to move if there are any.
    parts: Vec<Vec<Pairs>>,
}

impl Table {
    pub(super) fn open(path: &Path, is_dtz: bool, material: Material) -> io::Result<Table> {
        Table::read(Box::new(map::map(path)?), is_dtz, material)
    }

    /// Reads a table file. `name` is the material that the file's name gives.
    pub(super) fn read(
        bytes: Box<dyn AsRef<[u8]> + Send + Sync>,
        is_dtz: bool,
        name: Material,
    ) -> io::Result<Table> {
        let mut reader = Reader { bytes: (*bytes).as_ref(), at: 0 };
        check_size(reader.bytes.len() as u64)?;
        if reader.take(4)? != if is_dtz { DTZ_MAGIC } else { WDL_MAGIC } {
            return Err(damage("it is not a Syzygy table"));
        }
        let flags = reader.u8()?;
        let has_both_sides = !is_dtz && !name.is_symmetric();
        if (flags & HAS_PAWNS != 0) != (name.pawn_sides() > 0)
            || (!is_dtz && has_both_sides != (flags & HAS_BOTH_SIDES != 0))
        {
            return Err(damage("its content does not match its name"));
        }
        let (material, layouts) = read_layouts(&mut reader, name, has_both_sides)?;
        let mut parts = Vec::new();
        for layouts in layouts {
            let pairs = layouts.into_iter().map(|layout| Pairs::read(&mut reader, layout, is_dtz));
            parts.push(pairs.collect::<io::Result<Vec<Pairs>>>()?);
        }
        if is_dtz {
            for pairs in parts.iter_mut().flatten() {
                pairs.find_maps(&mut reader)?;
            }
            reader.align(size_of::<u16>());
        }
        // The sparse indices of all parts, then all lengths, then all blocks.
        for pairs in parts.iter_mut().flatten() {
            pairs.index_at = reader.skip(pairs.index_entries()?, INDEX_ENTRY_BYTES)?;
        }
        for pairs in parts.iter_mut().flatten() {
            pairs.lengths_at = reader.skip(pairs.lengths, size_of::<u16>())?;
        }
        for pairs in parts.iter_mut().flatten() {
            reader.align(BLOCK_ALIGNMENT);
            pairs.blocks_at = reader.skip(pairs.blocks, 1 << pairs.block_exponent)?;
        }
        Ok(Table { bytes, material, parts })
    }

    /// The value of a WDL table for `board`, which has this `material`.
    pub(super) fn wdl(&self, board: &Board, material: Material) -> Option<Wdl> {
        let (part, side, is_mirrored) = self.locate(board, material)?;
        let value = self.value(part.get(side)?, board, is_mirrored)?;
        // Only the low byte is used.
        Wdl::ALL.get(usize::from(value as u8)).copied()
    }

    /// Whether a DTZ table has values for the side to move.
    pub(super) fn has_side(&self, board: &Board, material: Material) -> Option<bool> {
        let (part, side, _) = self.locate(board, material)?;
        let is_same_for_both = self.material.is_symmetric() && self.material.pawn_sides() == 0;
        Some(is_same_for_both || usize::from(part.first()?.flags & FOR_BLACK) == side)
    }

    /// The plies to zeroing, minus one, by a DTZ table that [has](Table::has_side) this side.
    /// `wdl` is the outcome, not a draw.
    pub(super) fn plies(&self, board: &Board, material: Material, wdl: Wdl) -> Option<i32> {
        let (part, _, is_mirrored) = self.locate(board, material)?;
        let pairs = part.first()?;
        let mut value = self.value(pairs, board, is_mirrored)?;
        if pairs.flags & IS_MAPPED != 0 {
            let (map, place) = (pairs.maps[wdl.index()], usize::from(value));
            value = if pairs.flags & HAS_WIDE_MAPS == 0 {
                u16::from(*self.bytes().get(map + place)?)
            } else {
                u16_at(self.bytes(), map + place * size_of::<u16>())?
            };
        }
        let is_in_plies = match wdl {
            Wdl::Win => pairs.flags & WINS_IN_PLIES != 0,
            Wdl::Loss => pairs.flags & LOSSES_IN_PLIES != 0,
            _ => false,
        };
        Some(i32::from(value) * if is_in_plies { 1 } else { 2 })
    }

    fn bytes(&self) -> &[u8] {
        (*self.bytes).as_ref()
    }

    fn value(&self, pairs: &Pairs, board: &Board, is_mirrored: bool) -> Option<u16> {
        pairs.value(self.bytes(), pairs.layout.number(pieces(board, is_mirrored))?)
    }

    /// The part of the table for `board`, the side to move there, and whether the table has the
    /// mirrored board.
    fn locate(&self, board: &Board, material: Material) -> Option<(&[Pairs], usize, bool)> {
        let is_black_to_move = board.side() == Color::Black;
        let is_mirrored =
            if self.material.is_symmetric() { is_black_to_move } else { material != self.material };
        let lead = self.parts.first()?.first()?.layout.codes[0];
        let part = if is_pawn(lead) {
            let pawns = pieces(board, is_mirrored).filter(|&(code, _)| code == lead);
            pawn_file(pawns.map(|(_, sq)| sq))?
        } else {
            0
        };
        Some((self.parts.get(part)?, usize::from(is_black_to_move != is_mirrored), is_mirrored))
    }
}

/// Reads the order of pieces and factors of all parts, for each side to move. Returns the
/// material in the file's own colours, and the layouts.
fn read_layouts(
    reader: &mut Reader<'_>,
    name: Material,
    has_both_sides: bool,
) -> io::Result<(Material, Vec<Vec<Layout>>)> {
    let bad_order = || damage("its pieces do not match its name");
    let has_pawns = name.pawn_sides() > 0;
    // The low four bits are for White to move, the high ones for Black.
    let shifts: &[u32] = if has_both_sides { &[0, 4] } else { &[0] };
    let part_count = if has_pawns { PAWN_FILES } else { 1 };
    let mut parts = Vec::new();
    let mut found = None;
    for file in 0..part_count {
        let places = reader.take(name.pawn_sides().max(1))?;
        let pieces = reader.take(name.pieces())?;
        let mut layouts = Vec::new();
        for shift in shifts {
            let half = |byte: &u8| byte >> shift & 0xf;
            let codes: Vec<u8> = pieces.iter().map(half).collect();
            let material = Material::of_codes(codes.iter().copied()).ok_or_else(bad_order)?;
            // All parts have the same material and, with pawns, the same leading colour.
            let common = (material, if has_pawns { codes[0] } else { 0 });
            if material.key() != name.key() || *found.get_or_insert(common) != common {
                return Err(bad_order());
            }
            let place = |nth: usize| places.get(nth).map_or(0, |byte| usize::from(half(byte)));
            let layout = Layout::new(codes, [place(0), place(1)], file);
            layouts.push(layout.ok_or_else(bad_order)?);
        }
        parts.push(layouts);
    }
    reader.align(size_of::<u16>());
    let (material, _) = found.ok_or_else(bad_order)?;
    Ok((material, parts))
}

/// The values of one part for one side to move.
#[derive(Debug, Default)]
struct Pairs {
    flags: u8,
    layout: Layout,
    /// Offsets of the DTZ maps, by [`Wdl::index`].
    maps: [usize; 5],
    /// The value of all positions, if there is only one. The fields below are then empty.
    one_value: Option<u16>,
    /// Binary logarithm of the bytes in a block.
    block_exponent: u8,
    /// Binary logarithm of the values in a span of the sparse index.
    span_exponent: u8,
    blocks: usize,
    /// The number of block lengths, at least [`blocks`](Pairs::blocks).
    lengths: usize,
    /// Offsets in the file: sparse index, lengths, blocks.
    index_at: usize,
    lengths_at: usize,
    blocks_at: usize,
    /// Bits of the shortest code word.
    least_bits: u32,
    /// For each length from `least_bits` on: the least code word, left-aligned, and its symbol.
    words: Vec<(u64, u16)>,
    symbols: Vec<Symbol>,
}

/// A value, or a pair of symbols.
#[derive(Clone, Copy, Debug, Default)]
struct Symbol {
    /// The left half, or the value.
    left: u16,
    /// The right half, or [`NO_PAIR`].
    right: u16,
    /// The number of values it expands to, minus one.
    extra: u16,
}

impl Pairs {
    fn read(reader: &mut Reader<'_>, layout: Layout, is_dtz: bool) -> io::Result<Pairs> {
        let mut pairs = Pairs { flags: reader.u8()?, layout, ..Pairs::default() };
        if pairs.flags & ONE_VALUE != 0 {
            let value = reader.u8()?;
            pairs.one_value = Some(if is_dtz { 0 } else { u16::from(value) });
            return Ok(pairs);
        }
        pairs.block_exponent = reader.u8()?;
        pairs.span_exponent = reader.u8()?;
        if pairs.block_exponent > MAX_EXPONENT || !(1..=MAX_EXPONENT).contains(&pairs.span_exponent)
        {
            return Err(damage("a size is out of range"));
        }
        let spare_lengths = usize::from(reader.u8()?);
        pairs.blocks = reader.u32()? as usize;
        pairs.lengths = pairs.blocks.checked_add(spare_lengths).ok_or_else(too_short)?;
        let most_bits = u32::from(reader.u8()?);
        pairs.least_bits = u32::from(reader.u8()?);
        if !(1..=most_bits).contains(&pairs.least_bits) || most_bits > MAX_WORD_BITS {
            return Err(damage("impossible lengths of code words"));
        }
        pairs.words = read_words(reader, pairs.least_bits, most_bits)?;
        pairs.symbols = read_symbols(reader)?;
        Ok(pairs)
    }

    fn find_maps(&mut self, reader: &mut Reader<'_>) -> io::Result<()> {
        if self.flags & IS_MAPPED == 0 {
            return Ok(());
        }
        let is_wide = self.flags & HAS_WIDE_MAPS != 0;
        if is_wide {
            reader.align(size_of::<u16>());
        }
        // In the order of the file.
        for wdl in [Wdl::Win, Wdl::Loss, Wdl::CursedWin, Wdl::BlessedLoss] {
            let (len, element_bytes) =
                if is_wide { (reader.u16()?, size_of::<u16>()) } else { (reader.u8()?.into(), 1) };
            self.maps[wdl.index()] = reader.skip(len.into(), element_bytes)?;
        }
        Ok(())
    }

    fn index_entries(&self) -> io::Result<usize> {
        if self.one_value.is_some() {
            return Ok(0);
        }
        self.layout.size.div_ceil(1 << self.span_exponent).try_into().map_err(|_| too_short())
    }

    /// The value with this number, from the file's `bytes`; `None` if the file is damaged.
    fn value(&self, bytes: &[u8], number: u64) -> Option<u16> {
        if self.one_value.is_some() {
            return self.one_value;
        }
        let (block, place) = self.find(bytes, number)?;
        let (mut symbol, mut place) = self.symbol_in_block(bytes, block, place)?;
        // Expand the symbol down to the value at `place`. It ends, because `measure` refuses
        // symbols that contain themselves.
        while symbol.right != NO_PAIR {
            let left = *self.symbols.get(usize::from(symbol.left))?;
            if place <= u32::from(left.extra) {
                symbol = left;
            } else {
                place -= u32::from(left.extra) + 1;
                symbol = *self.symbols.get(usize::from(symbol.right))?;
            }
        }
        Some(symbol.left)
    }

    /// The block of the value with this number, and its place there.
    fn find(&self, bytes: &[u8], number: u64) -> Option<(usize, u32)> {
        let span = 1u64 << self.span_exponent;
        let entry = usize::try_from(number / span).ok()?.checked_mul(INDEX_ENTRY_BYTES)?;
        let entry_at = self.index_at.checked_add(entry)?;
        let mut block = u32_at(bytes, entry_at)? as usize;
        let middle_place = i64::from(u16_at(bytes, entry_at + size_of::<u32>())?);
        let mut place = middle_place + (number % span) as i64 - (span / 2) as i64;
        // A block has 1 to 65536 values.
        let values_in = |block: usize| {
            let at = (block < self.lengths).then(|| self.lengths_at + block * size_of::<u16>())?;
            Some(i64::from(u16_at(bytes, at)?) + 1)
        };
        while place < 0 {
            block = block.checked_sub(1)?;
            place += values_in(block)?;
        }
        loop {
            let values = values_in(block)?;
            if place < values {
                break;
            }
            place -= values;
            block += 1;
        }
        (block < self.blocks).then_some((block, place as u32))
    }

    /// Decodes the block up to the symbol with the value at `place`. Returns the symbol, and the
    /// place in it.
    fn symbol_in_block(&self, bytes: &[u8], block: usize, mut place: u32) -> Option<(Symbol, u32)> {
        let block_at = self.blocks_at + (block << self.block_exponent);
        let mut bit = 0;
        // Ends, because each round subtracts at least one place.
        loop {
            // Eight bytes hold the longest word. They exist, because other blocks or the checksum
            // follow the block.
            let window = *bytes.get(block_at + bit / 8..)?.first_chunk()?;
            let bits = u64::from_be_bytes(window) << (bit % 8);
            let longer = self.words.iter().position(|&(least, _)| bits >= least)?;
            let (least, first) = self.words[longer];
            let length = self.least_bits + longer as u32;
            let nth = (bits - least) >> (u64::BITS - length);
            let number = usize::try_from(nth).ok()?.checked_add(usize::from(first))?;
            let symbol = *self.symbols.get(number)?;
            if place <= u32::from(symbol.extra) {
                return Some((symbol, place));
            }
            place -= u32::from(symbol.extra) + 1;
            bit += length as usize;
        }
    }
}

/// Reads the first symbol of each length of code words, and computes the least code word of each
/// length. Shorter words are greater.
fn read_words(
    reader: &mut Reader<'_>,
    least_bits: u32,
    most_bits: u32,
) -> io::Result<Vec<(u64, u16)>> {
    let bad_code = || damage("the code words are inconsistent");
    let mut words = Vec::new();
    for _ in least_bits..=most_bits {
        words.push((0, reader.u16()?));
    }
    let mut least: u64 = 0;
    for i in (0..words.len() - 1).rev() {
        let (this, next) = (u64::from(words[i].1), u64::from(words[i + 1].1));
        least = (least + this).checked_sub(next).ok_or_else(bad_code)? / 2;
        words[i].0 = least;
    }
    for (bits, word) in (least_bits..).zip(&mut words) {
        if word.0 >> bits != 0 {
            return Err(bad_code());
        }
        word.0 <<= u64::BITS - bits;
    }
    Ok(words)
}

fn read_symbols(reader: &mut Reader<'_>) -> io::Result<Vec<Symbol>> {
    let count = usize::from(reader.u16()?);
    let triples = reader.take(count * SYMBOL_BYTES)?;
    reader.align(size_of::<u16>());
    let read = |triple: &[u8; SYMBOL_BYTES]| {
        let [low, middle, high] = triple.map(u16::from);
        Symbol { left: low | (middle & 0xf) << 8, right: middle >> 4 | high << 4, extra: 0 }
    };
    let mut symbols: Vec<Symbol> = triples.as_chunks().0.iter().map(read).collect();
    measure(&mut symbols)?;
    Ok(symbols)
}

/// Computes the number of values of each symbol, halves first. Fails for a symbol that contains
/// itself or a missing one.
fn measure(symbols: &mut [Symbol]) -> io::Result<()> {
    let bad_symbol = || damage("a symbol has invalid parts");
    let mut is_measured: Vec<bool> = symbols.iter().map(|symbol| symbol.right == NO_PAIR).collect();
    // A stack: each symbol contains the next.
    let mut open = Vec::new();
    for start in 0..symbols.len() {
        open.push(start);
        while let Some(&number) = open.last() {
            let halves = [symbols[number].left, symbols[number].right].map(usize::from);
            if is_measured[number] {
                open.pop();
            } else if halves.iter().any(|&half| half >= symbols.len()) || open.len() > symbols.len()
            {
                return Err(bad_symbol());
            } else if let Some(&half) = halves.iter().find(|&&half| !is_measured[half]) {
                open.push(half);
            } else {
                let [left, right] = halves.map(|half| symbols[half].extra);
                let extra = left.checked_add(right).and_then(|sum| sum.checked_add(1));
                symbols[number].extra = extra.ok_or_else(bad_symbol)?;
                is_measured[number] = true;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbol(left: u16, right: u16) -> Symbol {
        Symbol { left, right, extra: 0 }
    }

    #[test]
    fn symbols_are_measured_and_recursive_ones_refused() {
        let mut symbols =
            [symbol(1, 2), symbol(2, 2), symbol(7, NO_PAIR), symbol(0, 0), symbol(3, 1)];
        assert!(measure(&mut symbols).is_ok());
        assert_eq!(symbols.map(|symbol| symbol.extra), [2, 1, 0, 5, 7]);
        // Forty doublings are too many values.
        let mut tower = vec![symbol(7, NO_PAIR)];
        tower.extend((0..40).map(|below| symbol(below, below)));
        for mut symbols in [
            vec![symbol(0, 0)],
            vec![symbol(1, 1), symbol(0, 2), symbol(7, NO_PAIR)],
            vec![symbol(2, 1), symbol(2, 0), symbol(7, NO_PAIR)],
            vec![symbol(5, 5)],
            tower,
        ] {
            assert!(measure(&mut symbols).is_err(), "{symbols:?}");
        }
    }
}
