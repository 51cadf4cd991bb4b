//! Compiles plain loops for several levels of vector instructions and runs them at the
//! engine's level. No compiler flags are needed.
//!
//! The loops fix the order of additions and use no fused multiply-add, so all levels compute
//! the same bits.

#![allow(unsafe_code)]

use carrybit_board::cpu::{Level, level};

/// A computation made of plain loops.
pub trait Kernel {
    /// Runs the loops. Must be `#[inline(always)]`: only then are they compiled for the
    /// instructions of the function that [`run`] selects.
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
