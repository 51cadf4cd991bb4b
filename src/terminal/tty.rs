//! Saves and restores the settings of the terminal: the prompt changes them, and the program
//! may end while a line is edited.

#[cfg(unix)]
mod unix {
    use std::io::{self, Write};
    use std::sync::{Mutex, PoisonError};

    use nix::sys::termios::{SetArg, Termios, tcgetattr, tcsetattr};

    static SAVED: Mutex<Option<Termios>> = Mutex::new(None);

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

#[cfg(unix)]
pub use unix::restore;
#[cfg(unix)]
pub(super) use unix::save;

/// Does nothing: on Windows the shell sets the mode after a program has ended.
#[cfg(not(unix))]
pub fn restore() {}

#[cfg(not(unix))]
pub(super) fn save() {}
