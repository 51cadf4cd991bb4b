//! Tests with whole texts: all ways to read agree, written games are read back, and the time is
//! linear, on a machine of any speed and load.

use std::io::BufReader;
use std::time::Duration;

use cpu_time::ThreadTime;

use crate::commands::{commands, without_commands};
use crate::reader::Parser;
use crate::replay::open;
use crate::text::decode;
use crate::{Reader, entries, read};

/// Numbers that look random, always the same.
pub(crate) fn random() -> impl FnMut(usize) -> usize {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    move |below| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as usize % below
    }
}

/// Compares the games of a file with those that the general code reads, without the plain code, and
/// with those of streams that have buffers of these sizes.
fn compare(bytes: &[u8], buffers: &[usize]) {
    let text = decode(bytes.to_vec()).expect("text");
    let [mut plain, mut general] = [(); 2].map(|()| Parser::new(&text, 0, 1));
    let stream = |&size: &usize| Reader::new(BufReader::with_capacity(size, bytes));
    let mut streams: Vec<_> = buffers.iter().map(stream).collect();
    loop {
        let entry = plain.next(&text, usize::MAX, true, true);
        let other = general.next(&text, usize::MAX, true, false);
        // This also compares the lines of the moves, which `==` ignores.
        assert_eq!(format!("{other:?} {general:?}"), format!("{entry:?} {plain:?}"), "{text:?}");
        for stream in &mut streams {
            assert_eq!(stream.next().transpose().expect("text"), entry, "{text:?}");
        }
        if entry.is_none() {
            return;
        }
    }
}

#[test]
fn all_ways_to_read_agree_about_texts_with_long_tokens() {
    let buffers: Vec<usize> = (1..20).collect();
    for text in [
        "",
        "\n\n",
        "1. e4",
        "; remark",
        "1. e4 *\n\n12.\n[Event \"a\"]\n\n1. d4\n*",
        "1. e4 {a\nb\n\nc} e5 1-0 {d\n}\n\n2.\n\n3...\n1. d4 {open\n\n[Event \"2\"]\n\n{\n*",
        "[A \"\\\"]\n[B \"x\n\"]\n\n(1. e4) ) ( 1. e4\r\n\r% a\n[Event \"a\"]\r\r\n*",
        "[A \"é\"]\n\n1. е4 ♘ é…\n{é\n}\n\u{feff}[A \"é\"]\n*",
        "1. e4 e8\n=Q 1/2\n-1/2 e.p\n. mate\n1.\n..\n*",
    ] {
        compare(text.as_bytes(), &buffers);
        let units: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        compare(&[&[0xfe, 0xff], units.as_slice()].concat(), &buffers);
    }
    compare(b"[A \"Gr\xfcnfeld\"]\r\n\r\n1. e4 *\n[B \"Gr\xc3\xbcn\"]\n", &buffers);
}

#[test]
fn all_ways_to_read_agree_about_all_short_words() {
    const LETTERS: &[u8] = b" ae18xNO-=+.";
    const LEN: u32 = 5;
    let letter = |at: usize| char::from(LETTERS[at % LETTERS.len()]);
    let word = |number: usize| -> String {
        (0..LEN).map(|place| letter(number / LETTERS.len().pow(place))).collect()
    };
    let count = LETTERS.len().pow(LEN);
    // Many words as one text, with what may follow a word between them.
    let ends = [" ", "\n", ")", "!", "…", "×", "(Q) ", "$1 "];
    for (start, end) in (0..count).step_by(1000).zip(ends.into_iter().cycle()) {
        let words: Vec<String> = (start..count.min(start + 1000)).map(word).collect();
        compare(words.join(end).as_bytes(), &[]);
    }
}

#[test]
fn all_ways_to_read_agree_about_random_texts() {
    // Parts of words, and parts of games.
    const PARTS: [&str; 2] = [
        " |\n|\r\n|\t|,|1|2|12.|3...|0|.|…|．|１|e4|e8|=Q|=N|Nf3|N|exd5|R1xa3|Qh4e1|O-O|-O|0-0|+|#|!|\
         ?!|$3|=|-|+-|:|x|[Event \"a\"]|[A \"\\\"\"]|[A| \"|\"]|[%clk 1]|[|]|{|}|{ a }|(|)|;|\n%|*|\
         1-0|1/2|é|♘|e.p.|mate",
        " |\n|\n\n|1. e4 |e5 |1... |2. |...|Nf3 |(|)|{|}|{a} |[A \"1\"]\n|[Event \"2\"]\n|[|1-0|*\n|\
         $1 |!|foo |mate |% a\n|ed |(1. d4) |5254 |é",
    ];
    let mut random = random();
    for at in 0..20_000 {
        let parts: Vec<&str> = PARTS[at % 2].split('|').collect();
        let text: String = (0..random(30)).map(|_| parts[random(parts.len())]).collect();
        compare(text.as_bytes(), &[1 + random(9)]);
    }
}

/// The shared collection is in `../shared/data/pgn` beside the project, or in the folder
/// `CARRYBIT_PGN`.
#[cfg(feature = "gzip")]
#[test]
fn shared_games_are_read_alike_and_written_without_loss() {
    use std::io::Write;
    use std::path::{Path, PathBuf};
    use std::{env, fs, io};

    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/pgn");
    let folder = env::var_os("CARRYBIT_PGN").map_or(beside, PathBuf::from);
    if !folder.is_dir() {
        // Not `eprintln!`: the test harness shows its output for failed tests only.
        let _ = writeln!(io::stderr(), "SKIPPED: there is no {}", folder.display());
        return;
    }
    let folders = [folder.join("special"), folder];
    let files = folders.iter().flat_map(|folder| fs::read_dir(folder).expect("a folder"));
    let paths = files.map(|file| file.expect("a file").path());
    let mut random = random();
    let mut count = 0;
    for path in paths.filter(|path| path.to_string_lossy().contains(".pgn")) {
        let bytes = fs::read(&path).expect("a file");
        compare(&bytes, &[7, 1000, 1 << 16]);
        for entry in read(&decode(bytes).expect("text")) {
            let (game, played, problems) =
                open(&entry).unwrap_or_else(|problem| panic!("{}: {problem}", path.display()));
            assert_eq!(problems, [], "{}", path.display());
            let written = game.to_string();
            let again = read(&written);
            assert_eq!(again.len(), 1, "{written}");
            let (mut reread, replayed, _) = open(&again[0]).expect("the same game");
            // A game without a result is written with `*`.
            reread.result.clone_from(&game.result);
            assert_eq!((reread, replayed), (game, played), "{written}");
            if count % 7 == 0 {
                let mut chars: Vec<char> = entry.text.chars().take(2000).collect();
                let at = random(chars.len());
                chars[at] = [' ', '.', '"', '\\', '…', '×', '1', 'e', ')', '-'][random(10)];
                compare(chars.into_iter().collect::<String>().as_bytes(), &[7]);
            }
            count += 1;
        }
    }
    assert_eq!(count, 3935);
}

/// Panics if `work` takes much longer for `16 * count` than 16 times for `count`, or for a multiple
/// of it. The small works are the control: in quadratic time they take a fraction of the large one.
#[track_caller]
fn assert_linear(name: &str, mut count: usize, work: impl Fn(usize)) {
    const FACTOR: usize = 16;
    const MAX_RATIO: u32 = 6;
    // Page faults and the like would disturb a shorter control.
    const MIN_CONTROL: Duration = Duration::from_millis(2);
    let mut best = [Duration::MAX; 2];
    // Other programs disturb some measurements, though waiting does not count.
    for _ in 0..10 {
        let begun = ThreadTime::now();
        (0..FACTOR).for_each(|_| work(count));
        let control = begun.elapsed();
        if control < MIN_CONTROL {
            count *= 8;
            continue;
        }
        let begun = ThreadTime::now();
        work(FACTOR * count);
        best = [best[0].min(control), best[1].min(begun.elapsed())];
        if best[1] <= MAX_RATIO * best[0] {
            return;
        }
    }
    panic!("{name}: {FACTOR} times {count} and as many at once took {best:?}");
}

#[test]
fn long_texts_and_games_take_linear_time() {
    const PARTS: &str = "[a \"|[A \\\"] |[[|[A x|[A \"a\"] |[Event \"a\"]\n{\n|\\\"]|{a} |; a |$1 |\" |\
                         1 |1-|1|1-0 |5254 |( |) |(e4) |e4 |foo ";
    for part in PARTS.split('|') {
        assert_linear(part, 2_000, |count| {
            let parts = part.repeat(count);
            for text in [
                format!("[Event \"a\"]\n\n1. e4 {parts} *\n"),
                format!("[Event \"a\"]\n{{\n{parts} *\n"),
                format!("[Event \"{parts}\"]"),
            ] {
                assert!(entries(&text).count() <= count + 2, "{part}");
            }
        });
    }
    // With a copy of the history for each variation it would be quadratic.
    assert_linear("moves", 400, |count| {
        let text = "Nf3 Nf6 (Nc6 (d5)) Ng1 Ng8 ".repeat(count);
        let (_, played, problems) = open(&read(&text)[0]).expect("a game");
        assert_eq!((played.moves().len(), problems.len()), (4 * count, 0));
    });
    assert_linear("commands", 2_000, |count| {
        assert_eq!(commands(&"[%clk 1] [% a ] [%".repeat(count)).count(), count);
        assert_eq!(commands(&"[%clk 1 ".repeat(count)).count(), 0);
        assert_eq!(without_commands(&"[%eval 0.1] [%x] a ".repeat(count)).len(), 2 * count - 1);
    });
}
