//! Compiles the same plain loops for several generations of processors and runs
//! those for the level of vector instructions that the engine would use, too. No
//! compiler flags are needed.
//!
//! The loops say in which order numbers are added and never ask for fused
//! arithmetic, so every level computes the same bits.

#![allow(unsafe_code)]

use carrybit::sys::cpu::{Level, level};

/// A computation made of plain loops.
pub trait Kernel {
    /// Runs it. Mark this `#[inline(always)]`: only then are its loops compiled
    /// for the instructions of the function that [`run`] picks.
    fn compute(self);
}

/// Runs a kernel at the engine's level of vector instructions.
pub fn run(kernel: impl Kernel) {
    match level() {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a level is only chosen if the processor has its instructions.
        Level::Avx512 => unsafe { with_avx512(kernel) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a level is only chosen if the processor has its instructions.
        Level::Avx2 => unsafe { with_avx2(kernel) },
        _ => kernel.compute(),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2")]
fn with_avx512(kernel: impl Kernel) {
    kernel.compute();
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2(kernel: impl Kernel) {
    kernel.compute();
}
