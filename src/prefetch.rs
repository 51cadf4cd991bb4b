//! Asking the processor to fetch memory before it is needed. Only a hint: where the
//! processor has no such instruction, nothing happens.
#![allow(unsafe_code)]

/// Hints that `target` will soon be read.
#[inline]
pub(crate) fn prefetch<T>(target: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: SSE is part of every x86-64, and a prefetch neither reads nor
        // faults in the program's sense, wherever it points.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(target).cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = target;
}
