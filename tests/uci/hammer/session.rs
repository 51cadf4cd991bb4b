//! One process of the engine: sends a script to it, and checks its output with the model.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, unbounded};

use super::model::{Command, Ending, Model, Request, Tally};
use super::script::{Script, Step};
use crate::process_support::{Engine, program};
use crate::time_support::TIMEOUT;

/// The interval of checks whether a `stop` is needed.
const POLL: Duration = Duration::from_millis(5);

/// A failure shows this number of the last lines, cut to this width.
const TAIL: usize = 60;
const TAIL_WIDTH: usize = 160;

/// A line of output with its time, or an error.
type Received = Result<(String, Instant), String>;

/// Plays the script with a new process; no answer may be later than `limit`. Returns the
/// measurements, and the problem, if there is one, with the last lines of the dialogue.
pub(crate) fn play(script: &Script, limit: Duration) -> (Tally, Option<String>) {
    let mut session = Session::start(limit);
    let problem = session.play(script).err().map(|problem| {
        // Ignore errors: the process may have exited.
        let _ = session.child.kill();
        let _ = session.child.wait();
        let dialogue: String = session.dialogue.iter().map(String::as_str).collect();
        format!("{problem}, after\n{dialogue}")
    });
    (session.model.tally, problem)
}

struct Session {
    child: Child,
    input: Option<ChildStdin>,
    received: Receiver<Received>,
    model: Model,
    limit: Duration,
    began: Instant,
    /// The last lines of both sides.
    dialogue: VecDeque<String>,
}

impl Session {
    fn start(limit: Duration) -> Session {
        // The log has the size of each search's transposition table.
        let mut program = program();
        program.env("RUST_LOG", "carrybit::hash=debug").stderr(Stdio::piped());
        let Engine { mut child, input, output } = Engine::start_as(&mut program);
        let (sender, received) = unbounded();
        read_lines(output, sender.clone(), Ok);
        let errors = child.stderr.take().expect("its errors are a pipe");
        read_lines(BufReader::new(errors), sender, |line| {
            let size =
                line.split_once("carrybit::hash] ").and_then(|(_, size)| size.strip_suffix(" MB"));
            size.map(|size| format!("hash {size}"))
                .ok_or_else(|| format!("on standard error: {line}"))
        });
        let began = Instant::now();
        Session {
            input,
            child,
            received,
            model: Model::new(began),
            limit,
            began,
            dialogue: VecDeque::new(),
        }
    }

    fn play(&mut self, script: &Script) -> Result<(), String> {
        for step in &script.steps {
            match step {
                Step::Send { gap, commands, line_end } => {
                    let end = Instant::now() + *gap;
                    while self.receive_until(end)? {}
                    self.send(commands, line_end)?;
                }
                Step::Settle => self.settle()?,
            }
        }
        self.close(script.ending)
    }

    /// Sends commands in one write.
    fn send(&mut self, commands: &[Command], line_end: &str) -> Result<(), String> {
        while let Ok(received) = self.received.try_recv() {
            self.receive(received)?;
        }
        let mut bytes = Vec::new();
        let now = Instant::now();
        for command in commands {
            self.note('>', &String::from_utf8_lossy(&command.line), now);
            self.model.send(command, now);
            bytes.extend(&command.line);
            bytes.extend(line_end.as_bytes());
        }
        self.write(&bytes)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), String> {
        let input = self.input.as_mut().expect("the input is open");
        input.write_all(bytes).map_err(|error| format!("the input is closed: {error}"))
    }

    /// Waits for all answers, and sends `stop` if a job would not end.
    fn settle(&mut self) -> Result<(), String> {
        let end = Instant::now() + TIMEOUT;
        while !self.model.is_settled() {
            if self.model.needs_stop() {
                self.send(&[Command { line: b"stop".to_vec(), request: Request::Stop }], "\n")?;
            }
            self.receive_until(Instant::now() + POLL)?;
            if Instant::now() > end {
                return Err("not all answers come".to_owned());
            }
        }
        Ok(())
    }

    /// Ends the dialogue and waits for the exit of the process.
    fn close(&mut self, ending: Ending) -> Result<(), String> {
        // Afterwards no `stop` can be sent.
        if self.model.would_outlast(ending) {
            self.settle()?;
        }
        let requested = Instant::now();
        self.model.close(ending, requested);
        self.note('>', &format!("{ending:?}"), requested);
        match ending {
            Ending::Quit => self.write(b"quit\n")?,
            Ending::EndOfInput => self.input = None,
        }
        loop {
            match self.received.recv_timeout(TIMEOUT) {
                Ok(received) => self.receive(received)?,
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    return Err("the process does not exit".to_owned());
                }
            }
        }
        let status = self.child.wait().map_err(|error| error.to_string())?;
        self.model.end(requested, Instant::now())?;
        if status.success() { Ok(()) } else { Err(format!("it exited with {status}")) }
    }

    /// Waits until `end` for one line. Returns whether one came.
    fn receive_until(&mut self, end: Instant) -> Result<bool, String> {
        match self.received.recv_deadline(end) {
            Ok(received) => self.receive(received).map(|()| true),
            Err(RecvTimeoutError::Disconnected) => Err("the process has exited".to_owned()),
            Err(RecvTimeoutError::Timeout) => {
                self.model.overdue(TIMEOUT, Instant::now()).map_or(Ok(false), Err)
            }
        }
    }

    fn receive(&mut self, received: Received) -> Result<(), String> {
        let (line, at) = received?;
        self.note('<', &line, at);
        self.model.receive(&line, at)?;
        let worst = self.model.tally.worst();
        if worst > self.limit { Err(format!("too late: {worst:?}")) } else { Ok(()) }
    }

    fn note(&mut self, direction: char, line: &str, at: Instant) {
        if self.dialogue.len() == TAIL {
            self.dialogue.pop_front();
        }
        // Keeps only the first and the last of consecutive reports.
        let is_info = |line: &String| line.contains(" < info depth ");
        if line.starts_with("info depth ")
            && self.dialogue.iter().rev().take(2).filter(|l| is_info(l)).count() == 2
        {
            self.dialogue.pop_back();
        }
        let millis = at.duration_since(self.began).as_secs_f64() * 1e3;
        let line: String = line.chars().take(TAIL_WIDTH).collect();
        self.dialogue.push_back(format!("{millis:10.2} {direction} {line}\n"));
    }
}

/// Starts a thread that reads a pipe to its end.
fn read_lines(
    pipe: impl BufRead + Send + 'static,
    sender: Sender<Received>,
    result: fn(String) -> Result<String, String>,
) {
    thread::spawn(move || {
        for line in pipe.lines() {
            let line = line.map_err(|error| error.to_string()).and_then(result);
            // An error means that the session has ended.
            if sender.send(line.map(|line| (line, Instant::now()))).is_err() {
                return;
            }
        }
    });
}
