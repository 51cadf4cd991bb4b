//! Fits the weights of the hand-crafted evaluation to the results of games.
//!
//! Every position is evaluated once, by the code that plays, while a trace
//! writes down which terms count how often. From then on its evaluation for any
//! other weights is a short sum. Gradient descent (Adam) on all positions at
//! once then makes `1 / (1 + exp(-k * evaluation))` a good forecast of the
//! games' results, by the mean of the squared errors. Idea: Peter Österlund's
//! Texel; Andrew Grant's paper on tuning Ethereal.
//!
//! Two numbers are fitted for each file besides: how steep its forecast is (in
//! games of few nodes an advantage wins less surely), and how much better than the
//! evaluation White stands in it. The evaluation itself cannot know, and should
//! not learn, either.
//!
//! The games are the engine's own, as [`play`](crate::games::play) plays them. Only
//! their results are used, never the scores. The first games of all are played
//! with weights set by hand, which `--by-hand` writes.
//!
//! [`traces`] reads and traces, [`forecast`] forecasts, [`weights`] goes from the
//! weights to the parameters and back and writes the source file, and [`fit`] does
//! what the command line says.

pub mod error;

pub mod traces;

pub mod weights;

pub mod forecast;

pub mod fit;
