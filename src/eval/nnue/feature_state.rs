//! Snapshots of the network's inputs, and the difference between two.

use carrybit_board::{Board, PieceByte, ThreatFeatures};

use super::features::input;
use super::network::{MAX_ON_BOARD, SHAPE};

/// The pieces of a position, a byte for each square and a word for each rank, and the threat
/// features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub(super) struct FeatureState {
    pub(super) pieces: [u64; 8],
    pub(super) threats: ThreatFeatures,
}

impl FeatureState {
    pub(super) const EMPTY: FeatureState = FeatureState {
        pieces: [0; 8],
        threats: ThreatFeatures { hanging: 0, attacked_by_lesser: 0 },
    };

    #[inline]
    pub(super) fn of(board: &Board) -> FeatureState {
        FeatureState { pieces: board.packed(), threats: board.threat_features() }
    }

    /// This state without the piece on square `sq`, 0 to 63. Threats to other pieces stay.
    pub(super) fn without(mut self, sq: usize) -> FeatureState {
        self.pieces[sq / 8] &= !(0xff << (8 * (sq % 8)));
        self.threats.hanging &= !(1 << sq);
        self.threats.attacked_by_lesser &= !(1 << sq);
        self
    }

    #[inline]
    fn piece(&self, sq: usize) -> u8 {
        (self.pieces[sq / 8] >> (8 * (sq % 8))) as u8
    }

    /// Writes to `diff` the inputs added and removed since `before`. (With AVX-512, `avx512.rs` does
    /// it.)
    #[inline]
    pub(super) fn diff(&self, before: &FeatureState, diff: &mut FeatureDiff) {
        self.diff_on(self.changed_squares(before), before, diff);
    }

    /// Like [`diff`](FeatureState::diff); the pieces differ on the `changed` squares.
    #[inline]
    pub(super) fn diff_on(&self, changed: u64, before: &FeatureState, diff: &mut FeatureDiff) {
        let FeatureDiff { added, removed, .. } = diff;
        // As locals, the lengths stay in registers.
        let (mut added_len, mut removed_len) = (0, 0);
        for sq in bits(changed) {
            let (old, new) = (before.piece(sq), self.piece(sq));
            push_if(old != 0, 0, old, sq, removed, &mut removed_len);
            push_if(new != 0, 0, new, sq, added, &mut added_len);
        }
        let (old, new) = (&before.threats, &self.threats);
        let planes = [(old.hanging, new.hanging), (old.attacked_by_lesser, new.attacked_by_lesser)];
        for (plane, (old, new)) in planes.into_iter().enumerate().take(SHAPE.threat_planes) {
            for sq in bits(old & (changed | !new)) {
                push_if(true, 1 + plane, before.piece(sq), sq, removed, &mut removed_len);
            }
            for sq in bits(new & (changed | !old)) {
                push_if(true, 1 + plane, self.piece(sq), sq, added, &mut added_len);
            }
        }
        (diff.added_len, diff.removed_len) = (added_len, removed_len);
    }

    /// The squares on which the pieces differ, a bit for each.
    #[inline]
    fn changed_squares(&self, other: &FeatureState) -> u64 {
        const LOW_BITS: u64 = u64::from_le_bytes([0x7f; 8]);
        // A factor that collects the top bits of eight bytes in the top byte.
        const GATHER: u64 = 0x0002_0408_1020_4081;
        (0..8).fold(0, |squares, rank| {
            let bytes = self.pieces[rank] ^ other.pieces[rank];
            // The top bit of each byte that is not zero.
            let tops = (((bytes & LOW_BITS) + LOW_BITS) | bytes) & !LOW_BITS;
            squares | (tops.wrapping_mul(GATHER) >> 56) << (8 * rank)
        })
    }
}

#[inline]
fn bits(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let bit = set.trailing_zeros() as usize;
            set &= set - 1;
            bit % 64
        })
    })
}

const MAX_INPUTS: usize = MAX_ON_BOARD * (1 + SHAPE.threat_planes);

/// Inputs that one write may store, of which only the first few may count.
pub(super) const SLACK: usize = MAX_ON_BOARD;

/// Room for all inputs and for the last write; a power of two.
pub(super) const ROOM: usize = (MAX_INPUTS + SLACK).next_power_of_two();

/// Appends an input if `wanted`, without a branch, which the processor could not predict.
#[inline]
fn push_if(
    wanted: bool,
    part: usize,
    piece: u8,
    sq: usize,
    list: &mut [u16; ROOM],
    len: &mut usize,
) {
    list[*len % ROOM] = input(part, PieceByte(piece), sq);
    *len += usize::from(wanted);
}

/// The [inputs](input) in which two positions differ, for all perspectives.
#[derive(Clone, Debug)]
pub(super) struct FeatureDiff {
    pub(super) added: [u16; ROOM],
    pub(super) added_len: usize,
    pub(super) removed: [u16; ROOM],
    pub(super) removed_len: usize,
}

impl FeatureDiff {
    pub(super) const NONE: FeatureDiff =
        FeatureDiff { added: [0; ROOM], added_len: 0, removed: [0; ROOM], removed_len: 0 };

    #[inline]
    pub(super) fn added(&self) -> &[u16] {
        &self.added[..self.added_len.min(ROOM)]
    }

    #[inline]
    pub(super) fn removed(&self) -> &[u16] {
        &self.removed[..self.removed_len.min(ROOM)]
    }
}
