//! The positions to learn from: reading them, and tracing their terms.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::thread;

use indicatif::ProgressBar;
use ruzstd::decoding::StreamingDecoder;

use crate::board::{Board, Color};
use crate::eval::hce::terms::LINEAR_COUNT;
use crate::eval::hce::traced;

use super::{TuneError, bar};

/// Neighbouring lines belong to one game, so what validates is set apart in
/// blocks of so many lines.
const BLOCK_LINES: usize = 1000;
/// One block in so many validates.
const VALIDATION_BLOCKS: usize = 10;
/// How many positions are traced between two movements of the bar.
const BAR_STEP: u64 = 1000;

/// How often a term counts in a position.
#[derive(Clone, Copy, Debug)]
pub struct Count {
    /// Index into the array of terms.
    pub term: u16,
    /// How often; for linear terms White's count minus Black's.
    pub times: i16,
}

/// One position: its counts lie in [`Data::counts`], first the linear ones, then
/// those of the danger to White's king and to Black's.
#[derive(Clone, Debug)]
pub struct Position {
    /// Where the counts begin.
    pub start: usize,
    /// How many counts there are of each sort.
    pub lens: [u8; 3],
    /// The phase of the game.
    pub phase: u8,
    /// The scale if White, and if Black, is ahead.
    pub scale: [u8; 2],
    /// Which file it is from.
    pub file: u8,
    /// Whether it validates instead of being learned from.
    pub validates: bool,
    /// The game's result for White, 0 to 1.
    pub result: f32,
}

/// One of the files.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its name without the path.
    pub name: String,
    /// How many of its positions are used.
    pub positions: usize,
}

/// Part of the positions, with the counts they refer to.
#[derive(Clone, Debug, Default)]
pub struct Chunk {
    /// The positions.
    pub positions: Vec<Position>,
    /// Their counts.
    pub counts: Vec<Count>,
}

/// All positions.
#[derive(Clone, Debug)]
pub struct Data {
    /// The positions in parts, one for each thread and file.
    pub chunks: Vec<Chunk>,
    /// The files.
    pub files: Vec<Source>,
    /// How often each linear term counts for either side in all positions.
    pub usage: Vec<u64>,
}

impl Data {
    /// Reads and traces all files.
    ///
    /// # Errors
    /// If a file cannot be read or a line not be understood.
    pub fn read(paths: &[PathBuf], threads: usize) -> Result<Data, TuneError> {
        let mut data = Data { chunks: Vec::new(), files: Vec::new(), usage: vec![0; LINEAR_COUNT] };
        for (file, path) in paths.iter().enumerate() {
            let text = read_text(path)?;
            let lines: Vec<&str> = text.lines().collect();
            let bar = bar(lines.len() as u64, "Tracing");
            let share = lines.len().div_ceil(threads).max(1);
            let traced: Result<Vec<Tracer<'_>>, TuneError> = thread::scope(|scope| {
                let workers: Vec<_> = lines
                    .chunks(share)
                    .enumerate()
                    .map(|(worker, lines)| {
                        let mut tracer = Tracer::new(path, file as u8, worker * share);
                        let bar = &bar;
                        scope.spawn(move || tracer.trace_all(lines, bar).map(|()| tracer))
                    })
                    .collect();
                workers
                    .into_iter()
                    .map(|worker| {
                        worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
                    })
                    .collect()
            });
            bar.finish();
            let mut positions = 0;
            for tracer in traced? {
                positions += tracer.chunk.positions.len();
                data.chunks.push(tracer.chunk);
                for (sum, count) in data.usage.iter_mut().zip(tracer.usage) {
                    *sum += count;
                }
            }
            let name = path
                .file_name()
                .map_or_else(String::new, |name| name.to_string_lossy().into_owned());
            data.files.push(Source { name, positions });
        }
        let validating = data.positions().filter(|position| position.validates).count();
        if validating == 0 || validating == data.positions().count() {
            return Err(TuneError::TooFew);
        }
        Ok(data)
    }

    /// All positions of all chunks.
    fn positions(&self) -> impl Iterator<Item = &Position> {
        self.chunks.iter().flat_map(|chunk| &chunk.positions)
    }
}

/// Traces a run of lines of one file.
struct Tracer<'p> {
    path: &'p Path,
    file: u8,
    /// How many lines of the file come before.
    lines_before: usize,
    chunk: Chunk,
    usage: Vec<u64>,
    /// White's count minus Black's of each linear term in the present position.
    difference: Vec<i16>,
}

impl<'p> Tracer<'p> {
    fn new(path: &'p Path, file: u8, lines_before: usize) -> Tracer<'p> {
        Tracer {
            path,
            file,
            lines_before,
            chunk: Chunk::default(),
            usage: vec![0; LINEAR_COUNT],
            difference: vec![0; LINEAR_COUNT],
        }
    }

    fn trace_all(&mut self, lines: &[&str], bar: &ProgressBar) -> Result<(), TuneError> {
        for (index, line) in lines.iter().enumerate() {
            let number = self.lines_before + index;
            let (board, result) = parse(line).ok_or_else(|| TuneError::Line {
                path: self.path.to_owned(),
                line: number + 1,
                text: (*line).to_owned(),
            })?;
            let validates = (number / BLOCK_LINES).is_multiple_of(VALIDATION_BLOCKS);
            self.trace(&board, result, validates);
            if (number as u64).is_multiple_of(BAR_STEP) {
                bar.inc(BAR_STEP);
            }
        }
        Ok(())
    }

    /// Adds a position, unless it is check or its value is known anyway.
    fn trace(&mut self, board: &Board, result: f32, validates: bool) {
        if board.in_check() {
            return;
        }
        let Some(traced) = traced(board) else { return };
        let start = self.chunk.counts.len();
        let mut touched: Vec<usize> = Vec::with_capacity(traced.record.linear.len());
        for entry in &traced.record.linear {
            self.usage[entry.term] += u64::from(entry.count.unsigned_abs());
            self.difference[entry.term] +=
                if entry.side == Color::White { entry.count } else { -entry.count } as i16;
            touched.push(entry.term);
        }
        for term in touched {
            let times = std::mem::take(&mut self.difference[term]);
            if times != 0 {
                self.chunk.counts.push(Count { term: term as u16, times });
            }
        }
        let mut lens = [(self.chunk.counts.len() - start) as u8, 0, 0];
        for color in Color::ALL {
            for entry in traced.record.danger.iter().filter(|entry| entry.side == color) {
                let (term, times) = (entry.term as u16, entry.count as i16);
                self.chunk.counts.push(Count { term, times });
                lens[1 + color.index()] += 1;
            }
        }
        self.chunk.positions.push(Position {
            start,
            lens,
            phase: traced.phase as u8,
            scale: traced.scale.map(|scale| scale as u8),
            file: self.file,
            validates,
            result,
        });
    }
}

/// Takes `FEN | score | result` apart; the score is not looked at.
fn parse(line: &str) -> Option<(Board, f32)> {
    let mut fields = line.split(" | ");
    let board = fields.next()?.parse().ok()?;
    let result: f32 = fields.nth(1)?.trim().parse().ok()?;
    (0.0..=1.0).contains(&result).then_some((board, result))
}

/// The text of a file, decompressed if its name ends in `.zst`.
fn read_text(path: &Path) -> Result<String, TuneError> {
    let fail = |source| TuneError::File { path: path.to_owned(), source };
    let mut file = File::open(path).map_err(fail)?;
    let mut text = String::new();
    if path.extension().is_some_and(|extension| extension == "zst") {
        let mut decoder =
            StreamingDecoder::new(file).map_err(|error| fail(std::io::Error::other(error)))?;
        decoder.read_to_string(&mut text).map_err(fail)?;
    } else {
        file.read_to_string(&mut text).map_err(fail)?;
    }
    Ok(text)
}
