//! The terms of the evaluation: which there are, and what they mean.
//!
//! A term is one weight. Terms come in groups that follow each other in one
//! array, so that the tuner can treat all of them alike; a group says where its
//! terms lie and how they are told apart. There are two arrays: the linear terms
//! have a [`Tapered`](super::tapered::Tapered) weight in centipawns each, the
//! danger terms a plain one in units of danger (see [`king`](super::king)).
//!
//! "Rank" is always seen from the side whose term it is: 0 is its back rank.

/// Terms that follow each other in the array of weights.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// What the generated weights call it.
    pub name: &'static str,
    /// The first term.
    pub first: usize,
    /// How many terms there are.
    pub len: usize,
}

impl Group {
    const fn first(name: &'static str, len: usize) -> Group {
        Group { name, first: 0, len }
    }

    const fn then(self, name: &'static str, len: usize) -> Group {
        Group { name, first: self.end(), len }
    }

    /// One past the last term.
    #[must_use]
    pub const fn end(self) -> usize {
        self.first + self.len
    }

    /// The term with that `index` in the group.
    #[inline]
    #[must_use]
    pub const fn at(self, index: usize) -> usize {
        debug_assert!(index < self.len);
        self.first + index
    }
}

/// A piece on the board, pawn to queen.
pub const MATERIAL: Group = Group::first("material", 5);
/// A piece on its square: six blocks of 64, pawn to king, each from a1 to h8.
pub const PLACEMENT: Group = MATERIAL.then("placement", 6 * 64);
/// Having two bishops or more.
pub const BISHOP_PAIR: Group = PLACEMENT.then("bishop pair", 1);
/// Having the move.
pub const TEMPO: Group = BISHOP_PAIR.then("tempo", 1);

/// A pawn with one of its own further up its file.
pub const PAWN_DOUBLED: Group = TEMPO.then("doubled pawn", 1);
/// A pawn without neighbours on either file; by whether an enemy pawn stands
/// somewhere before it.
pub const PAWN_ISOLATED: Group = PAWN_DOUBLED.then("isolated pawn", 2);
/// A pawn whose neighbours are all ahead of it and whose next square an enemy
/// pawn guards; by whether an enemy pawn stands somewhere before it.
pub const PAWN_BACKWARD: Group = PAWN_ISOLATED.then("backward pawn", 2);
/// A pawn that another one protects, by rank.
pub const PAWN_PROTECTED: Group = PAWN_BACKWARD.then("protected pawn", 8);
/// A pawn with another one beside it, by rank.
pub const PAWN_PHALANX: Group = PAWN_PROTECTED.then("phalanx", 8);

/// A pawn that can become a passed one because none stands before it on its file
/// and its helpers are as many as the guards, by rank.
pub const PAWN_CANDIDATE: Group = PAWN_PHALANX.then("candidate", 8);

/// A pawn that no enemy pawn can stop or take any more, by rank.
pub const PASSED: Group = PAWN_CANDIDATE.then("passed pawn", 8);
/// A piece stands on the next square of a passed pawn, by rank.
pub const PASSED_BLOCKED: Group = PASSED.then("passed, blocked", 8);
/// The next square of a passed pawn is empty and not attacked, by rank.
pub const PASSED_FREE: Group = PASSED_BLOCKED.then("passed, free to step", 8);
/// An own piece covers the next square of a passed pawn, by rank.
pub const PASSED_COVERED: Group = PASSED_FREE.then("passed, next square covered", 8);
/// A rook on the file behind a passed pawn, its own or an enemy one.
pub const PASSED_ROOK_BEHIND: Group = PASSED_COVERED.then("rook behind a passed pawn", 2);
/// King steps from the own king to a passed pawn's next square, by rank.
pub const PASSED_OWN_KING: Group = PASSED_ROOK_BEHIND.then("passed, own king's distance", 8);
/// King steps from the enemy king to a passed pawn's next square, by rank.
pub const PASSED_THEIR_KING: Group = PASSED_OWN_KING.then("passed, enemy king's distance", 8);
/// A passed pawn that a bare king, alone with its pawns, cannot catch.
pub const PASSED_UNSTOPPABLE: Group = PASSED_THEIR_KING.then("passed, unstoppable", 1);

/// A knight, by how many squares it can go to safely.
pub const KNIGHT_MOBILITY: Group = PASSED_UNSTOPPABLE.then("knight mobility", 9);
/// A bishop, by how many squares it can go to safely.
pub const BISHOP_MOBILITY: Group = KNIGHT_MOBILITY.then("bishop mobility", 14);
/// A rook, by how many squares it can go to safely.
pub const ROOK_MOBILITY: Group = BISHOP_MOBILITY.then("rook mobility", 15);
/// A queen, by how many squares it can go to safely.
pub const QUEEN_MOBILITY: Group = ROOK_MOBILITY.then("queen mobility", 28);

/// A knight or bishop (in this order) beyond the third rank that a pawn
/// protects and that no enemy pawn can ever drive away.
pub const OUTPOST: Group = QUEEN_MOBILITY.then("outpost", 2);
/// King steps of a knight or bishop (in this order) from its own king.
pub const MINOR_FROM_KING: Group = OUTPOST.then("minor's distance from its king", 2);
/// An own pawn on the colour of a bishop's squares.
pub const BISHOP_PAWNS: Group = MINOR_FROM_KING.then("bishop's own pawns", 1);
/// A rook on a file without own pawns: with enemy pawns, or without any.
pub const ROOK_FILE: Group = BISHOP_PAWNS.then("rook on an open file", 2);

/// A knight, bishop, rook or queen of theirs that a pawn attacks.
pub const THREAT_BY_PAWN: Group = ROOK_FILE.then("threat by pawn", 4);
/// A knight, bishop, rook or queen of theirs that a knight or bishop attacks.
pub const THREAT_BY_MINOR: Group = THREAT_BY_PAWN.then("threat by minor", 4);
/// A knight, bishop, rook or queen of theirs that a rook attacks.
pub const THREAT_BY_ROOK: Group = THREAT_BY_MINOR.then("threat by rook", 4);
/// A pawn's safe step would attack a piece of theirs.
pub const THREAT_OF_PUSH: Group = THREAT_BY_ROOK.then("threat of a push", 1);
/// A pawn or a piece (in this order) of theirs attacked twice and defended by a
/// single piece.
pub const OVERLOADED: Group = THREAT_OF_PUSH.then("overloaded defender", 2);
/// A pawn or a piece (in this order) of theirs attacked and not defended.
pub const HANGING: Group = OVERLOADED.then("hanging", 2);

/// The own pawn nearest before the king on one of three files: four blocks, by
/// the file's distance from the edge, of eight by the pawn's rank; 0 if none.
pub const SHELTER: Group = HANGING.then("king's shelter", 4 * 8);
/// The enemy pawn nearest before the king on one of three files: free to come
/// nearer or rammed against an own pawn, each by its rank; 0 if none.
pub const STORM: Group = SHELTER.then("pawn storm", 2 * 8);

/// How many linear terms there are.
pub const LINEAR_COUNT: usize = STORM.end();

/// All groups of linear terms, in the order of the array.
pub const LINEAR: [Group; 34] = [
    MATERIAL,
    PLACEMENT,
    BISHOP_PAIR,
    TEMPO,
    PAWN_DOUBLED,
    PAWN_ISOLATED,
    PAWN_BACKWARD,
    PAWN_PROTECTED,
    PAWN_PHALANX,
    PAWN_CANDIDATE,
    PASSED,
    PASSED_BLOCKED,
    PASSED_FREE,
    PASSED_COVERED,
    PASSED_ROOK_BEHIND,
    PASSED_OWN_KING,
    PASSED_THEIR_KING,
    PASSED_UNSTOPPABLE,
    KNIGHT_MOBILITY,
    BISHOP_MOBILITY,
    ROOK_MOBILITY,
    QUEEN_MOBILITY,
    OUTPOST,
    MINOR_FROM_KING,
    BISHOP_PAWNS,
    ROOK_FILE,
    THREAT_BY_PAWN,
    THREAT_BY_MINOR,
    THREAT_BY_ROOK,
    THREAT_OF_PUSH,
    OVERLOADED,
    HANGING,
    SHELTER,
    STORM,
];

/// A knight, bishop, rook or queen that attacks the king's zone.
pub const DANGER_ATTACKER: Group = Group::first("attacker", 4);
/// A square of the zone that is attacked.
pub const DANGER_ATTACKED: Group = DANGER_ATTACKER.then("attacked square", 1);
/// A square of the zone that is attacked twice.
pub const DANGER_ATTACKED_TWICE: Group = DANGER_ATTACKED.then("square attacked twice", 1);
/// An attacked square of the zone that only king and queen defend, if anything.
pub const DANGER_WEAK: Group = DANGER_ATTACKED_TWICE.then("weak square", 1);
/// A square from where a knight, bishop, rook or queen can give check without
/// being taken.
pub const DANGER_SAFE_CHECK: Group = DANGER_WEAK.then("safe check", 4);
/// One of the three files at the king without an own pawn.
pub const DANGER_OPEN_FILE: Group = DANGER_SAFE_CHECK.then("open file", 1);
/// The attacker has no queen.
pub const DANGER_NO_QUEEN: Group = DANGER_OPEN_FILE.then("no queen", 1);
/// Always there.
pub const DANGER_BASE: Group = DANGER_NO_QUEEN.then("base", 1);

/// How many danger terms there are.
pub const DANGER_COUNT: usize = DANGER_BASE.end();

/// All groups of danger terms, in the order of the array.
pub const DANGER: [Group; 8] = [
    DANGER_ATTACKER,
    DANGER_ATTACKED,
    DANGER_ATTACKED_TWICE,
    DANGER_WEAK,
    DANGER_SAFE_CHECK,
    DANGER_OPEN_FILE,
    DANGER_NO_QUEEN,
    DANGER_BASE,
];

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_contiguous(groups: &[Group], count: usize) {
        let mut end = 0;
        for group in groups {
            assert_eq!(group.first, end, "{}", group.name);
            end = group.end();
        }
        assert_eq!(end, count);
    }

    #[test]
    fn the_groups_fill_the_arrays_without_gaps() {
        assert_contiguous(&LINEAR, LINEAR_COUNT);
        assert_contiguous(&DANGER, DANGER_COUNT);
    }
}
