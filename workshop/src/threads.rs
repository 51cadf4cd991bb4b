//! Thread pools whose results do not depend on the number of threads: work
//! [installed](ThreadPool::install) in a [pool](Threads::pool) is cut into chunks of a fixed
//! size (rayon's parallel iterators), and the results come in the order of the chunks.

use std::num::NonZeroUsize;
use std::thread;

use carrybit::search::threads::MAX_THREADS;
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

/// How many threads to work on.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct Threads {
    /// Threads; all processors if not given. The result does not depend on it
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=MAX_THREADS as u64))]
    pub threads: Option<u64>,
}

/// No threads could be started.
#[derive(Debug, thiserror::Error)]
#[error("cannot start {wanted} threads: {source}")]
pub struct ThreadsError {
    /// How many threads were wanted.
    pub wanted: usize,
    /// The error.
    pub source: ThreadPoolBuildError,
}

impl Threads {
    /// How many threads there are to be.
    pub fn count(self) -> usize {
        let processors = || thread::available_parallelism().map_or(1, NonZeroUsize::get);
        self.threads.map_or_else(processors, |threads| threads as usize)
    }

    /// That many threads.
    ///
    /// # Errors
    /// If the system does not have that many.
    pub fn pool(self) -> Result<ThreadPool, ThreadsError> {
        let wanted = self.count();
        ThreadPoolBuilder::new()
            .num_threads(wanted)
            .thread_name(|number| format!("worker {number}"))
            .build()
            .map_err(|source| ThreadsError { wanted, source })
    }
}
