//! The difference tables, and every question they answer.
//!
//! The difference of two squares says which kinds of piece could move from one
//! to the other on an empty board ([`REACH`]) and by which step ([`STEP`]). If
//! the piece at hand is not in the entry, the answer is no, after one look. If
//! it is a knight, king or pawn, the answer is yes. Only for a slider is the ray
//! walked, and that is rare. Idea: Bruce Moreland, rec.games.chess.computer.
//!
//! [`KingPass`] widens the same table by one ring ([`RING_REACH`]): one look per
//! enemy piece tells how it bears on the king's square and on the eight around
//! it, which yields checks, pins and the squares the king may not enter.

use super::piece::{Color, Kind, Piece};
use super::square::{ALL_STEPS, DIAGONALS, Delta, KNIGHT_JUMPS, ORTHOGONALS, Square};
use super::{Board, KING_SLOT, MAX_PIECES};

/// `REACH[color][delta]`: the kinds, as bits of a [`Piece`] byte, with which a
/// piece of `color` attacks the square `delta` away from it, on an empty board.
pub static REACH: [[u8; 256]; 2] = [reach_table(Color::White), reach_table(Color::Black)];

/// `STEP[delta]`: the unit step that leads along `delta`, or 0 if the two
/// squares share no rank, file or diagonal.
pub static STEP: [Delta; 256] = step_table();

/// `DIRECTION[delta]`: which of [`ALL_STEPS`] leads along `delta`, or which of
/// [`KNIGHT_JUMPS`] it is; 0 if neither.
pub(super) static DIRECTION: [u8; 256] = direction_table();

/// Bit of the king's own square in the masks of [`RING_REACH`].
const CENTER: u16 = 1 << 8;

/// `RING_REACH[color][kind][king - attacker]`: which squares of the king's ring
/// (bit `i`: the king's square plus `ALL_STEPS[i]`; bit 8: the king's square)
/// the attacker bears on, on an empty board. Rows 6 and 7 (no piece) are empty.
static RING_REACH: [[[u16; 256]; 8]; 2] =
    [ring_reach_table(Color::White), ring_reach_table(Color::Black)];

/// `NEAR_REACH[color][king - attacker]`: the kinds, as bits of a [`Piece`] byte,
/// whose masks in [`RING_REACH`] are not empty. Most pieces are asked no more.
static NEAR_REACH: [[u8; 256]; 2] =
    [near_reach_table(Color::White), near_reach_table(Color::Black)];

/// `RING[sq]`: the steps of a king on `sq` that stay on the board, a mask over
/// [`ALL_STEPS`].
static RING: [u8; 128] = ring_table();

const fn step_table() -> [Delta; 256] {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 8 {
        let mut delta = 0u8;
        let mut distance = 1;
        while distance < 8 {
            delta = delta.wrapping_add(ALL_STEPS[i]);
            table[delta as usize] = ALL_STEPS[i];
            distance += 1;
        }
        i += 1;
    }
    table
}

const fn direction_table() -> [u8; 256] {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 8 {
        let mut distance = 1;
        while distance < 8 {
            table[ALL_STEPS[i].wrapping_mul(distance) as usize] = i as u8;
            distance += 1;
        }
        table[KNIGHT_JUMPS[i] as usize] = i as u8;
        i += 1;
    }
    table
}

/// The row of [`REACH`] of that colour.
pub(super) const fn reach_table(color: Color) -> [u8; 256] {
    const BISHOPLIKE: u8 = Kind::Bishop.bit() | Kind::Queen.bit();
    const ROOKLIKE: u8 = Kind::Rook.bit() | Kind::Queen.bit();
    let mut table = [0; 256];
    let mut i = 0;
    while i < 4 {
        let mut distance = 1;
        while distance < 8 {
            table[DIAGONALS[i].wrapping_mul(distance) as usize] |= BISHOPLIKE;
            table[ORTHOGONALS[i].wrapping_mul(distance) as usize] |= ROOKLIKE;
            distance += 1;
        }
        i += 1;
    }
    let mut i = 0;
    while i < 8 {
        table[ALL_STEPS[i] as usize] |= Kind::King.bit();
        table[KNIGHT_JUMPS[i] as usize] |= Kind::Knight.bit();
        i += 1;
    }
    let forward = color.forward();
    table[forward.wrapping_add(1) as usize] |= Kind::Pawn.bit();
    table[forward.wrapping_sub(1) as usize] |= Kind::Pawn.bit();
    table
}

const fn ring_reach_table(color: Color) -> [[u16; 256]; 8] {
    let reach = reach_table(color);
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

/// What one look over the enemy's pieces tells about the king of the side to
/// move; see [`Board::pass`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct KingPass {
    /// The enemy pieces that give check, a mask over the slots of their list.
    pub checkers: u16,
    /// Our pieces that shield the king from a slider: a mask over the slots of
    /// our list. Such a piece may move only along the line through the king.
    pub pinned: u16,
    /// The steps the king may take, a mask over [`ALL_STEPS`]: on the board, not
    /// onto a piece of ours, not into an attack.
    pub ring: u8,
}

impl KingPass {
    /// Looks around the king of the side to move.
    pub(super) fn look_portably(board: &Board) -> KingPass {
        // With the side as a constant the compiler builds it into each question.
        match board.side {
            Color::White => KingPass::look_for(board, Color::White),
            Color::Black => KingPass::look_for(board, Color::Black),
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
}

/// What has been found of a position's [`KingPass`], in one word.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(super) struct Seen(u64);

impl Seen {
    /// Nothing yet.
    pub(super) const NOTHING: Seen = Seen(0);
    /// From which bit on the pinned slots lie,
    const PINNED: u32 = 16;
    /// and the steps of the ring.
    const RING: u32 = 32;
    /// Set if the checkers are known.
    const CHECKERS_KNOWN: u64 = 1 << 40;
    /// Set if everything is known.
    const ALL_KNOWN: u64 = 1 << 41;

    /// The checkers, and nothing else.
    #[inline]
    pub(super) fn only(checkers: u16) -> Seen {
        Seen(u64::from(checkers) | Seen::CHECKERS_KNOWN)
    }

    /// All of it.
    #[inline]
    pub(super) fn all(pass: KingPass) -> Seen {
        let KingPass { checkers, pinned, ring } = pass;
        let rest = u64::from(pinned) << Seen::PINNED | u64::from(ring) << Seen::RING;
        Seen(u64::from(checkers) | rest | Seen::CHECKERS_KNOWN | Seen::ALL_KNOWN)
    }

    /// The pass, if all of it is known.
    #[inline]
    pub(super) fn pass(self) -> Option<KingPass> {
        (self.0 & Seen::ALL_KNOWN != 0).then_some(KingPass {
            checkers: self.0 as u16,
            pinned: (self.0 >> Seen::PINNED) as u16,
            ring: (self.0 >> Seen::RING) as u8,
        })
    }

    /// [`KingPass::checkers`], if they are known.
    #[inline]
    pub(super) fn checkers(self) -> Option<u16> {
        (self.0 & Seen::CHECKERS_KNOWN != 0).then_some(self.0 as u16)
    }
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

impl Board {
    /// Whether the squares strictly between `from` and `to` are empty. The two
    /// must share a line.
    #[inline]
    #[must_use]
    pub fn is_clear_between(&self, from: Square, to: Square) -> bool {
        let step = STEP[from.delta_to(to) as usize];
        debug_assert!(step != 0);
        let mut sq = from.step(step);
        while sq != to {
            if !self.piece_on(sq).is_empty() {
                return false;
            }
            sq = sq.step(step);
        }
        true
    }

    /// Whether the piece on `from` attacks `to` (pawns: by capture).
    #[inline]
    #[must_use]
    pub fn attacks(&self, from: Square, to: Square) -> bool {
        let piece = self.piece_on(from);
        let Some(color) = piece.color() else {
            return false;
        };
        REACH[color.index()][from.delta_to(to) as usize] & piece.0 != 0
            && (!piece.is_slider() || self.is_clear_between(from, to))
    }

    /// Whether a piece of `by` attacks `sq`.
    #[must_use]
    pub fn is_attacked(&self, sq: Square, by: Color) -> bool {
        let reach = &REACH[by.index()];
        self.lists[by.index()].iter().any(|&from| {
            let piece = self.piece_on(from);
            reach[from.delta_to(sq) as usize] & piece.0 != 0
                && (!piece.is_slider() || self.is_clear_between(from, sq))
        })
    }

    /// [`KingPass::checkers`], asked of each enemy piece.
    pub(super) fn find_checkers_portably(&self) -> u16 {
        let king = self.king(self.side);
        let list = self.list(!self.side);
        (0..MAX_PIECES)
            .fold(0, |mask, slot| mask | u16::from(self.attacks(list[slot], king)) << slot)
    }

    /// The slider of `us` that a move from `from` to `to` uncovers against the
    /// enemy king: the first piece behind `from`, seen from the king, unless the
    /// move stays on that line. The move may have been made already or not.
    #[inline]
    pub(super) fn discovered_checker(&self, us: Color, from: Square, to: Square) -> Option<Square> {
        let king = self.king(!us);
        let step = STEP[king.delta_to(from) as usize];
        if step == 0 || STEP[king.delta_to(to) as usize] == step {
            return None;
        }
        let mut sq = king.step(step);
        while sq.is_on_board() && (sq == from || self.piece_on(sq).is_empty()) {
            sq = sq.step(step);
        }
        let piece = self.piece_on(sq);
        let attacks = sq.is_on_board()
            && piece.is_color(us)
            && piece.is_slider()
            && REACH[us.index()][sq.delta_to(king) as usize] & piece.0 != 0;
        attacks.then_some(sq)
    }

    /// The squares of the pieces that give check, at most two in play.
    pub fn checkers(&self) -> impl Iterator<Item = Square> + '_ {
        let list = self.list(!self.side);
        let checkers = self.checker_slots();
        (0..MAX_PIECES).filter(move |slot| checkers >> slot & 1 != 0).map(|slot| list[slot])
    }

    /// The squares of our pieces that are pinned to our king.
    pub fn pinned(&self) -> impl Iterator<Item = Square> + '_ {
        let list = self.list(self.side);
        let pinned = self.pass().pinned;
        (0..MAX_PIECES).filter(move |slot| pinned >> slot & 1 != 0).map(|slot| list[slot])
    }

    /// Whether our king would be safe after our pawn on `from` captured en
    /// passant on `ep`. Two pawns leave their line at once there, which neither
    /// pins nor checkers foresee, so every enemy piece is asked anew.
    pub(super) fn is_en_passant_safe(&self, from: Square, ep: Square) -> bool {
        let them = !self.side;
        let king = self.lists[self.side.index()][KING_SLOT];
        let victim = ep.step(them.forward());
        let is_empty =
            |sq: Square| sq != ep && (self.piece_on(sq).is_empty() || sq == from || sq == victim);
        self.lists[them.index()].iter().filter(|&&attacker| attacker != victim).all(|&attacker| {
            let piece = self.piece_on(attacker);
            let delta = attacker.delta_to(king);
            if REACH[them.index()][delta as usize] & piece.0 == 0 {
                return true;
            }
            if !piece.is_slider() {
                return false;
            }
            let step = STEP[delta as usize];
            let mut sq = attacker.step(step);
            while is_empty(sq) && sq != king {
                sq = sq.step(step);
            }
            sq != king
        })
    }

    /// Whether some pawn of the side to move may capture en passant on `ep`.
    pub(super) fn has_en_passant(&self, ep: Square) -> bool {
        let pawn = Piece::new(self.side, Kind::Pawn);
        self.en_passant_origins(ep)
            .into_iter()
            .any(|from| self.piece_on(from) == pawn && self.is_en_passant_safe(from, ep))
    }

    /// The two squares from which a pawn of the side to move captures on `ep`;
    /// one may be off the board, where no piece stands.
    #[inline]
    pub(super) fn en_passant_origins(&self, ep: Square) -> [Square; 2] {
        let behind = ep.step((!self.side).forward());
        [behind.step(super::square::WEST), behind.step(super::square::EAST)]
    }
}
