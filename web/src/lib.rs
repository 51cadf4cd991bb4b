//! The engine as a WebAssembly module for `carrybit.js`.
//!
//! There is one dialogue. The host writes lines (`room`, then `hear`), runs the search
//! ([`carrybit::internals::host::run_spawned`], which the host may suspend), and in between calls
//! `attend`, which handles the events of the search. Each of these calls passes its lines of output
//! to the import `say`.
#![cfg(target_family = "wasm")]
#![allow(unsafe_code)]

mod input;

use std::cell::RefCell;
use std::io::{self, Write};

use carrybit::internals::host::{self, Instant};
use carrybit::internals::terminal::Terminal;
use carrybit::internals::uci::{Dialogue, Event, LineSplitter};

mod imports {
    #[link(wasm_import_module = "host")]
    unsafe extern "C" {
        /// Prints a line; the text has no newline.
        pub(super) safe fn say(text: *const u8, length: usize);
        /// Prints the message of a panic, which ends the engine.
        pub(super) safe fn fail(text: *const u8, length: usize);
    }
}

/// Passes lines to the host. The dialogue flushes after each line.
#[derive(Default)]
struct Lines(Vec<u8>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        for line in self.0.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
            imports::say(line.as_ptr(), line.len());
        }
        self.0.clear();
        Ok(())
    }
}

thread_local! {
    static DIALOGUE: RefCell<Dialogue> = {
        std::panic::set_hook(Box::new(|problem| {
            let text = problem.to_string();
            imports::fail(text.as_ptr(), text.len());
        }));
        RefCell::new(Dialogue::new(Lines::default(), Terminal::default()))
    };
    /// Keeps the incomplete last line of the input.
    static SPLITTER: RefCell<LineSplitter> = RefCell::default();
}

/// The size of Asyncify's buffer for an unwound stack, in bytes. The deepest search needs about a
/// fifth.
const UNWOUND_BYTES: usize = 1 << 20;

/// Allocates memory for an unwound stack, and returns Asyncify's pair of pointers: the first free
/// byte and the end. The host calls this once.
#[unsafe(no_mangle)]
pub extern "C" fn unwound() -> *const [usize; 2] {
    let place = vec![0_u8; UNWOUND_BYTES].leak().as_ptr_range();
    Box::leak(Box::new([place.start as usize, place.end as usize]))
}

/// Handles the lines that the written input completes.
#[unsafe(no_mangle)]
pub extern "C" fn hear() {
    let input = input::take();
    let lines = SPLITTER.with_borrow_mut(|splitter| splitter.feed(&input));
    lines.into_iter().for_each(handle_line);
}

/// Handles the end of the input.
#[unsafe(no_mangle)]
pub extern "C" fn end() {
    SPLITTER.take().finish().into_iter().for_each(handle_line);
    handle(Event::EndOfInput(None));
}

fn handle_line(line: Option<String>) {
    handle(Event::Line(line, Instant::now()));
}

fn handle(event: Event) {
    DIALOGUE.with_borrow_mut(|dialogue| dialogue.handle(event));
}

/// Handles pending events. Returns false if the dialogue has ended.
#[unsafe(no_mangle)]
pub extern "C" fn attend() -> bool {
    DIALOGUE.with_borrow_mut(Dialogue::poll)
}

/// Whether spawned work has not started yet.
#[unsafe(no_mangle)]
pub extern "C" fn has_work() -> bool {
    host::has_spawned()
}
