//! A channel whose receiver sleeps at once if there is no message.
//!
//! `recv` of crossbeam-channel calls `sched_yield` several times before it sleeps. Each call
//! moves the thread to the end of the run queue. With four busy loops on one core, `go depth 1`
//! took 14 ms, because several threads wait for each other. This receiver tries once, then
//! parks; each message unparks it.

use std::time::Duration;

use crossbeam_channel::{SendError, TryRecvError, unbounded};
use crossbeam_utils::sync::{Parker, Unparker};

/// An unbounded channel.
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let (sender, receiver) = unbounded();
    let parker = Parker::new();
    let wake = Wake(parker.unparker().clone());
    (Sender { messages: sender, wake }, Receiver { messages: receiver, parker })
}

/// The sending end.
#[derive(Debug)]
pub struct Sender<T> {
    // Declared before `wake`, so dropped before it: the receiver must find the channel
    // disconnected when it wakes.
    messages: crossbeam_channel::Sender<T>,
    wake: Wake,
}

impl<T> Sender<T> {
    /// Sends a message and wakes the receiver. Never blocks.
    ///
    /// # Errors
    /// The receiver was dropped.
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        self.send_quietly(message)?;
        self.wake();
        Ok(())
    }

    /// Wakes the receiver without a message, as dropping a sender does.
    pub fn wake(&self) {
        self.wake.0.unpark();
    }

    /// Sends a message without waking the receiver, which finds it when it wakes.
    ///
    /// # Errors
    /// The receiver was dropped.
    pub fn send_quietly(&self, message: T) -> Result<(), SendError<T>> {
        self.messages.send(message)
    }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Sender<T> {
        Sender { messages: self.messages.clone(), wake: Wake(self.wake.0.clone()) }
    }
}

/// Wakes the receiver when it is dropped.
#[derive(Debug)]
struct Wake(Unparker);

impl Drop for Wake {
    fn drop(&mut self) {
        self.0.unpark();
    }
}

/// The receiving end.
#[derive(Debug)]
pub struct Receiver<T> {
    messages: crossbeam_channel::Receiver<T>,
    parker: Parker,
}

impl<T> Receiver<T> {
    /// Blocks until there is a message. `None` if all senders were dropped.
    pub fn recv(&self) -> Option<T> {
        self.recv_or(|| false)
    }

    /// Like [`recv`](Receiver::recv), but before it blocks it calls `work` until that returns false
    /// or there is a message.
    pub fn recv_or(&self, mut work: impl FnMut() -> bool) -> Option<T> {
        loop {
            match self.messages.try_recv() {
                Ok(message) => return Some(message),
                Err(TryRecvError::Disconnected) => return None,
                Err(TryRecvError::Empty) if work() => {}
                Err(TryRecvError::Empty) => self.parker.park(),
            }
        }
    }

    /// Whether all senders are dropped, at the latest after `time`. For a channel without messages.
    pub fn ends_within(&self, time: Duration) -> bool {
        let is_over = || matches!(self.messages.try_recv(), Err(TryRecvError::Disconnected));
        is_over() || {
            self.parker.park_timeout(time);
            is_over()
        }
    }

    /// The messages, for receiving on any thread, and the parker that each message unparks.
    pub fn split(self) -> (crossbeam_channel::Receiver<T>, Parker) {
        (self.messages, self.parker)
    }
}

impl<T> Iterator for Receiver<T> {
    type Item = T;

    /// Like [`recv`](Receiver::recv).
    fn next(&mut self) -> Option<T> {
        self.recv()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::thread;

    use super::*;

    #[test]
    fn messages_arrive_in_order_and_the_last_drop_ends_the_channel() {
        let (sender, receiver) = channel();
        let other = sender.clone();
        let thread = thread::spawn(move || {
            (0..1000).for_each(|i| sender.send(i).expect("there is a receiver"));
            drop(sender);
            // The receiver sleeps before the last message, and before the last drop.
            thread::sleep(Duration::from_millis(20));
            other.send(1000).expect("there is a receiver");
            thread::sleep(Duration::from_millis(20));
        });
        assert!(receiver.eq(0..=1000));
        thread.join().expect("no panic");
    }

    #[test]
    fn receiver_works_only_while_there_is_no_message() {
        let (sender, receiver) = channel();
        sender.send(1).expect("there is a receiver");
        let steps = Cell::new(0);
        let work = || {
            steps.set(steps.get() + 1);
            if steps.get() == 3 {
                sender.send(2).expect("there is a receiver");
            }
            true
        };
        assert_eq!([receiver.recv_or(work), receiver.recv_or(work)], [Some(1), Some(2)]);
        assert_eq!(steps.get(), 3);
    }
}
