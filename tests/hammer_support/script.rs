//! Random conversations: what is said, in which order, with which gaps. A script
//! follows from its seed alone.

use std::time::Duration;

use super::command::{Command, Go, Tool};
use super::judge::Position;
use super::model::Farewell;
use crate::support::{Rng, chess960_starts, data_path, random_double_chess960, tricky_positions};

/// A conversation.
pub(crate) struct Script {
    pub(crate) steps: Vec<Step>,
    pub(crate) farewell: Farewell,
}

/// A part of a conversation.
pub(crate) enum Step {
    /// After a gap, some lines in one write.
    Say { gap: Duration, commands: Vec<Command>, line_end: &'static str },
    /// Waits for everything requested.
    Settle,
}

/// What a conversation should be like.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    pub(crate) seed: u64,
    /// How many searches to request.
    pub(crate) searches: usize,
    /// Values of `Threads` and `Hash`; each goes down to 1 now and then.
    pub(crate) threads: usize,
    pub(crate) hash_mb: usize,
    /// Whether `wait` is said.
    pub(crate) has_wait: bool,
}

/// Where conversations begin to search.
pub(crate) struct Places {
    /// As `position` commands without moves, and as the judge sees them.
    places: Vec<(String, Position)>,
    chess960_starts: Vec<String>,
}

/// Positions without a legal move: mates and stalemates.
const ENDED: [&str; 4] = [
    "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1",
    "k7/2Q5/1K6/8/8/8/8/8 b - - 0 1",
    "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",
    "5k2/5P2/5K2/8/8/8/8/8 b - - 0 1",
];

impl Places {
    /// Those from the data files that the judge accepts as positions of a game.
    pub(crate) fn read() -> Places {
        let fens = tricky_positions().into_iter().map(|board| board.fen(true));
        let ended = ENDED.map(|fen| crate::support::board(fen).fen(true));
        let place = |fen: String| {
            let position = Position::from_shredder_fen(&fen)?;
            Some((format!("position fen {fen}"), position))
        };
        let places = fens.chain(ended).filter_map(place).collect();
        Places { places, chess960_starts: chess960_starts() }
    }
}

/// Lines without meaning, or that must be refused as a whole.
const GARBAGE: [&[u8]; 16] = [
    b"",
    b"   \t ",
    b"xyzzy",
    b"position",
    b"position e2e4",
    b"position fen 8/8/8/8/8/8/8/8 w - - 0 1",
    b"position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP",
    b"setoption",
    b"setoption name Contempt value 3",
    b"setoption name MultiPV value many",
    b"setoption name Threads",
    b"register later",
    b"perft x",
    b"bench x",
    b"\xff\xfe\x00\xc3\x28",
    b"\xef\xbb\xbf\xe9\xe8 7k/8 0 -1",
];

/// Options whose value does not affect what is checked.
const OPTIONS: [&str; 14] = [
    "Move Overhead value 0",
    "Move Overhead value 10",
    "Move Overhead value 30",
    "Ponder value true",
    "UCI_ShowWDL value true",
    "UCI_ShowWDL value false",
    "UCI_AnalyseMode value true",
    "UCI_Opponent value GM 2800 human Some One",
    "UCI_Elo value 1000",
    "UCI_Elo value 2400",
    "SyzygyProbeDepth value 3",
    "SyzygyPath value <empty>",
    "Syzygy50MoveRule value false",
    "NoSuchOption value 7",
];

/// What can be said.
#[derive(Clone, Copy)]
enum Theme {
    Go,
    Position,
    Stop,
    PonderHit,
    Ready,
    Question,
    Option,
    Memory,
    Wait,
    Tool,
    Garbage,
}

/// How often each is said, relative to the others.
const THEMES: [(usize, Theme); 11] = [
    (40, Theme::Go),
    (16, Theme::Position),
    (14, Theme::Stop),
    (6, Theme::PonderHit),
    (10, Theme::Ready),
    (3, Theme::Question),
    (5, Theme::Option),
    (1, Theme::Memory),
    (5, Theme::Wait),
    (2, Theme::Tool),
    (4, Theme::Garbage),
];

/// Invents a conversation.
pub(crate) fn invent(style: &Style, places: &Places) -> Script {
    let rng = Rng(style.seed);
    let start = ("position startpos".to_owned(), Position::start());
    let mut inventor = Inventor {
        style,
        places,
        rng,
        threads: 1,
        lines: 1,
        chess960: false,
        is_limited: false,
        has_tables: false,
        begun_with: start.clone(),
        moves: Vec::new(),
        position: start.1,
        was_tool: false,
        searches: 0,
    };
    inventor.script()
}

struct Inventor<'a> {
    style: &'a Style,
    places: &'a Places,
    rng: Rng,
    // The options as they are when the next search begins.
    threads: usize,
    lines: usize,
    chess960: bool,
    is_limited: bool,
    has_tables: bool,
    // The position for the next search.
    begun_with: (String, Position),
    moves: Vec<String>,
    position: Position,
    /// Whether the last job was a tool.
    was_tool: bool,
    searches: usize,
}

impl Inventor<'_> {
    fn script(&mut self) -> Script {
        let threads = self.style.threads;
        let hash = format!("setoption name Hash value {}", self.style.hash_mb);
        let mut first = vec![self.set_threads(threads), Command::SetOption(hash, true)];
        if self.rng.below(2) == 0 {
            first.insert(0, Command::Ask("uci", "uciok"));
            first.push(Command::Ask("isready", "readyok"));
        }
        let mut steps = vec![self.say(first)];
        while self.searches < self.style.searches {
            let most = 1 + self.rng.below(20);
            for _ in 0..=self.rng.below(most) {
                let commands = self.burst();
                steps.push(self.say(commands));
            }
            steps.push(Step::Settle);
        }
        if self.rng.below(2) == 0 {
            steps.pop();
        }
        let farewell = *self.rng.pick(&[Farewell::Quit, Farewell::EndOfInput]);
        Script { steps, farewell }
    }

    fn say(&mut self, commands: Vec<Command>) -> Step {
        let line_end = *self.rng.pick(&["\n", "\n", "\n", "\r\n", "\r"]);
        Step::Say { gap: self.gap(), commands, line_end }
    }

    /// From 0.05 to 50 ms, mostly short.
    fn gap(&mut self) -> Duration {
        let (from, to) = match self.rng.below(20) {
            0..14 => (50, 500),
            14..18 => (500, 5_000),
            _ => (5_000, 50_000),
        };
        Duration::from_micros(from + self.rng.below((to - from) as usize) as u64)
    }

    /// Some commands for one write.
    fn burst(&mut self) -> Vec<Command> {
        let length = if self.rng.below(3) == 0 { 2 + self.rng.below(5) } else { 1 };
        (0..length).map(|_| self.command()).collect()
    }

    fn command(&mut self) -> Command {
        let total: usize = THEMES.iter().map(|(weight, _)| weight).sum();
        let mut at = self.rng.below(total);
        let theme = THEMES.iter().find_map(|&(weight, theme)| {
            let is_it = at < weight;
            at = at.saturating_sub(weight);
            is_it.then_some(theme)
        });
        match theme.expect("the weights add up") {
            Theme::Tool if !self.was_tool => self.tool(),
            Theme::Wait if self.style.has_wait => Command::Wait,
            Theme::Go | Theme::Tool | Theme::Wait => self.go(),
            Theme::Position => self.set_position(),
            Theme::Stop => Command::Stop,
            Theme::PonderHit => Command::PonderHit,
            Theme::Ready => Command::Ask("isready", "readyok"),
            Theme::Question => {
                let questions = [("uci", "uciok"), ("d", "Checkers:"), ("eval", "Evaluation:")];
                let &(line, answer) = self.rng.pick(&questions);
                Command::Ask(line, answer)
            }
            Theme::Option => self.set_option(),
            Theme::Memory => self.move_memory(),
            Theme::Garbage => Command::Other(self.rng.pick(&GARBAGE).to_vec()),
        }
    }

    fn set_threads(&mut self, threads: usize) -> Command {
        self.threads = threads;
        Command::SetOption(format!("setoption name Threads value {threads}"), true)
    }

    /// An option that does not change when an answer is due. (With `nodestime` a clock does
    /// not measure time.)
    fn set_option(&mut self) -> Command {
        let is_on = self.rng.below(2) == 0;
        let text = match self.rng.below(11) {
            0 | 1 => {
                self.lines = *self.rng.pick(&[1, 1, 1, 2, 4, 256]);
                format!("MultiPV value {}", self.lines)
            }
            2 | 3 => {
                self.chess960 = is_on;
                format!("UCI_Chess960 value {is_on}")
            }
            4 | 5 => {
                self.is_limited = is_on;
                format!("UCI_LimitStrength value {is_on}")
            }
            6 => {
                self.has_tables = true;
                format!("SyzygyPath value {}", data_path("syzygy").display())
            }
            _ => (*self.rng.pick(&OPTIONS)).to_owned(),
        };
        Command::SetOption(format!("setoption name {text}"), false)
    }

    /// Something that takes time with a large table or many threads.
    fn move_memory(&mut self) -> Command {
        let option = match self.rng.below(8) {
            0..3 => return Command::NewGame,
            3 => "Clear Hash".to_owned(),
            4 => "EvalFile value <embedded>".to_owned(),
            5 => {
                let threads = *self.rng.pick(&[1, self.style.threads]);
                return self.set_threads(threads);
            }
            _ => format!("Hash value {}", self.rng.pick(&[1, self.style.hash_mb])),
        };
        Command::SetOption(format!("setoption name {option}"), true)
    }

    /// A position: a new one, or the last one some moves later.
    fn set_position(&mut self) -> Command {
        let more_moves = match self.rng.below(4) {
            0 | 1 => 1 + self.rng.below(2),
            2 => {
                self.begin();
                self.rng.below(40)
            }
            _ => {
                self.begin();
                0
            }
        };
        for _ in 0..more_moves {
            let moves = self.position.legal_moves(true);
            if moves.is_empty() {
                self.begin();
                break;
            }
            let at = self.rng.below(moves.len());
            // A castling move is understood in both forms.
            let chess960 = self.rng.below(2) == 0;
            let text = self.position.legal_moves(chess960).swap_remove(at);
            self.position = self.position.after(&moves[at], true).expect("a legal move");
            self.moves.push(text);
        }
        let mut line = self.begun_with.0.clone();
        if !self.moves.is_empty() {
            line = format!("{line} moves {}", self.moves.join(" "));
            if self.rng.below(8) == 0 {
                // The game ends before it.
                line += " a1a1";
            }
        }
        Command::Other(line.into_bytes())
    }

    /// Another first position.
    fn begin(&mut self) {
        self.begun_with = match self.rng.below(4) {
            0 => ("position startpos".to_owned(), Position::start()),
            1 => {
                let board = random_double_chess960(&mut self.rng, &self.places.chess960_starts);
                let fen = board.fen(true);
                let position = Position::from_shredder_fen(&fen).expect("a start position");
                (format!("position fen {fen}"), position)
            }
            _ => self.rng.pick(&self.places.places).clone(),
        };
        self.moves.clear();
        self.position = self.begun_with.1.clone();
    }

    fn tool(&mut self) -> Command {
        self.was_tool = true;
        let mut is_short = true;
        let (line, last_line) = match self.rng.below(6) {
            0..3 => {
                let depth = self.rng.below(4) as u32;
                let nodes = self.position.perft(depth);
                (format!("go perft {depth}"), format!("Nodes searched: {nodes}"))
            }
            3 => {
                is_short = false;
                ("perft 9".to_owned(), "Nodes searched: ".to_owned())
            }
            4 => ("bench 1 1 1".to_owned(), " nodes ".to_owned()),
            _ => ("genfens 1 seed 7 book None".to_owned(), "info string genfens ".to_owned()),
        };
        Command::Tool(Tool { line, last_line, is_short })
    }

    /// A search with limits of any kind.
    fn go(&mut self) -> Command {
        self.was_tool = false;
        self.searches += 1;
        let mut limits = Said::default();
        match self.rng.below(20) {
            0..3 => self.say_depth(&mut limits),
            3..5 => self.say_nodes(&mut limits),
            5..8 => self.say_move_time(&mut limits),
            8..11 => self.say_clocks(&mut limits),
            11..13 => limits.infinite = true,
            13..15 => {
                limits.ponder = true;
                match self.rng.below(4) {
                    0 => {}
                    1 => self.say_depth(&mut limits),
                    _ => self.say_clocks(&mut limits),
                }
            }
            15 => limits.mate = Some(1 + self.rng.below(4)),
            16 => {
                self.say_depth(&mut limits);
                self.say_clocks(&mut limits);
            }
            17 => {
                self.say_nodes(&mut limits);
                self.say_move_time(&mut limits);
                limits.infinite = self.rng.below(2) == 0;
                limits.ponder = self.rng.below(3) == 0;
                limits.mate = (self.rng.below(3) == 0).then_some(2);
            }
            18 => self.say_much(&mut limits),
            _ => limits.lost = self.rng.below(2) == 0,
        }
        let search_moves = if self.rng.below(10) == 0 { self.choose_moves() } else { Vec::new() };
        Command::Go(self.make_go(&limits, search_moves))
    }

    fn say_depth(&mut self, limits: &mut Said) {
        let most = if self.lines > 1 { 5 } else { 8 };
        limits.depth = Some(1 + self.rng.below(most));
    }

    fn say_nodes(&mut self, limits: &mut Said) {
        limits.nodes = Some(*self.rng.pick(&[0, 1, 2, 100, 2_000, 20_000]));
    }

    fn say_move_time(&mut self, limits: &mut Said) {
        limits.move_time = Some(*self.rng.pick(&[0, 1, 2, 5, 10, 20, 40]));
    }

    fn say_clocks(&mut self, limits: &mut Said) {
        for clock in &mut limits.clocks {
            *clock = Some(*self.rng.pick(&[-50, 0, 1, 2, 5, 10, 20, 50, 100, 200, 400]));
        }
        if self.rng.below(2) == 0 {
            limits.increment = Some(*self.rng.pick(&[0, 1, 10, 1000]));
        }
        if self.rng.below(4) == 0 {
            limits.moves_to_go = Some(*self.rng.pick(&[0, 1, 2, 40]));
        }
    }

    /// A limit that will not be reached.
    fn say_much(&mut self, limits: &mut Said) {
        match self.rng.below(4) {
            0 => limits.depth = Some(100),
            1 => limits.nodes = Some(1_000_000_000_000),
            2 => limits.move_time = Some(600_000),
            _ => limits.clocks = [Some(60_000_000); 2],
        }
    }

    /// Some of the legal moves.
    fn choose_moves(&mut self) -> Vec<String> {
        let mut moves = self.position.legal_moves(self.chess960);
        while moves.len() > 1 && self.rng.below(8) > 0 {
            let at = self.rng.below(moves.len());
            moves.swap_remove(at);
        }
        moves
    }

    fn make_go(&mut self, said: &Said, search_moves: Vec<String>) -> Go {
        let mut parts = said.parts();
        if !search_moves.is_empty() {
            // An illegal one is left out.
            parts.push(format!("searchmoves {} a1a1", search_moves.join(" ")));
        }
        // In any order, but for the first word.
        for end in (2..=parts.len()).rev() {
            parts.swap(end - 1, self.rng.below(end));
        }
        parts.insert(0, "go".to_owned());
        let clock = said.clocks[usize::from(!self.position.is_white_to_move())];
        let has_end = clock.is_some()
            || said.move_time.is_some()
            || said.depth.is_some()
            || said.nodes.is_some();
        let is_lost = said.lost && !has_end && said.mate.is_none() && !said.infinite;
        let clock_ms = clock.map(|time| time.max(0) as u64);
        let lost_ms = is_lost.then_some(LOST_LIMIT_MS);
        let budgets = [clock_ms, said.move_time.map(|time| time.max(1)), lost_ms];
        let budget_ms = budgets.into_iter().flatten().min();
        let is_one_depth = parts.len() == 2 && said.depth.is_some() && search_moves.is_empty();
        let is_plain = self.threads == 1 && !self.is_limited && !self.has_tables;
        Go {
            line: parts.join(" "),
            root: self.position.clone(),
            chess960: self.chess960,
            search_moves,
            lines: self.lines,
            infinite: said.infinite || (!has_end && said.mate.is_none() && !is_lost),
            ponder: said.ponder,
            is_short: said.is_short() || is_lost,
            budget: budget_ms.map(Duration::from_millis),
            depth: said.depth.filter(|_| is_one_depth && is_plain).map(|depth| depth as u32),
        }
    }
}

/// How long the engine searches if the limits cannot be read, in milliseconds.
const LOST_LIMIT_MS: u64 = 100;

/// The longest time, the greatest depth and the most nodes of a search that need not be
/// stopped.
const SHORT_MS: u64 = 1_000;
const SHORT_DEPTH: usize = 10;
const SHORT_NODES: u64 = 100_000;

/// The limits of a `go`.
#[derive(Default)]
struct Said {
    clocks: [Option<i64>; 2],
    increment: Option<u64>,
    moves_to_go: Option<u32>,
    move_time: Option<u64>,
    depth: Option<usize>,
    nodes: Option<u64>,
    mate: Option<usize>,
    infinite: bool,
    ponder: bool,
    /// Whether there is a limit that cannot be read.
    lost: bool,
}

impl Said {
    fn parts(&self) -> Vec<String> {
        let mut parts = Vec::new();
        let mut add = |name: &str, value: Option<String>| {
            parts.extend(value.map(|value| format!("{name} {value}")));
        };
        add("wtime", self.clocks[0].map(|time| time.to_string()));
        add("btime", self.clocks[1].map(|time| time.to_string()));
        add("winc", self.increment.map(|time| time.to_string()));
        add("binc", self.increment.map(|time| time.to_string()));
        add("movestogo", self.moves_to_go.map(|moves| moves.to_string()));
        add("movetime", self.move_time.map(|time| time.to_string()));
        add("depth", self.depth.map(|depth| depth.to_string()));
        add("nodes", self.nodes.map(|nodes| nodes.to_string()));
        add("mate", self.mate.map(|moves| moves.to_string()));
        add("movetime", self.lost.then(|| "soon".to_owned()));
        parts.extend(self.infinite.then(|| "infinite".to_owned()));
        parts.extend(self.ponder.then(|| "ponder".to_owned()));
        parts
    }

    /// Whether one of the limits will soon be reached.
    fn is_short(&self) -> bool {
        let clocks_ms = self.clocks.map(|clock| clock.map(|time| time.max(0) as u64));
        let times_ms = [clocks_ms[0], clocks_ms[1], self.move_time];
        times_ms.into_iter().flatten().any(|time| time <= SHORT_MS)
            || self.depth.is_some_and(|depth| depth <= SHORT_DEPTH)
            || self.nodes.is_some_and(|nodes| nodes <= SHORT_NODES)
    }
}
