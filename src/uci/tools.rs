//! Starts the tools.

use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::search::params::{self, Param};
use crate::tools::{bench, doctor, genfens, perft, speedtest};

use super::Dialogue;
use super::command::Tool;
use super::job::{EventWriter, Job};

impl Dialogue {
    pub(super) fn run_tool(&mut self, tool: Tool) {
        match tool {
            Tool::Genfens(_) | Tool::Doctor if cfg!(target_family = "wasm") => {
                self.refuse("genfens and doctor are not available in the WebAssembly build");
            }
            Tool::Perft(depth) => {
                let board = self.board().clone();
                let mode = self.engine.settings().castling_mode;
                self.start_tool("perft", move |stop, output| {
                    perft::run(&board, depth, mode, stop, output)
                });
            }
            Tool::Bench(numbers) => {
                self.start_tool("bench", move |stop, output| bench::run(numbers, stop, output));
            }
            Tool::Speedtest(numbers) => {
                self.start_tool("speedtest", move |stop, out| speedtest::run(numbers, stop, out));
            }
            Tool::Doctor => self.start_tool("doctor", doctor::run),
            Tool::Genfens(arguments) => {
                let network = Arc::clone(self.engine.network());
                self.start_tool("genfens", move |stop, output| {
                    genfens::run(&arguments, network, stop, output)
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

    /// Lists the search parameters. In a build without the feature `spsa` they cannot be set,
    /// so a list would mislead a tuner.
    pub(super) fn list_params(&mut self) {
        if cfg!(feature = "spsa") {
            self.output.print_all(params::ALL.iter().map(Param::spsa_line));
        } else {
            self.refuse(
                "params ignored: this build has no search parameters to set; build with \
                 `make SPSA=1` or `--features spsa`",
            );
        }
    }
}
