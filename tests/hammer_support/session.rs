//! One process of the engine, driven by a script and watched by the model.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command as Program, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, unbounded};

use super::model::{Command, Farewell, Model, Request, Tally};
use super::script::{Script, Step};

/// An answer that has not come by then will not come.
const PATIENCE: Duration = Duration::from_secs(60);

/// How often to check whether a `stop` is needed.
const POLL: Duration = Duration::from_millis(5);

/// How many lines of the dialogue are kept for a report, and their length.
const TAIL: usize = 60;
const TAIL_WIDTH: usize = 160;

/// A line of output and when it came, or a problem.
type Heard = Result<(String, Instant), String>;

/// Talks to a new process as the script says; no answer may be later than `limit`. Returns
/// the measurements, and if there is a problem, that and the end of the dialogue.
pub(crate) fn play(script: &Script, limit: Duration) -> (Tally, Option<String>) {
    let mut session = Session::start(limit);
    let problem = session.play(script).err().map(|problem| {
        // Ignore errors: it may have ended.
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
    heard: Receiver<Heard>,
    model: Model,
    limit: Duration,
    began: Instant,
    /// The last lines of both sides.
    dialogue: VecDeque<String>,
}

impl Session {
    fn start(limit: Duration) -> Session {
        let mut child = Program::new(env!("CARGO_BIN_EXE_carrybit"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program can be started");
        let (sender, heard) = unbounded();
        let errors = child.stderr.take().expect("its errors are a pipe");
        listen(child.stdout.take().expect("its output is a pipe"), sender.clone(), Ok);
        listen(errors, sender, |(line, _)| Err(format!("on standard error: {line}")));
        let began = Instant::now();
        Session {
            input: child.stdin.take(),
            child,
            heard,
            model: Model::new(began),
            limit,
            began,
            dialogue: VecDeque::new(),
        }
    }

    fn play(&mut self, script: &Script) -> Result<(), String> {
        for step in &script.steps {
            match step {
                Step::Say { gap, commands, line_end } => {
                    let end = Instant::now() + *gap;
                    while self.listen(end)? {}
                    self.say(commands, line_end)?;
                }
                Step::Settle => self.settle()?,
            }
        }
        self.leave(script.farewell)
    }

    /// Sends commands in one write.
    fn say(&mut self, commands: &[Command], line_end: &str) -> Result<(), String> {
        while let Ok(heard) = self.heard.try_recv() {
            self.hear(heard)?;
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
        input.write_all(bytes).map_err(|error| format!("it does not read: {error}"))
    }

    /// Waits for all answers, and sends `stop` to jobs that would not end.
    fn settle(&mut self) -> Result<(), String> {
        let end = Instant::now() + PATIENCE;
        while !self.model.is_settled() {
            if self.model.needs_stop() {
                self.say(&[Command { line: b"stop".to_vec(), request: Request::Stop }], "\n")?;
            }
            self.listen(Instant::now() + POLL)?;
            if Instant::now() > end {
                return Err("it does not come to rest".to_owned());
            }
        }
        Ok(())
    }

    /// Ends the conversation and waits for the end of the process.
    fn leave(&mut self, farewell: Farewell) -> Result<(), String> {
        // Nothing could stop it afterwards.
        if self.model.would_outlast(farewell) {
            self.settle()?;
        }
        let asked = Instant::now();
        self.model.leave(farewell, asked);
        self.note('>', &format!("{farewell:?}"), asked);
        match farewell {
            Farewell::Quit => self.write(b"quit\n")?,
            Farewell::EndOfInput => self.input = None,
        }
        loop {
            match self.heard.recv_timeout(PATIENCE) {
                Ok(heard) => self.hear(heard)?,
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => return Err("it does not end".to_owned()),
            }
        }
        let status = self.child.wait().map_err(|error| error.to_string())?;
        self.model.end(asked, Instant::now())?;
        if status.success() { Ok(()) } else { Err(format!("it ended with {status}")) }
    }

    /// Waits until `end` for one line. Returns whether it came.
    fn listen(&mut self, end: Instant) -> Result<bool, String> {
        match self.heard.recv_deadline(end) {
            Ok(heard) => self.hear(heard).map(|()| true),
            Err(RecvTimeoutError::Disconnected) => Err("it has ended".to_owned()),
            Err(RecvTimeoutError::Timeout) => {
                self.model.overdue(PATIENCE, Instant::now()).map_or(Ok(false), Err)
            }
        }
    }

    fn hear(&mut self, heard: Heard) -> Result<(), String> {
        let (line, at) = heard?;
        self.note('<', &line, at);
        self.model.hear(&line, at)?;
        let worst = self.model.tally.worst();
        if worst > self.limit { Err(format!("too late: {worst:?}")) } else { Ok(()) }
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
}

/// Starts a thread that reads a pipe to its end.
fn listen(
    pipe: impl Read + Send + 'static,
    listener: Sender<Heard>,
    to_heard: fn((String, Instant)) -> Heard,
) {
    thread::spawn(move || {
        for line in BufReader::new(pipe).lines() {
            let heard = line.map_err(|error| error.to_string());
            // Ends when the session has.
            if listener.send(heard.and_then(|line| to_heard((line, Instant::now())))).is_err() {
                return;
            }
        }
    });
}
