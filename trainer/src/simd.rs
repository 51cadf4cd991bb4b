//! Compiles the same plain loops for several generations of processors and
//! picks the fastest when it runs, so that no compiler flags are needed.
//!
//! The loops say in which order numbers are added and never ask for fused
//! arithmetic, so every version computes the same bits.

#![allow(unsafe_code)]

/// A computation made of plain loops.
pub trait Kernel {
    /// Runs it. Mark this `#[inline(always)]`: only then are its loops compiled
    /// for the instructions of the function that [`run`] picks.
    fn compute(self);
}

/// Runs a kernel with the widest vectors that the processor has.
pub fn run(kernel: impl Kernel) {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl") {
            // SAFETY: the processor has these instructions, as was just asked.
            return unsafe { with_avx512(kernel) };
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has these instructions, as was just asked.
            return unsafe { with_avx2(kernel) };
        }
    }
    kernel.compute();
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx2")]
fn with_avx512(kernel: impl Kernel) {
    kernel.compute();
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2(kernel: impl Kernel) {
    kernel.compute();
}
