//! The king pass by the difference table.
//!
//! The table is widened by one ring (`RING_REACH`): one look per enemy piece tells
//! how it bears on the king's square and on the eight around it, which yields
//! checks, pins and the squares the king may not enter.

use crate::board::color::Color;
use crate::board::difference::{REACH, STEP};
use crate::board::king_pass::KingPass;
use crate::board::piece::MAX_PIECES;
use crate::board::position::Board;
use crate::board::square::{ALL_STEPS, Delta, Square};

/// Bit of the king's own square in the masks of [`RING_REACH`].
const CENTER: u16 = 1 << 8;

/// `RING_REACH[color][kind][king - attacker]`: which squares of the king's ring
/// (bit `i`: the king's square plus `ALL_STEPS[i]`; bit 8: the king's square)
/// the attacker bears on, on an empty board. Rows 6 and 7 (no piece) are empty.
static RING_REACH: [[[u16; 256]; 8]; 2] =
    [ring_reach_table(Color::White), ring_reach_table(Color::Black)];

/// `NEAR_REACH[color][king - attacker]`: the kinds, as bits of a piece's byte,
/// whose masks in [`RING_REACH`] are not empty. Most pieces are asked no more.
static NEAR_REACH: [[u8; 256]; 2] =
    [near_reach_table(Color::White), near_reach_table(Color::Black)];

/// `RING[sq]`: the steps of a king on `sq` that stay on the board, a mask over
/// [`ALL_STEPS`].
static RING: [u8; 128] = ring_table();

/// The look around the king of the side to move.
pub(in crate::board::hot) fn look(board: &Board) -> KingPass {
    // With the side as a constant the compiler builds it into each question.
    match board.side {
        Color::White => look_for(board, Color::White),
        Color::Black => look_for(board, Color::Black),
    }
}

#[inline(always)]
fn look_for(board: &Board, us: Color) -> KingPass {
    let them = !us;
    let king = board.king(us);
    // What is still to be asked: the open squares of the ring and the king's.
    let mut wanted = u16::from(open_ring(board, king, us)) | CENTER;
    let mut checkers = 0u16;
    let mut pinned = 0u16;
    let (near, table) = (&NEAR_REACH[them.index()], &RING_REACH[them.index()]);
    let list = &board.lists[them.index()];
    for (slot, from) in (0..MAX_PIECES).map(|slot| (slot, list[slot])) {
        let piece = board.piece_on(from);
        let delta = from.delta_to(king) as usize;
        if near[delta] & piece.0 == 0 {
            continue;
        }
        let touched = table[piece.kind_index()][delta] & wanted;
        if touched == 0 {
            continue;
        }
        if !piece.is_slider() {
            wanted &= !touched | CENTER;
            checkers |= (touched / CENTER) << slot;
            continue;
        }
        if touched & CENTER != 0 {
            match on_line(board, king, from) {
                OnLine::Nothing => checkers |= 1 << slot,
                OnLine::One(blocker) if board.piece_on(blocker).is_color(us) => {
                    pinned |= 1 << board.slot_of(us, blocker);
                }
                _ => {}
            }
        }
        let mut ring = touched & !CENTER;
        while ring != 0 {
            let step = ALL_STEPS[ring.trailing_zeros() as usize & 7];
            if reaches_ring(board, from, king.step(step), king) {
                wanted &= !(ring & ring.wrapping_neg());
            }
            ring &= ring - 1;
        }
    }
    KingPass { checkers, pinned, ring: wanted as u8 }
}

/// [`KingPass::checkers`], asked of each enemy piece.
pub(in crate::board::hot) fn find_checkers(board: &Board) -> u16 {
    let king = board.king(board.side);
    let list = board.list(!board.side);
    (0..MAX_PIECES).fold(0, |mask, slot| mask | u16::from(board.attacks(list[slot], king)) << slot)
}

/// What stands between a king and a slider.
enum OnLine {
    Nothing,
    /// One piece, on that square.
    One(Square),
    More,
}

/// What stands between `king` and the slider on `from`.
#[inline]
fn on_line(board: &Board, king: Square, from: Square) -> OnLine {
    let step = STEP[king.delta_to(from) as usize];
    let first = first_occupied(board, king, step);
    if first == from {
        OnLine::Nothing
    } else if first_occupied(board, first, step) == from {
        OnLine::One(first)
    } else {
        OnLine::More
    }
}

/// The steps that lead the king to a square of the board without a piece of
/// its own side.
#[inline(always)]
fn open_ring(board: &Board, king: Square, us: Color) -> u8 {
    let mut ours = 0;
    for (i, &step) in ALL_STEPS.iter().enumerate() {
        ours |= u8::from(board.piece_on(king.step(step)).is_color(us)) << i;
    }
    RING[king.index()] & !ours
}

/// The first square from `from` along `step` that is not empty. There must be
/// one before the edge of the board.
#[inline]
fn first_occupied(board: &Board, from: Square, step: Delta) -> Square {
    let mut sq = from.step(step);
    while board.piece_on(sq).is_empty() {
        sq = sq.step(step);
    }
    sq
}

/// Whether the slider on `from` attacks `target` next to `king`. The king
/// itself does not block: stepping back along the ray is no escape.
#[inline]
fn reaches_ring(board: &Board, from: Square, target: Square, king: Square) -> bool {
    let step = STEP[from.delta_to(target) as usize];
    let mut sq = from.step(step);
    while sq != target {
        if !board.piece_on(sq).is_empty() && sq != king {
            return false;
        }
        sq = sq.step(step);
    }
    true
}

const fn ring_reach_table(color: Color) -> [[u16; 256]; 8] {
    let reach = &REACH[color.index()];
    let mut table = [[0; 256]; 8];
    let mut kind = 0;
    while kind < 6 {
        let mut delta = 0;
        while delta < 256 {
            let mut mask = 0;
            if reach[delta] & 1 << kind != 0 {
                mask |= CENTER;
            }
            let mut i = 0;
            while i < 8 {
                if reach[(delta as u8).wrapping_add(ALL_STEPS[i]) as usize] & 1 << kind != 0 {
                    mask |= 1 << i;
                }
                i += 1;
            }
            table[kind][delta] = mask;
            delta += 1;
        }
        kind += 1;
    }
    table
}

const fn near_reach_table(color: Color) -> [u8; 256] {
    let masks = ring_reach_table(color);
    let mut table = [0; 256];
    let mut delta = 0;
    while delta < 256 {
        let mut kind = 0;
        while kind < 6 {
            if masks[kind][delta] != 0 {
                table[delta] |= 1 << kind;
            }
            kind += 1;
        }
        delta += 1;
    }
    table
}

const fn ring_table() -> [u8; 128] {
    let mut table = [0; 128];
    let mut sq = 0;
    while sq < 128 {
        let mut i = 0;
        while i < 8 {
            if Square(sq as u8).step(ALL_STEPS[i]).is_on_board() {
                table[sq] |= 1 << i;
            }
            i += 1;
        }
        sq += 1;
    }
    table
}
