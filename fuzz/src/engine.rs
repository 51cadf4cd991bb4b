//! The engine's readers: the dialogue, FENs, networks, endgame tables.
//!
//! `tests/fuzz_finds.rs` builds this file too.

use std::io::{self, Cursor, Write};
use std::sync::{Arc, Mutex};

use carrybit::board::Board;
use carrybit::eval::nnue::network::{
    CHECKSUM_AT, HEADER_LEN, MAX_SCALE, QuantisedNet, SHAPE, SHAPE_AT, Shape,
};
use carrybit::tablebase::Tablebases;
use carrybit::terminal::Terminal;
use carrybit::uci::command::{Command, Tool};
use carrybit::uci::parser::parse;
use carrybit::uci::{Dialogue, LineSplitter};

/// No search of the dialogue has more nodes than this.
const NODES: u64 = 100;
/// No search of the dialogue has more threads than this.
const MAX_THREADS: usize = 2;
/// The deepest perft that the dialogue is asked for.
const MAX_PERFT_DEPTH: u32 = 1;

/// The dialogue answers lines of any bytes: with a `bestmove` for each `go`, with a
/// `readyok` for each `isready`.
pub fn dialogue(bytes: &[u8]) {
    let mut splitter = LineSplitter::default();
    let mut lines = splitter.feed(bytes);
    lines.extend(splitter.finish());
    let lines: Vec<String> = lines.into_iter().flatten().filter_map(|line| tamed(&line)).collect();

    // A small table is allocated quickly.
    let input = format!("setoption name Hash value 1\n{}\n", lines.join("\n"));
    let output = Output::default();
    let dialogue = Dialogue::new(output.clone(), Terminal::default());
    dialogue.converse(Cursor::new(input)).expect("neither input nor output fails");

    let output = std::mem::take(&mut *output.0.lock().expect("no panic"));
    let output = String::from_utf8(output).expect("it writes UTF-8");
    let answers =
        |word: &str| output.lines().filter(|line| line.split(' ').next() == Some(word)).count();
    let asked = |is_meant: fn(&Command) -> bool| {
        lines.iter().filter(|line| parse(line).is_ok_and(|command| is_meant(&command))).count()
    };
    let go = asked(|command| matches!(command, Command::Go(_)));
    assert_eq!(answers("bestmove"), go, "{lines:?}\n{output}");
    let is_ready = asked(|command| matches!(command, Command::IsReady));
    assert_eq!(answers("readyok"), is_ready, "{lines:?}\n{output}");
}

/// Keeps all that is written.
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

/// The line, a search in it made short; `None` if it would end the dialogue, take
/// long, or use files.
fn tamed(line: &str) -> Option<String> {
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

/// A FEN that is read is a position: it is written and read again as the same position, its
/// moves are as many as cozy-chess finds, and each can be made.
pub fn fen(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let Ok(board) = text.parse::<Board>() else { return };
    assert_eq!(board.check_invariants(), Ok(()), "{text:?}");
    for chess960 in [false, true] {
        let written = board.fen(chess960);
        assert_eq!(written.parse::<Board>().as_ref(), Ok(&board), "{text:?}");
    }
    let moves = board.legal_moves();
    assert_eq!(board.count_legal(), moves.len() as u64, "{text:?}");
    for &mv in moves.iter() {
        assert!(board.is_legal(mv), "{mv} in {text:?}");
        let after = board.make(mv);
        assert_eq!(after.check_invariants(), Ok(()), "{mv} in {text:?}");
        assert_eq!(after.count_legal(), after.legal_moves().len() as u64, "{mv} in {text:?}");
    }
    if let Some(count) = count_independently(&board) {
        assert_eq!(moves.len(), count, "{text:?}");
    }
}

/// The number of moves that cozy-chess finds; `None` if it refuses the position, as it
/// accepts fewer.
fn count_independently(board: &Board) -> Option<usize> {
    let fen = board.fen(true);
    let mut fields: Vec<&str> = fen.split(' ').collect();
    // It accepts no clock beyond the fifty moves.
    fields[4] = "0";
    let other = cozy_chess::Board::from_fen(&fields.join(" "), true).ok()?;
    let mut count = 0;
    other.generate_moves(|moves| {
        count += moves.len();
        false
    });
    Some(count)
}

/// Any bytes are refused as a network or are one that is written as it was read, and
/// whose arithmetic does not overflow.
pub fn network(bytes: &[u8]) {
    check_network(bytes);
    check_network(&network_around(bytes));
}

/// A network's file with a sound header around these bytes: a fuzzer finds no checksum.
fn network_around(bytes: &[u8]) -> Vec<u8> {
    let (&first, payload) = bytes.split_first().unwrap_or((&0, &[]));
    let shape = Shape { neurons: 1 + usize::from(first % 2), ..SHAPE };
    let mut file = QuantisedNet::zeroed(shape).to_bytes();
    file.truncate(HEADER_LEN);
    file.extend(payload);
    file.resize(shape.file_len(), first);
    // Brings the scale into its range.
    let scale = file.last_chunk_mut::<4>().expect("longer than a scale");
    *scale = (1 + u32::from_le_bytes(*scale) % MAX_SCALE as u32).to_le_bytes();
    let checksum = crc32fast::hash(&file[SHAPE_AT..]);
    file[CHECKSUM_AT..][..4].copy_from_slice(&checksum.to_le_bytes());
    file
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_filled_up_with_small_numbers_is_read() {
        assert!(QuantisedNet::from_bytes(&network_around(&[0])).is_ok());
        assert!(QuantisedNet::from_bytes(&network_around(&[0, 1, 2, 3])).is_ok());
        assert!(QuantisedNet::from_bytes(&network_around(&[255])).is_ok());
    }
}

/// Positions with the fewest pieces, and with the most.
const EVALUATED: [&str; 5] = [
    "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "qqqqqqqk/qqqqqqqq/8/8/8/8/QQQQQQQQ/QQQQQQQK b - - 0 1",
    // The kings in other buckets.
    "nnnnnnnn/nnnnnnnk/8/8/8/8/NNNNNNNK/NNNNNNNN b - - 0 1",
    "NNNNNNNN/NNNNNNNK/8/8/8/8/nnnnnnnk/nnnnnnnn b - - 0 1",
];

fn check_network(file: &[u8]) {
    let Ok(network) = QuantisedNet::from_bytes(file) else { return };
    // Format 5 is read, but written as the current one.
    assert_eq!(QuantisedNet::from_bytes(&network.to_bytes()).as_ref(), Ok(&network));
    for fen in EVALUATED {
        let _ = network.evaluate(&fen.parse().expect("a position"));
    }
}

/// The tables that captures lead to from a table of more pieces.
const SOUND_TABLES: [(&str, &[u8]); 6] = [
    ("KQvK.rtbw", include_bytes!("../../tests/data/syzygy/KQvK.rtbw")),
    ("KRvK.rtbw", include_bytes!("../../tests/data/syzygy/KRvK.rtbw")),
    ("KBvK.rtbw", include_bytes!("../../tests/data/syzygy/KBvK.rtbw")),
    ("KNvK.rtbw", include_bytes!("../../tests/data/syzygy/KNvK.rtbw")),
    ("KPvK.rtbw", include_bytes!("../../tests/data/syzygy/KPvK.rtbw")),
    ("KQvK.rtbz", include_bytes!("../../tests/data/syzygy/KQvK.rtbz")),
];

/// The tables that the bytes are read as, each with its pieces: with pawns and without,
/// symmetric and not, with kings, three unique pieces, or pawns of one or both sides as the
/// leading group.
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

/// How many positions are looked up in each table.
const PROBED: usize = 10;

thread_local! {
    /// Positions of each of [`TABLES`].
    static POSITIONS: [Vec<Board>; TABLES.len()] = TABLES.map(|(_, pieces)| placings(pieces));
}

/// Positions with these pieces, some with colours exchanged, the same at each call.
fn placings(pieces: &str) -> Vec<Board> {
    /// A step through the squares, prime to their number, and one through the steps.
    const STRIDES: (usize, usize) = (29, 11);
    let mut boards = Vec::new();
    for n in 0.. {
        let mut squares = [None; 64];
        for (i, piece) in pieces.chars().enumerate() {
            let piece = if n % 2 == 0 { piece } else { exchanged(piece) };
            let sq = (n * STRIDES.1 + i * (STRIDES.0 + n / 64)) % 64;
            squares[sq] = Some(piece);
        }
        let rank = |rank: &[Option<char>]| -> String {
            let runs = rank.chunk_by(|a, b| a.is_none() && b.is_none());
            runs.map(|run| run[0].map_or(run.len().to_string(), String::from)).collect()
        };
        let ranks: Vec<String> = squares.chunks(8).map(rank).collect();
        let side = ["w", "b"][n / 2 % 2];
        let board = format!("{} {side} - - 0 1", ranks.join("/")).parse::<Board>();
        let is_complete = |board: &Board| board.piece_count() == pieces.len();
        boards.extend(board.ok().filter(is_complete));
        if boards.len() == PROBED {
            return boards;
        }
    }
    unreachable!("the numbers do not end")
}

fn exchanged(piece: char) -> char {
    if piece.is_uppercase() { piece.to_ascii_lowercase() } else { piece.to_ascii_uppercase() }
}

/// The bit of the first byte for a DTZ file instead of a WDL file.
const IS_DTZ: u8 = 0x10;
/// The bit of the first byte for zeros behind the bytes, up to a size that a table can have.
const IS_PADDED: u8 = 0x20;
/// The least number of these zeros.
const PADDED_BYTES: usize = 8192;

/// Any bytes are refused as an endgame table, or probing positions with its pieces ends. The
/// first byte chooses the table.
pub fn table(bytes: &[u8]) {
    let Some((&choice, file)) = bytes.split_first() else { return };
    let nth = usize::from(choice) % TABLES.len();
    let (name, _) = TABLES[nth];
    let mut file = file.to_vec();
    if choice & IS_PADDED != 0 {
        // The last 16 bytes are the checksum, which is not compared.
        file.resize(file.len().next_multiple_of(64) + PADDED_BYTES + 16, 0);
    }
    let kind = if choice & IS_DTZ != 0 { "rtbz" } else { "rtbw" };
    let own_name = format!("{name}.{kind}");
    let mut files = vec![(own_name.as_str(), file.into_boxed_slice())];
    files.extend(SOUND_TABLES.map(|(name, bytes)| (name, Box::from(bytes))));
    let (tables, problems) = Tablebases::of_files(files);
    // Of two files of one name the first counts, unless it is damaged.
    assert!(problems.len() <= 1, "{problems:?}");
    POSITIONS.with(|positions| {
        for board in &positions[nth] {
            // A damaged table may give any value, or none.
            let _ = (tables.probe_wdl(board), tables.probe_dtz(board));
        }
    });
}
