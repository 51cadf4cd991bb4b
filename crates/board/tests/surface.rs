//! Functions that programs use and the engine does not: set-up, attacks, claims, kinds of moves.

use carrybit_board::{
    Board, BoardBuilder, CastlingSide, Color, FenError, Game, Kind, Move, MoveKind, Outcome, Piece,
    Square, square::NORTH,
};

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

fn board(fen: &str) -> Board {
    fen.parse().expect("a valid FEN")
}

#[test]
fn there_are_960_start_positions() {
    for number in 0..960 {
        let board = Board::chess960_start(number).expect("a start position");
        assert_eq!(board.check_invariants(), Ok(()));
    }
    assert!(Board::chess960_start(960).is_none());
}

#[test]
fn a_builder_from_a_board_builds_it_again() {
    for fen in [
        KIWIPETE,
        "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3",
        "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 12 34",
    ] {
        let board = board(fen);
        let mut copy = BoardBuilder::new();
        for (sq, Piece { color, kind }) in board.pieces() {
            copy.put(sq, color, kind);
            assert_eq!(copy.piece_on(sq), Some(Piece { color, kind }));
        }
        for color in Color::ALL {
            for side in CastlingSide::ALL {
                copy.castling_rook(color, side, board.castling_rook(color, side));
            }
        }
        copy.side(board.side()).en_passant(board.en_passant());
        copy.halfmove(board.halfmove()).fullmove(board.fullmove());
        assert_eq!(copy.build().as_ref(), Ok(&board));
        assert_eq!(BoardBuilder::from(&board), copy);
    }
}

#[test]
fn a_builder_drops_impossible_rights_and_refuses_impossible_positions() {
    let mut builder = BoardBuilder::from(&board(KIWIPETE));
    builder.remove(Square::H1).en_passant(Some(Square::E6)).fullmove(0).halfmove(u16::MAX);
    builder.castling_rook(Color::White, CastlingSide::Queen, Some(Square::H8));
    builder.castling_rook(Color::Black, CastlingSide::King, Some(Square::H8.step(NORTH)));
    let built = builder.build().expect("a valid position");
    assert!(built.fen().ends_with("w q - 9999 1"), "{built}");
    assert_eq!(BoardBuilder::new().build(), Err(FenError::Kings(Color::White, 0)));
    let checked = builder.remove(Square::E7).put(Square::E7, Color::White, Kind::Queen).build();
    assert_eq!(checked, Err(FenError::OpponentInCheck));
}

#[test]
fn attacks_of_all_pieces_are_those_of_the_side() {
    for fen in [KIWIPETE, "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"] {
        let board = board(fen);
        for color in Color::ALL {
            let own = board.pieces().filter(|(_, piece)| piece.color == color);
            let mut attacked: Vec<Square> =
                own.flat_map(|(sq, _)| board.attacks_from(sq)).collect();
            attacked.sort_unstable();
            attacked.dedup();
            let threats = board.threats(color);
            assert!(threats.iter().eq(attacked.iter().copied()), "{board}");
            assert_eq!((threats.len(), threats.is_empty()), (attacked.len(), false));
        }
    }
}

#[test]
fn kinds_of_moves_agree_with_their_flags() {
    let board = board("r3k2r/1P6/8/3pP3/8/8/P7/R3K2R w KQkq d6 0 1");
    let kind = |san: &str| board.parse_san(san).map(Move::kind);
    let promotion = |kind, captures| Ok(MoveKind::Promotion { kind, captures });
    assert_eq!(kind("a3"), Ok(MoveKind::Quiet));
    assert_eq!(kind("a4"), Ok(MoveKind::DoublePush));
    assert_eq!(kind("exd6"), Ok(MoveKind::EnPassant));
    assert_eq!(kind("Rxh8+"), Ok(MoveKind::Capture));
    assert_eq!(kind("O-O"), Ok(MoveKind::Castling(CastlingSide::King)));
    assert_eq!(kind("O-O-O"), Ok(MoveKind::Castling(CastlingSide::Queen)));
    assert_eq!(kind("b8=N"), promotion(Kind::Knight, false));
    assert_eq!(kind("bxa8=Q+"), promotion(Kind::Queen, true));
}

#[test]
fn one_side_can_lack_the_material_to_mate() {
    for (fen, white, black) in [
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", true, true),
        ("4k3/8/8/8/8/8/8/3NK3 w - - 0 1", true, true),
        ("4k3/3r4/8/8/8/8/8/3NK3 w - - 0 1", false, false),
        ("4k3/3q4/8/8/8/8/8/3NK3 w - - 0 1", true, false),
        ("4k3/3b4/8/8/8/8/8/3NK3 w - - 0 1", false, false),
        ("4k3/3b4/8/8/8/8/8/2B1K3 w - - 0 1", false, false),
        ("4k3/2b5/8/8/8/8/8/2B1K3 w - - 0 1", true, true),
        ("4k3/8/8/8/8/8/8/2BNK3 w - - 0 1", false, true),
        ("4k3/8/8/8/8/8/8/2NNK3 w - - 0 1", false, true),
        ("4k3/3q4/8/8/8/8/8/2B1K3 w - - 0 1", true, false),
        ("4k3/3p4/8/8/8/8/8/2B1K3 w - - 0 1", false, false),
    ] {
        let found = Color::ALL.map(|color| board(fen).has_insufficient_material(color));
        assert_eq!(found, [white, black], "{fen}");
    }
}

#[test]
fn claims_come_before_automatic_ends() {
    let mut game = Game::default();
    let mut repeated = Vec::new();
    for _ in 0..4 {
        for san in ["Nf3", "Nf6", "Ng1", "Ng8"] {
            game.play_san(san).expect("a legal move");
        }
        repeated.push((game.occurrences(), game.claimable_draw(), game.automatic_outcome()));
    }
    let claim = Some(Outcome::Threefold);
    let expected =
        [(2, None, None), (3, claim, None), (4, claim, None), (5, claim, Some(Outcome::Fivefold))];
    assert_eq!(repeated, expected);
    for (clock, claim, end) in [
        (99, None, None),
        (100, Some(Outcome::FiftyMoves), None),
        (150, Some(Outcome::FiftyMoves), Some(Outcome::SeventyFiveMoves)),
    ] {
        let game = Game::new(board(&format!("4k3/8/8/8/8/8/8/R3K3 w - - {clock} 90")));
        assert_eq!((game.claimable_draw(), game.automatic_outcome()), (claim, end));
    }
    let mated = Game::new(board("R5k1/5ppp/8/8/8/8/8/6K1 b - - 150 90"));
    assert_eq!(mated.claimable_draw(), None);
    assert_eq!(mated.automatic_outcome(), Some(Outcome::Checkmate(Color::White)));
}
