//! `carrybit analyse`.

mod analysis;
mod journal;
