//! The rules of the protocol and of `docs/`: which answers are due, in which order, and what they
//! must contain.
//!
//! A *job* is a search or a tool (perft, bench, genfens); one runs at a time. A command that needs
//! an idle engine waits for an earlier tool, and stops an earlier search unless a `wait` is between
//! them. `stop` and `ponderhit` apply to all earlier jobs, even to those that have not begun. A
//! `wait` does not delay them.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::judge::Position;

/// A line to send, and the answer that it requests.
pub(crate) struct Command {
    pub(crate) line: Vec<u8>,
    pub(crate) request: Request,
}

#[derive(Clone, Debug)]
pub(crate) enum Request {
    Go(Go),
    /// A tool: a part of its last line, and whether it ends soon without a `stop`.
    Tool(String, bool),
    Stop,
    PonderHit,
    Wait,
    /// A question: the beginning of the last line of its answer.
    Ask(&'static str),
    NewGame,
    /// A command that reallocates memory and may take long.
    Memory,
    Nothing,
}

/// A `go`, with everything that affects its answer.
#[derive(Clone, Debug)]
pub(crate) struct Go {
    pub(crate) root: Position,
    pub(crate) chess960: bool,
    /// The legal moves of `searchmoves`; empty for all.
    pub(crate) search_moves: Vec<String>,
    /// The value of `MultiPV`.
    pub(crate) lines: usize,
    /// Only a `stop` permits the answer: `infinite` is given, or no limit.
    pub(crate) infinite: bool,
    /// Only a `ponderhit` or a `stop` permits the answer.
    pub(crate) ponder: bool,
    /// The limits end it soon, once its answer is permitted.
    pub(crate) is_short: bool,
    /// Its time, counted from the `go` or the `ponderhit`.
    pub(crate) budget: Option<Duration>,
    /// The depth that it must reach unless it is stopped.
    pub(crate) depth: Option<u32>,
    /// The size of its transposition table in megabytes.
    pub(crate) hash_mb: usize,
}

impl Go {
    /// A search of the start position without limits.
    pub(crate) fn new(hash_mb: usize) -> Go {
        Go {
            root: Position::start(),
            chess960: false,
            search_moves: Vec::new(),
            lines: 1,
            infinite: false,
            ponder: false,
            is_short: false,
            budget: None,
            depth: None,
            hash_mb,
        }
    }
}

/// A search or tool that has no answer yet.
struct Job {
    line: String,
    request: Request,
    /// The numbers of commands and of `wait`s sent before it.
    place: usize,
    waits_before: usize,
    sent: Instant,
    /// The times of the `stop` and the `ponderhit` that apply to it.
    stop: Option<Instant>,
    hit: Option<Instant>,
    /// The greatest depth reported.
    deepest: u32,
}

impl Job {
    /// Whether an answer is not permitted yet.
    fn is_held(&self) -> bool {
        let Request::Go(go) = &self.request else { return false };
        self.stop.is_none() && (go.infinite || (go.ponder && self.hit.is_none()))
    }

    /// Whether it ends late or never without a `stop`.
    fn needs_stop(&self) -> bool {
        let is_short = match &self.request {
            Request::Go(go) => go.is_short,
            Request::Tool(_, is_short) => *is_short,
            _ => true,
        };
        self.is_held() || (!is_short && self.stop.is_none())
    }

    /// Whether `quit` and later jobs wait for its end: it is a tool, or a `wait` follows it.
    fn is_waited_for(&self, waits: usize) -> bool {
        matches!(self.request, Request::Tool(..)) || self.waits_before < waits
    }
}

/// A question that has no answer yet.
struct Question {
    answer: &'static str,
    place: usize,
    /// The number of jobs sent before it, and of those that must be answered before it.
    jobs_before: usize,
    barrier: usize,
    /// The number of jobs answered when it was sent.
    answered_before: usize,
    /// The time from which on it can be answered.
    due: Option<Instant>,
}

/// The number and the longest delay of answers of one kind.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Delays {
    pub(crate) count: u64,
    /// How many of them were longer than [`LATE`].
    pub(crate) late: u64,
    pub(crate) worst: Duration,
}

/// A delay that a GUI's player would notice. On a busy machine some are longer.
const LATE: Duration = Duration::from_millis(100);

/// Kinds of delays: the answer to a question; the answer after a stop; the time of a search
/// beyond its budget; the exit after `quit` or the end of input; any of these while memory may
/// be reallocated.
pub(crate) const KINDS: [&str; 5] = ["questions", "stops", "overtime", "exits", "memory"];
pub(crate) const READY: usize = 0;
pub(crate) const STOPPED: usize = 1;
pub(crate) const OVERTIME: usize = 2;
pub(crate) const EXIT: usize = 3;
pub(crate) const MEMORY: usize = 4;

#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) searches: usize,
    pub(crate) commands: usize,
    pub(crate) delays: [Delays; KINDS.len()],
}

impl Tally {
    pub(crate) fn add(&mut self, other: &Tally) {
        self.searches += other.searches;
        self.commands += other.commands;
        for (delays, other) in self.delays.iter_mut().zip(other.delays) {
            delays.count += other.count;
            delays.late += other.late;
            delays.worst = delays.worst.max(other.worst);
        }
    }

    /// The longest delay without reallocation.
    pub(crate) fn worst(&self) -> Duration {
        [READY, STOPPED, OVERTIME].map(|kind| self.delays[kind].worst).into_iter().max().unwrap()
    }

    fn note(&mut self, kind: usize, delay: Duration) {
        let delays = &mut self.delays[kind];
        delays.count += 1;
        delays.late += u64::from(delay > LATE);
        delays.worst = delays.worst.max(delay);
    }
}

/// The two ways to end the dialogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    Quit,
    EndOfInput,
}

/// All answers that are due.
pub(crate) struct Model {
    pub(crate) tally: Tally,
    jobs: VecDeque<Job>,
    questions: VecDeque<Question>,
    /// The places of commands that reallocate memory, for which `readyok` may still wait.
    memory: Vec<usize>,
    /// The places of those for which the next search may still wait: the old table is freed.
    freeing: Vec<usize>,
    /// The place after the last command for which `readyok` does not wait for memory.
    urgent: usize,
    /// The sizes of the transposition tables of all searches that have not ended.
    hashes: VecDeque<usize>,
    jobs_answered: usize,
    /// The number of jobs that must be answered before the next command runs.
    barrier: usize,
    waits: usize,
    /// The time of the last answer to a job, at first the start.
    last_answer: Instant,
    /// The last time at which reallocated memory was certainly ready, at first the start.
    memory_ready: Instant,
    /// A stop may have reached a tool that had just written its last line.
    may_print_stopped: bool,
    ending: Option<Ending>,
}

impl Model {
    pub(crate) fn new(now: Instant) -> Model {
        Model {
            tally: Tally::default(),
            jobs: VecDeque::new(),
            questions: VecDeque::new(),
            memory: Vec::new(),
            freeing: Vec::new(),
            urgent: 0,
            hashes: VecDeque::new(),
            jobs_answered: 0,
            barrier: 0,
            waits: 0,
            last_answer: now,
            memory_ready: now,
            may_print_stopped: false,
            ending: None,
        }
    }

    fn jobs_sent(&self) -> usize {
        self.jobs_answered + self.jobs.len()
    }

    /// Records a command.
    pub(crate) fn send(&mut self, command: &Command, now: Instant) {
        let place = self.tally.commands;
        self.tally.commands += 1;
        if let Request::Go(go) = &command.request {
            self.hashes.push_back(go.hash_mb);
        }
        match &command.request {
            Request::Go(_) | Request::Tool(..) => {
                self.urgent = place + 1;
                self.tally.searches += usize::from(matches!(command.request, Request::Go(_)));
                self.require_idle(now);
                self.jobs.push_back(Job {
                    line: String::from_utf8_lossy(&command.line).into_owned(),
                    request: command.request.clone(),
                    place,
                    waits_before: self.waits,
                    sent: now,
                    stop: None,
                    hit: None,
                    deepest: 0,
                });
            }
            Request::Stop => {
                self.urgent = place + 1;
                for job in &mut self.jobs {
                    job.stop.get_or_insert(now);
                }
            }
            Request::PonderHit => {
                for job in &mut self.jobs {
                    job.hit.get_or_insert(now);
                }
            }
            Request::Wait => {
                self.barrier = self.jobs_sent();
                self.waits += 1;
            }
            Request::Ask(answer) => self.questions.push_back(Question {
                answer,
                place,
                jobs_before: self.jobs_sent(),
                barrier: self.barrier,
                answered_before: self.jobs_answered,
                due: (self.jobs_answered >= self.barrier).then_some(now),
            }),
            Request::NewGame | Request::Memory => {
                if matches!(command.request, Request::NewGame) {
                    self.require_idle(now);
                }
                self.memory.push(place);
                self.freeing.push(place);
            }
            Request::Nothing => {}
        }
    }

    /// Records that a command needs an idle engine: it stops the last job, or waits for its end.
    fn require_idle(&mut self, now: Instant) {
        self.barrier = self.jobs_sent();
        if let Some(last) = self.jobs.back_mut()
            && !last.is_waited_for(self.waits)
        {
            last.stop.get_or_insert(now);
        }
    }

    /// Records the end of the dialogue.
    pub(crate) fn close(&mut self, how: Ending, now: Instant) {
        self.ending = Some(how);
        for job in &mut self.jobs {
            let may_end = how == Ending::EndOfInput || job.is_waited_for(self.waits);
            if job.is_held() || !may_end {
                job.stop.get_or_insert(now);
            }
        }
    }

    /// Whether every request has its answer.
    pub(crate) fn is_settled(&self) -> bool {
        self.jobs.is_empty() && self.questions.is_empty()
    }

    /// Whether the current job needs a `stop` to end.
    pub(crate) fn needs_stop(&self) -> bool {
        self.jobs.front().is_some_and(Job::needs_stop)
    }

    /// Whether a job would run for long after this ending.
    pub(crate) fn would_outlast(&self, how: Ending) -> bool {
        self.jobs.iter().any(|job| {
            let may_end = how == Ending::EndOfInput || job.is_waited_for(self.waits);
            may_end && job.needs_stop() && !job.is_held()
        })
    }

    /// The answer that has been due for longer than `timeout`, if there is one.
    pub(crate) fn overdue(&self, timeout: Duration, now: Instant) -> Option<String> {
        let is_overdue = |due: Instant| now.saturating_duration_since(due) > timeout;
        if let Some(job) = self.jobs.front()
            && !job.needs_stop()
            && is_overdue(self.due(job).map_or_else(|| self.begun(job), |(due, _)| due))
        {
            return Some(format!("no answer to {}", job.line));
        }
        let question = self.questions.front()?;
        question.due.is_some_and(is_overdue).then(|| format!("no {}", question.answer))
    }

    /// The latest possible start of the job.
    fn begun(&self, job: &Job) -> Instant {
        job.sent.max(self.last_answer)
    }

    /// The time at which the job's answer is due, and the kind of delay, if both are certain.
    fn due(&self, job: &Job) -> Option<(Instant, usize)> {
        let begun = self.begun(job);
        let stopped = job.stop.map(|at| (at.max(begun), STOPPED));
        let timed = match &job.request {
            Request::Go(go) if !go.infinite => {
                let hit = if go.ponder { job.hit } else { Some(begun) };
                let spent = go.budget.zip(hit);
                spent.map(|(budget, hit)| (hit.max(begun) + budget, OVERTIME))
            }
            _ => None,
        };
        [stopped, timed].into_iter().flatten().min()
    }

    /// Handles a line from the engine.
    ///
    /// # Errors
    /// The rule that the engine has broken.
    pub(crate) fn receive(&mut self, line: &str, now: Instant) -> Result<(), String> {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["bestmove", ..] => self.receive_best_move(&words, now),
            ["hash", megabytes] => self.check_hash(megabytes),
            ["info", "string", "stopped"] => match self.jobs.front() {
                Some(Job { request: Request::Tool(..), stop: Some(_), .. }) => self.answer_job(now),
                _ if std::mem::take(&mut self.may_print_stopped) => Ok(()),
                _ => Err("no tool was stopped".to_owned()),
            },
            ["info", "string", "genfens", ..]
            | ["Nodes", "searched:", _]
            | [_, "nodes", _, "nps"] => match self.jobs.front() {
                Some(Job { request: Request::Tool(last_line, _), .. })
                    if line.contains(last_line) =>
                {
                    self.answer_job(now)?;
                    self.may_print_stopped = true;
                    Ok(())
                }
                _ => Err("no tool is running".to_owned()),
            },
            ["info", "string", ..] => Ok(()),
            ["info", ..] => self.receive_info(&words),
            _ => self.receive_answer(line, now),
        }
    }

    /// Checks the size of the table of the first search whose size was not checked yet.
    fn check_hash(&mut self, megabytes: &str) -> Result<(), String> {
        match self.hashes.pop_front() {
            Some(wanted) if megabytes == wanted.to_string() => Ok(()),
            wanted => Err(format!("a search had {megabytes} MB, not {wanted:?}")),
        }
    }

    /// The current search, and the greatest depth that it has reported.
    fn search(&mut self) -> Result<(&Go, &mut u32), String> {
        match self.jobs.front_mut() {
            Some(Job { request: Request::Go(go), deepest, .. }) => Ok((go, deepest)),
            _ => Err("no search was requested".to_owned()),
        }
    }

    fn receive_info(&mut self, words: &[&str]) -> Result<(), String> {
        let (go, deepest) = self.search()?;
        let number = |name: &str| -> Option<usize> {
            let at = words.iter().position(|&word| word == name)?;
            words.get(at + 1)?.parse().ok()
        };
        if number("multipv").is_some_and(|rank| rank > go.lines) {
            return Err(format!("more than {} lines", go.lines));
        }
        let Some(at) = words.iter().position(|&word| word == "pv") else { return Ok(()) };
        check_line(go, &words[at + 1..])?;
        *deepest = (*deepest).max(number("depth").unwrap_or(0) as u32);
        Ok(())
    }

    fn receive_best_move(&mut self, words: &[&str], now: Instant) -> Result<(), String> {
        let (go, &mut deepest) = self.search()?;
        let moves = match words {
            ["bestmove", "(none)"] => &[] as &[&str],
            [_, best] => &[*best],
            [_, best, "ponder", ponder] => &[*best, *ponder],
            _ => return Err("not a bestmove".to_owned()),
        };
        if moves.is_empty() != go.root.legal_moves(go.chess960).is_empty() {
            return Err("(none) is printed if and only if there is no legal move".to_owned());
        }
        check_line(go, moves)?;
        let wanted = go.depth.filter(|&depth| depth != deepest && !moves.is_empty());
        let job = &self.jobs[0];
        if job.is_held() {
            return Err("no answer is permitted yet".to_owned());
        }
        if let Some(depth) = wanted.filter(|_| job.stop.is_none()) {
            return Err(format!("it was not stopped, and reached depth {deepest}, not {depth}"));
        }
        self.answer_job(now)
    }

    /// Records the answer to the current job.
    fn answer_job(&mut self, now: Instant) -> Result<(), String> {
        let Some(job) = self.jobs.front() else { return Ok(()) };
        let is_earlier = |question: &Question| question.jobs_before <= self.jobs_answered;
        if self.questions.front().is_some_and(is_earlier) {
            return Err("an earlier question has no answer yet".to_owned());
        }
        if let Some((due, kind)) = self.due(job) {
            let place = job.place;
            let frees = self.freeing.iter().any(|&requested| requested < place);
            self.tally.note(if frees { MEMORY } else { kind }, now.saturating_duration_since(due));
            self.freeing.retain(|&requested| requested > place);
        }
        self.may_print_stopped = false;
        self.jobs.pop_front();
        self.jobs_answered += 1;
        self.last_answer = now;
        for question in &mut self.questions {
            if question.due.is_none() && self.jobs_answered >= question.barrier {
                question.due = Some(now);
            }
        }
        Ok(())
    }

    /// Handles a line that may be the answer to a question.
    fn receive_answer(&mut self, line: &str, now: Instant) -> Result<(), String> {
        let Some(question) = self.questions.front().filter(|q| line.starts_with(q.answer)) else {
            let is_answer = ["readyok", "uciok"].iter().any(|word| line.starts_with(word));
            return if is_answer { Err("no question is open".to_owned()) } else { Ok(()) };
        };
        let Some(due) = question.due else {
            return Err("an earlier search has no answer yet".to_owned());
        };
        let place = question.place;
        // Only `readyok` waits for memory, and only if no job is running.
        let is_idle = question.answered_before.max(question.barrier) >= question.jobs_before;
        let has_memory = question.answer == "readyok" && place >= self.urgent && is_idle;
        let is_pending = self.memory.iter().any(|&requested| requested < place);
        let kind = if is_pending { MEMORY } else { READY };
        self.tally.note(kind, now.saturating_duration_since(due.max(self.memory_ready)));
        if has_memory && is_pending {
            self.memory.retain(|&requested| requested > place);
            self.memory_ready = now;
        }
        self.questions.pop_front();
        Ok(())
    }

    /// Handles the exit of the process, which was requested at `requested`.
    ///
    /// # Errors
    /// The answer that is missing.
    pub(crate) fn end(&mut self, requested: Instant, now: Instant) -> Result<(), String> {
        let Some(ending) = self.ending else {
            return Err("no exit was requested".to_owned());
        };
        let is_all_due = ending == Ending::EndOfInput;
        if let Some(job) = self.jobs.front()
            && (is_all_due || job.is_waited_for(self.waits))
        {
            return Err(format!("it ended without an answer to {}", job.line));
        }
        if let Some(question) = self.questions.front().filter(|_| is_all_due) {
            return Err(format!("it ended without {}", question.answer));
        }
        self.tally.note(EXIT, now.saturating_duration_since(requested.max(self.last_answer)));
        Ok(())
    }
}

/// Checks that all moves of a line are legal and the first one is among the search moves.
fn check_line(go: &Go, line: &[&str]) -> Result<(), String> {
    let mut position = go.root.clone();
    for text in line {
        position = position.after(text, go.chess960).ok_or_else(|| format!("{text} is illegal"))?;
    }
    match line.first() {
        Some(&mv) if !go.search_moves.is_empty() && !go.search_moves.iter().any(|m| m == mv) => {
            Err(format!("{mv} is none of {:?}", go.search_moves))
        }
        _ => Ok(()),
    }
}
