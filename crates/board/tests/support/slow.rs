//! Readers and writers that generate all moves and compare whole texts: slow, and the definition
//! of what the library's must give.

use carrybit_board::{
    Board, CastlingMode, CastlingSide, Color, FenError, Kind, Move, MoveError, Piece, Square,
};

pub fn uci(mv: Move, mode: CastlingMode) -> String {
    let is_standard = mv.is_castling()
        && mv.from().file() == 4
        && [0, 7].contains(&mv.target().file())
        && mode == CastlingMode::Standard;
    let to = if is_standard { mv.to() } else { mv.target() };
    let promotion = mv.promotion_kind().map_or_else(String::new, |kind| kind.to_string());
    format!("{}{to}{promotion}", mv.from())
}

pub fn parse_uci(board: &Board, text: &str) -> Result<Move, MoveError> {
    let moves = board.legal_moves();
    let is_text = |written: String| written.eq_ignore_ascii_case(text);
    let exact = moves.iter().find(|&&mv| is_text(uci(mv, CastlingMode::Chess960)));
    let is_step = |mv: &&Move| mv.is_castling() && is_text(format!("{}{}", mv.from(), mv.to()));
    let found = exact.or_else(|| moves.iter().find(is_step)).copied();
    let is_square = |at: std::ops::Range<usize>| {
        text.get(at).is_some_and(|sq| sq.to_ascii_lowercase().parse::<Square>().is_ok())
    };
    let is_uci = is_square(0..2) && is_square(2..4);
    let error = if is_uci { MoveError::Illegal } else { MoveError::NoMove };
    found.ok_or_else(|| error(text.to_owned()))
}

fn side_of(castling: Move) -> CastlingSide {
    if castling.target() > castling.from() { CastlingSide::King } else { CastlingSide::Queen }
}

pub fn san(board: &Board, mv: Move) -> String {
    let letter = |kind: Kind| kind.letter().to_ascii_uppercase();
    let file = |sq: Square| sq.to_string().remove(0);
    let kind = board.piece_on(mv.from()).expect("a piece").kind;
    let mut text = match kind {
        _ if mv.is_castling() => match side_of(mv) {
            CastlingSide::King => "O-O".to_owned(),
            CastlingSide::Queen => "O-O-O".to_owned(),
        },
        Kind::Pawn if mv.is_capture() => format!("{}x{}", file(mv.from()), mv.target()),
        Kind::Pawn => mv.target().to_string(),
        _ => {
            let capture = if mv.is_capture() { "x" } else { "" };
            format!("{}{}{capture}{}", letter(kind), disambiguation(board, mv), mv.target())
        }
    };
    if let Some(kind) = mv.promotion_kind() {
        text.extend(['=', letter(kind)]);
    }
    let after = board.make(mv);
    if after.in_check() {
        text.push(if after.legal_moves().is_empty() { '#' } else { '+' });
    }
    text
}

fn disambiguation(board: &Board, mv: Move) -> String {
    let from = mv.from();
    let moves = board.legal_moves();
    let rivals = moves.iter().filter(|other| {
        other.from() != from
            && other.target() == mv.target()
            && board.piece_on(other.from()) == board.piece_on(from)
    });
    let origins: Vec<Square> = rivals.map(|rival| rival.from()).collect();
    if origins.is_empty() {
        String::new()
    } else if origins.iter().all(|origin| origin.file() != from.file()) {
        from.to_string()[..1].to_owned()
    } else if origins.iter().all(|origin| origin.rank() != from.rank()) {
        (from.rank() + 1).to_string()
    } else {
        from.to_string()
    }
}

pub fn parse_san(board: &Board, text: &str) -> Result<Move, MoveError> {
    let pattern = Pattern::parse(text).ok_or_else(|| MoveError::NoMove(text.to_owned()))?;
    let moves = board.legal_moves();
    let mut fitting = moves.iter().copied().filter(|&mv| pattern.fits(board, mv));
    let first = fitting.next();
    if fitting.next().is_some() {
        return Err(MoveError::Ambiguous(text.to_owned()));
    }
    let castling = || moves.iter().copied().find(|&mv| pattern.is_castling_step(mv));
    first.or_else(castling).ok_or_else(|| MoveError::Illegal(text.to_owned()))
}

#[derive(Clone, Copy)]
enum Pattern {
    Castling(CastlingSide),
    Step {
        kind: Option<Kind>,
        file: Option<u8>,
        rank: Option<u8>,
        to: Square,
        promotion: Option<Kind>,
    },
}

fn kind_of(letter: char) -> Option<Kind> {
    letter.to_string().parse().ok()
}

impl Pattern {
    fn parse(text: &str) -> Option<Pattern> {
        const MARKS: [char; 5] = ['+', '#', '!', '?', ' '];
        let text = text.trim_end_matches(MARKS);
        let text = text.strip_suffix("e.p.").unwrap_or(text).trim_end_matches(MARKS);
        match text {
            "O-O" | "0-0" | "o-o" => return Some(Pattern::Castling(CastlingSide::King)),
            "O-O-O" | "0-0-0" | "o-o-o" => return Some(Pattern::Castling(CastlingSide::Queen)),
            _ => {}
        }
        let first = text.chars().next()?;
        let named = if first.is_ascii_uppercase() { Some(kind_of(first)?) } else { None };
        let (text, promotion) = split_promotion(text.get(usize::from(named.is_some())..)?);
        let to_at = text.len().checked_sub(2)?;
        let to = text.get(to_at..)?.parse().ok()?;
        let before = &text[..to_at];
        let (file, rank) = match *before.strip_suffix(['x', ':', '-']).unwrap_or(before).as_bytes()
        {
            [] => (None, None),
            [file @ b'a'..=b'h'] => (Some(file - b'a'), None),
            [rank @ b'1'..=b'8'] => (None, Some(rank - b'1')),
            [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => (Some(file - b'a'), Some(rank - b'1')),
            _ => return None,
        };
        let is_whole = file.is_some() && rank.is_some();
        let kind = named.or(if is_whole { None } else { Some(Kind::Pawn) });
        Some(Pattern::Step { kind, file, rank, to, promotion })
    }

    fn fits(self, board: &Board, mv: Move) -> bool {
        match self {
            Pattern::Castling(side) => mv.is_castling() && side_of(mv) == side,
            Pattern::Step { kind, file, rank, to, promotion } => {
                let moved = board.piece_on(mv.from()).expect("a piece");
                !mv.is_castling()
                    && mv.target() == to
                    && mv.promotion_kind() == promotion
                    && kind.is_none_or(|kind| moved.kind == kind)
                    && file.is_none_or(|file| mv.from().file() == file)
                    && rank.is_none_or(|rank| mv.from().rank() == rank)
            }
        }
    }

    fn is_castling_step(self, mv: Move) -> bool {
        let Pattern::Step { kind: None | Some(Kind::King), file, rank, to, promotion: None } = self
        else {
            return false;
        };
        mv.is_castling()
            && file == Some(mv.from().file())
            && rank == Some(mv.from().rank())
            && (to == mv.target() || to == mv.to())
    }
}

fn split_promotion(text: &str) -> (&str, Option<Kind>) {
    let inner = text.strip_suffix(')').unwrap_or(text);
    match inner.chars().next_back().and_then(kind_of) {
        Some(kind) => (inner[..inner.len() - 1].trim_end_matches(['=', '/', '(']), Some(kind)),
        None => (text, None),
    }
}

pub fn status(board: &Board) -> Option<&'static str> {
    if board.legal_moves().is_empty() {
        return Some(if board.in_check() { "checkmate" } else { "stalemate" });
    }
    let (mut knights, mut bishops) = (0, [0; 2]);
    for (sq, piece) in board.pieces() {
        match piece.kind {
            Kind::King => {}
            Kind::Knight => knights += 1,
            Kind::Bishop => bishops[usize::from(sq.is_light())] += 1,
            _ => return None,
        }
    }
    let is_dead = match knights {
        0 => bishops.contains(&0),
        1 => bishops == [0, 0],
        _ => false,
    };
    is_dead.then_some("insufficient material")
}

/// The FEN and the Shredder-FEN.
pub fn fens(board: &Board) -> [String; 2] {
    let rank = |rank| -> String {
        let pieces = (0..8).map(|file| board.piece_on(Square::new(file, rank)));
        pieces.map(|piece| piece.map_or("1".to_owned(), |piece| piece.to_string())).collect()
    };
    let ranks: Vec<String> = (0..8).rev().map(rank).collect();
    let mut squares = ranks.join("/");
    for run in (2..=8).rev() {
        squares = squares.replace(&"1".repeat(run), &run.to_string());
    }
    let ep = board.en_passant().map_or("-".to_owned(), |sq| sq.to_string());
    let (side, halfmove, fullmove) = (board.side(), board.halfmove(), board.fullmove());
    [false, true].map(|shredder| {
        let castling = castling_text(board, shredder);
        format!("{squares} {side} {castling} {ep} {halfmove} {fullmove}")
    })
}

fn castling_text(board: &Board, shredder: bool) -> String {
    let mut text = String::new();
    let position = Position::of(board);
    for color in Color::ALL {
        for side in CastlingSide::ALL {
            let Some(rook) = board.castling_rook(color, side) else { continue };
            let letter = if !shredder && position.outermost_rook(color, side) == Some(rook) {
                ['k', 'q'][side as usize]
            } else {
                char::from(b'a' + rook.file())
            };
            text.push(match color {
                Color::White => letter.to_ascii_uppercase(),
                Color::Black => letter,
            });
        }
    }
    if text.is_empty() { "-".to_owned() } else { text }
}

/// The pieces, by [`Square::to_64`].
#[derive(Debug, PartialEq, Eq)]
struct Position([Option<Piece>; 64]);

impl Position {
    fn of(board: &Board) -> Position {
        Position(Square::ALL.map(|sq| board.piece_on(sq)))
    }

    fn on(&self, sq: Square) -> Option<Piece> {
        self.0[sq.to_64()]
    }

    fn king(&self, color: Color) -> Square {
        let king = Some(Piece { color, kind: Kind::King });
        Square::all().find(|&sq| self.on(sq) == king).expect("each side has a king")
    }

    fn outermost_rook(&self, color: Color, side: CastlingSide) -> Option<Square> {
        let king = self.king(color);
        let rook = Some(Piece { color, kind: Kind::Rook });
        let files: Vec<u8> = match side {
            CastlingSide::King => (king.file() + 1..8).rev().collect(),
            CastlingSide::Queen => (0..king.file()).collect(),
        };
        let squares = files.into_iter().map(|file| Square::new(file, king.rank()));
        squares.into_iter().find(|&sq| self.on(sq) == rook)
    }
}

/// A FEN before its checks and the legality of the en passant capture are tested.
#[derive(Debug)]
pub struct Parts {
    position: Position,
    side: Color,
    rooks: [Option<Square>; 4],
    ep: Option<Square>,
    counters: [u16; 2],
}

impl Parts {
    pub fn of(board: &Board) -> Parts {
        Parts {
            position: Position::of(board),
            side: board.side(),
            rooks: std::array::from_fn(|i| {
                board.castling_rook(Color::ALL[i / 2], CastlingSide::ALL[i % 2])
            }),
            ep: board.en_passant(),
            counters: [board.halfmove(), board.fullmove()],
        }
    }
}

/// The left side comes from a board, which drops an en passant square without a legal capture.
impl PartialEq for Parts {
    fn eq(&self, other: &Parts) -> bool {
        self.position == other.position
            && self.side == other.side
            && self.rooks == other.rooks
            && (self.ep == other.ep || self.ep.is_none())
            && self.counters == other.counters
    }
}

pub fn read_fen(text: &str, mode: CastlingMode) -> Result<Parts, FenError> {
    let mut fields = text.split_ascii_whitespace();
    let position = parse_squares(fields.next().ok_or(FenError::Empty)?)?;
    let side = fields.next().unwrap_or("w").parse().map_err(|_| FenError::Side)?;
    check_counts(&position)?;
    let rooks = parse_castling(fields.next().unwrap_or("-"), &position, mode)?;
    let ep = parse_en_passant(fields.next().unwrap_or("-"), &position, side)?;
    let halfmove = parse_counter(fields.next().unwrap_or("0"), 0)?;
    let fullmove = parse_counter(fields.next().unwrap_or("1"), 1)?;
    if fields.next().is_some() {
        return Err(FenError::TooManyFields);
    }
    Ok(Parts { position, side, rooks, ep, counters: [halfmove, fullmove] })
}

fn parse_squares(text: &str) -> Result<Position, FenError> {
    let count = text.split('/').count();
    if count != 8 {
        return Err(FenError::RankCount(count));
    }
    let mut squares = [None; 64];
    for (rank, rank_text) in (0..8).rev().zip(text.split('/')) {
        let number = usize::from(rank) + 1;
        let (mut file, mut after_digit) = (0, false);
        for letter in rank_text.chars() {
            let empty = letter.to_digit(9).filter(|&digit| digit > 0);
            if empty.is_some() && after_digit {
                return Err(FenError::AdjacentDigits(number));
            }
            after_digit = empty.is_some();
            let piece: Option<Piece> = match empty {
                Some(_) => None,
                None => Some(letter.to_string().parse().map_err(|_| FenError::Piece(letter))?),
            };
            let width = empty.unwrap_or(1) as u8;
            if file + width > 8 {
                return Err(FenError::RankLength(number));
            }
            squares[Square::new(file, rank).to_64()] = piece;
            file += width;
        }
        if file != 8 {
            return Err(FenError::RankLength(number));
        }
    }
    Ok(Position(squares))
}

fn check_counts(position: &Position) -> Result<(), FenError> {
    let pieces = || position.0.into_iter().flatten();
    for color in Color::ALL {
        let count = |kind| pieces().filter(|&piece| piece == Piece { color, kind }).count();
        if count(Kind::King) != 1 {
            return Err(FenError::Kings(color, count(Kind::King)));
        }
        if pieces().filter(|piece| piece.color == color).count() > 16 {
            return Err(FenError::TooManyPieces(color));
        }
        if count(Kind::Pawn) > 8 {
            return Err(FenError::TooManyPawns(color));
        }
    }
    let on_back_rank = |sq: &Square| {
        (sq.rank() == 0 || sq.rank() == 7)
            && position.on(*sq).is_some_and(|piece| piece.kind == Kind::Pawn)
    };
    Square::all().find(on_back_rank).map_or(Ok(()), |sq| Err(FenError::PawnOnBackRank(sq)))
}

fn parse_castling(
    text: &str,
    position: &Position,
    mode: CastlingMode,
) -> Result<[Option<Square>; 4], FenError> {
    let mut rooks = [None; 4];
    if text == "-" {
        return Ok(rooks);
    }
    let mut rights = [0; 2];
    for letter in text.chars() {
        let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
        rights[color.index()] += 1;
        if rights[color.index()] > 2 {
            return Err(FenError::Castling);
        }
        let king = position.king(color);
        let by_side = |side: CastlingSide| {
            let corner = [7, 0][side as usize];
            position.outermost_rook(color, side).filter(|rook| {
                mode == CastlingMode::Chess960 || (king.file() == 4 && rook.file() == corner)
            })
        };
        let rook = match letter.to_ascii_lowercase() {
            'k' => by_side(CastlingSide::King),
            'q' => by_side(CastlingSide::Queen),
            file @ 'a'..='h' => Some(Square::new(file as u8 - b'a', king.rank())),
            _ => return Err(FenError::Castling),
        };
        let is_rook = |sq| position.on(sq) == Some(Piece { color, kind: Kind::Rook });
        let Some(rook) = rook.filter(|&sq| king.relative_rank(color) == 0 && is_rook(sq)) else {
            continue;
        };
        let side = if rook > king { CastlingSide::King } else { CastlingSide::Queen };
        rooks[color.index() * 2 + side as usize].get_or_insert(rook);
    }
    Ok(rooks)
}

fn parse_en_passant(
    text: &str,
    position: &Position,
    side: Color,
) -> Result<Option<Square>, FenError> {
    if text == "-" {
        return Ok(None);
    }
    let ep: Square = text.parse().map_err(|_| FenError::EnPassant)?;
    let them = !side;
    if ep.relative_rank(them) != 2 {
        return Ok(None);
    }
    let pawn = Some(Piece { color: them, kind: Kind::Pawn });
    let passed = position.on(ep).is_none()
        && position.on(ep.step(side.forward())).is_none()
        && position.on(ep.step(them.forward())) == pawn;
    Ok(passed.then_some(ep))
}

fn parse_counter(text: &str, least: u16) -> Result<u16, FenError> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if text == "-" || (is_number && text.starts_with('-')) {
        return Ok(least);
    }
    if !is_number {
        return Err(FenError::Counter);
    }
    Ok(digits.parse().unwrap_or(9_999).clamp(least, 9_999))
}
