//! One table: its header, and the value it has for a position.
//!
//! A file whose header does not follow the format is refused when it is opened. Damage
//! beyond the header makes single values unknown or wrong, but no more than that.

use std::path::Path;

use crate::board::{Board, Color};

use super::bytes::{Damage, FileBytes, HeaderReader, u16_at};
use super::index::{Layout, PAWN_FILES, pawn_file};
use super::mapping::Mapping;
use super::material::{Code, Material, Placement};
use super::pairs::Pairs;
use super::wdl::Wdl;

/// The length of a file, without its checksum, is a multiple of this many bytes.
const SIZE_MODULUS: usize = 64;
/// Length of the checksum at the end of a file, in bytes.
const CHECKSUM_BYTES: usize = 16;

/// Header flag: there are values for both sides to move.
const HAS_BOTH_SIDES: u8 = 1;
/// Header flag: there are pawns.
const HAS_PAWNS: u8 = 2;

/// Flag of a DTZ part: its values are for Black to move.
const FOR_BLACK: u8 = 1;
/// Flag of a DTZ part: values are translated by maps.
const IS_MAPPED: u8 = 2;
/// Flag of a DTZ part: wins are counted in plies, not in moves.
const WINS_IN_PLIES: u8 = 4;
/// Flag of a DTZ part: losses are counted in plies, not in moves.
const LOSSES_IN_PLIES: u8 = 8;
/// Flag of a DTZ part: the maps have 16 bits for a value.
const HAS_WIDE_MAPS: u8 = 16;

/// What a table says about positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// Who wins.
    Wdl,
    /// How many plies to the next capture or pawn move.
    Dtz,
}

impl Content {
    /// Both kinds.
    pub(super) const ALL: [Content; 2] = [Content::Wdl, Content::Dtz];

    /// The extension of such files.
    pub(super) fn extension(self) -> &'static str {
        match self {
            Content::Wdl => "rtbw",
            Content::Dtz => "rtbz",
        }
    }

    /// The four bytes with which such files begin.
    fn magic(self) -> [u8; 4] {
        match self {
            Content::Wdl => [0x71, 0xe8, 0x23, 0x5d],
            Content::Dtz => [0xd7, 0x66, 0x0c, 0xa5],
        }
    }
}

/// Why a file cannot be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum TableError {
    /// It cannot be read.
    #[error(transparent)]
    Unreadable(#[from] std::io::Error),
    /// It is not a table, or not a whole one.
    #[error(transparent)]
    Damaged(#[from] Damage),
}

/// What a DTZ table says about a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Distance {
    /// The plies to the next capture or pawn move, less one.
    Plies(i32),
    /// There are values for the other side to move only.
    OtherSide,
}

/// A table, ready to be probed.
pub(super) struct Table {
    bytes: FileBytes,
    content: Content,
    header: Header,
}

/// What a file's header says.
struct Header {
    /// The material in the file's own colours.
    material: Material,
    /// A single part, or with pawns one for each file of the leading pawn.
    parts: Vec<Part>,
}

/// One part of a table.
struct Part {
    /// For White to move and, if both sides have values, for Black to move.
    sides: Vec<(Layout, Pairs)>,
    /// Where the DTZ maps begin, `[loss, blessed loss, draw, cursed win, win]`.
    maps: [usize; 5],
}

impl Table {
    /// Opens the file at `path`, which should be the table of `material`.
    pub(super) fn open(
        path: &Path,
        content: Content,
        material: Material,
    ) -> Result<Table, TableError> {
        Ok(Table::read(FileBytes::Mapped(Mapping::open(path)?), content, material)?)
    }

    /// The table of `material` in these bytes.
    pub(super) fn read(
        bytes: FileBytes,
        content: Content,
        material: Material,
    ) -> Result<Table, Damage> {
        let header = Header::read(&bytes, content, material)?;
        Ok(Table { bytes, content, header })
    }

    /// The outcome on `board`, captures not considered.
    pub(super) fn wdl(&self, board: &Board) -> Option<Wdl> {
        debug_assert_eq!(self.content, Content::Wdl);
        let (part, side, pieces) = self.locate(board)?;
        let (layout, pairs) = part.sides.get(side)?;
        let value = pairs.value(&self.bytes, layout.number(&pieces)?)?;
        // Only the low byte counts.
        Wdl::ALL.get(usize::from(value as u8)).copied()
    }

    /// How far away the next capture or pawn move is on `board`, whose outcome is `wdl`
    /// and not a draw.
    pub(super) fn distance(&self, board: &Board, wdl: Wdl) -> Option<Distance> {
        debug_assert_eq!(self.content, Content::Dtz);
        let (part, side, pieces) = self.locate(board)?;
        let (layout, pairs) = part.sides.first()?;
        let flags = pairs.flags;
        let is_same_for_both =
            self.header.material.is_symmetric() && !self.header.material.has_pawns();
        if usize::from(flags & FOR_BLACK) != side && !is_same_for_both {
            return Some(Distance::OtherSide);
        }
        let mut value = pairs.value(&self.bytes, layout.number(&pieces)?)?;
        if flags & IS_MAPPED != 0 {
            let map = part.maps[wdl.index()];
            let place = usize::from(value);
            value = if flags & HAS_WIDE_MAPS == 0 {
                u16::from(*self.bytes.get(map + place)?)
            } else {
                u16_at(&self.bytes, map + place * size_of::<u16>())?
            };
        }
        let is_in_plies = match wdl {
            Wdl::Win => flags & WINS_IN_PLIES != 0,
            Wdl::Loss => flags & LOSSES_IN_PLIES != 0,
            _ => false,
        };
        let value = i32::from(value);
        Some(Distance::Plies(if is_in_plies { value } else { 2 * value }))
    }

    /// The part that `board` belongs to, the side to move there, and the pieces in
    /// the file's colours.
    fn locate(&self, board: &Board) -> Option<(&Part, usize, Placement)> {
        let header = &self.header;
        let is_black_to_move = board.side() == Color::Black;
        let material = Material::of_board(board);
        let is_symmetric = header.material.is_symmetric();
        let is_mirrored = if is_symmetric { is_black_to_move } else { material != header.material };
        let pieces = Placement::of_board(board, is_mirrored)?;
        let part = if header.material.has_pawns() {
            let lead = header.parts.first()?.sides.first()?.0.first();
            header.parts.get(pawn_file(pieces.squares(lead))?)?
        } else {
            header.parts.first()?
        };
        Some((part, usize::from(is_black_to_move != is_mirrored), pieces))
    }
}

impl Header {
    /// Reads the header of the file with these `bytes`, whose name says `material`.
    fn read(bytes: &[u8], content: Content, material: Material) -> Result<Header, Damage> {
        if bytes.len() % SIZE_MODULUS != CHECKSUM_BYTES {
            return Err(Damage("the size is not that of a table; is it complete?"));
        }
        let mut reader = HeaderReader::new(bytes, 0);
        if reader.take(4)? != content.magic() {
            return Err(Damage("it does not begin like a table"));
        }
        let flags = reader.byte()?;
        let has_pawns = flags & HAS_PAWNS != 0;
        let has_both_sides = content == Content::Wdl && !material.is_symmetric();
        if has_pawns != material.has_pawns()
            || (content == Content::Wdl && has_both_sides != (flags & HAS_BOTH_SIDES != 0))
        {
            return Err(Damage("it is another table than its name says"));
        }
        let (material, layouts) = read_layouts(&mut reader, material, has_both_sides)?;
        let mut parts = Vec::new();
        for layouts in layouts {
            let mut sides = Vec::new();
            for layout in layouts {
                sides.push((layout, Pairs::read(&mut reader, content == Content::Wdl)?));
            }
            parts.push(Part { sides, maps: [0; 5] });
        }
        let mut header = Header { material, parts };
        if content == Content::Dtz {
            header.find_maps(&mut reader)?;
        }
        header.find_values(&mut reader)?;
        Ok(header)
    }

    /// Finds the maps of the parts that have any.
    fn find_maps(&mut self, reader: &mut HeaderReader<'_>) -> Result<(), Damage> {
        /// The outcomes in the order of the maps in the file.
        const ORDER: [Wdl; 4] = [Wdl::Win, Wdl::Loss, Wdl::CursedWin, Wdl::BlessedLoss];
        for part in &mut self.parts {
            let flags = part.sides.first().map_or(0, |(_, pairs)| pairs.flags);
            if flags & IS_MAPPED == 0 {
                continue;
            }
            let is_wide = flags & HAS_WIDE_MAPS != 0;
            if is_wide {
                reader.align(size_of::<u16>());
            }
            for wdl in ORDER {
                let bytes = if is_wide {
                    usize::from(reader.word()?) * size_of::<u16>()
                } else {
                    usize::from(reader.byte()?)
                };
                part.maps[wdl.index()] = reader.position();
                reader.take(bytes)?;
            }
        }
        reader.align(size_of::<u16>());
        Ok(())
    }

    /// Finds the compressed values of all parts.
    fn find_values(&mut self, reader: &mut HeaderReader<'_>) -> Result<(), Damage> {
        let mut sides: Vec<&mut (Layout, Pairs)> =
            self.parts.iter_mut().flat_map(|part| &mut part.sides).collect();
        for (layout, pairs) in &mut sides {
            pairs.find_index(reader, layout.size())?;
        }
        for (_, pairs) in &mut sides {
            pairs.find_lengths(reader)?;
        }
        for (_, pairs) in &mut sides {
            pairs.find_blocks(reader)?;
        }
        Ok(())
    }
}

/// The layouts of a file: for each part, for each side to move.
type Layouts = Vec<Vec<Layout>>;

/// Reads the order of pieces and of factors of all parts. The colours in the file may be
/// the reverse of those in its name; the material returned has the file's colours.
fn read_layouts(
    reader: &mut HeaderReader<'_>,
    name: Material,
    has_both_sides: bool,
) -> Result<(Material, Layouts), Damage> {
    const BAD_ORDER: Damage = Damage("its pieces are not those that its name says");
    // The low four bits are for White to move, the high ones for Black.
    let shifts: &[u32] = if has_both_sides { &[0, 4] } else { &[0] };
    let part_count = if name.has_pawns() { PAWN_FILES } else { 1 };
    let place_count = if name.has_pawns_on_both_sides() { 2 } else { 1 };
    let mut parts = Vec::new();
    let mut found: Option<(Material, Code)> = None;
    for file in 0..part_count {
        let places = reader.take(place_count)?;
        let pieces = reader.take(name.pieces())?;
        let mut layouts = Vec::new();
        for shift in shifts {
            let half = |byte: &u8| byte >> shift & 0xf;
            let codes: Vec<Code> = pieces.iter().map(|byte| Code(half(byte))).collect();
            let material = Material::of_codes(&codes).ok_or(BAD_ORDER)?;
            let place = |nth: usize| places.get(nth).map_or(0, |byte| usize::from(half(byte)));
            let layout = Layout::new(codes, [place(0), place(1)], file).ok_or(BAD_ORDER)?;
            let is_known = material == name || material == name.swapped();
            let lead = if name.has_pawns() { layout.first() } else { Code(0) };
            if !is_known || found.is_some_and(|found| found != (material, lead)) {
                return Err(BAD_ORDER);
            }
            found = Some((material, lead));
            layouts.push(layout);
        }
        parts.push(layouts);
    }
    reader.align(size_of::<u16>());
    let (material, _) = found.ok_or(BAD_ORDER)?;
    Ok((material, parts))
}
