//! The shape of a network.
//!
//! Nothing of the engine is used here: `build.rs` compiles this file, too.

use std::fmt;

/// Features for pieces in a king bucket, and in a threat plane: two colours, six kinds, 64 squares.
pub const PIECE_FEATURES: usize = 2 * 6 * 64;

/// The most pieces on a board.
pub const MAX_ON_BOARD: usize = 32;

/// The shape of the engine's network. Change it here, build with `CARRYBIT_EVALFILE=none`, and
/// bring the network to the new shape by `workshop convert`.
pub const SHAPE: Shape =
    Shape { neurons: 256, king_buckets: VERSION_5_KING_BUCKETS, threat_planes: 2, outputs: 8 };

/// Neurons of the engine's network, for each perspective.
pub const L1: usize = SHAPE.neurons;

/// King buckets of the engine's network.
pub const KING_BUCKETS: usize = SHAPE.king_bucket_count();

/// Features of the engine's network, for each perspective.
pub const FEATURES: usize = SHAPE.feature_count();

/// Outputs of the engine's network.
pub const OUTPUT_BUCKETS: usize = SHAPE.outputs;

/// Two buckets on the first rank, the second rank, all beyond.
#[rustfmt::skip]
pub(super) const VERSION_5_KING_BUCKETS: [u8; KING_SQUARES] = [
    0, 0, 1, 1,
    2, 2, 2, 2,
    3, 3, 3, 3,
    3, 3, 3, 3,
    3, 3, 3, 3,
    3, 3, 3, 3,
    3, 3, 3, 3,
    3, 3, 3, 3,
];

/// Squares of a king that is mirrored to the files a to d.
pub const KING_SQUARES: usize = 32;

/// The most threat planes: hanging pieces, and those attacked by a lesser piece.
pub const MAX_THREAT_PLANES: usize = 2;

/// The most neurons that a file may have.
pub const MAX_NEURONS: usize = 4096;

/// The shape of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Neurons of the first layer, for each perspective.
    pub neurons: usize,
    /// The king bucket of each square as the king's side sees it, mirrored to the files a to d:
    /// a1, b1, c1, d1, a2 to d8.
    pub king_buckets: [u8; KING_SQUARES],
    /// Features for threats, in planes of [`PIECE_FEATURES`]: none, hanging pieces, or also
    /// pieces attacked by a lesser one.
    pub threat_planes: usize,
    /// Outputs; the number of pieces decides which one is used.
    pub outputs: usize,
}

impl Shape {
    /// The number of king buckets.
    #[inline]
    pub const fn king_bucket_count(&self) -> usize {
        let (mut last, mut sq) = (0, 0);
        while sq < KING_SQUARES {
            if self.king_buckets[sq] > last {
                last = self.king_buckets[sq];
            }
            sq += 1;
        }
        last as usize + 1
    }

    /// The number of features, for each perspective: king bucket by king bucket, then threat
    /// plane by threat plane.
    pub const fn feature_count(&self) -> usize {
        (self.king_bucket_count() + self.threat_planes) * PIECE_FEATURES
    }

    /// The output for positions with this many pieces, 1 to [`MAX_ON_BOARD`].
    #[inline]
    pub const fn output_bucket(&self, pieces: usize) -> usize {
        (pieces - 1) * self.outputs / MAX_ON_BOARD
    }

    /// Whether a network can have this shape: within the limits, and no king bucket is empty.
    pub fn is_valid(&self) -> bool {
        let buckets = 0..self.king_bucket_count().min(KING_SQUARES + 1);
        (1..=MAX_NEURONS).contains(&self.neurons)
            && self.threat_planes <= MAX_THREAT_PLANES
            && (1..=MAX_ON_BOARD).contains(&self.outputs)
            && buckets.into_iter().all(|bucket| self.king_buckets.contains(&(bucket as u8)))
    }

    /// Describes the differences from another shape.
    pub fn difference(&self, other: &Shape) -> String {
        let parts = self.words().into_iter().zip(other.words());
        let parts = parts.filter(|(own, others)| own != others);
        parts.map(|(own, others)| format!("{own}, not {others}")).collect::<Vec<_>>().join("; ")
    }

    /// The king buckets by ranks, from the first; the last one written holds for all beyond.
    fn words(&self) -> [String; 4] {
        let ranks = self.king_buckets.as_chunks::<4>().0;
        let last = ranks.iter().rposition(|rank| rank != &ranks[7]).map_or(0, |rank| rank + 1);
        let digit = |&bucket: &u8| char::from_digit(bucket.into(), 36).unwrap_or('?');
        let ranks: Vec<String> =
            ranks[..=last].iter().map(|rank| rank.iter().map(digit).collect()).collect();
        [
            format!("{} neurons", self.neurons),
            format!("king buckets {}", ranks.join("/")),
            format!("{} threat planes", self.threat_planes),
            format!("{} outputs", self.outputs),
        ]
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words().join(", "))
    }
}
