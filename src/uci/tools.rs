//! Starts the tools.

use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::search::params::{self, Param};
use crate::search::threads::MAX_THREADS;
use crate::tools::{bench, doctor, genfens, perft, speedtest};

use super::Dialogue;
use super::command::Tool;
use super::job::{EventWriter, Job};

impl Dialogue {
    pub(super) fn run_tool(&mut self, tool: Tool) {
        match tool {
            Tool::Genfens(_) if cfg!(target_family = "wasm") => {
                self.refuse("genfens is not available in the WebAssembly build");
            }
            Tool::Doctor if cfg!(target_family = "wasm") => {
                self.refuse("doctor is not available in the WebAssembly build");
            }
            Tool::Perft(depth) => {
                let board = self.engine.game().board().clone();
                let chess960 = self.engine.settings().chess960;
                self.start_tool("perft", move |stop, output| {
                    perft::run(&board, depth, chess960, stop, output)
                });
            }
            Tool::Bench([depth, threads, hash_mb]) => {
                let depth = depth.map_or(bench::DEPTH, |depth| depth as i32);
                let threads = threads.map_or(bench::THREADS, |threads| threads as usize);
                let hash_mb = hash_mb.map_or(bench::HASH_MB, |megabytes| megabytes as usize);
                self.start_tool("bench", move |stop, output| {
                    bench::run(depth, threads, hash_mb, stop, output)
                });
            }
            Tool::Speedtest([threads, hash_mb, seconds]) => {
                let threads = threads.map(|threads| threads as usize);
                let threads = threads.unwrap_or_else(speedtest::usual_threads).min(MAX_THREADS);
                let usual_mb = threads * speedtest::HASH_MB_PER_THREAD;
                let hash_mb = hash_mb.map_or(usual_mb, |megabytes| megabytes as usize);
                let seconds = seconds.map_or(speedtest::SECONDS, u64::from);
                self.start_tool("speedtest", move |stop, output| {
                    speedtest::run(threads, hash_mb, seconds, stop, output)
                });
            }
            Tool::Doctor => self.start_tool("doctor", doctor::run),
            Tool::Genfens(order) => {
                let network = Arc::clone(self.engine.network());
                self.start_tool("genfens", move |stop, output| {
                    genfens::run(&order, network, stop, output)
                });
            }
        }
    }

    fn start_tool<E: Display>(
        &mut self,
        name: &str,
        tool: impl FnOnce(&Arc<AtomicBool>, &mut EventWriter) -> Result<(), E> + Send + 'static,
    ) {
        match Job::tool(name, self.events(), tool) {
            Ok(job) => self.job = Some(job),
            Err(error) => self.refuse(&format!("cannot start {name}: {error}")),
        }
    }

    /// Lists the search parameters, if this build can set them. In other builds setting a
    /// parameter has no effect, so listing them would mislead a tuner.
    pub(super) fn list_params(&mut self) {
        if cfg!(feature = "spsa") {
            self.output.print_all(params::ALL.iter().map(Param::spsa_line));
        } else {
            self.refuse(
                "params ignored: this build cannot set any; build it with `make SPSA=1` or \
                 `--features spsa`",
            );
        }
    }
}
