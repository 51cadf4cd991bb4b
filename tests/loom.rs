//! The stop token in every order of events: the model checker loom runs each test once for each
//! interleaving of its threads and each order of memory. It also finds deadlocks.
//!
//! Only with `RUSTFLAGS="--cfg loom"`, as `scripts/instrumented.sh loom` runs it. The
//! engine is never built with loom: `stop_token.rs` is compiled here once more, with loom's
//! atomics and locks instead of the standard library's.
#![cfg(loom)]

/// The types that `stop_token.rs` uses under loom.
mod sync {
    pub(super) use loom::sync::atomic::{AtomicBool, AtomicU64, Ordering};
    pub(super) use loom::sync::{Arc, Condvar, Mutex};
    pub(super) use std::sync::PoisonError;
    pub(super) use std::time::Instant;
}

#[path = "../src/search/stop_token.rs"]
mod stop_token;

use std::time::{Duration, Instant};

use loom::sync::mpsc::{Receiver, Sender, channel};
use loom::thread::{self, JoinHandle};

use stop_token::StopToken;
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

fn infinite() -> Arc<StopToken> {
    Arc::new(StopToken::new(Instant::now(), true, false))
}

fn limited() -> Arc<StopToken> {
    Arc::new(StopToken::new(Instant::now(), false, false))
}

fn pondering() -> Arc<StopToken> {
    Arc::new(StopToken::new(Instant::now(), false, true))
}

/// Does `act` on a thread of its own.
fn beside(stop_token: &Arc<StopToken>, act: impl FnOnce(&StopToken) + 'static) -> JoinHandle<()> {
    let stop_token = Arc::clone(stop_token);
    thread::spawn(move || act(&stop_token))
}

/// A search answers after `release`, in every order of events. `search` is what it does before
/// it waits, `before` comes before the release, from the dialogue.
fn assert_answer_follows(
    new: fn() -> Arc<StopToken>,
    search: fn(&StopToken),
    before: fn(&StopToken),
    release: fn(&StopToken),
    check: fn(&StopToken) -> bool,
) {
    model(move || {
        let (stop_token, released) = (new(), Arc::new(AtomicBool::new(false)));
        let seen = Arc::clone(&released);
        let searching = beside(&stop_token, move |stop_token| {
            search(stop_token);
            stop_token.wait_until_answer_is_due();
            // The token itself must order the two.
            assert!(seen.load(Ordering::Relaxed), "an answer before its release");
        });
        before(&stop_token);
        released.store(true, Ordering::Relaxed);
        release(&stop_token);
        searching.join().expect("the search ends");
        assert!(check(&stop_token));
    });
}

#[test]
fn a_stop_is_never_lost_and_the_answer_follows_it() {
    let is_off = |stop_token: &StopToken| stop_token.is_stopped() && stop_token.is_aborted();
    assert_answer_follows(infinite, |_| {}, |_| {}, StopToken::stop, is_off);
    // A limit is reached.
    assert_answer_follows(infinite, StopToken::abort, |_| {}, StopToken::stop, is_off);
}

#[test]
fn a_ponderhit_is_never_lost_and_the_answer_follows_it() {
    let is_on_clock =
        |stop_token: &StopToken| !stop_token.is_stopped() && stop_token.on_clock().is_some();
    assert_answer_follows(pondering, |_| {}, |_| {}, StopToken::ponderhit, is_on_clock);
    let infinite_ponder = || Arc::new(StopToken::new(Instant::now(), true, true));
    assert_answer_follows(infinite_ponder, |_| {}, StopToken::ponderhit, StopToken::stop, |_| true);
}

#[test]
fn stop_and_ponderhit_may_come_from_anywhere_in_any_number() {
    model(|| {
        let stop_token = pondering();
        let search = beside(&stop_token, StopToken::wait_until_answer_is_due);
        let other = beside(&stop_token, |stop_token| {
            stop_token.ponderhit();
            stop_token.stop();
        });
        stop_token.stop();
        other.join().expect("it does not wait");
        search.join().expect("the search ends");
        assert!(stop_token.is_stopped());
    });
}

#[test]
fn the_timekeeper_ends_with_the_search() {
    for end in [StopToken::stop, StopToken::abort] {
        model(move || {
            let stop_token = limited();
            let keeper = beside(&stop_token, |stop_token| stop_token.keep_time(FAR));
            let helper = beside(&stop_token, StopToken::abort);
            end(&stop_token);
            helper.join().expect("it does not wait");
            keeper.join().expect("the timekeeper ends");
            assert!(stop_token.is_aborted());
        });
    }
}

#[test]
fn the_timekeeper_starts_at_the_ponderhit() {
    model(|| {
        let stop_token = pondering();
        // There is no time left as soon as the clock runs.
        let keeper = beside(&stop_token, |stop_token| stop_token.keep_time(Duration::ZERO));
        assert!(!stop_token.is_aborted());
        stop_token.ponderhit();
        keeper.join().expect("the timekeeper ends");
        assert!(stop_token.is_aborted() && !stop_token.is_stopped());
    });
}

/// A search as the engine runs it: it ends by itself, and answers with its number when
/// that is due.
fn search(number: usize, stop_token: &Arc<StopToken>, events: Sender<usize>) -> JoinHandle<()> {
    beside(stop_token, move |stop_token| {
        stop_token.abort();
        stop_token.wait_until_answer_is_due();
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
        let searches = [(); 2].map(|()| Arc::new(StopToken::shared(Arc::clone(&stopped))));
        let stopping = beside(&searches[0], StopToken::stop);
        stopping.join().expect("the stop returns");
        for stop_token in &searches {
            assert!(stop_token.is_stopped());
            let on_clock = stop_token.on_clock().expect("its clock runs");
            assert!(on_clock <= stop_token.elapsed(), "the clock is ahead of the search");
        }
    });
}
