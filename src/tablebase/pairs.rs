//! The values of one part of a table: a long row of small numbers, compressed.
//!
//! Frequent pairs of neighbouring symbols have been replaced by new symbols again and
//! again, and the result is written in a canonical Huffman code, in blocks of equal size.
//! A sparse index divides the values into spans of equal length and says in which block
//! the middle of each span is; from there the number of values in each block leads to the
//! right block. (Compression: Larsson and Moffat's recursive pairing; format: Ronald de
//! Man.)

use super::bytes::{Damage, HeaderReader, TOO_SHORT, u16_at, u32_at};

/// The flag of a part whose positions all have the same value.
const ONE_VALUE: u8 = 0x80;
/// The right half of a symbol that is a value instead of a pair.
const NO_PAIR: u16 = 0xfff;
/// Bytes of a symbol in the file.
const SYMBOL_BYTES: usize = 3;
/// Bytes of an entry of the sparse index: a block and a place in it.
const INDEX_ENTRY_BYTES: usize = 6;
/// Blocks begin at multiples of this many bytes.
const BLOCK_ALIGNMENT: usize = 64;
/// Length of the longest possible code word; this many bits are always available.
const MAX_WORD_BITS: u32 = 32;
/// The greatest exponent of sizes, which are given as powers of two.
const MAX_EXPONENT: u8 = 31;

/// What a symbol stands for.
#[derive(Clone, Copy, Debug, Default)]
struct Symbol {
    /// The left half, or the value.
    left: u16,
    /// The right half, or [`NO_PAIR`].
    right: u16,
    /// How many values it stands for, less one.
    extra: u16,
}

/// Compressed values, found by their number.
#[derive(Debug)]
pub(super) struct Pairs {
    /// The flags of the part's header; their meaning does not matter here.
    pub(super) flags: u8,
    coding: Coding,
}

#[derive(Debug)]
enum Coding {
    /// All values are the same.
    One(u16),
    Blocks(Box<Blocks>),
}

#[derive(Debug)]
struct Blocks {
    /// Binary logarithm of the bytes in a block.
    block_exponent: u8,
    /// Binary logarithm of the values in a span of the sparse index.
    span_exponent: u8,
    /// The number of blocks.
    blocks: usize,
    /// The number of blocks with a given length, which may be more.
    lengths: usize,
    /// Where in the file the sparse index, the lengths and the blocks begin.
    index_at: usize,
    lengths_at: usize,
    blocks_at: usize,
    /// Bits of the shortest code word.
    least_bits: u32,
    /// For each length from there on the least code word, in the highest bits, and its
    /// symbol.
    words: Vec<(u64, u16)>,
    symbols: Vec<Symbol>,
}

impl Pairs {
    /// Reads the header of a part. If all its values are the same, the value is in the
    /// header if `has_constant`, otherwise it is 0.
    pub(super) fn read(reader: &mut HeaderReader<'_>, has_constant: bool) -> Result<Pairs, Damage> {
        let flags = reader.byte()?;
        if flags & ONE_VALUE != 0 {
            let value = reader.byte()?;
            let value = if has_constant { u16::from(value) } else { 0 };
            return Ok(Pairs { flags, coding: Coding::One(value) });
        }
        let block_exponent = reader.byte()?;
        let span_exponent = reader.byte()?;
        if block_exponent > MAX_EXPONENT || !(1..=MAX_EXPONENT).contains(&span_exponent) {
            return Err(Damage("a size is out of range"));
        }
        let spare_lengths = usize::from(reader.byte()?);
        let blocks = reader.double_word()? as usize;
        let lengths = blocks.checked_add(spare_lengths).ok_or(TOO_SHORT)?;
        let most_bits = u32::from(reader.byte()?);
        let least_bits = u32::from(reader.byte()?);
        if least_bits == 0 || least_bits > most_bits || most_bits > MAX_WORD_BITS {
            return Err(Damage("impossible lengths of code words"));
        }
        let words = read_words(reader, least_bits, most_bits)?;
        let symbols = read_symbols(reader)?;
        let coding = Coding::Blocks(Box::new(Blocks {
            block_exponent,
            span_exponent,
            blocks,
            lengths,
            index_at: 0,
            lengths_at: 0,
            blocks_at: 0,
            least_bits,
            words,
            symbols,
        }));
        Ok(Pairs { flags, coding })
    }

    /// Finds the sparse index of this part of `size` values at the reader's position, and
    /// skips it. The indices of all parts come first, then the lengths of all parts, then
    /// the blocks of all parts.
    pub(super) fn find_index(
        &mut self,
        reader: &mut HeaderReader<'_>,
        size: u64,
    ) -> Result<(), Damage> {
        if let Coding::Blocks(blocks) = &mut self.coding {
            blocks.index_at = reader.position();
            let entries = size.div_ceil(1 << blocks.span_exponent);
            let entries = usize::try_from(entries).map_err(|_| TOO_SHORT)?;
            reader.take(entries.checked_mul(INDEX_ENTRY_BYTES).ok_or(TOO_SHORT)?)?;
        }
        Ok(())
    }

    /// The same for the lengths of blocks.
    pub(super) fn find_lengths(&mut self, reader: &mut HeaderReader<'_>) -> Result<(), Damage> {
        if let Coding::Blocks(blocks) = &mut self.coding {
            blocks.lengths_at = reader.position();
            reader.take(blocks.lengths.checked_mul(size_of::<u16>()).ok_or(TOO_SHORT)?)?;
        }
        Ok(())
    }

    /// The same for the blocks themselves.
    pub(super) fn find_blocks(&mut self, reader: &mut HeaderReader<'_>) -> Result<(), Damage> {
        reader.align(BLOCK_ALIGNMENT);
        if let Coding::Blocks(blocks) = &mut self.coding {
            blocks.blocks_at = reader.position();
            let bytes = blocks.blocks.checked_mul(1 << blocks.block_exponent).ok_or(TOO_SHORT)?;
            reader.take(bytes)?;
        }
        Ok(())
    }

    /// The value with this number, read from the file's `bytes`; `None` if the file is
    /// damaged.
    pub(super) fn value(&self, bytes: &[u8], number: u64) -> Option<u16> {
        match &self.coding {
            Coding::One(value) => Some(*value),
            Coding::Blocks(blocks) => {
                let (block, place) = blocks.find(bytes, number)?;
                blocks.value_in_block(bytes, block, place)
            }
        }
    }
}

impl Blocks {
    /// The block with the value of this number, and its place in the block.
    fn find(&self, bytes: &[u8], number: u64) -> Option<(usize, u32)> {
        let span = 1u64 << self.span_exponent;
        let entry = usize::try_from(number / span).ok()?.checked_mul(INDEX_ENTRY_BYTES)?;
        let entry_at = self.index_at.checked_add(entry)?;
        let mut block = u32_at(bytes, entry_at)? as usize;
        let middle_place = i64::from(u16_at(bytes, entry_at + size_of::<u32>())?);
        let mut place = middle_place + (number % span) as i64 - (span / 2) as i64;
        while place < 0 {
            block = block.checked_sub(1)?;
            place += self.values_in(bytes, block)?;
        }
        loop {
            let values = self.values_in(bytes, block)?;
            if place < values {
                break;
            }
            place -= values;
            block += 1;
        }
        (block < self.blocks).then_some((block, place as u32))
    }

    /// How many values a block has, 1 to 65536.
    fn values_in(&self, bytes: &[u8], block: usize) -> Option<i64> {
        if block >= self.lengths {
            return None;
        }
        Some(i64::from(u16_at(bytes, self.lengths_at + block * size_of::<u16>())?) + 1)
    }

    /// Decodes the block up to the value at `place`.
    fn value_in_block(&self, bytes: &[u8], block: usize, mut place: u32) -> Option<u16> {
        let mut at = self.blocks_at + (block << self.block_exponent);
        // Bits not yet read, from the highest on; the lowest `void` ones are not filled.
        let mut bits =
            u64::from(big_endian(bytes, at)) << 32 | u64::from(big_endian(bytes, at + 4));
        let mut void = 0;
        at += 8;
        // Each round takes off at least one place.
        let symbol = loop {
            let longer = self.words.iter().position(|&(least, _)| bits >= least)?;
            let (least, first) = self.words[longer];
            let length = self.least_bits + longer as u32;
            let nth = (bits - least) >> (u64::BITS - length);
            let number = usize::try_from(nth).ok()?.checked_add(usize::from(first))?;
            let symbol = *self.symbols.get(number)?;
            if place <= u32::from(symbol.extra) {
                break symbol;
            }
            place -= u32::from(symbol.extra) + 1;
            bits <<= length;
            void += length;
            if void >= 32 {
                void -= 32;
                bits |= u64::from(big_endian(bytes, at)) << void;
                at += 4;
            }
        };
        self.value_in_symbol(symbol, place)
    }

    /// Takes a symbol apart until only the value at `place` is left.
    fn value_in_symbol(&self, mut symbol: Symbol, mut place: u32) -> Option<u16> {
        // No symbol contains itself: that was checked when the symbols were read.
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
}

/// The 32 bits at `at`, high byte first. Beyond the end of the file there are zeros, as a
/// block's last code words are read together with what follows them.
fn big_endian(bytes: &[u8], at: usize) -> u32 {
    let rest = bytes.get(at..).unwrap_or_default();
    let byte = |i: usize| rest.get(i).copied().unwrap_or_default();
    u32::from_be_bytes([byte(0), byte(1), byte(2), byte(3)])
}

/// Reads the first symbol for each length of code words, and computes the least code word
/// of each length; shorter words are greater.
fn read_words(
    reader: &mut HeaderReader<'_>,
    least_bits: u32,
    most_bits: u32,
) -> Result<Vec<(u64, u16)>, Damage> {
    const BAD_CODE: Damage = Damage("the code words do not fit together");
    let mut words = Vec::new();
    for _ in least_bits..=most_bits {
        words.push((0, reader.word()?));
    }
    let mut least: u64 = 0;
    for i in (0..words.len() - 1).rev() {
        let (this, next) = (u64::from(words[i].1), u64::from(words[i + 1].1));
        least = (least + this).checked_sub(next).ok_or(BAD_CODE)? / 2;
        words[i].0 = least;
    }
    for (bits, word) in (least_bits..).zip(&mut words) {
        if word.0 >> bits != 0 {
            return Err(BAD_CODE);
        }
        word.0 <<= u64::BITS - bits;
    }
    Ok(words)
}

/// Reads the symbols, and computes how many values each stands for.
fn read_symbols(reader: &mut HeaderReader<'_>) -> Result<Vec<Symbol>, Damage> {
    let count = usize::from(reader.word()?);
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

/// Computes how many values each symbol stands for, halves first. A symbol that contains
/// itself, or one that does not exist, is damage.
fn measure(symbols: &mut [Symbol]) -> Result<(), Damage> {
    const BAD_SYMBOL: Damage = Damage("a symbol is made of impossible parts");
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Begun,
        Done,
    }
    let mut states = vec![State::New; symbols.len()];
    let mut open = Vec::new();
    for start in 0..symbols.len() {
        open.push(start);
        while let Some(&number) = open.last() {
            let symbol = symbols[number];
            let halves = [symbol.left, symbol.right].map(usize::from);
            if symbol.right == NO_PAIR || states[number] == State::Done {
                states[number] = State::Done;
                open.pop();
                continue;
            }
            if halves.iter().any(|&half| half >= symbols.len()) {
                return Err(BAD_SYMBOL);
            }
            if states[number] == State::New {
                states[number] = State::Begun;
                for half in halves {
                    match states[half] {
                        State::New => open.push(half),
                        State::Begun => return Err(BAD_SYMBOL),
                        State::Done => {}
                    }
                }
                continue;
            }
            // Both halves are done by now, unless one of them leads back here.
            if halves.iter().any(|&half| states[half] != State::Done) {
                return Err(BAD_SYMBOL);
            }
            let [left, right] = halves.map(|half| symbols[half].extra);
            let extra = left.checked_add(right).and_then(|sum| sum.checked_add(1));
            symbols[number].extra = extra.ok_or(BAD_SYMBOL)?;
            states[number] = State::Done;
            open.pop();
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
    fn symbols_are_measured_whatever_their_order() {
        let mut symbols =
            [symbol(1, 2), symbol(2, 2), symbol(7, NO_PAIR), symbol(0, 0), symbol(3, 1)];
        assert_eq!(measure(&mut symbols), Ok(()));
        assert_eq!(symbols.map(|symbol| symbol.extra), [2, 1, 0, 5, 7]);
    }

    #[test]
    fn symbols_within_themselves_are_refused() {
        for symbols in [
            vec![symbol(0, 0)],
            vec![symbol(1, 1), symbol(0, 2), symbol(7, NO_PAIR)],
            vec![symbol(2, 1), symbol(2, 0), symbol(7, NO_PAIR)],
            vec![symbol(5, 5)],
        ] {
            assert!(measure(&mut symbols.clone()).is_err(), "{symbols:?}");
        }
        // Forty doublings would be too many values.
        let mut tower = vec![symbol(7, NO_PAIR)];
        tower.extend((0..40).map(|below| symbol(below, below)));
        assert!(measure(&mut tower).is_err());
    }
}
