//! The activity of the dialogue, for the prompt and for Ctrl-C.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::Activity;

/// The activity of a dialogue, shared with it.
#[derive(Debug, Default)]
pub struct Status {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    activity: Activity,
    /// How often it was updated: at least once for each line.
    updates: u64,
    /// Whether Ctrl-C has stopped this search or tool before.
    is_stopped: bool,
}

impl Status {
    /// Sets the activity: after each line, and when it changes.
    pub fn update(&self, activity: Activity) {
        let mut state = self.lock();
        state.updates += 1;
        state.is_stopped &= state.activity == activity;
        state.activity = activity;
        self.changed.notify_all();
    }

    /// Whether Ctrl-C stops a search or tool now, which it does once for each; otherwise it
    /// ends the program.
    pub fn take_interrupt(&self) -> bool {
        let mut state = self.lock();
        let is_running = matches!(state.activity, Activity::Searching | Activity::Working);
        is_running && !std::mem::replace(&mut state.is_stopped, true)
    }

    /// How often it was updated so far.
    pub(super) fn updates(&self) -> u64 {
        self.lock().updates
    }

    /// Waits at most `time` for more than `updates` updates and an activity that fits.
    /// Returns the activity then.
    pub(super) fn wait(
        &self,
        time: Duration,
        updates: u64,
        fits: impl Fn(Activity) -> bool,
    ) -> Activity {
        let is_early = |state: &mut State| state.updates <= updates || !fits(state.activity);
        let waited = self.changed.wait_timeout_while(self.lock(), time, is_early);
        waited.unwrap_or_else(PoisonError::into_inner).0.activity
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_interrupt_of_each_activity_stops_it() {
        let status = Status::default();
        assert!(!status.take_interrupt());
        for activity in [Activity::Searching, Activity::Working] {
            status.update(activity);
            assert!(status.take_interrupt());
            // Other lines are answered meanwhile.
            status.update(activity);
            assert!(!status.take_interrupt());
        }
        status.update(Activity::Idle);
        assert!(!status.take_interrupt());
    }
}
