//! Check info from the difference table: checks, pins and safe king moves.
//!
//! `AREA_REACH` extends the difference table to the squares around the king: one lookup per
//! enemy piece gives its attacks on the king and the eight adjacent squares. Only a slider that
//! has such an attack also needs a test of the squares between.

use crate::backend::lanes::{KingLines, LANE_AT};
use crate::difference::{REACH, STEP};
use crate::square::ALL_STEPS;
use crate::{Board, CheckInfo, Color, Delta, MAX_PIECES, Square};

/// The bit of the king's own square in the masks of [`AREA_REACH`].
const KING: u16 = 1 << 8;

/// `AREA_REACH[color][kind][king - attacker]`: the squares around the king (bit `i`: the
/// king's square plus `ALL_STEPS[i]`; bit 8: the king's square) that the attacker reaches
/// on an empty board. Rows 6 and 7 (no piece) are empty.
static AREA_REACH: [[[u16; 256]; 8]; 2] =
    const_array!(2, |color| const_array!(8, |kind| const_array!(256, |delta| {
        // From the attacker to each square: the king's steps, then the king's square.
        const_mask!(9, |i| {
            let step = if i < 8 { ALL_STEPS[i] } else { 0 };
            REACH[color][(delta as u8).wrapping_add(step) as usize] >> kind & 1 != 0
        })
    })));

/// `NEAR_REACH[color][king - attacker]`: the kinds, as bits of a piece's byte, whose masks in
/// [`AREA_REACH`] are not empty. Filters out most pieces.
static NEAR_REACH: [[u8; 256]; 2] = const_array!(2, |color| const_array!(256, |delta| {
    const_mask!(8, |kind| AREA_REACH[color][kind][delta] != 0)
}));

/// `KING_STEPS[sq]`: the steps of a king on `sq` that stay on the board, a mask over
/// [`ALL_STEPS`].
static KING_STEPS: [u8; 128] = const_array!(128, |sq| {
    const_mask!(8, |i| Square(sq as u8).step(ALL_STEPS[i]).is_on_board())
});

pub(in crate::backend) fn compute_check_info(board: &Board) -> CheckInfo {
    // With the side as a constant, the compiler specialises all tests.
    match board.side {
        Color::White => compute_for(board, Color::White),
        Color::Black => compute_for(board, Color::Black),
    }
}

#[inline(always)]
fn compute_for(board: &Board, us: Color) -> CheckInfo {
    let them = !us;
    let king = board.king(us);
    // The king's open steps that no piece attacks so far, and always the king's square.
    let mut wanted = u16::from(open_steps(board, king, us)) | KING;
    let mut checkers = 0u16;
    let mut pinned = 0u16;
    let (near, table) = (&NEAR_REACH[them.index()], &AREA_REACH[them.index()]);
    let list = &board.lists[them.index()];
    for (slot, from) in (0..MAX_PIECES).map(|slot| (slot, list[slot])) {
        let piece = board.byte_on(from);
        let delta = from.delta_to(king) as usize;
        if near[delta] & piece.0 == 0 {
            continue;
        }
        let reached = table[piece.kind_index()][delta] & wanted;
        if reached == 0 {
            continue;
        }
        if !piece.is_slider() {
            wanted &= !reached | KING;
            checkers |= (reached / KING) << slot;
            continue;
        }
        if reached & KING != 0 {
            let step = STEP[king.delta_to(from) as usize];
            let first = first_occupied(board, king, step);
            if first == from {
                checkers |= 1 << slot;
            } else if board.byte_on(first).is_color(us)
                && first_occupied(board, first, step) == from
            {
                pinned |= 1 << board.slot_of(us, first);
            }
        }
        let mut steps = reached & !KING;
        while steps != 0 {
            let target = king.step(ALL_STEPS[steps.trailing_zeros() as usize & 7]);
            // The king does not block the ray, so a step away along it is no escape.
            if board.is_clear_without([king], from, target) {
                wanted &= !(steps & steps.wrapping_neg());
            }
            steps &= steps - 1;
        }
    }
    CheckInfo { checkers, pinned, king_moves: wanted as u8 }
}

/// The lines around the enemy king.
pub(in crate::backend) fn king_lines(board: &Board) -> KingLines {
    let (us, king) = (board.side, board.king(!board.side));
    let mut lines = KingLines { near: 0, shields: 0 };
    for step in ALL_STEPS {
        let mut sq = king;
        loop {
            sq = sq.step(step);
            lines.near |= LANE_AT[king.delta_to(sq) as usize];
            if !sq.is_on_board() || !board.byte_on(sq).is_empty() {
                break;
            }
        }
        if sq.is_on_board() && board.byte_on(sq).is_color(us) && board.is_shield(us, sq, step) {
            lines.shields |= LANE_AT[king.delta_to(sq) as usize];
        }
    }
    lines
}

/// Whether the king of the side to move has a legal step.
pub(in crate::backend) fn has_king_move(board: &Board) -> bool {
    board.check_info().king_moves != 0
}

pub(in crate::backend) fn find_checkers(board: &Board) -> u16 {
    let king = board.king(board.side);
    let list = board.list(!board.side);
    (0..MAX_PIECES).fold(0, |mask, slot| mask | u16::from(board.attacks(list[slot], king)) << slot)
}

/// The king's steps to squares of the board without a piece of its own side.
#[inline(always)]
fn open_steps(board: &Board, king: Square, us: Color) -> u8 {
    let mut ours = 0;
    for (i, &step) in ALL_STEPS.iter().enumerate() {
        ours |= u8::from(board.byte_on(king.step(step)).is_color(us)) << i;
    }
    KING_STEPS[king.index()] & !ours
}

/// The first occupied square from `from` along `step`. Without one, this never returns.
#[inline]
fn first_occupied(board: &Board, from: Square, step: Delta) -> Square {
    let mut sq = from.step(step);
    while board.byte_on(sq).is_empty() {
        sq = sq.step(step);
    }
    sq
}
