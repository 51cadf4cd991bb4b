//! The hot path on AVX2 and AVX-512: the off-board test, sixty-four squares at a time.
//!
//! A 0x88 board has a spare bit between file and rank and another above the
//! rank. Whoever steps off the board carries or borrows into one of them, so
//! `square & 0x88` is not zero: one test for all four edges. It is the same test
//! for every square and every step, and so it can be done for many of them in
//! one instruction. Take the square of a queen on d4, add the offsets of all
//! squares that a queen or knight may reach on an empty board (see [`geometry`] for
//! their order), and test:
//!
//! ```text
//! d4 = 0x33          0x33 0x33 0x33 0x33 0x33 0x33 0x33 0x33 | 0x33 0x33 ...
//! + north, and jump  0x10 0x20 0x30 0x40 0x50 0x60 0x70 0x21 | 0x01 0x02 ...
//! = squares          0x43 0x53 0x63 0x73 0x83 0x93 0xa3 0x54 | 0x34 0x35 ...
//! & 0x88             0    0    0    0    0x80 0x80 0x80 0    | 0    0    ...
//!                    d5   d6   d7   d8   off  off  off  e6     e4   f4
//! ```
//!
//! On AVX-512 one permutation then fetches what stands on all these squares; AVX2 needs a
//! few shuffles (see below). What a slider
//! reaches follows from the occupied lanes by one subtraction for all eight rays
//! (`geometry::reach`). From the king's square the same view shows checks and pins,
//! from a square next to it whether the king may go there, from the square of an
//! exchange all that take part.
//!
//! `king`, `movegen`, `make`, `see`, `threats` and `dangers` are the hot path in these terms:
//! safe code, written once, and each the counterpart of the file of the same name in
//! [`table`](super::table). `unit` is what they ask of a processor, `image` how a
//! position changes as whole vectors; `avx512` and `avx2` teach that to two kinds of
//! processors.
//!
//! # How the board lies in registers
//!
//! A set of lanes is a `u64` with one bit a lane, relative to a square: the same
//! bit is another square for each piece. It is not a set of squares, and there are no
//! bitboards. Three layouts are not relative, for the registers' sake:
//!
//! * AVX-512 has the 128 bytes of the board in two registers, which its byte
//!   permutation indexes by 0x88 square numbers: nothing is converted.
//! * AVX2 has a byte shuffle that looks up 16 bytes at a time. Two ranks without their
//!   spare halves fit, so the board is packed into four registers, and a table made by
//!   the off-board test at compile time has the places of each square's lanes in them.
//! * For [`Threats`](crate::board::Threats) and [`Dangers`](crate::board::Dangers) the
//!   board lies in words, a rank to each ([`ranks`]), and what comes of a
//!   comparison of 64 bytes is a bit for each.

#[cfg(target_arch = "x86_64")]
pub mod avx2;

#[cfg(target_arch = "x86_64")]
pub mod avx512;

pub mod dangers;

#[cfg(target_arch = "x86_64")]
pub mod geometry;

#[cfg(target_arch = "x86_64")]
pub mod image;

#[cfg(target_arch = "x86_64")]
pub mod king;

#[cfg(target_arch = "x86_64")]
pub mod make;

#[cfg(target_arch = "x86_64")]
pub mod movegen;

#[cfg(target_arch = "x86_64")]
pub mod perft;

pub mod ranks;

#[cfg(target_arch = "x86_64")]
pub mod see;

#[cfg(target_arch = "x86_64")]
pub mod threats;

#[cfg(target_arch = "x86_64")]
pub mod unit;

#[cfg(target_family = "wasm")]
pub mod wasm;
