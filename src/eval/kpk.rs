//! King and pawn against king, by a bitbase (idea: M. R. B. Clarke, 1977).
//!
//! Retrograde analysis from the promotions computes it at first use or by [`prepare`], for all
//! squares of the bare king at once. `tests/engine/tablebase_search.rs` compares it with the
//! tablebase.

use std::sync::LazyLock;

use carrybit_board::square::{ALL_STEPS, NORTH, NORTH_EAST, NORTH_WEST};
use carrybit_board::{Board, Color, Square};

/// The ranks of a pawn that has not moved, and of one about to promote.
const FIRST_RANK: u8 = 1;
const LAST_RANK: u8 = 6;
/// The files a to d. A position with the pawn on another file is mirrored.
const FILES: u8 = 4;
const PAWN_SQUARES: usize = (LAST_RANK - FIRST_RANK + 1) as usize * FILES as usize;

/// A set of squares of the bare king, a bit for each [`Square::to_64`].
type Squares = u64;

static BITBASE: LazyLock<Bitbase> = LazyLock::new(Bitbase::new);

/// Computes the KPK bitbase. Call it before a clock runs.
pub fn prepare() {
    LazyLock::force(&BITBASE);
}

/// Whether `strong`, with its king and the pawn on `pawn`, wins against the bare king.
pub(super) fn is_won(board: &Board, strong: Color, pawn: Square) -> bool {
    let normalised = |sq: Square| {
        let sq = if strong == Color::White { sq } else { sq.flip_rank() };
        if pawn.file() < FILES { sq } else { sq.flip_file() }
    };
    let won = BITBASE.0[pawn_index(normalised(pawn))][usize::from(board.side() == strong)];
    let [king, bare] = [strong, !strong].map(|color| normalised(board.king(color)));
    won[king.to_64()] & set(bare) != 0
}

fn pawn_index(pawn: Square) -> usize {
    usize::from((pawn.rank() - FIRST_RANK) * FILES + pawn.file())
}

/// By pawn, whether its side is to move, and its king: the squares of the bare king where the
/// pawn's side wins. The pawn moves up the board on one of the four left files.
struct Bitbase([[[Squares; 64]; 2]; PAWN_SQUARES]);

impl Bitbase {
    fn new() -> Bitbase {
        let mut bitbase = Bitbase([[[0; 64]; 2]; PAWN_SQUARES]);
        // From the last rank backwards, because the moves of a pawn lead to later ranks.
        for rank in (FIRST_RANK..=LAST_RANK).rev() {
            for pawn in (0..FILES).map(|file| Square::new(file, rank)) {
                bitbase.0[pawn_index(pawn)] = bitbase.won(pawn);
            }
        }
        bitbase
    }

    /// The won positions with this pawn: those that a pawn move wins, then their predecessors.
    fn won(&self, pawn: Square) -> [[Squares; 64]; 2] {
        let pawn_attacks = set(pawn.step(NORTH_WEST)) | set(pawn.step(NORTH_EAST));
        let [mut to_wait, mut to_move] = [[0; 64]; 2];
        for king in Square::all().filter(|&king| king != pawn) {
            to_move[king.to_64()] = sound(pawn, king) & self.won_by_pawn_move(pawn, king);
        }
        loop {
            let before = to_move;
            for king in Square::all().filter(|&king| king != pawn) {
                let legal = !near(king) & !pawn_attacks;
                // The capture of the pawn draws: its square is in no set.
                let escapes = legal & !to_move[king.to_64()];
                to_wait[king.to_64()] =
                    sound(pawn, king) & neighbours(legal) & !neighbours(escapes);
            }
            for king in Square::all().filter(|&king| king != pawn) {
                for to in ALL_STEPS.map(|step| king.step(step)) {
                    if to.is_on_board() {
                        to_move[king.to_64()] |= sound(pawn, king) & to_wait[to.to_64()];
                    }
                }
            }
            if to_move == before {
                return [to_wait, to_move];
            }
        }
    }

    /// The squares of the bare king where the pawn's next move wins.
    fn won_by_pawn_move(&self, pawn: Square, king: Square) -> Squares {
        let ahead = pawn.step(NORTH);
        if king == ahead {
            return 0;
        }
        if pawn.rank() == LAST_RANK {
            // A new queen wins unless the king captures it. (If it gives stalemate, a rook wins.)
            let is_defended = king.distance_to(ahead) == 1;
            return !if is_defended { set(ahead) } else { near(ahead) };
        }
        let won_on = |pawn| self.0[pawn_index(pawn)][0][king.to_64()];
        let beyond = ahead.step(NORTH);
        let by_double_step = if pawn.rank() == FIRST_RANK { won_on(beyond) } else { 0 };
        won_on(ahead) | by_double_step & !set(ahead)
    }
}

/// The squares of the bare king that are neither the pawn's nor on or next to the king's.
fn sound(pawn: Square, king: Square) -> Squares {
    !near(king) & !set(pawn)
}

fn set(sq: Square) -> Squares {
    if sq.is_on_board() { 1 << sq.to_64() } else { 0 }
}

/// The square and those next to it.
fn near(sq: Square) -> Squares {
    set(sq) | neighbours(set(sq))
}

/// The squares next to those of the set.
fn neighbours(squares: Squares) -> Squares {
    const FILE_A: Squares = 0x0101_0101_0101_0101;
    const FILE_H: Squares = FILE_A << 7;
    let beside = (squares & !FILE_H) << 1 | (squares & !FILE_A) >> 1;
    let rank = squares | beside;
    beside | rank << 8 | rank >> 8
}
