//! What the program takes from the system, and when: memory and threads before `readyok`,
//! next to nothing while a clock runs, and never more than there is.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A running engine, limited by the shell command before it.
struct Engine {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Engine {
    fn start(limit: &str) -> Engine {
        let mut process = Command::new("sh")
            .args(["-c", &format!("{limit}; exec {}", env!("CARGO_BIN_EXE_carrybit"))])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("there is a shell");
        let input = process.stdin.take().expect("it is piped");
        let output = BufReader::new(process.stdout.take().expect("it is piped"));
        Engine { process, input, output }
    }

    /// Sends lines, and reads everything up to the first that begins with `word`.
    fn ask(&mut self, lines: &[&str], word: &str) -> Vec<String> {
        writeln!(self.input, "{}", lines.join("\n")).expect("the engine listens");
        let mut heard = Vec::new();
        for line in self.output.by_ref().lines() {
            let line = line.expect("the engine writes UTF-8");
            let is_last = line.split(' ').next() == Some(word);
            heard.push(line);
            if is_last {
                return heard;
            }
        }
        panic!("it left without {word}: {heard:#?}");
    }

    /// Leaves; the process ends well.
    fn quit(mut self) {
        writeln!(self.input, "quit").expect("the engine listens");
        assert!(self.process.wait().expect("it can be waited for").success());
    }

    /// The text of a file in the process's folder of `/proc`.
    fn proc(&self, name: &str) -> String {
        let path = format!("/proc/{}/{name}", self.process.id());
        fs::read_to_string(path).expect("Linux tells")
    }

    /// Pages of memory that the process has got so far.
    fn pages_taken(&self) -> u64 {
        let stat = self.proc("stat");
        // The program's name, in brackets, is the second field; this is the tenth.
        let (_, fields) = stat.rsplit_once(") ").expect("the name comes before");
        fields.split(' ').nth(7).and_then(|field| field.parse().ok()).expect("a number")
    }

    /// Threads of the process.
    fn threads(&self) -> u64 {
        let status = self.proc("status");
        let line = status.lines().find_map(|line| line.strip_prefix("Threads:"));
        line.and_then(|count| count.trim().parse().ok()).expect("a number")
    }
}

#[test]
fn the_first_search_takes_neither_threads_nor_much_memory() {
    for threads in [1, 4] {
        let mut engine = Engine::start("true");
        let set = format!("setoption name Threads value {threads}");
        engine.ask(&["uci", &set, "isready"], "readyok");
        let (pages, count) = (engine.pages_taken(), engine.threads());
        engine.ask(&["go depth 1"], "bestmove");
        // Its own code comes in with the first search: some hundred pages.
        let taken = engine.pages_taken() - pages;
        assert!(taken < 400, "{taken} pages with {threads} threads");
        assert_eq!(engine.threads(), count);
        engine.quit();
    }
}

#[test]
fn a_search_goes_on_with_the_threads_and_the_table_there_is_memory_for() {
    for (threads, hash_mb) in [(16, 1024), (64, 64), (1, 2048)] {
        // In kilobytes.
        let mut engine = Engine::start("ulimit -v 600000");
        let threads = format!("setoption name Threads value {threads}");
        let hash = format!("setoption name Hash value {hash_mb}");
        let ready = engine.ask(&[&threads, &hash, "isready"], "readyok");
        assert!(ready.iter().any(|line| line.starts_with("info string ")), "{ready:#?}");
        for go in ["go movetime 300", "go depth 6"] {
            let said = engine.ask(&["ucinewgame", go], "bestmove");
            assert_ne!(said.last().map(String::as_str), Some("bestmove (none)"), "{said:#?}");
        }
        engine.quit();
    }
}
