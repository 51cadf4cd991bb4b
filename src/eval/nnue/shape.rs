//! The shape of a network: neurons, king buckets, threat planes, output buckets.

use std::fmt;

/// Features of a king bucket, or of a threat plane: two colours, six kinds, 64 squares.
pub const PIECE_FEATURES: usize = 2 * 6 * 64;

/// The most pieces on a board.
pub const MAX_ON_BOARD: usize = 32;

/// Neurons of the second layer, for each output bucket.
pub const L2: usize = 16;

/// Neurons of the third layer, for each output bucket.
pub const L3: usize = 32;

/// The squares of a king, which mirroring brings to the files a to d.
pub const KING_SQUARES: usize = 32;

/// The most threat planes: hanging pieces, and pieces that a lesser piece attacks.
pub const MAX_THREAT_PLANES: usize = 2;

/// The most neurons of a network file.
pub const MAX_NEURONS: usize = 4096;

/// The shape of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Neurons of the first layer, for each perspective; an even number.
    pub neurons: usize,
    /// The king bucket of each square in the king's perspective, mirrored to the files a to d:
    /// a1, b1, c1, d1, a2 to d8.
    pub king_buckets: [u8; KING_SQUARES],
    /// Planes of threat inputs: 0, 1 (hanging pieces), or 2 (also pieces that a lesser piece
    /// attacks).
    pub threat_planes: usize,
    /// Output buckets; the number of pieces chooses one.
    pub outputs: usize,
}

impl Shape {
    /// The shape of the engine's own network: a king bucket for each square of the first rank and
    /// half of the second, one for the third rank, one for the rest.
    #[rustfmt::skip]
    pub const DEFAULT: Shape = Shape {
        neurons: 512,
        king_buckets: [
            0, 1, 2, 3,
            4, 4, 5, 5,
            6, 6, 6, 6,
            7, 7, 7, 7,
            7, 7, 7, 7,
            7, 7, 7, 7,
            7, 7, 7, 7,
            7, 7, 7, 7,
        ],
        threat_planes: 2,
        outputs: 8,
    };

    /// The number of king buckets.
    #[inline]
    pub const fn king_bucket_count(&self) -> usize {
        (u64::BITS - self.used_king_buckets().leading_zeros()) as usize
    }

    /// A bit for each king bucket in use; the top bit for numbers that are too large.
    const fn used_king_buckets(&self) -> u64 {
        let (mut used, mut sq) = (0, 0);
        while sq < KING_SQUARES {
            let bucket = self.king_buckets[sq];
            used |= 1 << if bucket < 63 { bucket } else { 63 };
            sq += 1;
        }
        used
    }

    /// The number of features, for each perspective: king buckets, then threat planes.
    pub const fn feature_count(&self) -> usize {
        (self.king_bucket_count() + self.threat_planes) * PIECE_FEATURES
    }

    /// The output bucket for a number of pieces, 1 to [`MAX_ON_BOARD`].
    #[inline]
    pub const fn output_bucket(&self, pieces: usize) -> usize {
        (pieces - 1) * self.outputs / MAX_ON_BOARD
    }

    /// Whether the shape is within the limits and no king bucket is empty.
    pub const fn is_valid(&self) -> bool {
        let used = self.used_king_buckets();
        used < 1 << KING_SQUARES
            && (used + 1).is_power_of_two()
            && self.neurons >= 2
            && self.neurons <= MAX_NEURONS
            && self.neurons.is_multiple_of(2)
            && self.threat_planes <= MAX_THREAT_PLANES
            && self.outputs >= 1
            && self.outputs <= MAX_ON_BOARD
    }

    /// Describes the differences from another shape.
    pub fn difference(&self, other: &Shape) -> String {
        let parts = self.words().into_iter().zip(other.words());
        let parts = parts.filter(|(own, others)| own != others);
        parts.map(|(own, others)| format!("{own}, not {others}")).collect::<Vec<_>>().join("; ")
    }

    /// King buckets are written by ranks, from the first; the last one holds for the rest.
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
