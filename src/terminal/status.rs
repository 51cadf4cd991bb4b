//! The activity of the dialogue, for the prompt and for Ctrl-C.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::Activity;

/// The activity of a dialogue. The dialogue sets it; the prompt and Ctrl-C read it.
#[derive(Debug, Default)]
pub struct Status {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    activity: Activity,
    /// The number of updates: at least one for each line.
    updates: u64,
    /// Whether Ctrl-C has already stopped this search or tool.
    is_stopped: bool,
}

impl Status {
    /// Sets the activity. Called after each line and at each change.
    pub fn update(&self, activity: Activity) {
        let mut state = self.lock();
        state.updates += 1;
        state.is_stopped &= state.activity == activity;
        state.activity = activity;
        self.changed.notify_all();
    }

    /// Whether Ctrl-C stops a search or tool now. It stops each only once; otherwise it ends
    /// the program.
    pub fn take_interrupt(&self) -> bool {
        let mut state = self.lock();
        let is_running = matches!(state.activity, Activity::Searching | Activity::Working);
        is_running && !std::mem::replace(&mut state.is_stopped, true)
    }

    pub(super) fn updates(&self) -> u64 {
        self.lock().updates
    }

    /// Waits until there have been more than `updates` updates and the activity fits, but no
    /// longer than `time`. Returns the activity.
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
