//! Thread pools. Code that runs in a [pool](Threads::pool) (by [`ThreadPool::install`]) cuts its
//! work into chunks of a fixed size and combines their results in order. So the results do not
//! depend on the number of threads.

use std::num::NonZeroUsize;
use std::thread;

use carrybit::internals::search::threads::{MAX_THREADS, STACK_BYTES};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::Error;

/// The number of threads.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct Threads {
    /// Threads; the default is one per processor. The result does not depend on them
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=MAX_THREADS as u64))]
    pub threads: Option<u64>,
}

impl Threads {
    pub fn count(self) -> usize {
        let processors = || thread::available_parallelism().map_or(1, NonZeroUsize::get);
        self.threads.map_or_else(processors, |threads| threads as usize)
    }

    pub fn pool(self) -> Result<ThreadPool, Error> {
        let wanted = self.count();
        ThreadPoolBuilder::new()
            .num_threads(wanted)
            // Searches need it.
            .stack_size(STACK_BYTES)
            .thread_name(|number| format!("worker {number}"))
            .build()
            .map_err(|error| Error::Refused(format!("cannot start {wanted} threads: {error}")))
    }
}
