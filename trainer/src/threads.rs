//! Work shared out among threads, so that what comes of it does not depend on how
//! many there are: it is cut into pieces of which the number of threads knows
//! nothing, and the results come back in the order of the pieces.

use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Does `work` on each of the pieces, on up to so many threads, this one among
/// them; where no more can be started, on fewer.
///
/// # Panics
/// If `work` does.
pub fn map<T: Send, R: Send>(
    threads: usize,
    pieces: Vec<T>,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let helpers = threads.min(pieces.len()).saturating_sub(1);
    let queue = Mutex::new(pieces.into_iter().enumerate());
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let toil = || {
        let mut done = Vec::new();
        while let Some((index, piece)) = next() {
            done.push((index, work(piece)));
        }
        done
    };
    let mut done = thread::scope(|scope| {
        let start = |_| thread::Builder::new().spawn_scoped(scope, toil).ok();
        let helpers: Vec<_> = (0..helpers).map_while(start).collect();
        let mut done = toil();
        for helper in helpers {
            done.extend(helper.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        done
    });
    done.sort_unstable_by_key(|&(index, _)| index);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::map;

    #[test]
    fn results_come_in_the_order_of_the_pieces() {
        for threads in [1, 2, 7, 1000] {
            for pieces in [0, 1, 5, 300] {
                let squares = map(threads, (0..pieces).collect(), |piece| piece * piece);
                assert!(squares.into_iter().eq((0..pieces).map(|piece| piece * piece)));
            }
        }
    }
}
