//! Analyses people's games with Carrybit: from PGN to annotated PGN, and to a page on
//! which the games can be looked at.
//!
//! The way of a game: [`pgn`] reads it and [plays](pgn::replay) it, a [`crew`] of
//! [`analyst`]s evaluates its positions and writes that into the [`journal`],
//! [`findings`] says by the rules of [`judgement`] what that means, and [`mod@annotate`]
//! and [`page`] tell it, after [`earlier`] has removed an earlier analysis. [`run`] is all of this in order.

pub mod arguments;

pub mod run;

pub mod page;

pub mod annotate;

pub mod earlier;

pub mod findings;

pub mod judgement;

pub mod crew;

pub mod journal;

pub mod analyst;

pub mod files;

pub mod progress;
