//! The input of a WebAssembly module: the host calls `room` and writes the input there.
//!
//! `web/rules/` compiles this file, too.

use std::cell::RefCell;

thread_local! {
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Allocates the next input, of `length` bytes, and returns its address.
#[unsafe(no_mangle)]
pub extern "C" fn room(length: usize) -> *mut u8 {
    INPUT.with_borrow_mut(|input| {
        input.clear();
        input.resize(length, 0);
        input.as_mut_ptr()
    })
}

pub(crate) fn take() -> Vec<u8> {
    INPUT.take()
}
