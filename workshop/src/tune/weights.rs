//! The weights as parameters to be fitted, and as source text.

use std::fmt::Write;

use carrybit::board::Kind;

use crate::hce::terms::{
    self, BISHOP_MOBILITY, DANGER_COUNT, Group, KNIGHT_MOBILITY, LINEAR_COUNT, MATERIAL, PASSED,
    PLACEMENT, QUEEN_MOBILITY, ROOK_MOBILITY,
};
use crate::hce::weights::{DANGER, LINEAR};

/// Where the endgame values of the linear terms begin; the middle game values
/// come first.
pub const EG_AT: usize = LINEAR_COUNT;
/// Where the danger terms begin.
pub const DANGER_AT: usize = EG_AT + LINEAR_COUNT;

/// What a pawn is worth on average over middle game and endgame, in centipawns.
const PAWN_CP: f64 = 100.0;
/// What the square of a weight adds to the mean squared error, times the number of
/// games. It stands for a normal distribution of weights with a width of 50
/// centipawns against results, each of which is off by 0.3.
const PRIOR: f64 = 0.3 * 0.3 / (50.0 * 50.0);
/// By hand: the pieces from pawn to queen, in centipawns.
const BY_HAND_CP: [f64; 5] = [100.0, 300.0, 320.0, 500.0, 950.0];
/// By hand: a square that a piece can go to, in centipawns.
const BY_HAND_MOBILITY_CP: f64 = 3.0;
/// By hand: a passed pawn, for the square of its rank, in centipawns.
const BY_HAND_PASSED_CP: f64 = 3.0;
/// By hand: a step nearer to the centre for pawn, knight and bishop, in centipawns.
const BY_HAND_CENTRE_CP: f64 = 5.0;
/// By hand: a piece that attacks the king's zone, in units of danger.
const BY_HAND_ATTACKER: f64 = 60.0;
/// Squares of the board.
const SQUARES: usize = 64;
/// The columns of a written table, if its length is a multiple of it.
const COLUMNS: usize = 8;
/// The columns of a written table otherwise.
const OTHER_COLUMNS: usize = 7;

/// Groups of which each piece of a kind counts exactly one term.
const ONE_FOR_EACH: [(Kind, Group); 4] = [
    (Kind::Knight, KNIGHT_MOBILITY),
    (Kind::Bishop, BISHOP_MOBILITY),
    (Kind::Rook, ROOK_MOBILITY),
    (Kind::Queen, QUEEN_MOBILITY),
];

/// All weights as real numbers.
#[derive(Clone, Debug)]
pub struct Parameters {
    /// Middle game values, endgame values, danger terms.
    pub values: Vec<f64>,
}

impl Parameters {
    /// How many there are.
    pub const COUNT: usize = DANGER_AT + DANGER_COUNT;

    /// The weights that this program was built with.
    #[must_use]
    pub fn current() -> Parameters {
        let mg = LINEAR.iter().map(|value| f64::from(value.mg()));
        let eg = LINEAR.iter().map(|value| f64::from(value.eg()));
        let danger = DANGER.iter().map(|&value| f64::from(value));
        Parameters { values: mg.chain(eg).chain(danger).collect() }
    }

    /// Weights that anybody would set: the usual values of the pieces, a little for
    /// each square they can go to, for the centre, and for how far a pawn has come.
    #[must_use]
    pub fn by_hand() -> Parameters {
        let mut values = vec![0.0; Parameters::COUNT];
        for half in [0, EG_AT] {
            values[half + MATERIAL.first..half + MATERIAL.end()].copy_from_slice(&BY_HAND_CP);
            for (_, mobility) in ONE_FOR_EACH {
                for squares in 0..mobility.len {
                    let beyond_half = squares as f64 - mobility.len as f64 / 2.0;
                    values[half + mobility.at(squares)] = BY_HAND_MOBILITY_CP * beyond_half;
                }
            }
            for rank in 0..PASSED.len {
                values[half + PASSED.at(rank)] = BY_HAND_PASSED_CP * (rank * rank) as f64;
            }
            for kind in [Kind::Pawn, Kind::Knight, Kind::Bishop] {
                for square in 0..SQUARES {
                    values[half + block(kind).at(square)] = BY_HAND_CENTRE_CP * centrality(square);
                }
            }
        }
        values[DANGER_AT..DANGER_AT + terms::DANGER_ATTACKER.len].fill(BY_HAND_ATTACKER);
        Parameters { values }
    }

    /// The nearest whole numbers.
    #[must_use]
    pub fn rounded(&self) -> Parameters {
        Parameters { values: self.values.iter().map(|value| value.round()).collect() }
    }

    /// Adds the slope of the prior: a term is more likely to be small than large,
    /// which matters for those that hardly ever count, the more so the fewer games
    /// there are.
    pub fn add_prior(&self, gradient: &mut [f64], games: usize) {
        let prior = PRIOR / games as f64;
        for half in [0, EG_AT] {
            for term in MATERIAL.end()..LINEAR_COUNT {
                gradient[half + term] += 2.0 * prior * self.values[half + term];
            }
        }
    }

    /// Makes material what a piece is worth on average: takes the mean of its
    /// placement and mobility, by how often each term counts, from these and
    /// adds it to that. Evaluations stay the same.
    pub fn centre(&mut self, usage: &[u64]) {
        let placements = Kind::ALL[..Kind::King.index()].iter().map(|&kind| (kind, block(kind)));
        for (kind, group) in placements.chain(ONE_FOR_EACH) {
            for half in [0, EG_AT] {
                let mean = self.mean(half, group, usage);
                for value in &mut self.values[half + group.first..half + group.end()] {
                    *value -= mean;
                }
                self.values[half + MATERIAL.at(kind.index())] += mean;
            }
        }
        for half in [0, EG_AT] {
            self.forget_unused(half, usage);
        }
    }

    /// Terms that never count have no value.
    fn forget_unused(&mut self, half: usize, usage: &[u64]) {
        for (value, _) in self.values[half..].iter_mut().zip(usage).filter(|(_, used)| **used == 0)
        {
            *value = 0.0;
        }
    }

    /// The mean value of a group's terms, by how often each counts.
    fn mean(&self, half: usize, group: Group, usage: &[u64]) -> f64 {
        let usage = &usage[group.first..group.end()];
        let count: f64 = usage.iter().map(|&used| used as f64).sum();
        let values = &self.values[half + group.first..half + group.end()];
        let sum: f64 = values.iter().zip(usage).map(|(value, &used)| value * used as f64).sum();
        if count > 0.0 { sum / count } else { 0.0 }
    }

    /// Sets the scale of all weights so that a pawn is worth a hundred centipawns on
    /// average. The price of danger in the middle game grows with its square.
    pub fn normalise(&mut self) {
        let pawn = MATERIAL.at(Kind::Pawn.index());
        let factor = 2.0 * PAWN_CP / (self.values[pawn] + self.values[EG_AT + pawn]);
        for value in &mut self.values[..DANGER_AT] {
            *value *= factor;
        }
        for value in &mut self.values[DANGER_AT..] {
            *value *= factor.sqrt();
        }
    }

    /// The source file of the weights; `header` becomes its module's doc.
    #[must_use]
    pub fn source(&self, header: &[String]) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = self.write_source(&mut text, header);
        text
    }

    fn write_source(&self, text: &mut String, header: &[String]) -> std::fmt::Result {
        for line in header {
            writeln!(text, "{}", format!("//! {line}").trim_end())?;
        }
        writeln!(text, "{PRELUDE}")?;
        for group in terms::LINEAR {
            if group.first == PLACEMENT.first {
                for kind in Kind::ALL {
                    let title = format!("{}: {}", group.name, format!("{kind:?}").to_lowercase());
                    self.write_group(text, &title, block(kind))?;
                }
            } else {
                self.write_group(text, group.name, group)?;
            }
        }
        writeln!(text, "{BETWEEN}")?;
        for group in terms::DANGER {
            let values: Vec<String> = (group.first..group.end())
                .map(|term| (self.values[DANGER_AT + term] as i32).to_string())
                .collect();
            writeln!(text, "    // {}\n    {},", group.name, values.join(", "))?;
        }
        writeln!(text, "];")
    }

    /// Writes the terms of a group as a table.
    fn write_group(&self, text: &mut String, title: &str, group: Group) -> std::fmt::Result {
        writeln!(text, "    // {title}")?;
        let items: Vec<String> = (group.first..group.end())
            .map(|term| (self.values[term] as i32, self.values[EG_AT + term] as i32))
            .map(|(mg, eg)| format!("s({mg}, {eg}),"))
            .collect();
        let width = items.iter().map(String::len).max().unwrap_or_default();
        let columns = if group.len.is_multiple_of(COLUMNS) { COLUMNS } else { OTHER_COLUMNS };
        for row in items.chunks(columns) {
            let row: Vec<String> = row.iter().map(|item| format!("{item:<width$}")).collect();
            writeln!(text, "    {}", row.join(" ").trim_end())?;
        }
        Ok(())
    }
}

/// How many steps nearer to the centre than the corner a square is, less the mean.
fn centrality(square: usize) -> f64 {
    let from_edge = |line: usize| line.min(7 - line) as f64;
    from_edge(square % 8) + from_edge(square / 8) - 3.0
}

/// The terms of the placement of one kind.
fn block(kind: Kind) -> Group {
    Group { name: PLACEMENT.name, first: PLACEMENT.first + kind.index() * SQUARES, len: SQUARES }
}

/// What stands before the linear terms.
const PRELUDE: &str = "
use super::tapered::Tapered;
use super::terms::{DANGER_COUNT, LINEAR_COUNT};

/// Centipawns in the middle game and in the endgame.
const fn s(mg: i32, eg: i32) -> Tapered {
    Tapered::new(mg, eg)
}

/// The linear terms, in centipawns. Blocks of 64 squares begin with a1.
#[rustfmt::skip]
pub static LINEAR: [Tapered; LINEAR_COUNT] = [";

/// What stands between the linear terms and the danger terms.
const BETWEEN: &str = "];

/// The danger terms, in units of danger.
#[rustfmt::skip]
pub static DANGER: [i32; DANGER_COUNT] = [";
