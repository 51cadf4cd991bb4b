//! Shared by the tests of the real program: a process and its pipes.

// Each test file compiles this module for itself and uses a part of it.
#![allow(dead_code)]

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::time_support::TIMEOUT;

/// The program, not yet started.
pub fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_carrybit"))
}

/// A running engine.
pub struct Engine {
    pub child: Child,
    pub input: Option<ChildStdin>,
    pub output: BufReader<ChildStdout>,
}

impl Engine {
    pub fn start() -> Engine {
        Engine::start_as(&mut program())
    }

    /// Starts the engine by another command.
    pub fn start_as(command: &mut Command) -> Engine {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("its output is a pipe"));
        Engine { child, input, output }
    }

    pub fn write(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("the input is open");
        input.write_all(bytes).expect("the engine reads");
    }

    /// Sends lines, and reads up to the first line that begins with `word`.
    pub fn ask(&mut self, lines: &[&str], word: &str) -> Vec<String> {
        self.write(format!("{}\n", lines.join("\n")).as_bytes());
        self.lines_until(word)
    }

    /// Returns a line with its line end, or an empty text at the end of the output.
    pub fn read_line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("the engine writes UTF-8");
        line
    }

    /// Reads up to the first line that begins with `word`, and returns all lines.
    pub fn lines_until(&mut self, word: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line = self.read_line();
            assert!(!line.is_empty(), "the output ends without {word}: {lines:#?}");
            let is_last = line.split_whitespace().next() == Some(word);
            lines.push(line);
            if is_last {
                return lines;
            }
        }
    }

    /// Reads up to the first line that begins with `word`, and returns that line.
    pub fn read_until(&mut self, word: &str) -> String {
        self.lines_until(word).pop().expect("the last line")
    }

    /// Sends `quit` and waits for the exit, which must be a success. Returns the rest of the
    /// output.
    pub fn quit(mut self) -> String {
        self.write(b"quit\n");
        let (status, rest) = self.exit();
        assert!(status.success(), "{rest}");
        rest
    }

    /// Waits for the exit. Returns the rest of the output.
    pub fn exit(mut self) -> (ExitStatus, String) {
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).expect("the engine writes UTF-8");
        (wait(&mut self.child), rest)
    }
}

/// Waits for the exit of a process; kills it after [`TIMEOUT`].
pub fn wait(child: &mut Child) -> ExitStatus {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("the state of the process") {
            return status;
        }
        if start.elapsed() > TIMEOUT {
            child.kill().expect("the process can be killed");
            panic!("the engine hangs");
        }
        thread::sleep(Duration::from_millis(1));
    }
}

/// Runs the program with arguments and an empty input.
pub fn run(arguments: &[&str]) -> Output {
    run_with(&[], arguments)
}

/// Like [`run`], with environment variables.
pub fn run_with(variables: &[(&str, &str)], arguments: &[&str]) -> Output {
    let mut program = program();
    program.envs(variables.iter().copied()).args(arguments).stdin(Stdio::null());
    program.output().expect("the program starts")
}

/// The standard output.
pub fn text(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).expect("the engine writes UTF-8")
}
