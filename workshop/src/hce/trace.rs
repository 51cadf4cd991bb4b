//! One body for play and tuning: every term that counts passes through a
//! `Tally`, which adds its weight and tells a [`Trace`] about it.
//!
//! In play the trace is [`Silent`] and costs nothing. The tuner listens with a
//! [`TermLog`].

use carrybit::board::Color;

use super::tapered::Tapered;
use super::weights;

/// Hears which terms count, for whom and how often.
pub trait Trace {
    /// `term` of the linear terms counts `count` times for `side`.
    fn linear(&mut self, side: Color, term: usize, count: i32);

    /// `term` of the danger terms counts `count` times against the king of
    /// `side`.
    fn danger(&mut self, side: Color, term: usize, count: i32);
}

/// Hears nothing.
pub struct Silent;

impl Trace for Silent {
    #[inline]
    fn linear(&mut self, _: Color, _: usize, _: i32) {}

    #[inline]
    fn danger(&mut self, _: Color, _: usize, _: i32) {}
}

/// One remark of the evaluation: a term and how often it counts for a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// For whom a linear term counts; whose king a danger term threatens.
    pub side: Color,
    /// Index into the array of terms.
    pub term: usize,
    /// How often.
    pub count: i32,
}

/// Remembers everything in order.
#[derive(Clone, Debug, Default)]
pub struct TermLog {
    /// The linear terms.
    pub linear: Vec<Entry>,
    /// The danger terms.
    pub danger: Vec<Entry>,
}

impl Trace for TermLog {
    fn linear(&mut self, side: Color, term: usize, count: i32) {
        if count != 0 {
            self.linear.push(Entry { side, term, count });
        }
    }

    fn danger(&mut self, side: Color, term: usize, count: i32) {
        if count != 0 {
            self.danger.push(Entry { side, term, count });
        }
    }
}

/// Adds up the linear terms of one side.
pub(super) struct Tally<'t, T> {
    /// The sum so far, from the side's own view.
    pub(super) sum: Tapered,
    side: Color,
    trace: &'t mut T,
}

impl<'t, T: Trace> Tally<'t, T> {
    #[inline]
    pub(super) fn new(side: Color, trace: &'t mut T) -> Tally<'t, T> {
        Tally { sum: Tapered::ZERO, side, trace }
    }

    /// The term counts once.
    #[inline]
    pub(super) fn add(&mut self, term: usize) {
        self.sum += weights::LINEAR[term];
        self.trace.linear(self.side, term, 1);
    }

    /// The term counts `count` times.
    #[inline]
    pub(super) fn add_times(&mut self, term: usize, count: i32) {
        self.sum += weights::LINEAR[term] * count;
        self.trace.linear(self.side, term, count);
    }
}

/// Adds up the danger to one king, in units of danger.
pub(super) struct DangerTally<'t, T> {
    /// The sum so far; may be negative.
    pub(super) sum: i32,
    side: Color,
    trace: &'t mut T,
}

impl<'t, T: Trace> DangerTally<'t, T> {
    /// For the king of `side`.
    #[inline]
    pub(super) fn new(side: Color, trace: &'t mut T) -> DangerTally<'t, T> {
        DangerTally { sum: 0, side, trace }
    }

    /// The term counts `count` times.
    #[inline]
    pub(super) fn add_times(&mut self, term: usize, count: i32) {
        self.sum += weights::DANGER[term] * count;
        self.trace.danger(self.side, term, count);
    }
}
