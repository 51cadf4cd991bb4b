//! The stop token in every order of events: the model checker loom runs each test once for each
//! interleaving of its threads and each result that the memory orderings allow. It also finds
//! deadlocks.
//!
//! `scripts/instrumented.sh loom` runs these tests with `RUSTFLAGS="--cfg loom"`. They compile
//! `stop_token.rs` with loom's atomics and locks; the engine is never built with loom.
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

use loom::sync::mpsc::{Sender, channel};
use loom::thread::{self, JoinHandle};

use stop_token::StopToken;
use sync::{Arc, AtomicBool, Ordering};

/// A deadline that no test reaches. (In loom, a wait never times out.)
const FAR: Duration = Duration::from_secs(3600);

/// The most preemptions in one run. More of them take hours with three threads.
const PREEMPTIONS: usize = 3;

/// Runs `act` in every order of events.
fn model(act: impl Fn() + Sync + Send + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(PREEMPTIONS);
    model.check(act);
}

fn token(infinite: bool, ponder: bool) -> Arc<StopToken> {
    Arc::new(StopToken::new(Instant::now(), infinite, ponder))
}

/// Runs `act` on its own thread.
fn spawn(stop_token: &Arc<StopToken>, act: impl FnOnce(&StopToken) + 'static) -> JoinHandle<()> {
    let stop_token = Arc::clone(stop_token);
    thread::spawn(move || act(&stop_token))
}

fn ponderhit(stop_token: &StopToken) {
    stop_token.ponderhit(Instant::now());
}

/// Asserts that a search answers only after the dialogue has run `release`. Before that, the search
/// runs `search` and the dialogue runs `before`. After the answer, `check` must hold.
fn assert_answer_follows(
    [infinite, ponder]: [bool; 2],
    search: fn(&StopToken),
    before: fn(&StopToken),
    release: fn(&StopToken),
    check: fn(&StopToken) -> bool,
) {
    model(move || {
        let released = Arc::new(AtomicBool::new(false));
        let stop_token = token(infinite, ponder);
        let seen = Arc::clone(&released);
        let searching = spawn(&stop_token, move |stop_token| {
            search(stop_token);
            stop_token.wait_until_answer_is_due();
            // Relaxed: the token itself must order the two.
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
fn stop_is_never_lost_and_the_answer_follows_it() {
    let infinite = [true, false];
    let is_off = |stop_token: &StopToken| stop_token.is_stopped() && stop_token.is_aborted();
    assert_answer_follows(infinite, |_| {}, |_| {}, StopToken::stop, is_off);
    // The search has reached a limit.
    assert_answer_follows(infinite, StopToken::abort, |_| {}, StopToken::stop, is_off);
}

#[test]
fn ponderhit_is_never_lost_and_the_answer_follows_it() {
    let is_on_clock =
        |stop_token: &StopToken| !stop_token.is_stopped() && stop_token.on_clock().is_some();
    assert_answer_follows([false, true], |_| {}, |_| {}, ponderhit, is_on_clock);
    assert_answer_follows([true, true], |_| {}, ponderhit, StopToken::stop, |_| true);
}

#[test]
fn stop_and_ponderhit_may_come_from_several_threads() {
    model(|| {
        let stop_token = token(false, true);
        let search = spawn(&stop_token, StopToken::wait_until_answer_is_due);
        let other = spawn(&stop_token, |stop_token| {
            ponderhit(stop_token);
            stop_token.stop();
        });
        stop_token.stop();
        other.join().expect("it does not wait");
        search.join().expect("the search ends");
        assert!(stop_token.is_stopped());
    });
}

#[test]
fn timekeeper_ends_with_the_search() {
    for end in [StopToken::stop, StopToken::abort] {
        model(move || {
            let stop_token = token(false, false);
            let keeper = spawn(&stop_token, |stop_token| stop_token.keep_time(FAR));
            let helper = spawn(&stop_token, StopToken::abort);
            end(&stop_token);
            helper.join().expect("it does not wait");
            keeper.join().expect("the timekeeper ends");
            assert!(stop_token.is_aborted());
        });
    }
}

#[test]
fn timekeeper_starts_at_the_ponderhit() {
    model(|| {
        let stop_token = token(false, true);
        // There is no time left as soon as the clock runs.
        let keeper = spawn(&stop_token, |stop_token| stop_token.keep_time(Duration::ZERO));
        assert!(!stop_token.is_aborted());
        ponderhit(&stop_token);
        keeper.join().expect("the timekeeper ends");
        assert!(stop_token.is_aborted() && !stop_token.is_stopped());
    });
}

/// A search as the engine runs it: it ends by itself, and sends its number when its answer is
/// due.
fn search(number: usize, stop_token: &Arc<StopToken>, events: Sender<usize>) -> JoinHandle<()> {
    spawn(stop_token, move |stop_token| {
        stop_token.abort();
        stop_token.wait_until_answer_is_due();
        events.send(number).expect("the dialogue receives");
    })
}

#[test]
fn each_go_is_answered_once_and_a_late_stop_reaches_no_other_search() {
    model(|| {
        let (sender, events) = channel();
        let first = token(true, false);
        let running = search(1, &first, sender.clone());
        // The second `go` stops the first search and waits for its answer.
        first.stop();
        assert_eq!(events.recv(), Ok(1));
        let second = token(true, false);
        let waiting = search(2, &second, sender);
        first.stop();
        assert!(!second.is_stopped());
        second.stop();
        assert_eq!(events.recv(), Ok(2));
        running.join().expect("the first search ends");
        waiting.join().expect("the second search ends");
        assert!(events.try_recv().is_err(), "one answer too many");
    });
}

#[test]
fn shared_stop_reaches_every_search() {
    model(|| {
        let stopped = Arc::new(AtomicBool::new(false));
        let searches = [(); 2].map(|()| Arc::new(StopToken::shared(Arc::clone(&stopped))));
        let stopping = spawn(&searches[0], StopToken::stop);
        stopping.join().expect("the stop returns");
        for stop_token in &searches {
            assert!(stop_token.is_stopped());
            let on_clock = stop_token.on_clock().expect("its clock runs");
            assert!(on_clock <= stop_token.elapsed(), "the clock is ahead of the search");
        }
    });
}
