//! The stop token in every order of events: the model checker loom runs each test once for each
//! interleaving of its threads and each order of memory. It also finds deadlocks.
//!
//! Only with `RUSTFLAGS="--cfg loom"`, as `scripts/instrumented.sh loom` runs it. The
//! engine is never built with loom: `control.rs` is compiled here once more, with loom's
//! atomics and locks instead of the standard library's.
#![cfg(loom)]

/// What `control.rs` is built from here.
mod sync {
    pub(super) use loom::sync::atomic::{AtomicBool, AtomicU64, Ordering};
    pub(super) use loom::sync::{Arc, Condvar, Mutex};
    pub(super) use std::sync::PoisonError;
    pub(super) use std::time::Instant;
}

#[path = "../src/search/control.rs"]
mod control;

use std::time::{Duration, Instant};

use loom::sync::mpsc::{Receiver, Sender, channel};
use loom::thread::{self, JoinHandle};

use control::Control;
use sync::{Arc, AtomicBool, Ordering};

/// A deadline that no test reaches. (In loom no wait ever times out.)
const FAR: Duration = Duration::from_secs(3600);

/// The most preemptions in one run. More of them find hardly more, and take hours with
/// more than two threads.
const PREEMPTIONS: usize = 3;

/// Runs `act` in every order of events.
fn model(act: impl Fn() + Sync + Send + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(PREEMPTIONS);
    model.check(act);
}

fn infinite() -> Arc<Control> {
    Arc::new(Control::new(Instant::now(), true, false))
}

fn limited() -> Arc<Control> {
    Arc::new(Control::new(Instant::now(), false, false))
}

fn pondering() -> Arc<Control> {
    Arc::new(Control::new(Instant::now(), false, true))
}

/// Does `act` on a thread of its own.
fn beside(control: &Arc<Control>, act: impl FnOnce(&Control) + 'static) -> JoinHandle<()> {
    let control = Arc::clone(control);
    thread::spawn(move || act(&control))
}

/// A search answers after `release`, in every order of events. `search` is what it does before
/// it waits, `before` comes before the release, from the dialogue.
fn assert_answer_follows(
    new: fn() -> Arc<Control>,
    search: fn(&Control),
    before: fn(&Control),
    release: fn(&Control),
    check: fn(&Control) -> bool,
) {
    model(move || {
        let (control, released) = (new(), Arc::new(AtomicBool::new(false)));
        let seen = Arc::clone(&released);
        let searching = beside(&control, move |control| {
            search(control);
            control.wait_until_answer_is_due();
            // The token itself must order the two.
            assert!(seen.load(Ordering::Relaxed), "an answer before its release");
        });
        before(&control);
        released.store(true, Ordering::Relaxed);
        release(&control);
        searching.join().expect("the search ends");
        assert!(check(&control));
    });
}

#[test]
fn a_stop_is_never_lost_and_the_answer_follows_it() {
    let is_off = |control: &Control| control.is_stopped() && control.is_called_off();
    assert_answer_follows(infinite, |_| {}, |_| {}, Control::stop, is_off);
    // A limit is reached.
    assert_answer_follows(infinite, Control::call_off, |_| {}, Control::stop, is_off);
}

#[test]
fn a_ponderhit_is_never_lost_and_the_answer_follows_it() {
    let is_on_clock = |control: &Control| !control.is_stopped() && control.on_clock().is_some();
    assert_answer_follows(pondering, |_| {}, |_| {}, Control::ponderhit, is_on_clock);
    let infinite_ponder = || Arc::new(Control::new(Instant::now(), true, true));
    assert_answer_follows(infinite_ponder, |_| {}, Control::ponderhit, Control::stop, |_| true);
}

#[test]
fn stop_and_ponderhit_may_come_from_anywhere_in_any_number() {
    model(|| {
        let control = pondering();
        let search = beside(&control, Control::wait_until_answer_is_due);
        let other = beside(&control, |control| {
            control.ponderhit();
            control.stop();
        });
        control.stop();
        other.join().expect("it does not wait");
        search.join().expect("the search ends");
        assert!(control.is_stopped());
    });
}

#[test]
fn the_timekeeper_ends_with_the_search() {
    for end in [Control::stop, Control::call_off] {
        model(move || {
            let control = limited();
            let keeper = beside(&control, |control| control.keep_time(FAR));
            let helper = beside(&control, Control::call_off);
            end(&control);
            helper.join().expect("it does not wait");
            keeper.join().expect("the timekeeper ends");
            assert!(control.is_called_off());
        });
    }
}

#[test]
fn the_timekeeper_starts_at_the_ponderhit() {
    model(|| {
        let control = pondering();
        // There is no time left as soon as the clock runs.
        let keeper = beside(&control, |control| control.keep_time(Duration::ZERO));
        assert!(!control.is_called_off());
        control.ponderhit();
        keeper.join().expect("the timekeeper ends");
        assert!(control.is_called_off() && !control.is_stopped());
    });
}

/// A search as the engine runs it: it ends by itself, and answers with its number when
/// that is due.
fn search(number: usize, control: &Arc<Control>, events: Sender<usize>) -> JoinHandle<()> {
    beside(control, move |control| {
        control.call_off();
        control.wait_until_answer_is_due();
        events.send(number).expect("the dialogue receives");
    })
}

fn next(events: &Receiver<usize>) -> usize {
    events.recv().expect("a search answers")
}

#[test]
fn each_go_is_answered_once_and_in_order_and_a_late_stop_reaches_no_other() {
    model(|| {
        let (sender, events) = channel();
        let first = infinite();
        let running = search(1, &first, sender.clone());
        // The second `go` stops the first search and waits for its answer.
        first.stop();
        assert_eq!(next(&events), 1);
        let second = infinite();
        let waiting = search(2, &second, sender);
        first.stop();
        assert!(!second.is_stopped());
        second.stop();
        assert_eq!(next(&events), 2);
        running.join().expect("the first search ends");
        waiting.join().expect("the second search ends");
        assert!(events.try_recv().is_err(), "one answer too many");
    });
}

#[test]
fn one_stop_reaches_every_search_that_shares_it() {
    model(|| {
        let stopped = Arc::new(AtomicBool::new(false));
        let searches = [(); 2].map(|()| Arc::new(Control::shared(Arc::clone(&stopped))));
        let stopping = beside(&searches[0], Control::stop);
        stopping.join().expect("the stop returns");
        for control in &searches {
            assert!(control.is_stopped());
            let on_clock = control.on_clock().expect("its clock runs");
            assert!(on_clock <= control.elapsed(), "the clock is ahead of the search");
        }
    });
}
