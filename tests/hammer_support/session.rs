//! One process of the engine, driven by a script and watched by the model.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command as Program, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, unbounded};

use super::command::Command;
use super::model::{Farewell, Model, Tally};
use super::script::{Script, Step};

/// What has not come by then will not come.
const PATIENCE: Duration = Duration::from_secs(30);

/// How often to check whether a `stop` is needed.
const LOOK: Duration = Duration::from_millis(5);

/// How many lines of the dialogue are kept for a report.
const TAIL: usize = 60;

/// Longer lines are cut in a report.
const TAIL_WIDTH: usize = 160;

/// What a process has to say.
enum Heard {
    Output(String, Instant),
    Error(String),
}

/// What is wrong, and what was said before.
pub(crate) struct Failure {
    pub(crate) problem: String,
    pub(crate) dialogue: String,
}

/// How a session went.
pub(crate) struct Course {
    pub(crate) tally: Tally,
    /// The end of the dialogue after the first late answer, if there was one.
    pub(crate) first_late: Option<String>,
    pub(crate) failure: Option<Failure>,
}

/// Talks to a new process as the script says.
pub(crate) fn play(script: &Script) -> Course {
    let mut session = Session::start();
    let result = session.play(script);
    let failure = result.err().map(|problem| {
        // It may have ended.
        let _ = session.child.kill();
        let _ = session.child.wait();
        Failure { problem, dialogue: session.tail() }
    });
    Course { tally: session.model.tally, first_late: session.first_late, failure }
}

struct Session {
    child: Child,
    input: Option<ChildStdin>,
    heard: Receiver<Heard>,
    model: Model,
    began: Instant,
    dialogue: VecDeque<String>,
    first_late: Option<String>,
}

impl Session {
    fn start() -> Session {
        let mut child = Program::new(env!("CARGO_BIN_EXE_carrybit"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program can be started");
        let (sender, heard) = unbounded();
        let output = child.stdout.take().expect("its output is a pipe");
        let errors = child.stderr.take().expect("its errors are a pipe");
        let said = |line, at| Heard::Output(line, at);
        listen(output, sender.clone(), said);
        listen(errors, sender, |line, _| Heard::Error(line));
        let began = Instant::now();
        Session {
            input: child.stdin.take(),
            child,
            heard,
            model: Model::new(began),
            began,
            dialogue: VecDeque::new(),
            first_late: None,
        }
    }

    fn play(&mut self, script: &Script) -> Result<(), String> {
        for step in &script.steps {
            match step {
                Step::Say { gap, commands, line_end } => {
                    self.listen_until(Instant::now() + *gap)?;
                    self.say(commands, line_end)?;
                }
                Step::Settle => self.settle()?,
            }
        }
        self.leave(script.farewell)
    }

    /// Says commands in one write.
    fn say(&mut self, commands: &[Command], line_end: &str) -> Result<(), String> {
        let mut bytes = Vec::new();
        while let Ok(heard) = self.heard.try_recv() {
            self.hear(heard)?;
        }
        let now = Instant::now();
        for command in commands {
            let line = command.line();
            self.note('>', &String::from_utf8_lossy(&line), now);
            self.model.send(command, now);
            bytes.extend(line);
            bytes.extend(line_end.as_bytes());
        }
        let input = self.input.as_mut().expect("the input is open");
        input.write_all(&bytes).map_err(|error| format!("it does not read: {error}"))
    }

    /// Waits for everything requested, and says `stop` where it would not end.
    fn settle(&mut self) -> Result<(), String> {
        let end = Instant::now() + PATIENCE;
        while !self.model.is_settled() {
            if self.model.needs_stop() {
                self.say(&[Command::Stop], "\n")?;
            }
            self.listen(Instant::now() + LOOK)?;
            if Instant::now() > end {
                return Err("it does not come to rest".to_owned());
            }
        }
        Ok(())
    }

    /// Ends the conversation and waits for the end of the process.
    fn leave(&mut self, farewell: Farewell) -> Result<(), String> {
        // Nobody will be there to stop it.
        if self.model.would_outlast(farewell) {
            self.settle()?;
        }
        let asked = Instant::now();
        self.model.leave(farewell, asked);
        match farewell {
            Farewell::Quit => {
                self.note('>', "quit", asked);
                let input = self.input.as_mut().expect("the input is open");
                input.write_all(b"quit\n").map_err(|error| format!("it does not read: {error}"))?;
            }
            Farewell::EndOfInput => {
                self.note('>', "(end of input)", asked);
                self.input = None;
            }
        }
        loop {
            match self.heard.recv_deadline(Instant::now() + PATIENCE) {
                Ok(heard) => self.hear(heard)?,
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => return Err("it does not leave".to_owned()),
            }
        }
        let status = self.child.wait().map_err(|error| error.to_string())?;
        self.model.end(asked, Instant::now())?;
        if status.code() == Some(0) { Ok(()) } else { Err(format!("it left with {status}")) }
    }

    /// Listens until this moment.
    fn listen_until(&mut self, end: Instant) -> Result<(), String> {
        while self.listen(end)? {}
        Ok(())
    }

    /// Listens until this moment for one line. Returns whether it came.
    fn listen(&mut self, end: Instant) -> Result<bool, String> {
        match self.heard.recv_deadline(end) {
            Ok(heard) => self.hear(heard).map(|()| true),
            Err(RecvTimeoutError::Disconnected) => Err("it has left".to_owned()),
            Err(RecvTimeoutError::Timeout) => {
                self.model.overdue(PATIENCE, Instant::now()).map_or(Ok(false), Err)
            }
        }
    }

    fn hear(&mut self, heard: Heard) -> Result<(), String> {
        let (line, at) = match heard {
            Heard::Output(line, at) => (line, at),
            Heard::Error(line) => return Err(format!("on standard error: {line}")),
        };
        self.note('<', &line, at);
        let late = self.model.tally.late();
        self.model.hear(&line, at)?;
        if self.model.tally.late() > late && self.first_late.is_none() {
            self.first_late = Some(self.tail());
        }
        Ok(())
    }

    fn note(&mut self, direction: char, line: &str, at: Instant) {
        if self.dialogue.len() == TAIL {
            self.dialogue.pop_front();
        }
        // Of many `info` lines the first and the last are enough.
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

    fn tail(&self) -> String {
        self.dialogue.iter().map(String::as_str).collect()
    }
}

/// Starts a thread that reads a pipe to its end.
fn listen(
    pipe: impl Read + Send + 'static,
    listener: Sender<Heard>,
    to_heard: fn(String, Instant) -> Heard,
) {
    thread::spawn(move || {
        for line in BufReader::new(pipe).lines() {
            let heard = match line {
                Ok(line) => to_heard(line, Instant::now()),
                Err(error) => Heard::Error(error.to_string()),
            };
            // After giving up, nobody listens any more.
            if listener.send(heard).is_err() {
                return;
            }
        }
    });
}
