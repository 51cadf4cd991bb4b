//! The part of the dialogue that starts tools.

use std::fmt::Display;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::search::params::{self, Param};
use crate::search::threads::MAX_THREADS;
use crate::tools::{bench, doctor, genfens, perft, speedtest};

use super::Dialogue;
use super::job::{EventWriter, Job};

impl<W: Write> Dialogue<W> {
    pub(super) fn perft(&mut self, depth: u32) {
        let board = self.engine.game().board().clone();
        let chess960 = self.engine.settings().chess960;
        self.start_tool("perft", move |stop, output| {
            perft::run(&board, depth, chess960, stop, output)
        });
    }

    pub(super) fn genfens(&mut self, order: genfens::Order) {
        if self.refuse_to_page("genfens") {
            return;
        }
        let network = Arc::clone(self.engine.network());
        self.start_tool("genfens", move |stop, output| genfens::run(&order, network, stop, output));
    }

    pub(super) fn bench(
        &mut self,
        depth: Option<i32>,
        threads: Option<usize>,
        hash_mb: Option<usize>,
    ) {
        let depth = depth.unwrap_or(bench::DEPTH);
        let hash_mb = hash_mb.unwrap_or(bench::HASH_MB);
        let threads = threads.unwrap_or(bench::THREADS);
        self.start_tool("bench", move |stop, output| {
            bench::run(depth, threads, hash_mb, stop, output)
        });
    }

    pub(super) fn speedtest(
        &mut self,
        threads: Option<usize>,
        hash_mb: Option<usize>,
        seconds: Option<u64>,
    ) {
        let threads = threads.unwrap_or_else(speedtest::usual_threads).min(MAX_THREADS);
        let hash_mb = hash_mb.unwrap_or(threads * speedtest::HASH_MB_PER_THREAD);
        let seconds = seconds.unwrap_or(speedtest::SECONDS);
        self.start_tool("speedtest", move |stop, output| {
            speedtest::run(threads, hash_mb, seconds, stop, output)
        });
    }

    /// Lists the search parameters, if this build can set them: whoever tuned another one
    /// would have the engine play against its equal.
    pub(super) fn params(&mut self) {
        if cfg!(feature = "spsa") {
            self.output.say_all(params::ALL.iter().map(Param::spsa_line));
        } else {
            self.refuse(
                "params ignored: this build cannot set any; build it with `make SPSA=1` or \
                 `--features spsa`"
                    .to_owned(),
            );
        }
    }

    /// Examines engine and machine.
    pub(super) fn doctor(&mut self) {
        if !self.refuse_to_page("doctor") {
            self.start_tool("doctor", doctor::run);
        }
    }

    /// Refuses a tool that a page has no use for; returns whether it did.
    fn refuse_to_page(&mut self, name: &str) -> bool {
        let is_page = cfg!(target_family = "wasm");
        if is_page {
            self.refuse(format!("{name} ignored: WebAssembly does without it"));
        }
        is_page
    }

    pub(super) fn start_tool<E: Display>(
        &mut self,
        name: &'static str,
        tool: impl FnOnce(&Arc<AtomicBool>, &mut EventWriter) -> Result<(), E> + Send + 'static,
    ) {
        match Job::tool(name, self.events(), tool) {
            Ok(job) => self.job = Some(job),
            Err(error) => self.refuse(format!("cannot start {name}: {error}")),
        }
    }
}
