//! The engine's parsers: UCI, FEN, networks, tablebases.
//!
//! `tests/uci/fuzz_finds.rs` also builds this file.

use std::io::{self, Cursor, Write};
use std::iter;
use std::sync::{Arc, Mutex};

use carrybit::Board;
use carrybit::internals::eval::nnue::network::{Dense, MAX_SCALE, QuantisedNet, SHAPE, Shape};
use carrybit::internals::terminal::Terminal;
use carrybit::internals::uci::parser::{Command, Tool, parse};
use carrybit::internals::uci::{Dialogue, LineSplitter};
use carrybit_board::{BoardBuilder, Color, Piece, Square};
use carrybit_syzygy::Tablebases;

/// Limits of the commands in a dialogue, so that it is short.
const NODES: u64 = 100;
const MAX_THREADS: usize = 2;
const MAX_PERFT_DEPTH: u32 = 1;

/// Runs a dialogue with lines of any bytes. Each `go` must be answered by a `bestmove`, and
/// each `isready` by a `readyok`.
pub fn dialogue(bytes: &[u8]) {
    let mut splitter = LineSplitter::default();
    let mut lines = splitter.feed(bytes);
    lines.extend(splitter.finish());
    let lines: Vec<String> =
        lines.into_iter().flatten().filter_map(|line| limited(&line)).collect();

    // A small hash table is allocated quickly.
    let input = format!("setoption name Hash value 1\n{}\n", lines.join("\n"));
    let output = Output::default();
    let dialogue = Dialogue::new(output.clone(), Terminal::default());
    dialogue.converse(Cursor::new(input)).expect("no errors in memory");

    let output = std::mem::take(&mut *output.0.lock().expect("no panic"));
    let output = String::from_utf8(output).expect("it writes UTF-8");
    let answers =
        |word: &str| output.lines().filter(|line| line.split(' ').next() == Some(word)).count();
    let commands = |is_counted: fn(&Command) -> bool| {
        lines.iter().filter(|line| parse(line).is_ok_and(|command| is_counted(&command))).count()
    };
    let go = commands(|command| matches!(command, Command::Go(_)));
    assert_eq!(answers("bestmove"), go, "{lines:?}\n{output}");
    let is_ready = commands(|command| matches!(command, Command::IsReady));
    assert_eq!(answers("readyok"), is_ready, "{lines:?}\n{output}");
}

/// Collects the output of a dialogue.
#[derive(Clone, Default)]
struct Output(Arc<Mutex<Vec<u8>>>);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no panic").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The line, with a limit for searches; `None` if it ends the dialogue, is slow, or uses files.
fn limited(line: &str) -> Option<String> {
    match parse(line) {
        Ok(Command::Tool(Tool::Perft(depth))) if depth <= MAX_PERFT_DEPTH => Some(line.to_owned()),
        Ok(Command::Quit | Command::Tool(_)) => None,
        Ok(Command::Go(_)) => Some(format!("{line} nodes {NODES}")),
        Ok(Command::SetOption { name, value }) => {
            let is_kept = match name.to_ascii_lowercase().as_str() {
                "threads" => value.parse::<usize>().is_ok_and(|threads| threads <= MAX_THREADS),
                "hash" | "evalfile" | "syzygypath" | "debug log file" => false,
                _ => true,
            };
            is_kept.then(|| line.to_owned())
        }
        _ => Some(line.to_owned()),
    }
}

/// Parses a FEN. A valid position must be written and parsed again unchanged, its moves must be
/// legal, and cozy-chess must count the same number of moves.
pub fn fen(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let Ok(board) = text.parse::<Board>() else { return };
    assert_eq!(board.check_invariants(), Ok(()), "{text:?}");
    for written in [board.fen(), board.shredder_fen()] {
        assert_eq!(written.parse::<Board>().as_ref(), Ok(&board), "{text:?}");
    }
    let moves = board.legal_moves();
    assert_eq!(board.count_legal(), moves.len() as u64, "{text:?}");
    for &mv in &moves {
        assert!(board.is_legal(mv), "{mv} in {text:?}");
        let after = board.make(mv);
        assert_eq!(after.check_invariants(), Ok(()), "{mv} in {text:?}");
        assert_eq!(after.count_legal(), after.legal_moves().len() as u64, "{mv} in {text:?}");
    }
    if let Some(count) = count_independently(&board) {
        assert_eq!(moves.len(), count, "{text:?}");
    }
}

/// The number of moves by cozy-chess; `None` if it rejects the position, since it is stricter.
fn count_independently(board: &Board) -> Option<usize> {
    let fen = board.shredder_fen();
    let mut fields: Vec<&str> = fen.split(' ').collect();
    // It rejects halfmove clocks above 100.
    fields[4] = "0";
    let other = cozy_chess::Board::from_fen(&fields.join(" "), true).ok()?;
    let mut count = 0;
    other.generate_moves(|moves| {
        count += moves.len();
        false
    });
    Some(count)
}

/// Reads a network. A valid one must be written and read again unchanged, and must not
/// overflow.
pub fn network(bytes: &[u8]) {
    check_network(bytes);
    check_network(&network_around(bytes));
}

/// The file of a network with these bytes as numbers: a fuzzer cannot find the checksum.
fn network_around(bytes: &[u8]) -> Vec<u8> {
    let (&first, numbers) = bytes.split_first().unwrap_or((&0, &[]));
    let mut numbers = numbers.iter().copied().chain(iter::repeat(first));
    let mut next = || numbers.next().expect("no end");
    let neurons = 2 + 2 * usize::from(first % 2);
    let mut net = QuantisedNet::zeroed(Shape { neurons, ..SHAPE });
    net.feature_weights.fill_with(|| next().cast_signed());
    net.feature_biases.fill_with(|| i16::from_le_bytes([next(), next()]));
    for stack in &mut net.stacks {
        stack.l1_weights.fill_with(|| next().cast_signed());
        let numbers = iter::repeat_with(|| f32::from(next().cast_signed()) / 16.0);
        stack.dense = Dense::from_numbers(numbers);
    }
    net.scale = 1 + i32::from(u16::from_le_bytes([next(), next()])) % MAX_SCALE;
    net.to_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn network_of_small_numbers_is_valid() {
        for bytes in [&[0][..], &[0, 1, 2, 3], &[255]] {
            assert!(QuantisedNet::from_bytes(&network_around(bytes)).is_ok());
        }
    }
}

/// Positions with the fewest and with the most pieces.
const EVALUATED: [&str; 5] = [
    "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "qqqqqqqk/qqqqqqqq/8/8/8/8/QQQQQQQQ/QQQQQQQK b - - 0 1",
    // Kings in other buckets.
    "nnnnnnnn/nnnnnnnk/8/8/8/8/NNNNNNNK/NNNNNNNN b - - 0 1",
    "NNNNNNNN/NNNNNNNK/8/8/8/8/nnnnnnnk/nnnnnnnn b - - 0 1",
];

fn check_network(file: &[u8]) {
    let Ok(network) = QuantisedNet::from_bytes(file) else { return };
    assert!(network.to_bytes() == file);
    for fen in EVALUATED {
        let _ = network.evaluate(&fen.parse().expect("a position"));
    }
}

/// Tables that a probe of a larger table needs, for the positions after captures.
const VALID_TABLES: [(&str, &[u8]); 6] = [
    ("KQvK.rtbw", include_bytes!("../../tests/data/syzygy/KQvK.rtbw")),
    ("KRvK.rtbw", include_bytes!("../../tests/data/syzygy/KRvK.rtbw")),
    ("KBvK.rtbw", include_bytes!("../../tests/data/syzygy/KBvK.rtbw")),
    ("KNvK.rtbw", include_bytes!("../../tests/data/syzygy/KNvK.rtbw")),
    ("KPvK.rtbw", include_bytes!("../../tests/data/syzygy/KPvK.rtbw")),
    ("KQvK.rtbz", include_bytes!("../../tests/data/syzygy/KQvK.rtbz")),
];

/// The tables under test and their pieces: with pawns and without, symmetric and not; the
/// leading group is the kings, three unique pieces, or pawns of one or both sides.
const TABLES: [(&str, &str); 8] = [
    ("KQvK", "KQk"),
    ("KPvK", "KPk"),
    ("KRvK", "KRk"),
    ("KNNvK", "KNNk"),
    ("KRvKR", "KRkr"),
    ("KPPvK", "KPPk"),
    ("KPvKP", "KPkp"),
    ("KRvKP", "KRkp"),
];

/// Positions probed in each table.
const PROBED: usize = 10;

thread_local! {
    /// Positions of each of [`TABLES`].
    static POSITIONS: [Vec<Board>; TABLES.len()] = TABLES.map(|(_, pieces)| placings(pieces));
}

/// Positions with these pieces, some with exchanged colours; deterministic.
fn placings(pieces: &str) -> Vec<Board> {
    /// From piece to piece, and from position to position; both are coprime to 64.
    const STRIDES: (usize, usize) = (29, 11);
    let placing = |n: usize| {
        let mut builder = BoardBuilder::new();
        for (i, letter) in pieces.chars().enumerate() {
            let Piece { color, kind } = letter.to_string().parse().expect("the letter of a piece");
            // From a8 to h1, as in a FEN.
            let sq = Square::from_64((n * STRIDES.1 + i * (STRIDES.0 + n / 64)) % 64).flip_rank();
            builder.put(sq, if n.is_multiple_of(2) { color } else { !color }, kind);
        }
        builder.side(Color::ALL[n / 2 % 2]).build().ok()
    };
    let is_complete = |board: &Board| board.piece_count() == pieces.len();
    (0..).filter_map(placing).filter(is_complete).take(PROBED).collect()
}

/// Bits of the first byte: a DTZ file instead of a WDL file, and zeros after the bytes.
const IS_DTZ: u8 = 0x10;
const IS_PADDED: u8 = 0x20;
/// The least number of these zeros.
const PADDED_BYTES: usize = 8192;

/// Reads a tablebase file and probes positions with its pieces, which must return. The first
/// byte selects the table.
pub fn table(bytes: &[u8]) {
    let Some((&choice, file)) = bytes.split_first() else { return };
    let nth = usize::from(choice) % TABLES.len();
    let (name, _) = TABLES[nth];
    let mut file = file.to_vec();
    if choice & IS_PADDED != 0 {
        // The last 16 bytes are a checksum, which the engine does not check.
        file.resize(file.len().next_multiple_of(64) + PADDED_BYTES + 16, 0);
    }
    let kind = if choice & IS_DTZ != 0 { "rtbz" } else { "rtbw" };
    let own_name = format!("{name}.{kind}");
    let mut files = vec![(own_name.as_str(), file.into_boxed_slice())];
    files.extend(VALID_TABLES.map(|(name, bytes)| (name, Box::from(bytes))));
    let (tables, problems) = Tablebases::of_files(files);
    // If two files have one name, the first valid one is used.
    assert!(problems.len() <= 1, "{problems:?}");
    POSITIONS.with(|positions| {
        for board in &positions[nth] {
            // A damaged table may return any value.
            let _ = (tables.probe_wdl(board), tables.probe_dtz(board));
        }
    });
}
