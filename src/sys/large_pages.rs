//! Memory on large pages, which save page table walks at random reads. The system treats the
//! request as a hint: it may have no large pages left.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;
use std::ops::{Deref, DerefMut};
use std::slice;

use bytemuck::Zeroable;

/// The size of a large page in bytes, on x86-64 and most ARM. Align memory for large pages to
/// this.
pub(crate) const LARGE_PAGE: usize = 2 << 20;

/// Advises the system to use large pages for the part of `memory` that consists of whole large
/// pages. Keeps the content.
pub(crate) fn ask_for_large_pages<T>(memory: &mut [T]) {
    #[cfg(target_os = "linux")]
    {
        let start = memory.as_mut_ptr().cast::<u8>();
        let skipped = start.align_offset(LARGE_PAGE);
        let length = size_of_val(memory).saturating_sub(skipped) / LARGE_PAGE * LARGE_PAGE;
        // Miri lacks this call.
        if length == 0 || cfg!(miri) {
            return;
        }
        // SAFETY: the range begins on a page and lies within `memory`, which is borrowed for
        // writing. The advice changes the size of pages, not their content.
        let result = unsafe {
            libc::madvise(start.wrapping_add(skipped).cast(), length, libc::MADV_HUGEPAGE)
        };
        if result != 0 {
            log::debug!("no large pages: {}", std::io::Error::last_os_error());
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = memory;
}

/// A large value on large pages. The advice precedes the first write, which fixes the size of
/// pages.
pub(crate) struct LargeBox<T>(Box<Aligned<T>>);

/// A value aligned to a large page. WebAssembly has no large pages, and alignment wastes memory.
#[cfg_attr(target_family = "wasm", repr(C, align(64)))]
#[cfg_attr(not(target_family = "wasm"), repr(C, align(0x20_0000)))]
struct Aligned<T>(T);

// Attributes cannot use a constant.
#[cfg(not(target_family = "wasm"))]
const _: () = assert!(align_of::<Aligned<u8>>() == LARGE_PAGE);

impl<T: Zeroable> LargeBox<T> {
    /// A value with all bytes 0.
    pub(crate) fn zeroed() -> LargeBox<T> {
        let mut memory: Box<MaybeUninit<Aligned<T>>> = Box::new_uninit();
        ask_for_large_pages(slice::from_mut(&mut *memory));
        // SAFETY: the pointer is valid for the whole value. Zeros are a valid `T`, and an
        // `Aligned` has nothing else but padding.
        LargeBox(unsafe {
            memory.as_mut_ptr().write_bytes(0, 1);
            memory.assume_init()
        })
    }

    /// Sets all bytes to 0.
    pub(crate) fn clear(&mut self) {
        bytemuck::write_zeroes(&mut **self);
    }
}

impl<T> Deref for LargeBox<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.0.0
    }
}

impl<T> DerefMut for LargeBox<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_values_are_zero_at_first_and_when_cleared() {
        let mut numbers: LargeBox<[u64; 400_000]> = LargeBox::zeroed();
        if cfg!(not(target_family = "wasm")) {
            assert_eq!((&raw const *numbers).align_offset(LARGE_PAGE), 0);
        }
        assert!(numbers.iter().all(|&number| number == 0));
        numbers.fill(u64::MAX);
        numbers.clear();
        assert!(numbers.iter().all(|&number| number == 0));
    }
}
