//! The input of a WebAssembly module: the host asks for `room` and writes it there.
//!
//! `web/rules/` builds this file too.

use std::cell::RefCell;

thread_local! {
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// The address for the next input, of `length` bytes.
#[unsafe(no_mangle)]
pub extern "C" fn room(length: usize) -> *mut u8 {
    INPUT.with_borrow_mut(|input| {
        input.clear();
        input.resize(length, 0);
        input.as_mut_ptr()
    })
}

/// Takes the input that was written.
pub(crate) fn take() -> Vec<u8> {
    INPUT.take()
}
