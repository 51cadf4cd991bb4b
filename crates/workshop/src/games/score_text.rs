//! Scores in the comments of PGN, as the match runners cutechess and fastchess write them:
//! `+0.35/12 0.051s` is a score, the depth of the search and its time. The score is in
//! pawns from the mover's view, or a mate: `+M5` mates in five plies, `-M4` is mated in
//! four. Depth and time may be missing. `book` is not a score; depth 0 means that the engine
//! reported no score (fastchess).

use carrybit::internals::score::{self, MATE, MAX_PLY, Score};

/// Reads the score at the beginning of a comment, from the mover's view; `None` if there is
/// none. A mate longer than the engine's longest becomes the longest.
pub fn read(comment: &str) -> Option<Score> {
    let word = comment.split_whitespace().next()?.trim_end_matches(',');
    let (text, depth) = word.split_once('/').unwrap_or((word, "1"));
    if depth.parse::<u32>().is_ok_and(|depth| depth > 0) { read_score(text) } else { None }
}

fn read_score(text: &str) -> Option<Score> {
    let size_text = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let size = match size_text.strip_prefix('M') {
        Some(plies) if is_number(plies) => {
            score::mate_at(plies.parse::<usize>().ok()?.min(MAX_PLY))
        }
        // The cast clamps to the range of a score.
        None if is_number(size_text) => (size_text.parse::<f64>().ok()? * 100.0).round() as Score,
        _ => return None,
    };
    Some(if text.starts_with('-') { -size } else { size })
}

/// Writes a score, from the mover's view, in the format of [`read`].
pub fn write(mover_score: Score) -> String {
    let (sign, size) = (if mover_score < 0 { '-' } else { '+' }, mover_score.abs());
    if score::is_mate(mover_score) && size <= MATE {
        format!("{sign}M{}", MATE - size)
    } else {
        format!("{sign}{}.{:02}", size / 100, size % 100)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_of_match_runners_are_read() {
        for (comment, score) in [
            ("+0.35/12 0.051s", Some(35)),
            ("-1.07/9, 0.1s, n=1234", Some(-107)),
            ("0.00/1 0s", Some(0)),
            ("+0.29", Some(29)),
            ("-12.00/30 1.5s, Black mates", Some(-1200)),
            ("+M5/20 0.01s", Some(MATE - 5)),
            ("-M4/20 0.01s", Some(4 - MATE)),
            ("+M999/20", Some(score::MATE_BOUND)),
            ("+99999999999.00/3", Some(Score::MAX)),
            ("-99999999999.00/3", Some(-Score::MAX)),
        ] {
            assert_eq!(read(comment), score, "{comment}");
        }
        for comment in
            ["", "book", "0.00/0 0s", "ERR/5", "good/1", "+/1", "+inf/1", "1e5/1", "+M/1", "0.5s"]
        {
            assert_eq!(read(comment), None, "{comment}");
        }
    }

    #[test]
    fn every_score_survives_writing_and_reading() {
        for score in i16::MIN..=i16::MAX {
            let score = Score::from(score);
            assert_eq!(read(&write(score)), Some(score));
        }
    }
}
