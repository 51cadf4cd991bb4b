//! Asking the system for large pages, which save the processor page table walks when
//! memory is read at random. Only a hint: where the system does not know it, or has no
//! large pages left, nothing happens.
#![allow(unsafe_code)]

/// The size of a large page in bytes, on the processors that matter. Memory for large
/// pages should begin at a multiple of it.
pub(crate) const LARGE_PAGE: usize = 2 << 20;

/// Asks the system to back `memory` with large pages, as far as whole ones fit into it.
/// Its content stays as it is.
pub(crate) fn ask_for_large_pages<T>(memory: &mut [T]) {
    #[cfg(target_os = "linux")]
    {
        let start = memory.as_mut_ptr().cast::<u8>();
        let skipped = start.align_offset(LARGE_PAGE);
        let length = size_of_val(memory).saturating_sub(skipped) / LARGE_PAGE * LARGE_PAGE;
        // Miri, the interpreter that detects undefined behaviour, lacks this call.
        if length == 0 || cfg!(miri) {
            return;
        }
        // SAFETY: the range begins on a page and lies within `memory`, which is
        // borrowed for writing. The advice changes only which pages the system
        // takes, not what they hold.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_keeps_what_it_holds() {
        for bytes in [0, 1, LARGE_PAGE, 3 * LARGE_PAGE + 5] {
            let mut memory = vec![0xa5_u8; bytes];
            let before = memory.clone();
            ask_for_large_pages(&mut memory);
            assert!(memory == before, "{bytes} bytes");
        }
    }
}
