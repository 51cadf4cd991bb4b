//! A thread that handles messages: the search thread, its workers, and its clock.

use std::io;
use std::mem::ManuallyDrop;
use std::sync::{Arc, Weak};
use std::thread::Builder;

use crossbeam_channel::SendError;

use super::channel::{Receiver, Sender, channel};

/// The sender of messages to a thread. The thread ends after the last message if the sender was
/// dropped. The drop does not wait for that: a thousand threads take seconds to end.
#[derive(Debug)]
pub struct Actor<M> {
    messages: Sender<M>,
    /// The thread has the only strong reference.
    alive: Weak<()>,
}

impl<M: Send + 'static> Actor<M> {
    /// Starts a thread with this name and `stack_bytes` bytes of stack, which runs `handle_all`.
    ///
    /// # Errors
    /// The system cannot start the thread.
    pub fn spawn(
        name: &str,
        stack_bytes: usize,
        handle_all: impl FnOnce(Receiver<M>) + Send + 'static,
    ) -> io::Result<Actor<M>> {
        let (sender, messages) = channel();
        let life = Arc::new(());
        let alive = Arc::downgrade(&life);
        let run = move || {
            let _life = life;
            handle_all(messages);
        };
        Builder::new().name(name.to_owned()).stack_size(stack_bytes).spawn(run)?;
        Ok(Actor { messages: sender, alive })
    }

    /// Sends a message. If the thread has panicked, logs an error and drops the message on a new
    /// thread, or never: the caller may have a lock that the drop takes.
    pub fn send(&self, message: M) {
        if let Err(SendError(message)) = self.messages.send(message) {
            log::error!("a message was dropped: its thread has panicked");
            let message = ManuallyDrop::new(message);
            let dropped = Builder::new().spawn(move || drop(ManuallyDrop::into_inner(message)));
            if let Err(error) = dropped {
                log::error!("no thread can be started: {error}");
            }
        }
    }

    /// Whether the thread has neither ended nor panicked.
    pub fn is_alive(&self) -> bool {
        self.alive.strong_count() > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_handled_in_order_after_the_drop_of_the_actor() {
        let (seen, all) = channel();
        let handle = move |number: i32| seen.send(number).expect("there is a receiver");
        let actor = Actor::spawn("test", 1 << 16, |numbers| numbers.for_each(handle));
        let actor = actor.expect("a thread");
        (0..100).for_each(|number| actor.send(number));
        drop(actor);
        assert!(all.eq(0..100));
    }
}
