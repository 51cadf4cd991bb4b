//! How the terminal was when the program began: an edited line changes that, and the
//! program may end before the line does.

#[cfg(unix)]
mod unix {
    use std::io::{self, Write};
    use std::sync::{Mutex, PoisonError};

    use nix::sys::termios::{SetArg, Termios, tcgetattr, tcsetattr};

    static FIRST: Mutex<Option<Termios>> = Mutex::new(None);

    /// Remembers how the terminal is.
    pub(crate) fn remember() {
        *FIRST.lock().unwrap_or_else(PoisonError::into_inner) = tcgetattr(io::stdin()).ok();
    }

    /// Makes the terminal what it was, if that was remembered.
    pub(crate) fn restore() {
        let first = FIRST.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(mode) = &*first else { return };
        if tcgetattr(io::stdin()).is_ok_and(|now| now == *mode) {
            return;
        }
        // The line that was being edited ends here; if that cannot be shown, nobody looks.
        let _ = io::stdout().write_all(b"\r\n");
        if let Err(error) = tcsetattr(io::stdin(), SetArg::TCSADRAIN, mode) {
            log::debug!("the terminal cannot be restored: {error}");
        }
    }
}

#[cfg(unix)]
pub(crate) use unix::{remember, restore};

/// There is nothing to remember: on Windows a shell sets the mode when a program has ended.
#[cfg(not(unix))]
pub(crate) fn remember() {}

/// There is nothing to restore.
#[cfg(not(unix))]
pub(crate) fn restore() {}
