//! A thread that handles messages: the search thread, its workers, and its clock.

use std::io;
use std::thread::{self, Builder, JoinHandle};

use super::channel::{Sender, channel};

/// A thread that handles messages in order. Dropping it waits until the thread has handled all
/// messages and has ended, except on that thread itself.
#[derive(Debug)]
pub struct Actor<M> {
    /// `None` in `drop`: without a sender the thread ends.
    messages: Option<Sender<M>>,
    thread: Option<JoinHandle<()>>,
}

impl<M: Send + 'static> Actor<M> {
    /// Starts a thread with this name and `stack_bytes` bytes of stack, on which `start` creates
    /// the handler of messages. Returns when `start` has ended, so its memory is allocated.
    ///
    /// # Errors
    /// The system cannot start the thread.
    pub fn spawn<H: FnMut(M)>(
        name: &str,
        stack_bytes: usize,
        start: impl FnOnce() -> H + Send + 'static,
    ) -> io::Result<Actor<M>> {
        let (messages, to_handle) = channel();
        let (ready, is_ready) = channel::<()>();
        let run = move || {
            let handle = start();
            drop(ready);
            to_handle.for_each(handle);
        };
        let thread = Builder::new().name(name.to_owned()).stack_size(stack_bytes).spawn(run)?;
        // Waits until the thread drops `ready`. The result is `None`.
        let _ = is_ready.recv();
        Ok(Actor { messages: Some(messages), thread: Some(thread) })
    }

    /// Sends a message. If the thread has panicked, drops the message and logs an error.
    pub fn send(&self, message: M) {
        let messages = self.messages.as_ref().expect("taken in drop only");
        if messages.send(message).is_err() {
            log::error!("a message was dropped: its thread has panicked");
        }
    }
}

impl<M> Drop for Actor<M> {
    fn drop(&mut self) {
        self.messages = None;
        if let Some(thread) = self.thread.take()
            && thread.thread().id() != thread::current().id()
        {
            // Ignore a panic: it has been logged.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_handled_in_order_before_the_actor_ends() {
        let (seen, all) = channel();
        let start = move || move |number: i32| seen.send(number).expect("there is a receiver");
        let actor = Actor::spawn("test", 1 << 16, start).expect("a thread");
        (0..100).for_each(|number| actor.send(number));
        drop(actor);
        assert!(all.eq(0..100));
    }

    #[test]
    fn message_to_a_panicked_actor_is_dropped() {
        let start = || |_: ()| panic!("on purpose");
        let actor = Actor::spawn("test", 1 << 16, start).expect("a thread");
        actor.send(());
        while !actor.thread.as_ref().is_some_and(JoinHandle::is_finished) {
            std::thread::yield_now();
        }
        actor.send(());
    }
}
