//! Where lines appear: above the line being edited, and above the progress bar.

use std::io::{self, Write};

use super::bar::Bar;

/// A writer of whole lines.
pub(crate) struct Screen {
    writer: Box<dyn Write>,
    bar: Bar,
}

impl Screen {
    /// Writes through `writer`, and keeps out of the way of `bar`.
    pub(crate) fn new(writer: Box<dyn Write>, bar: Bar) -> Screen {
        Screen { writer, bar }
    }
}

impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let writer = &mut self.writer;
        self.bar.step_aside(|| writer.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}
