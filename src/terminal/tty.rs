//! Saves and restores the settings of the terminal: the prompt changes them, and the program
//! may end while a line is edited.

#[cfg(unix)]
mod unix {
    use std::io::{self, Write};
    use std::os::fd::AsFd;
    use std::sync::{Mutex, PoisonError};

    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
    use nix::sys::termios::{SetArg, Termios, tcgetattr, tcsetattr};

    static SAVED: Mutex<Option<Termios>> = Mutex::new(None);

    /// Whether the other end of standard output is closed.
    pub(super) fn is_output_closed() -> bool {
        let stdout = io::stdout();
        // Errors and a closed pipe are reported without being asked for.
        let mut files = [PollFd::new(stdout.as_fd(), PollFlags::empty())];
        let is_closed =
            |events: PollFlags| events.intersects(PollFlags::POLLERR | PollFlags::POLLHUP);
        poll(&mut files, PollTimeout::ZERO).is_ok() && files[0].revents().is_some_and(is_closed)
    }

    pub(crate) fn save() {
        *SAVED.lock().unwrap_or_else(PoisonError::into_inner) = tcgetattr(io::stdin()).ok();
    }

    /// Restores the saved settings of the terminal, if there are any.
    pub fn restore() {
        let saved = SAVED.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(saved) = &*saved else { return };
        if tcgetattr(io::stdin()).is_ok_and(|now| now == *saved) {
            return;
        }
        // End the line being edited. Ignore the error: the terminal may be gone.
        let _ = io::stdout().write_all(b"\r\n");
        if let Err(error) = tcsetattr(io::stdin(), SetArg::TCSADRAIN, saved) {
            log::debug!("cannot restore the terminal: {error}");
        }
    }
}

use super::Terminal;

/// The other end of a dialogue on standard output.
pub fn for_program() -> Terminal {
    #[cfg(unix)]
    let is_output_closed: Option<fn() -> bool> = Some(unix::is_output_closed);
    #[cfg(not(unix))]
    let is_output_closed = None;
    Terminal { is_output_closed, ..Terminal::default() }
}

#[cfg(unix)]
pub use unix::restore;
#[cfg(unix)]
pub(super) use unix::save;

/// Does nothing: on Windows the shell sets the mode after a program has ended.
#[cfg(not(unix))]
pub fn restore() {}

#[cfg(not(unix))]
pub(super) fn save() {}
