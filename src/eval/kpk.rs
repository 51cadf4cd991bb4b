//! King and pawn against king, by a bitbase (idea: M. R. B. Clarke, 1977).
//!
//! Retrograde analysis from the promotions computes it in a few dozen milliseconds, at first
//! use or by [`prepare`]. `tests/engine/tablebase_search.rs` compares it with the tablebase.

use std::sync::LazyLock;

use carrybit_board::square::{ALL_STEPS, NORTH, NORTH_EAST, NORTH_WEST};
use carrybit_board::{Board, Color, Square};

/// The ranks of a pawn that has not moved, and of one about to promote.
const FIRST_RANK: u8 = 1;
const LAST_RANK: u8 = 6;
/// The files a to d. A position with the pawn on another file is mirrored.
const FILES: u8 = 4;
const PAWN_SQUARES: usize = (LAST_RANK - FIRST_RANK + 1) as usize * FILES as usize;

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
    let position = KpkPosition {
        pawn: normalised(pawn),
        king: normalised(board.king(strong)),
        bare: normalised(board.king(!strong)),
        strong_to_move: board.side() == strong,
    };
    BITBASE.is_won(position)
}

/// A position in which the pawn moves up the board on one of the four left files.
#[derive(Clone, Copy)]
struct KpkPosition {
    pawn: Square,
    king: Square,
    bare: Square,
    strong_to_move: bool,
}

impl KpkPosition {
    fn index(self) -> usize {
        let pawn = (self.pawn.rank() - FIRST_RANK) * FILES + self.pawn.file();
        let squares = (usize::from(pawn) * 64 + self.king.to_64()) * 64 + self.bare.to_64();
        squares * 2 + usize::from(self.strong_to_move)
    }

    /// Whether the three squares differ and the kings are not adjacent.
    fn is_sound(self) -> bool {
        self.king.distance_to(self.bare) > 1 && self.pawn != self.king && self.pawn != self.bare
    }

    fn pawn_attacks(self, sq: Square) -> bool {
        self.pawn.step(NORTH_WEST) == sq || self.pawn.step(NORTH_EAST) == sq
    }

    fn has_king_on(self, sq: Square) -> bool {
        sq == self.king || sq == self.bare
    }
}

/// By [`KpkPosition::index`], whether the pawn's side wins.
struct Bitbase(Vec<bool>);

impl Bitbase {
    fn new() -> Bitbase {
        let mut bitbase = Bitbase(vec![false; PAWN_SQUARES * 64 * 64 * 2]);
        // From the last rank backwards, because the moves of a pawn lead to later ranks.
        for rank in (FIRST_RANK..=LAST_RANK).rev() {
            (0..FILES).for_each(|file| bitbase.add_pawn(Square::new(file, rank)));
        }
        bitbase
    }

    fn is_won(&self, position: KpkPosition) -> bool {
        self.0[position.index()]
    }

    /// Finds the won positions with this pawn: those that a pawn move wins, then their
    /// predecessors.
    fn add_pawn(&mut self, pawn: Square) {
        // Won positions with predecessors to examine.
        let mut fresh = Vec::new();
        for king in Square::all() {
            for bare in Square::all() {
                let position = KpkPosition { pawn, king, bare, strong_to_move: true };
                if position.is_sound() && self.pawn_wins(position) {
                    self.0[position.index()] = true;
                    fresh.push(position);
                }
            }
        }
        while let Some(won) = fresh.pop() {
            let moved = if won.strong_to_move { won.bare } else { won.king };
            for sq in steps(moved) {
                let mut before = KpkPosition { strong_to_move: !won.strong_to_move, ..won };
                if before.strong_to_move {
                    before.king = sq;
                } else {
                    before.bare = sq;
                }
                if before.is_sound()
                    && !self.is_won(before)
                    && (before.strong_to_move || self.bare_king_loses(before))
                {
                    self.0[before.index()] = true;
                    fresh.push(before);
                }
            }
        }
    }

    fn pawn_wins(&self, position: KpkPosition) -> bool {
        let KpkPosition { pawn, king, bare, .. } = position;
        let ahead = pawn.step(NORTH);
        if position.has_king_on(ahead) {
            return false;
        }
        if pawn.rank() == LAST_RANK {
            // A new queen wins unless the king captures it. (If it gives stalemate, a rook wins.)
            return bare.distance_to(ahead) > 1 || king.distance_to(ahead) == 1;
        }
        let wins_on = |pawn| self.is_won(KpkPosition { pawn, strong_to_move: false, ..position });
        let beyond = ahead.step(NORTH);
        wins_on(ahead)
            || pawn.rank() == FIRST_RANK && !position.has_king_on(beyond) && wins_on(beyond)
    }

    /// Whether the bare king has moves, and all of them lead to won positions.
    fn bare_king_loses(&self, position: KpkPosition) -> bool {
        let is_legal = |to: Square| position.king.distance_to(to) > 1 && !position.pawn_attacks(to);
        let mut moves = steps(position.bare).filter(|&to| is_legal(to)).peekable();
        let loses = |bare| self.is_won(KpkPosition { bare, strong_to_move: true, ..position });
        // The capture of the pawn draws.
        moves.peek().is_some() && moves.all(|to| to != position.pawn && loses(to))
    }
}

fn steps(sq: Square) -> impl Iterator<Item = Square> {
    ALL_STEPS.into_iter().map(move |step| sq.step(step)).filter(|to| to.is_on_board())
}
