//! What the protocol and docs/ promise: which answers are due, in which order, and what
//! must be in them.
//!
//! A *job* is a search or a tool, one at a time. A command that needs an idle engine waits
//! for a tool before it, and stops a search, unless there is a `wait` between them. `stop` and `ponderhit` reach
//! all jobs before them, each when its turn comes; `wait` does not hold them back.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::command::{Command, Go, Tool};
use super::judge::Position;

/// An answer at once comes within this time.
pub(crate) const ON_TIME: Duration = Duration::from_millis(100);

#[derive(Debug)]
enum Work {
    Search(Box<Go>),
    Tool(Tool),
}

/// A search or tool that is not yet answered.
#[derive(Debug)]
struct Job {
    work: Work,
    /// Jobs sent before it.
    number: usize,
    /// Commands sent before it.
    place: usize,
    /// `wait`s sent before it.
    waits_before: usize,
    sent: Instant,
    /// When it was told to stop, and when that the expected move was played.
    stop: Option<Instant>,
    hit: Option<Instant>,
    /// The greatest depth shown.
    deepest: u32,
}

impl Job {
    /// Whether it must not yet be answered.
    fn is_held(&self) -> bool {
        let Work::Search(go) = &self.work else { return false };
        self.stop.is_none() && (go.infinite || (go.ponder && self.hit.is_none()))
    }

    /// Whether it will not end soon unless it is stopped.
    fn needs_stop(&self) -> bool {
        let is_short = match &self.work {
            Work::Search(go) => go.is_short,
            Work::Tool(tool) => tool.is_short,
        };
        self.is_held() || (!is_short && self.stop.is_none())
    }

    /// Whether `quit` waits for its end: it is a tool, or there is a `wait` behind it.
    fn outlasts_quit(&self, waits: usize) -> bool {
        matches!(self.work, Work::Tool(_)) || self.waits_before < waits
    }

    fn line(&self) -> &str {
        match &self.work {
            Work::Search(go) => &go.line,
            Work::Tool(tool) => &tool.line,
        }
    }
}

/// A question that is not yet answered.
#[derive(Debug)]
struct Question {
    answer: &'static str,
    place: usize,
    /// Jobs sent before it.
    jobs_before: usize,
    /// How many jobs must have been answered before.
    barrier: usize,
    /// Jobs that had been answered when it was sent.
    answered_before: usize,
    /// Since when nothing is ahead of it, if nothing is.
    due: Option<Instant>,
}

/// A command that reallocates memory and may not have been obeyed yet.
#[derive(Debug)]
struct MemoryCommand {
    place: usize,
    jobs_before: usize,
}

/// How long answers of one kind took.
#[derive(Clone, Debug, Default)]
pub(crate) struct Delays {
    /// How many there were.
    pub(crate) count: u64,
    /// How many took longer than [`ON_TIME`].
    pub(crate) late: u64,
    /// The longest.
    pub(crate) worst: Duration,
}

impl Delays {
    fn note(&mut self, delay: Duration) {
        self.count += 1;
        self.late += u64::from(delay > ON_TIME);
        self.worst = self.worst.max(delay);
    }

    fn add(&mut self, other: &Delays) {
        self.count += other.count;
        self.late += other.late;
        self.worst = self.worst.max(other.worst);
    }
}

/// What was said and measured.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    /// Searches started.
    pub(crate) searches: u64,
    /// Commands sent, including those for searches.
    pub(crate) commands: u64,
    /// From a question to its answer.
    pub(crate) ready: Delays,
    /// From a stop to the answer.
    pub(crate) stopped: Delays,
    /// How much longer than its time a search took.
    pub(crate) overtime: Delays,
    /// Any of these while memory may have been reallocated.
    pub(crate) memory: Delays,
    /// From `quit`, or from the last answer after the end of input, to the end.
    pub(crate) exit: Delays,
}

impl Tally {
    /// Adds what was said and measured in another session.
    pub(crate) fn add(&mut self, other: &Tally) {
        self.searches += other.searches;
        self.commands += other.commands;
        self.ready.add(&other.ready);
        self.stopped.add(&other.stopped);
        self.overtime.add(&other.overtime);
        self.memory.add(&other.memory);
        self.exit.add(&other.exit);
    }

    /// Answers later than [`ON_TIME`] with nothing to excuse them.
    pub(crate) fn late(&self) -> u64 {
        self.ready.late + self.stopped.late + self.overtime.late
    }
}

/// How the conversation ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Farewell {
    /// With `quit`.
    Quit,
    /// By the end of input.
    EndOfInput,
}

/// The answers that are due.
pub(crate) struct Model {
    /// What was said and measured so far.
    pub(crate) tally: Tally,
    jobs: VecDeque<Job>,
    questions: VecDeque<Question>,
    memory: Vec<MemoryCommand>,
    /// The place behind the last stop, which may have aborted an allocation.
    stopped: usize,
    place: usize,
    jobs_sent: usize,
    jobs_answered: usize,
    /// Jobs that must have been answered before what is sent next is obeyed.
    barrier: usize,
    waits: usize,
    /// When the last job was answered, or the beginning.
    last_answer: Instant,
    /// When reallocated memory was last known to be there, or the beginning.
    memory_there: Instant,
    /// Whether a tool that had just written its last line may have been stopped.
    may_say_stopped: bool,
    farewell: Option<Farewell>,
}

impl Model {
    pub(crate) fn new(now: Instant) -> Model {
        Model {
            tally: Tally::default(),
            jobs: VecDeque::new(),
            questions: VecDeque::new(),
            memory: Vec::new(),
            stopped: 0,
            place: 0,
            jobs_sent: 0,
            jobs_answered: 0,
            barrier: 0,
            waits: 0,
            last_answer: now,
            memory_there: now,
            may_say_stopped: false,
            farewell: None,
        }
    }

    /// Records that a command is sent.
    pub(crate) fn send(&mut self, command: &Command, now: Instant) {
        self.tally.commands += 1;
        match command {
            Command::Go(go) => {
                self.tally.searches += 1;
                self.begin(Work::Search(Box::new(go.clone())), now);
            }
            Command::Tool(tool) => self.begin(Work::Tool(tool.clone()), now),
            Command::Stop => {
                self.stopped = self.place + 1;
                self.jobs.iter_mut().for_each(|job| set(&mut job.stop, now));
            }
            Command::PonderHit => self.jobs.iter_mut().for_each(|job| set(&mut job.hit, now)),
            Command::Wait => {
                self.barrier = self.jobs_sent;
                self.waits += 1;
            }
            Command::Ask(_, answer) => self.questions.push_back(Question {
                answer,
                place: self.place,
                jobs_before: self.jobs_sent,
                barrier: self.barrier,
                answered_before: self.jobs_answered,
                due: (self.jobs_answered >= self.barrier).then_some(now),
            }),
            Command::NewGame => {
                self.displace(now);
                self.note_memory();
            }
            Command::SetOption(_, true) => self.note_memory(),
            Command::SetOption(_, false) | Command::Other(_) => {}
        }
        self.place += 1;
    }

    fn note_memory(&mut self) {
        let (place, jobs_before) = (self.place, self.jobs_sent);
        self.memory.push(MemoryCommand { place, jobs_before });
    }

    fn begin(&mut self, work: Work, now: Instant) {
        self.displace(now);
        self.jobs.push_back(Job {
            work,
            number: self.jobs_sent,
            place: self.place,
            waits_before: self.waits,
            sent: now,
            stop: None,
            hit: None,
            deepest: 0,
        });
        self.jobs_sent += 1;
    }

    /// Something comes that needs an idle engine.
    fn displace(&mut self, now: Instant) {
        self.barrier = self.jobs_sent;
        let waits = self.waits;
        let last = self.jobs.back_mut();
        if let Some(last) = last.filter(|job| !job.outlasts_quit(waits)) {
            set(&mut last.stop, now);
        }
    }

    /// Records that the conversation ends.
    pub(crate) fn leave(&mut self, how: Farewell, now: Instant) {
        self.farewell = Some(how);
        for job in &mut self.jobs {
            let may_end = how == Farewell::EndOfInput || job.outlasts_quit(self.waits);
            if job.is_held() || !may_end {
                set(&mut job.stop, now);
            }
        }
    }

    /// Whether everything requested is answered.
    pub(crate) fn is_settled(&self) -> bool {
        self.jobs.is_empty() && self.questions.is_empty()
    }

    /// Whether the current job will not end unless a `stop` is sent.
    pub(crate) fn needs_stop(&self) -> bool {
        self.jobs.front().is_some_and(Job::needs_stop)
    }

    /// Whether something would go on for long after such a farewell.
    pub(crate) fn would_outlast(&self, how: Farewell) -> bool {
        self.jobs.iter().any(|job| {
            let may_end = how == Farewell::EndOfInput || job.outlasts_quit(self.waits);
            may_end && job.needs_stop() && !job.is_held()
        })
    }

    /// What has been due for longer than `patience`, if anything.
    pub(crate) fn overdue(&self, patience: Duration, now: Instant) -> Option<String> {
        let is_overdue = |due: Instant| now.saturating_duration_since(due) > patience;
        if let Some(job) = self.jobs.front()
            && !job.needs_stop()
            && is_overdue(self.due(job).map_or_else(|| self.begun(job), |(due, _)| due))
        {
            return Some(format!("no answer to {}", job.line()));
        }
        let question = self.questions.front()?;
        let is_late = question.due.is_some_and(is_overdue);
        is_late.then(|| format!("no {}", question.answer))
    }

    /// The latest time at which the job may have begun.
    fn begun(&self, job: &Job) -> Instant {
        job.sent.max(self.last_answer).max(self.memory_there)
    }

    /// When the first job should have been answered, if that is certain, and whether that
    /// is because its time was up.
    fn due(&self, job: &Job) -> Option<(Instant, bool)> {
        let begun = self.begun(job);
        let stopped = job.stop.map(|at| (at.max(begun), false));
        let timed = match &job.work {
            Work::Search(go) if !go.infinite => {
                let hit = if go.ponder { job.hit } else { Some(begun) };
                let spent = go.budget.zip(hit);
                spent.map(|(budget, hit)| (hit.max(begun) + budget, true))
            }
            _ => None,
        };
        [stopped, timed].into_iter().flatten().min()
    }

    /// Takes a line from the engine.
    ///
    /// # Errors
    /// The engine has broken a promise; says which.
    pub(crate) fn hear(&mut self, line: &str, now: Instant) -> Result<(), String> {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["bestmove", ..] => self.hear_best_move(&words, now),
            ["info", "string", "stopped"] => self.hear_stopped(now),
            ["info", "string", "genfens", ..] => self.hear_tool_end(line, now),
            ["info", "string", ..] => Ok(()),
            ["info", ..] => self.hear_info(&words),
            ["Nodes", "searched:", _] | [_, "nodes", _, "nps"] => self.hear_tool_end(line, now),
            _ => self.hear_answer(line, now),
        }
    }

    /// The current job, if it is a search.
    fn search(&mut self) -> Result<(&Go, &mut u32), String> {
        match self.jobs.front_mut() {
            Some(Job { work: Work::Search(go), deepest, .. }) => Ok((go, deepest)),
            _ => Err("nobody has asked for a search".to_owned()),
        }
    }

    fn hear_info(&mut self, words: &[&str]) -> Result<(), String> {
        let (go, deepest) = self.search()?;
        let number = |name: &str| -> Option<usize> {
            let at = words.iter().position(|&word| word == name)?;
            words.get(at + 1)?.parse().ok()
        };
        if number("multipv").is_some_and(|rank| rank > go.lines) {
            return Err(format!("more than {} lines", go.lines));
        }
        let Some(at) = words.iter().position(|&word| word == "pv") else { return Ok(()) };
        let line = &words[at + 1..];
        play(&go.root, line, go.chess960)?;
        check_choice(go, line.first().copied())?;
        *deepest = (*deepest).max(number("depth").unwrap_or(0) as u32);
        Ok(())
    }

    fn hear_best_move(&mut self, words: &[&str], now: Instant) -> Result<(), String> {
        let (go, &mut deepest) = self.search()?;
        let moves = match words {
            ["bestmove", "(none)"] => &[] as &[&str],
            [_, best] => &[*best],
            [_, best, "ponder", ponder] => &[*best, *ponder],
            _ => return Err("not a bestmove".to_owned()),
        };
        if moves.is_empty() != go.root.legal_moves(go.chess960).is_empty() {
            return Err("(none) is for positions without a legal move, and only it".to_owned());
        }
        play(&go.root, moves, go.chess960)?;
        check_choice(go, moves.first().copied())?;
        let wanted = go.depth.filter(|&depth| depth != deepest && !moves.is_empty());
        let job = &self.jobs[0];
        if job.is_held() {
            return Err("nobody has allowed an answer yet".to_owned());
        }
        if let Some(depth) = wanted.filter(|_| job.stop.is_none()) {
            return Err(format!("nobody has stopped it, and it came to {deepest}, not {depth}"));
        }
        self.answer_job(now)
    }

    /// A tool says that it was stopped.
    fn hear_stopped(&mut self, now: Instant) -> Result<(), String> {
        match self.jobs.front() {
            Some(Job { work: Work::Tool(_), stop: Some(_), .. }) => self.answer_job(now),
            _ if std::mem::take(&mut self.may_say_stopped) => Ok(()),
            _ => Err("nobody has stopped a tool".to_owned()),
        }
    }

    /// A tool has written its last line.
    fn hear_tool_end(&mut self, line: &str, now: Instant) -> Result<(), String> {
        match self.jobs.front() {
            Some(Job { work: Work::Tool(tool), .. }) if line.contains(&tool.last_line) => {
                self.answer_job(now)?;
                self.may_say_stopped = true;
                Ok(())
            }
            Some(job) => Err(format!("no answer to {}", job.line())),
            None => Err("nobody has asked for this".to_owned()),
        }
    }

    /// The current job is answered.
    fn answer_job(&mut self, now: Instant) -> Result<(), String> {
        let Some(job) = self.jobs.front() else { return Ok(()) };
        if self.questions.front().is_some_and(|question| question.jobs_before <= job.number) {
            return Err("a question asked before it has not been answered".to_owned());
        }
        if let Some((due, is_timed)) = self.due(job) {
            let delay = now.saturating_duration_since(due);
            let delays = if self.is_memory_moved_before(job.place) {
                &mut self.tally.memory
            } else if is_timed {
                &mut self.tally.overtime
            } else {
                &mut self.tally.stopped
            };
            delays.note(delay);
        }
        // A search has taken the memory requested before it, unless a stop aborted that; a
        // tool takes none.
        if matches!(job.work, Work::Search(_)) && job.stop.is_none() {
            let place = job.place;
            self.settle_memory(now, |command| command.place <= place);
        }
        self.may_say_stopped = false;
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

    /// An answer shows that these commands have been obeyed; everything sent since then
    /// has waited for them.
    fn settle_memory(&mut self, now: Instant, is_obeyed: impl Fn(&MemoryCommand) -> bool) {
        let before = self.memory.len();
        self.memory.retain(|command| !is_obeyed(command));
        if self.memory.len() < before {
            self.memory_there = now;
        }
    }

    fn is_memory_moved_before(&self, place: usize) -> bool {
        self.memory.iter().any(|command| command.place < place)
    }

    /// A line that may be the answer to a question.
    fn hear_answer(&mut self, line: &str, now: Instant) -> Result<(), String> {
        let Some(question) = self.questions.front().filter(|q| line.starts_with(q.answer)) else {
            let is_answer = ["readyok", "uciok", "bestmove"].iter().any(|w| line.starts_with(w));
            return if is_answer { Err("nobody has asked for this".to_owned()) } else { Ok(()) };
        };
        let Some(due) = question.due else {
            return Err("a search asked for before it has not been answered".to_owned());
        };
        let delay = now.saturating_duration_since(due.max(self.memory_there));
        if self.is_memory_moved_before(question.place) {
            self.tally.memory.note(delay);
        } else {
            self.tally.ready.note(delay);
        }
        let idle = question.answered_before.max(question.barrier);
        let place = question.place;
        // `uciok` does not wait for memory, and a stop aborts an allocation.
        if question.answer == "readyok" && question.place >= self.stopped {
            self.settle_memory(now, |command| {
                command.place <= place && command.jobs_before <= idle
            });
        }
        self.questions.pop_front();
        Ok(())
    }

    /// Takes the end of the process; `asked` is when it was asked to exit.
    ///
    /// # Errors
    /// What is still owed.
    pub(crate) fn end(&mut self, asked: Instant, now: Instant) -> Result<(), String> {
        let Some(farewell) = self.farewell else {
            return Err("nobody has asked it to leave".to_owned());
        };
        let is_all_owed = farewell == Farewell::EndOfInput;
        if let Some(job) = self.jobs.front()
            && (is_all_owed || job.outlasts_quit(self.waits))
        {
            return Err(format!("it left without an answer to {}", job.line()));
        }
        if let Some(question) = self.questions.front().filter(|_| is_all_owed) {
            return Err(format!("it left without {}", question.answer));
        }
        self.tally.exit.note(now.saturating_duration_since(asked.max(self.last_answer)));
        Ok(())
    }
}

/// Records that something holds from now on.
fn set(since: &mut Option<Instant>, now: Instant) {
    since.get_or_insert(now);
}

/// Plays a line to its end.
fn play(root: &Position, line: &[&str], chess960: bool) -> Result<(), String> {
    let mut position = root.clone();
    for text in line {
        position = position.after(text, chess960).ok_or_else(|| format!("{text} is not legal"))?;
    }
    Ok(())
}

/// Whether the move is one of those to be searched.
fn check_choice(go: &Go, mv: Option<&str>) -> Result<(), String> {
    let is_free = go.search_moves.is_empty();
    match mv.filter(|&mv| !is_free && !go.search_moves.iter().any(|choice| choice == mv)) {
        Some(mv) => Err(format!("{mv} is none of {:?}", go.search_moves)),
        None => Ok(()),
    }
}
