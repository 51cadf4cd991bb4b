//! Starts the tools.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::host::{self, Sender};
use crate::search::params::{self, Param};
use crate::search::threads::{STACK_BYTES, THREAD_BYTES};
use crate::sys::memory::has_room;
use crate::tools::{ToolOutput, bench, doctor, genfens, perft, speedtest};

use super::parser::Tool;
use super::schedule::{Job, JobKind};
use super::{Dialogue, Event};

impl Dialogue {
    pub(super) fn run_tool(&mut self, tool: Tool) {
        match tool {
            Tool::Genfens(_) | Tool::Doctor if cfg!(target_family = "wasm") => {
                self.refuse("genfens and doctor are not available in the WebAssembly build");
            }
            Tool::Perft(depth) => {
                if self.refuses_without_position("perft") {
                    return;
                }
                let board = self.board().clone();
                let mode = self.castling_mode;
                self.start_tool("perft", move |stop, output| {
                    perft::run(&board, depth, mode, stop, output);
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
                    output.problem = genfens::run(&arguments, network, stop, output).err();
                });
            }
        }
    }

    /// Starts `tool` on a new thread; it must end soon after the flag is set.
    fn start_tool(
        &mut self,
        name: &str,
        tool: impl FnOnce(&Arc<AtomicBool>, &mut ToolEvents) + Send + 'static,
    ) {
        // A tool may search with an engine of its own, whose failed allocation would abort the
        // process.
        if !has_room(2 * THREAD_BYTES) {
            return self.refuse(&format!("cannot start {name}: not enough memory"));
        }
        let stop = Arc::new(AtomicBool::new(false));
        let (flag, events) = (Arc::clone(&stop), self.events());
        let run = move || tool(&flag, &mut ToolEvents { events, problem: None });
        match host::spawn(name, STACK_BYTES, run) {
            Ok(()) => self.job = Some(Job::new(JobKind::Tool(stop))),
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

/// Turns the output of a tool into events; its drop reports the end of the tool, even after a
/// panic. Ignores errors of sending: the dialogue may be over.
struct ToolEvents {
    events: Sender<Event>,
    problem: Option<String>,
}

impl ToolOutput for ToolEvents {
    fn line(&mut self, line: String) {
        let _ = self.events.send(Event::ToolLine(line));
    }

    fn progress(&mut self, done: u64, total: u64) {
        let _ = self.events.send(Event::ToolProgress(done, total));
    }
}

impl Drop for ToolEvents {
    fn drop(&mut self) {
        let _ = self.events.send(Event::ToolFinished(self.problem.take()));
    }
}
