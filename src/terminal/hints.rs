//! Explains lines that cannot be run.

use carrybit_board::{Board, MoveError, Square};

use super::spelling::nearest;

/// The hint for a line that does not begin with one of the `commands`.
pub(crate) fn unknown(line: &str, commands: impl IntoIterator<Item = &'static str>) -> String {
    let word = line.split_whitespace().next().unwrap_or_default();
    match nearest(word, commands) {
        Some(known) => format!("unknown command {word}: did you mean {known}?"),
        None => format!("unknown command {word}: help lists the commands"),
    }
}

/// The answer to a person who types `analyse`.
pub(crate) const ANALYSE: &str = "go analyses this position until you type stop; go movetime 5000 \
    takes five seconds. For the games of a file, run in a shell: carrybit analyse GAMES.pgn";

/// The answer to a person who types `play white` or `play black`.
pub(crate) const PLAY: &str = "play makes the engine move now: type it first to be Black, or after \
    your first move to be White";

/// The hint for an incomplete command of the protocol. `options` are the names of all
/// options.
pub(crate) fn incomplete(line: &str, options: impl IntoIterator<Item = &'static str>) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    match &words[..] {
        [command, rest @ ..] if command.eq_ignore_ascii_case("setoption") => {
            format!("setoption ignored: write {}", set_option(rest, options))
        }
        [command, ..] if command.eq_ignore_ascii_case("debug") => {
            "debug ignored: write debug on or debug off".to_owned()
        }
        _ => format!("not understood: {line}"),
    }
}

/// The complete form of a `setoption` with these words.
fn set_option(words: &[&str], options: impl IntoIterator<Item = &'static str>) -> String {
    let is_filler = |word: &&str| !["name", "value"].contains(&word.to_ascii_lowercase().as_str());
    let words: Vec<&str> = words.iter().copied().filter(is_filler).collect();
    let text = words.join(" ");
    let begins = |name: &&str| {
        text.get(..name.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(name))
            && matches!(text.as_bytes().get(name.len()), None | Some(b' ' | b'='))
    };
    let Some(name) = options.into_iter().find(begins) else {
        return "setoption name <name> value <value>, as in setoption name Hash value 64"
            .to_owned();
    };
    match text[name.len()..].trim_start_matches([' ', '=']) {
        "" => format!("setoption name {name} value <value>"),
        value => format!("setoption name {name} value {value}"),
    }
}

/// The reason for which the move `word` is not legal; `error` is the result of parsing it.
pub(crate) fn illegal(board: &Board, word: &str, error: &MoveError) -> String {
    let side = board.side();
    if !board.has_legal_move() {
        return format!("{word} ignored: the game is over");
    }
    if matches!(error, MoveError::Ambiguous(_)) {
        return match &candidates(board, word)[..] {
            [] => format!("{word} may be more than one move; write also the square it comes from"),
            moves => format!("{word} may be more than one move: {}", moves.join(", ")),
        };
    }
    let bare = word.trim_end_matches(['+', '#', '!', '?']);
    if board.parse_san(&format!("{bare}q")).is_ok() {
        return format!("{word} needs the piece of the promotion: {bare}q makes a queen");
    }
    let Some(from) = word.get(..2).and_then(|text| text.to_lowercase().parse::<Square>().ok())
    else {
        return format!("{word} is not legal here; moves lists what {side:?} can play");
    };
    // A single digit belongs to the target.
    if word.bytes().filter(u8::is_ascii_digit).count() < 2 {
        return format!("no pawn of {side:?} can go to {from}; moves lists what can be played");
    }
    let piece = board.byte_on(from);
    let (Some(kind), Some(color)) = (piece.kind(), piece.color()) else {
        return format!("{word} is not legal: there is no piece on {from}");
    };
    if color != side {
        return format!("{word} is not legal: {side:?} is to move");
    }
    let moves = board.legal_moves();
    let targets = moves.iter().filter(|mv| mv.from() == from && !mv.is_castling());
    let mut targets: Vec<String> = targets.map(|mv| mv.target().to_string()).collect();
    targets.sort_unstable();
    targets.dedup();
    let kind = format!("{kind:?}").to_lowercase();
    if targets.is_empty() {
        return format!("{word} is not legal: the {kind} on {from} cannot move");
    }
    format!("{word} is not legal: the {kind} on {from} can go to {}", targets.join(", "))
}

/// The legal moves in SAN that the ambiguous `word` may mean: those with its piece and its target,
/// the last square in it.
fn candidates(board: &Board, word: &str) -> Vec<String> {
    let piece = |san: &str| san.chars().next().filter(char::is_ascii_uppercase);
    let target = |san: &str| {
        let is_square = |pair: &&[u8]| matches!(pair, [b'a'..=b'h', b'1'..=b'8']);
        san.as_bytes().windows(2).rfind(is_square).map(<[u8]>::to_vec)
    };
    let mut moves: Vec<String> = board.legal_moves().iter().map(|&mv| board.san(mv)).collect();
    moves.retain(|san| piece(san) == piece(word) && target(san) == target(word));
    moves.sort_unstable();
    moves
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn incomplete_setoption_is_shown_in_its_complete_form() {
        for (line, form) in [
            ("setoption Hash 64", "setoption name Hash value 64"),
            ("setoption hash=64", "setoption name Hash value 64"),
            ("SetOption Move Overhead value 50", "setoption name Move Overhead value 50"),
            ("setoption Hash", "setoption name Hash value <value>"),
            (
                "setoption Hashish 64",
                "setoption name <name> value <value>, as in setoption name Hash value 64",
            ),
        ] {
            let hint = incomplete(line, ["Hash", "Move Overhead"]);
            assert_eq!(hint, format!("setoption ignored: write {form}"), "{line}");
        }
    }

    #[test]
    fn illegal_move_is_explained() {
        let start = Board::default().fen();
        for (fen, word, why) in [
            (start.as_str(), "e2e5", "e2e5 is not legal: the pawn on e2 can go to e3, e4"),
            (&start, "e4e5", "e4e5 is not legal: there is no piece on e4"),
            (&start, "e7e5", "e7e5 is not legal: White is to move"),
            (&start, "a1a3", "a1a3 is not legal: the rook on a1 cannot move"),
            (&start, "e5", "no pawn of White can go to e5; moves lists what can be played"),
            (&start, "Nd4", "Nd4 is not legal here; moves lists what White can play"),
            (
                "4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1",
                "Nd2",
                "Nd2 may be more than one move: Nbd2, Nfd2",
            ),
            (
                "3r3k/2P1P3/8/8/8/8/8/4K3 w - - 0 1",
                "xd8=Q",
                "xd8=Q may be more than one move: cxd8=B, cxd8=N, cxd8=Q+, cxd8=R+, exd8=B, exd8=N, \
                 exd8=Q+, exd8=R+",
            ),
            ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "Kg8", "Kg8 ignored: the game is over"),
            (
                "8/4P1k1/8/8/8/8/8/4K3 w - - 0 1",
                "e8+",
                "e8+ needs the piece of the promotion: e8q makes a queen",
            ),
            (
                "4k3/8/8/8/8/8/8/R2K3R w - - 0 1",
                "O-O",
                "O-O is not legal here; moves lists what White can play",
            ),
        ] {
            let board: Board = fen.parse().expect("a legal position");
            let error = board.parse_san(word).expect_err("no legal move");
            assert_eq!(illegal(&board, word, &error), why);
        }
    }
}
