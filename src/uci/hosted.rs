//! The dialogue where a host calls it and nothing may be waited for.

use std::io::Write;

use super::Dialogue;

impl<W: Write> Dialogue<W> {
    /// Reacts to all that has happened, and prints what is due. Returns whether the
    /// dialogue goes on: at its end, what is running is stopped and may have its say.
    pub fn catch_up_with_events(&mut self) -> bool {
        self.attend();
        if self.is_over() {
            self.backlog.clear();
            self.postponed.clear();
            self.stop();
            return self.job.is_some();
        }
        true
    }
}
