//! A thread that handles messages: the search thread, its helpers and its clock.

use std::io;
use std::thread::{self, Builder, JoinHandle};

use super::channel::{Sender, channel};

/// A thread that handles messages in order. Dropping it waits until the thread has handled
/// all messages and has ended, unless it is dropped on that thread.
#[derive(Debug)]
pub struct Actor<M> {
    /// Taken when the thread is to end.
    messages: Option<Sender<M>>,
    thread: Option<JoinHandle<()>>,
}

impl<M: Send + 'static> Actor<M> {
    /// Starts a thread with this name and `stack_bytes` bytes of stack. On it, `start`
    /// creates the handler of messages, which has allocated its memory when this returns.
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
        // The thread drops the sender when it is ready.
        let _ = is_ready.recv();
        Ok(Actor { messages: Some(messages), thread: Some(thread) })
    }

    /// Sends a message. If the thread has panicked, drops the message and logs that.
    pub fn send(&self, message: M) {
        let messages = self.messages.as_ref().expect("taken only when it is dropped");
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
            // A panic was logged when it happened.
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
    fn a_message_to_an_actor_that_has_panicked_is_dropped() {
        let start = || |_: ()| panic!("on purpose");
        let actor = Actor::spawn("test", 1 << 16, start).expect("a thread");
        actor.send(());
        while !actor.thread.as_ref().is_some_and(JoinHandle::is_finished) {
            std::thread::yield_now();
        }
        actor.send(());
    }
}
