//! The dialogue where a host calls it and nothing may be waited for.

use std::io::Write;

use crate::host::Instant;

use super::Dialogue;

impl<W: Write> Dialogue<W> {
    /// Reacts to all that has happened, and prints what is due. Returns whether the
    /// dialogue goes on: at its end, what is running is stopped and may have its say.
    pub fn catch_up_with_events(&mut self) -> bool {
        while let Ok(event) = self.inbox.try_recv() {
            self.hear(event);
        }
        if self.is_over() {
            self.backlog.clear();
            self.postponed.clear();
            self.stop();
            return self.job.is_some();
        }
        let now = Instant::now();
        if self.narrator().and_then(|narrator| narrator.due(now)).is_some_and(|due| due <= now) {
            self.narrate();
        }
        true
    }
}
