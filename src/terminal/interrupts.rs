//! Ctrl-C at the prompt: the first one stops a search or tool, any other one ends the
//! program.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use carrybit::host::Sender;
use carrybit::uci::{Activity, Event};

/// The work that Ctrl-C stops. Clones share it.
#[derive(Clone)]
pub(crate) struct Interrupts {
    events: Sender<Event>,
    work: Arc<Mutex<Work>>,
}

struct Work {
    activity: Activity,
    /// Whether it was interrupted before.
    is_stopped: bool,
}

impl Interrupts {
    /// Stops work by these events.
    pub(crate) fn new(events: Sender<Event>) -> Interrupts {
        let work = Work { activity: Activity::Idle, is_stopped: false };
        Interrupts { events, work: Arc::new(Mutex::new(work)) }
    }

    /// Takes the activity of the dialogue.
    pub(crate) fn update(&self, activity: Activity) {
        let mut work = self.work.lock().unwrap_or_else(PoisonError::into_inner);
        if work.activity != activity {
            *work = Work { activity, is_stopped: false };
        }
    }

    /// Stops the work. Returns false if there is none, or if it was stopped before and has
    /// not ended: then the program is to end.
    pub(crate) fn stop(&self) -> bool {
        let mut work = self.work.lock().unwrap_or_else(PoisonError::into_inner);
        if work.activity == Activity::Idle || work.is_stopped {
            return false;
        }
        work.is_stopped = true;
        self.events.send(Event::Line("stop".to_owned(), Instant::now())).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_interrupt_of_each_work_stops_it() {
        let (events, stops) = carrybit::host::channel();
        let interrupts = Interrupts::new(events);
        assert!(!interrupts.stop());
        for activity in [Activity::Searching, Activity::Working] {
            interrupts.update(activity);
            assert!(interrupts.stop());
            // Other lines are answered meanwhile.
            interrupts.update(activity);
            assert!(!interrupts.stop());
            assert!(matches!(stops.try_recv(), Some(Event::Line(line, _)) if line == "stop"));
            assert!(stops.try_recv().is_none());
        }
        interrupts.update(Activity::Idle);
        assert!(!interrupts.stop());
        assert!(stops.try_recv().is_none());
    }
}
