"""The server's side of games with lichess-bot, for play_mock.py.

lichess-bot's own tests have a mock of lichess.org for one game: four moves of standard
chess, with Black, against a fixed opponent. This module extends it by subclasses to whole
games of standard chess and Chess960, with either colour, against an engine: with clocks,
flags, draws (offered, accepted and by rule) and resignations as on lichess.org, and with a
network delay. lichess-bot itself runs unchanged; its folder must be on sys.path.
"""

import collections
import contextlib
import dataclasses
import json
import queue
import threading
import time

import chess
import chess.engine
import chess.pgn
from test_bot import lichess as mock

BOT, OPPONENT = "b", "opponent"
# The game that the mock's stream of events announces.
GAME_ID = "zzzzzzzz"
# Network delay of a message in either direction.
DELAY_S = 0.05
# The interval of lichess.org's empty lines.
KEEP_ALIVE_S = 6
# The first move of each side does not use its clock, but lichess.org aborts the game if it
# takes longer.
FIRST_MOVE_S = 30
# lichess.org ends a game of this length as a draw.
MOST_PLIES = 600
# The opponent's options, if it has them, and its time per move, during which lichess-bot's
# engine ponders.
STRENGTH = {"UCI_LimitStrength": True, "UCI_Elo": 2000}
THINKING_S = 0.5
# The opponent accepts a draw if its score is within DRAW_CP, and offers one after DRAW_MOVES
# such moves in a row.
DRAW_CP, DRAW_MOVES = 10, 8


@dataclasses.dataclass
class Pairing:
    """A game to play: the start position (None for that of standard chess), lichess-bot's
    colour, and both clocks in seconds."""

    fen: str | None
    bot: chess.Color
    base: float
    increment: float

    @property
    def chess960(self):
        return self.fen is not None

    @property
    def variant(self):
        return "Chess960" if self.chess960 else "Standard"


# How a game ended, in lichess.org's words, and the colour of the winner or None.
Outcome = collections.namedtuple("Outcome", "status winner")


class GameStream(mock.GameStream):
    """The stream of one game: the messages of the server, until None."""

    def __init__(self, states):
        self.states = states

    def iter_lines(self, *_args, **_options):
        # The first message has no time limit.
        timeout = None
        while True:
            try:
                state = self.states.get(timeout=timeout)
            except queue.Empty:
                yield b""
                continue
            if state is None:
                return
            timeout = KEEP_ALIVE_S
            yield json.dumps(state).encode()


class Lichess(mock.Lichess):
    """lichess-bot's connection: sends its actions to a `Server`."""

    def __init__(self, states, actions):
        super().__init__(actions, states, None)
        self.states, self.actions = states, actions

    def get_game_stream(self, game_id):
        # lichess-bot requests the stream again after an error.
        if self.started_game_stream:
            while not self.states.empty():
                self.states.get()
            self.actions.put(("reconnect", None, False))
        self.started_game_stream = True
        return GameStream(self.states)

    def make_move(self, game_id, move):
        self.actions.put(("move", move.move, bool(move.draw_offered)))

    def resign(self, game_id):
        self.actions.put(("resign", None, False))

    def abort(self, game_id):
        self.actions.put(("abort", None, False))


class Server:
    """Plays one game against lichess-bot: the rules, the clocks and the opponent."""

    def __init__(self, pairing, opponent, states, actions):
        self.pairing, self.opponent = pairing, opponent
        self.states, self.actions = states, actions
        self.board = chess.Board(pairing.fen or chess.STARTING_FEN, chess960=pairing.chess960)
        self.clocks = {color: pairing.base for color in chess.COLORS}
        self.draw_offers = {color: False for color in chess.COLORS}
        # The opponent's scores so far, in centipawns.
        self.scores = []
        # The least time on lichess-bot's clock when a move arrived, in seconds.
        self.least_clock = pairing.base
        self.turn_began = 0.0
        self.reconnects = 0
        # Set when the opponent has started or failed. Start no other process before that: it would
        # inherit the pipe that reports the opponent's start, and the pipe would never close.
        self.started = threading.Event()
        # The caller sets it when lichess-bot has ended.
        self.closed = threading.Event()
        self.outcome = None
        self.error = None

    def play(self):
        """Plays the game to its end, and serves it until `closed` is set. If `outcome` is None,
        `error` has the reason."""
        try:
            with chess.engine.SimpleEngine.popen_uci(self.opponent, timeout=60) as engine:
                self.started.set()
                engine.configure({name: value for name, value in STRENGTH.items() if name in engine.options})
                self._send_game()
                while not self.outcome:
                    self.turn_began = time.monotonic()
                    self._send(self._state())
                    is_bots_turn = self.board.turn == self.pairing.bot
                    offer = self._receive_bot_move() if is_bots_turn else self._play_opponent_move(engine)
                    if not self.outcome:
                        self._check_end(offer)
                self._send(self._state())
        except Exception as error:  # The main thread prints it.
            self.error = error
        self.started.set()
        self.states.put(None)
        while not self.closed.is_set():
            with contextlib.suppress(queue.Empty):
                if self.actions.get(timeout=0.1)[0] == "reconnect":
                    self._reconnect()
                    self.states.put(None)

    def _reconnect(self):
        self.reconnects += 1
        self._send_game()

    def _send(self, message):
        time.sleep(DELAY_S)
        self.states.put(message)

    def _receive_bot_move(self):
        """Waits for lichess-bot's move and makes it. Returns whether it offers a draw."""
        bot = self.pairing.bot
        left = FIRST_MOVE_S if self._is_untimed() else self.clocks[bot]
        while True:
            try:
                action, move, draw = self.actions.get(timeout=max(0.0, self.turn_began + left - time.monotonic()))
            except queue.Empty:
                if self._is_untimed():
                    self.outcome = Outcome("aborted", None)
                else:
                    self.least_clock = 0
                    self.outcome = Outcome("outoftime", not bot)
                return False
            if action != "reconnect":
                break
            self._reconnect()
        time.sleep(DELAY_S)
        if action != "move":
            self.outcome = Outcome("resign", not bot) if action == "resign" else Outcome("aborted", None)
            return False
        self._make(move)
        return draw

    def _play_opponent_move(self, engine):
        """Makes the opponent's move. Returns whether it offers a draw."""
        limit = chess.engine.Limit(time=THINKING_S)
        result = engine.play(self.board, limit, info=chess.engine.INFO_SCORE)
        time.sleep(max(0.0, self.turn_began + THINKING_S - time.monotonic()))
        self._make(result.move)
        score = result.info.get("score")
        self.scores.append(score.relative.score(mate_score=100_000) if score else 0)
        recent = self.scores[-DRAW_MOVES:]
        return len(recent) == DRAW_MOVES and all(abs(cp) <= DRAW_CP for cp in recent)

    def _is_untimed(self):
        return len(self.board.move_stack) < 2

    def _make(self, move):
        """Stops the mover's clock and makes the move, unless the flag has fallen."""
        if move not in self.board.legal_moves:
            raise ValueError(f"illegal move {move} in {self.board.fen()}")
        mover = self.board.turn
        if not self._is_untimed():
            self.clocks[mover] -= time.monotonic() - self.turn_began
            if mover == self.pairing.bot:
                self.least_clock = min(self.least_clock, self.clocks[mover])
            if self.clocks[mover] <= 0:
                self.outcome = Outcome("outoftime", not mover)
                return
            self.clocks[mover] += self.pairing.increment
        self.board.push(move)

    def _check_end(self, offer):
        """Ends the game by the rules or by agreement, after a move."""
        mover = not self.board.turn
        is_accepted = mover == self.pairing.bot and self.scores and abs(self.scores[-1]) <= DRAW_CP
        agreed = offer and (self.draw_offers[not mover] or is_accepted)
        self.draw_offers = {mover: offer, not mover: False}
        if self.board.is_checkmate():
            self.outcome = Outcome("mate", mover)
        elif self.board.is_stalemate():
            self.outcome = Outcome("stalemate", None)
        elif agreed or self.board.is_insufficient_material() or len(self.board.move_stack) >= MOST_PLIES:
            self.outcome = Outcome("draw", None)
        elif self.board.is_fifty_moves() or self.board.is_repetition(3):
            self.outcome = Outcome("draw", None)

    def _state(self):
        """The message of lichess.org after each move."""
        outcome = self.outcome or Outcome("started", None)
        moves = " ".join(move.uci() for move in self.board.move_stack)
        state = {"type": "gameState", "moves": moves, "status": outcome.status}
        for color in chess.COLORS:
            letter = chess.COLOR_NAMES[color][0]
            state[f"{letter}time"] = max(0, round(1000 * self.clocks[color]))
            state[f"{letter}inc"] = round(1000 * self.pairing.increment)
            if self.draw_offers[color]:
                state[f"{letter}draw"] = True
        if outcome.winner is not None:
            state["winner"] = chess.COLOR_NAMES[outcome.winner]
        return state

    def _send_game(self):
        """The first message of lichess.org."""
        players = {color: {"id": OPPONENT, "name": OPPONENT, "title": "BOT", "rating": 3000} for color in chess.COLORS}
        players[self.pairing.bot] = {"id": BOT, "name": BOT, "title": "BOT", "rating": 3000}
        variant = self.pairing.variant
        base, increment = (round(1000 * seconds) for seconds in (self.pairing.base, self.pairing.increment))
        game = {
            "type": "gameFull", "id": GAME_ID, "rated": True, "createdAt": round(1000 * time.time()),
            "variant": {"key": variant.lower(), "name": variant}, "initialFen": self.pairing.fen or "startpos",
            "speed": "bullet", "perf": {"name": "Bullet"}, "clock": {"initial": base, "increment": increment},
            "white": players[chess.WHITE], "black": players[chess.BLACK], "state": self._state(),
        }  # fmt: skip
        self.states.put(game)

    def result(self):
        if self.outcome is None or self.outcome.status == "aborted":
            return "*"
        winner = self.outcome.winner
        return "1/2-1/2" if winner is None else "1-0" if winner else "0-1"

    def pgn(self, event):
        game = chess.pgn.Game.from_board(self.board)
        names = {self.pairing.bot: "lichess-bot", not self.pairing.bot: OPPONENT}
        clock = f"{self.pairing.base:g}+{self.pairing.increment:g}"
        ending = self.outcome.status if self.outcome else "error"
        game.headers.update(Event=event, Site="?", Date=time.strftime("%Y.%m.%d"), Result=self.result())
        game.headers.update(White=names[True], Black=names[False], TimeControl=clock, Termination=ending)
        return str(game)
