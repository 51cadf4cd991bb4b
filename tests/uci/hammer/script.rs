//! Random dialogues: commands, their order, and gaps. The seed alone decides a script.

use std::time::Duration;

use super::judge::Position;
use super::model::{Command, Ending, Go, Request};
use crate::support::{Rng, Starts, data_path};

pub(crate) struct Script {
    pub(crate) steps: Vec<Step>,
    pub(crate) ending: Ending,
}

pub(crate) enum Step {
    /// Sends lines in one write, after a gap.
    Send { gap: Duration, commands: Vec<Command>, line_end: &'static str },
    /// Waits for all answers.
    Settle,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    pub(crate) seed: u64,
    pub(crate) searches: usize,
    /// Values of `Threads` and `Hash`; each goes down to 1 now and then.
    pub(crate) threads: usize,
    pub(crate) hash_mb: usize,
}

/// Positions without a legal move, as Shredder-FENs: mates and stalemates.
const ENDED: [&str; 4] = [
    "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1",
    "k7/2Q5/1K6/8/8/8/8/8 b - - 0 1",
    "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w HAha - 1 3",
    "5k2/5P2/5K2/8/8/8/8/8 b - - 0 1",
];

/// Meaningless lines, and lines that the engine must refuse as a whole.
const GARBAGE: [&[u8]; 8] = [
    b"",
    b"   \t ",
    b"xyzzy",
    b"setoption",
    b"setoption name MultiPV value many",
    b"perft x",
    b"\xff\xfe\x00\xc3\x28",
    b"\xef\xbb\xbf\xe9\xe8 7k/8 0 -1",
];

/// Positions that the engine must refuse.
const REFUSED: [&str; 4] = [
    "position e2e4",
    "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
    "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP",
    "position fen rnbqkbnr/pppppppp/8/3q4/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 moves e2e4",
];

/// Options that do not affect which answers are due. (`nodestime` does: it changes the clock's
/// unit.)
const OPTIONS: [&str; 8] = [
    "Move Overhead value 0",
    "Ponder value true",
    "UCI_ShowWDL value true",
    "UCI_Opponent value GM 2800 human Some One",
    "UCI_Elo value 1000",
    "SyzygyProbeDepth value 3",
    "SyzygyPath value <empty>",
    "NoSuchOption value 7",
];

/// A search with one of these limits, or a lower one, ends soon.
const SHORT_MS: i64 = 1_000;
const SHORT_DEPTH: i64 = 10;
const SHORT_NODES: i64 = 100_000;

/// The engine's search time if the limits are unreadable.
const UNREADABLE_LIMIT_MS: i64 = 100;

pub(crate) fn generate(style: &Style, starts: &Starts) -> Script {
    let mut generator = Generator {
        style,
        starts,
        rng: Rng(style.seed),
        asks: false,
        threads: 1,
        is_limited: false,
        has_tables: false,
        next: Go::new(style.hash_mb),
        position: String::new(),
        is_refused: false,
        was_tool: false,
        searches: 0,
    };
    generator.restart();
    generator.script()
}

struct Generator<'a> {
    style: &'a Style,
    starts: &'a Starts,
    rng: Rng,
    /// Whether the client sends `isready`.
    asks: bool,
    // The options for the next search.
    threads: usize,
    is_limited: bool,
    has_tables: bool,
    /// The next search, without limits.
    next: Go,
    /// The command for its position.
    position: String,
    /// Whether the last position was refused.
    is_refused: bool,
    was_tool: bool,
    searches: usize,
}

/// A position without a legal move: a search after a refused position finds none.
fn ended() -> Position {
    Position::from_shredder_fen(ENDED[0]).expect("a legal position")
}

fn command(line: impl Into<Vec<u8>>, request: Request) -> Command {
    Command { line: line.into(), request }
}

fn set_option(text: &str, request: Request) -> Command {
    command(format!("setoption name {text}"), request)
}

impl Generator<'_> {
    fn script(&mut self) -> Script {
        let hash = set_option(&format!("Hash value {}", self.style.hash_mb), Request::Memory);
        let mut first = vec![self.set_threads(self.style.threads), hash];
        self.asks = self.rng.below(2) == 0;
        if self.asks {
            first.insert(0, command("uci", Request::Ask("uciok")));
            first.push(command("isready", Request::Ask("readyok")));
        }
        let mut steps = vec![self.send(first)];
        while self.searches < self.style.searches {
            let most = 1 + self.rng.below(20);
            for _ in 0..=self.rng.below(most) {
                let length = if self.rng.below(3) == 0 { 2 + self.rng.below(5) } else { 1 };
                let commands = (0..length).map(|_| self.command()).collect();
                steps.push(self.send(commands));
            }
            steps.push(Step::Settle);
        }
        if self.rng.below(2) == 0 {
            steps.pop();
        }
        let ending = *self.rng.pick(&[Ending::Quit, Ending::EndOfInput]);
        Script { steps, ending }
    }

    /// Sends commands after a gap of 0.05 to 50 ms, mostly short.
    fn send(&mut self, commands: Vec<Command>) -> Step {
        let line_end = *self.rng.pick(&["\n", "\n", "\n", "\r\n", "\r"]);
        let (from, to) = match self.rng.below(20) {
            0..14 => (50, 500),
            14..18 => (500, 5_000),
            _ => (5_000, 50_000),
        };
        let gap = Duration::from_micros(from + self.rng.below((to - from) as usize) as u64);
        Step::Send { gap, commands, line_end }
    }

    fn command(&mut self) -> Command {
        match self.rng.below(106) {
            0 => {
                self.is_refused = true;
                command(*self.rng.pick(&REFUSED), Request::Nothing)
            }
            1..16 => self.set_position(),
            16..30 => command("stop", Request::Stop),
            30..36 => command("ponderhit", Request::PonderHit),
            36..46 if self.asks => command("isready", Request::Ask("readyok")),
            46..49 => {
                let questions = [("uci", "uciok"), ("d", "Checkers:"), ("eval", "Evaluation:")];
                let &(line, answer) = self.rng.pick(&questions);
                command(line, Request::Ask(answer))
            }
            49..54 => self.set_option(),
            54 => self.memory_command(),
            55..60 => command("wait", Request::Wait),
            60..62 if !self.was_tool => self.tool(),
            62..66 => command(*self.rng.pick(&GARBAGE), Request::Nothing),
            _ => self.go(),
        }
    }

    fn set_threads(&mut self, threads: usize) -> Command {
        self.threads = threads;
        set_option(&format!("Threads value {threads}"), Request::Memory)
    }

    /// An option that does not change when an answer is due.
    fn set_option(&mut self) -> Command {
        let is_on = self.rng.below(2) == 0;
        let text = match self.rng.below(11) {
            0 | 1 => {
                self.next.lines = *self.rng.pick(&[1, 1, 1, 2, 4, 256]);
                format!("MultiPV value {}", self.next.lines)
            }
            2 | 3 => {
                self.next.chess960 = is_on;
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
        set_option(&text, Request::Nothing)
    }

    /// A command that takes time with a large table or many threads.
    fn memory_command(&mut self) -> Command {
        match self.rng.below(8) {
            0..3 => {
                if std::mem::take(&mut self.is_refused) {
                    self.restart();
                }
                command("ucinewgame", Request::NewGame)
            }
            3 => set_option("Clear Hash", Request::Memory),
            4 => set_option("EvalFile value <embedded>", Request::Memory),
            5 => {
                let threads = *self.rng.pick(&[1, self.style.threads]);
                self.set_threads(threads)
            }
            _ => {
                self.next.hash_mb = *self.rng.pick(&[1, self.style.hash_mb]);
                set_option(&format!("Hash value {}", self.next.hash_mb), Request::Memory)
            }
        }
    }

    /// A new position, or the last one some moves later.
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
            let moves = self.next.root.legal_moves(true);
            if moves.is_empty() {
                self.begin();
                break;
            }
            let at = self.rng.below(moves.len());
            // The engine accepts both forms of castling.
            let chess960 = self.rng.below(2) == 0;
            let text = self.next.root.legal_moves(chess960).swap_remove(at);
            self.next.root = self.next.root.after(&moves[at], true).expect("a legal move");
            if !self.position.contains(" moves") {
                self.position += " moves";
            }
            self.position = format!("{} {text}", self.position);
        }
        let mut line = self.position.clone();
        if line.contains(" moves") && self.rng.below(8) == 0 {
            // The engine ignores this move and all later ones.
            line += " a1a1";
        }
        self.is_refused = false;
        command(line, Request::Nothing)
    }

    /// Chooses another first position.
    fn begin(&mut self) {
        let nth = self.rng.below(8);
        let fen = match nth {
            0 => return self.restart(),
            7 => (*self.rng.pick(&ENDED)).to_owned(),
            _ => self.starts.pick(&mut self.rng, nth).shredder_fen(),
        };
        // The judge refuses positions that cannot arise in a game.
        let Some(root) = Position::from_shredder_fen(&fen) else { return self.begin() };
        self.next.root = root;
        self.position = format!("position fen {fen}");
    }

    fn restart(&mut self) {
        self.next.root = Position::start();
        self.position = "position startpos".to_owned();
    }

    fn tool(&mut self) -> Command {
        self.was_tool = true;
        let mut is_short = true;
        let (line, last_line) = match self.rng.below(6) {
            0..3 => {
                let depth = self.rng.below(4) as u32;
                let nodes = self.next.root.perft(depth);
                (format!("go perft {depth}"), format!("Nodes searched: {nodes}"))
            }
            3 => {
                is_short = false;
                ("perft 9".to_owned(), "Nodes searched: ".to_owned())
            }
            4 => ("bench 1 1 1".to_owned(), " nodes ".to_owned()),
            _ => ("genfens 1 seed 7 book None".to_owned(), "info string genfens ".to_owned()),
        };
        command(line, Request::Tool(last_line, is_short))
    }

    /// A search with random limits in random order.
    fn go(&mut self) -> Command {
        self.was_tool = false;
        self.searches += 1;
        let names: &[&str] = match self.rng.below(22) {
            0..3 => &["depth"],
            3..5 => &["nodes"],
            5..8 => &["movetime"],
            8..11 => &["clocks"],
            11..13 => &["infinite"],
            13 => &["ponder"],
            14 => &["ponder", "clocks"],
            15 => &["ponder", "depth"],
            16 => &["mate"],
            17 => &["depth", "clocks"],
            18 => &["nodes", "movetime", "infinite"],
            19 => &["nodes", "movetime", "ponder", "mate"],
            20 => &["much"],
            _ if self.rng.below(2) == 0 => &["unreadable"],
            _ => &[],
        };
        let mut go = self.next.clone();
        if self.is_refused {
            go.root = ended();
        }
        let mut words = Vec::new();
        let mut is_ended = false;
        for name in names {
            is_ended |= self.add_limit(name, &mut go, &mut words);
        }
        go.infinite |= !is_ended;
        if self.rng.below(10) == 0 && !self.is_refused {
            go.search_moves = self.next.root.legal_moves(self.next.chess960);
            while go.search_moves.len() > 1 && self.rng.below(8) > 0 {
                let at = self.rng.below(go.search_moves.len());
                go.search_moves.swap_remove(at);
            }
            if !go.search_moves.is_empty() {
                // The engine ignores the illegal one.
                words.push(format!("searchmoves {} a1a1", go.search_moves.join(" ")));
            }
        }
        let is_plain = self.threads == 1 && !self.is_limited && !self.has_tables;
        go.depth = go.depth.filter(|_| is_plain && words.len() == 1);
        for end in (2..=words.len()).rev() {
            words.swap(end - 1, self.rng.below(end));
        }
        command(format!("go {}", words.join(" ")), Request::Go(go))
    }

    /// Adds a limit to a `go` and its words. Returns whether it counts as a limit.
    fn add_limit(&mut self, name: &str, go: &mut Go, words: &mut Vec<String>) -> bool {
        let mut add = |name: &str, value: i64| words.push(format!("{name} {value}"));
        let spend = |go: &mut Go, millis: i64| {
            let budget = Duration::from_millis(millis as u64);
            go.budget = Some(go.budget.map_or(budget, |before| before.min(budget)));
            go.is_short |= millis <= SHORT_MS;
        };
        match name {
            "depth" => {
                let depth = 1 + self.rng.below(if self.next.lines > 1 { 5 } else { 8 }) as i64;
                add("depth", depth);
                go.depth = Some(depth as u32);
                go.is_short |= depth <= SHORT_DEPTH;
            }
            "nodes" => {
                let nodes = *self.rng.pick(&[0, 1, 2, 100, 2_000, 20_000]);
                add("nodes", nodes);
                go.is_short |= nodes <= SHORT_NODES;
            }
            "movetime" => {
                let millis = *self.rng.pick(&[0, 1, 2, 5, 10, 20, 40]);
                add("movetime", millis);
                spend(go, millis.max(1));
            }
            "clocks" => {
                for (name, is_own) in
                    [("wtime", go.root.is_white_to_move()), ("btime", !go.root.is_white_to_move())]
                {
                    let clocks = [-50, 0, 1, 2, 5, 10, 20, 50, 100, 200, 400];
                    let millis = *self.rng.pick(&clocks);
                    add(name, millis);
                    if is_own {
                        spend(go, millis.max(0));
                    }
                }
                if self.rng.below(2) == 0 {
                    let increment = *self.rng.pick(&[0, 1, 10, 1000]);
                    add("winc", increment);
                    add("binc", increment);
                }
                if self.rng.below(4) == 0 {
                    add("movestogo", *self.rng.pick(&[0, 1, 2, 40]));
                }
            }
            "mate" => add("mate", 1 + self.rng.below(4) as i64),
            // A limit that the search does not reach.
            "much" => {
                let limits = [
                    "depth 100",
                    "nodes 1000000000000",
                    "movetime 600000",
                    "wtime 60000000 btime 60000000",
                ];
                words.push((*self.rng.pick(&limits)).to_owned());
            }
            "unreadable" => {
                words.push("movetime soon".to_owned());
                spend(go, UNREADABLE_LIMIT_MS);
            }
            _ => {
                words.push(name.to_owned());
                go.infinite |= name == "infinite";
                go.ponder |= name == "ponder";
                return false;
            }
        }
        true
    }
}
