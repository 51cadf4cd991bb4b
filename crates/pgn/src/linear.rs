//! Tests that work takes linear time, on a machine of any speed and load.

use std::time::Duration;

use cpu_time::ThreadTime;

/// The size of the large work in small ones. As many small ones are the control: together they take
/// as long as the large one in linear time, and a fraction of it in quadratic time.
const FACTOR: usize = 16;

const MAX_RATIO: u32 = 6;

/// The control takes at least this long: page faults and the like would disturb a shorter one.
const MIN_CONTROL: Duration = Duration::from_millis(2);

/// Other programs disturb some measurements, though the time that the thread waits does not count.
const ATTEMPTS: usize = 10;

/// Panics if `work` takes much longer for `16 * count` than 16 times for `count`, or for a multiple
/// of it. `name` is for the message.
#[track_caller]
pub(crate) fn assert_linear(name: &str, mut count: usize, work: impl Fn(usize)) {
    let mut best = [Duration::MAX; 2];
    for _ in 0..ATTEMPTS {
        let begun = ThreadTime::now();
        (0..FACTOR).for_each(|_| work(count));
        let control = begun.elapsed();
        if control < MIN_CONTROL {
            count *= 8;
            continue;
        }
        let begun = ThreadTime::now();
        work(FACTOR * count);
        best = [best[0].min(control), best[1].min(begun.elapsed())];
        if best[1] <= MAX_RATIO * best[0] {
            return;
        }
    }
    panic!("{name}: {FACTOR} times {count} and as many at once took {best:?}");
}
