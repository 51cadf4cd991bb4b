"""Adjudication: when a game between engines ends before the rules of chess end it.

The rules are fastchess's, and stand here once: match.py passes them to fastchess, and
pairs.py, which plays games itself, uses a Referee.
"""

# Won for the side that both engines see ahead by this many centipawns, or mating, for
# this many moves each.
WIN_CP, WIN_MOVES = 600, 3
# Drawn from DRAW_FROM_MOVE on if the scores of both engines were within this many centipawns
# for this many moves each, none of them a capture or a pawn move.
DRAW_CP, DRAW_MOVES, DRAW_FROM_MOVE = 10, 8, 40


def fastchess_options():
    """The rules as words of fastchess's command line."""
    return [
        "-resign", f"movecount={WIN_MOVES}", f"score={WIN_CP}", "twosided=true",
        "-draw", f"movenumber={DRAW_FROM_MOVE}", f"movecount={DRAW_MOVES}", f"score={DRAW_CP}",
    ]  # fmt: skip


class Referee:
    """Watches the scores of one game."""

    def __init__(self):
        # For how many plies White has been ahead; below 0 if it is Black.
        self.ahead = 0
        # For how many plies the score has been level.
        self.level = 0

    def update(self, cp, moves_played, zeroing):
        """White's points if the game ends here, or None. `cp` is the mover's score from
        White's view; `zeroing` says whether its move was a capture or a pawn move."""
        sign = (cp >= WIN_CP) - (cp <= -WIN_CP)
        self.ahead = self.ahead + sign if sign * self.ahead >= 0 and sign else sign
        if zeroing or abs(cp) > DRAW_CP:
            self.level = 0
        self.level += abs(cp) <= DRAW_CP
        if abs(self.ahead) >= 2 * WIN_MOVES:
            return 1.0 if self.ahead > 0 else 0.0
        if moves_played >= DRAW_FROM_MOVE and self.level >= 2 * DRAW_MOVES:
            return 0.5
        return None
