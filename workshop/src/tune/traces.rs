//! The positions to learn from: reading games, and tracing the terms of their
//! quiet positions.

use std::mem;
use std::ops::Range;
use std::path::PathBuf;

use carrybit::board::{Board, Color, Game};
use carrybit::tools::ending::Ending;
use rayon::prelude::*;

use super::error::TuneError;
use crate::games::record::{GameRecord, is_quiet};
use crate::games::shard::{Shard, ShardError};
use crate::hce::terms::LINEAR_COUNT;
use crate::hce::traced;

/// One game in this many validates.
const VALIDATION_GAMES: usize = 10;
/// Positions are left out before this ply of a game; its random moves are among
/// those left out.
const MIN_PLY: usize = 16;
/// How many games are traced at a time.
const PIECE: usize = 256;

/// How often a term counts in a position.
#[derive(Clone, Copy, Debug)]
pub struct Count {
    /// Index into the array of terms.
    pub term: u16,
    /// How often; for linear terms White's count minus Black's.
    pub times: i16,
}

/// One position: its counts lie in [`Chunk::counts`], first the linear ones, then
/// those of the danger to White's king and to Black's.
#[derive(Clone, Debug)]
pub struct TracedPosition {
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
    /// Whether it validates instead of being learnt from.
    pub validates: bool,
    /// The game's result for White, 0 to 1.
    pub result: f32,
}

/// One of the files.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its name without the path.
    pub name: String,
    /// How many games it has.
    pub games: usize,
    /// How many of its positions are used.
    pub positions: usize,
}

/// Part of the positions, with the counts they refer to.
#[derive(Clone, Debug, Default)]
pub struct Chunk {
    /// The positions.
    pub positions: Vec<TracedPosition>,
    /// Their counts.
    pub counts: Vec<Count>,
}

/// All positions.
#[derive(Clone, Debug)]
pub struct Traces {
    /// The positions in parts, each of some games of one file.
    pub chunks: Vec<Chunk>,
    /// The files.
    pub files: Vec<Source>,
    /// How often each linear term counts for either side in all positions.
    pub usage: Vec<u64>,
}

impl Traces {
    /// Reads all shards and traces every `stride`th quiet position of each game.
    ///
    /// # Errors
    /// If a shard cannot be read or is none, or if there is too little in them.
    pub fn read(paths: &[PathBuf], stride: usize) -> Result<Traces, TuneError> {
        let mut traces =
            Traces { chunks: Vec::new(), files: Vec::new(), usage: vec![0; LINEAR_COUNT] };
        for (file, path) in paths.iter().enumerate() {
            let shard = Shard::read(path)?;
            let games = shard.games();
            let starts: Vec<usize> = (0..games).step_by(PIECE).collect();
            let tracers: Result<Vec<Tracer>, ShardError> = starts
                .into_par_iter()
                .map(|start| {
                    let mut tracer = Tracer::new(file as u8, stride);
                    tracer.trace_games(&shard, start..games.min(start + PIECE))?;
                    Ok(tracer)
                })
                .collect();
            let mut positions = 0;
            for tracer in tracers? {
                positions += tracer.chunk.positions.len();
                traces.chunks.push(tracer.chunk);
                for (sum, count) in traces.usage.iter_mut().zip(tracer.usage) {
                    *sum += count;
                }
            }
            let name = path
                .file_name()
                .map_or_else(String::new, |name| name.to_string_lossy().into_owned());
            traces.files.push(Source { name, games, positions });
        }
        let validating = traces.positions().filter(|position| position.validates).count();
        if validating == 0 || validating == traces.positions().count() {
            return Err(TuneError::TooFew);
        }
        Ok(traces)
    }

    /// All positions of all chunks.
    fn positions(&self) -> impl Iterator<Item = &TracedPosition> {
        self.chunks.iter().flat_map(|chunk| &chunk.positions)
    }
}

/// Traces some of the games of one file.
struct Tracer {
    file: u8,
    stride: usize,
    chunk: Chunk,
    usage: Vec<u64>,
    /// White's count minus Black's of each linear term in the present position.
    difference: Vec<i16>,
}

impl Tracer {
    fn new(file: u8, stride: usize) -> Tracer {
        Tracer {
            file,
            stride,
            chunk: Chunk::default(),
            usage: vec![0; LINEAR_COUNT],
            difference: vec![0; LINEAR_COUNT],
        }
    }

    fn trace_games(&mut self, shard: &Shard, games: Range<usize>) -> Result<(), ShardError> {
        for number in games {
            self.trace_game(shard.record(number)?, number.is_multiple_of(VALIDATION_GAMES));
        }
        Ok(())
    }

    fn trace_game(&mut self, record: GameRecord, validates: bool) {
        let result = match record.ending {
            Ending::Win(Color::White) => 1.0,
            Ending::Draw => 0.5,
            Ending::Win(Color::Black) => 0.0,
        };
        let mut game = Game::new(record.start);
        let mut quiet = 0;
        for (mv, _) in record.moves {
            let board = game.board();
            if board.ply() >= MIN_PLY && is_quiet(board, mv) {
                if quiet % self.stride == 0 {
                    self.trace(board, result, validates);
                }
                quiet += 1;
            }
            game.play(mv);
        }
    }

    /// Adds a position, unless its value is known anyway.
    fn trace(&mut self, board: &Board, result: f32, validates: bool) {
        let Some(traced) = traced(board) else { return };
        let start = self.chunk.counts.len();
        let mut touched: Vec<usize> = Vec::with_capacity(traced.log.linear.len());
        for entry in &traced.log.linear {
            self.usage[entry.term] += u64::from(entry.count.unsigned_abs());
            self.difference[entry.term] +=
                if entry.side == Color::White { entry.count } else { -entry.count } as i16;
            touched.push(entry.term);
        }
        for term in touched {
            let times = mem::take(&mut self.difference[term]);
            if times != 0 {
                self.chunk.counts.push(Count { term: term as u16, times });
            }
        }
        let mut lens = [(self.chunk.counts.len() - start) as u8, 0, 0];
        for color in Color::ALL {
            for entry in traced.log.danger.iter().filter(|entry| entry.side == color) {
                let (term, times) = (entry.term as u16, entry.count as i16);
                self.chunk.counts.push(Count { term, times });
                lens[1 + color.index()] += 1;
            }
        }
        self.chunk.positions.push(TracedPosition {
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
