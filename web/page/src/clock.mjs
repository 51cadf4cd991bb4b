// The clocks of a game.

/** The interval of display updates, in milliseconds. */
const TICK_MS = 100;

/** Below this time, in milliseconds, tenths of a second are shown. */
const SHORT_MS = 20_000;

export class Clock {
  #left;
  /** The times of both sides at the start of each turn. */
  #turns;
  #running;
  #since;
  #timer;
  #events;

  /** Both sides get `base` milliseconds, and `increment` after each move. `onFlag` gets the side that loses on time. */
  constructor(base, increment, { onTick, onFlag }) {
    this.#left = { w: base, b: base };
    this.#turns = [{ ...this.#left }];
    this.increment = increment;
    this.#events = { onTick, onFlag };
  }

  /** Makes a clock from the data of `stored` after `plies` plies. Throws an Error if they are invalid. */
  static restore({ increment, turns }, plies, events) {
    const times = [increment, ...turns.flatMap(({ w, b }) => [w, b])];
    if (turns.length !== plies + 2 || !times.every((time) => Number.isFinite(time) && time >= 0)) {
      throw new Error('invalid times');
    }
    const clock = new Clock(0, increment, events);
    clock.#left = turns.pop();
    clock.#turns = turns;
    return clock;
  }

  /** The data to store: the increment, and the times at the start of each turn and now. */
  get stored() {
    const now = { w: this.left('w'), b: this.left('b') };
    return { increment: this.increment, turns: [...this.#turns, now] };
  }

  /** The time left, in milliseconds. */
  left(color) {
    const used = this.#running === color ? performance.now() - this.#since : 0;
    return Math.max(0, this.#left[color] - used);
  }

  /** Starts a side's clock. */
  run(color) {
    this.stop();
    this.#running = color;
    this.#since = performance.now();
    this.#timer = setInterval(() => {
      this.#events.onTick();
      this.#checkFlag();
    }, TICK_MS);
    this.#events.onTick();
  }

  /**
   * Stops the clock after a move. Returns false if the flag has fallen since the last tick: in a hidden tab,
   * ticks may be a second apart.
   */
  moved() {
    const color = this.#running;
    if (this.#checkFlag()) {
      return false;
    }
    this.stop();
    if (color) {
      this.#left[color] += this.increment;
    }
    this.#turns.push({ ...this.#left });
    this.#events.onTick();
    return true;
  }

  /** Stops the clock and restores the times at the start of the turn after `plies` plies. */
  takeBack(plies) {
    this.stop();
    this.#turns.length = plies + 1;
    this.#left = { ...this.#turns[plies] };
  }

  stop() {
    if (this.#running) {
      this.#left[this.#running] = this.left(this.#running);
    }
    this.#running = undefined;
    clearInterval(this.#timer);
  }

  /** Whether the running clock is at 0; then stops it and reports the flag. */
  #checkFlag() {
    const color = this.#running;
    const fell = color !== undefined && this.left(color) === 0;
    if (fell) {
      this.stop();
      this.#events.onFlag(color);
    }
    return fell;
  }
}

/** A time as a clock shows it. */
export function timeText(milliseconds) {
  if (milliseconds < SHORT_MS) {
    return `0:${(Math.ceil(milliseconds / 100) / 10).toFixed(1).padStart(4, '0')}`;
  }
  const seconds = Math.ceil(milliseconds / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const two = (number) => String(number).padStart(2, '0');
  return `${hours > 0 ? `${hours}:${two(minutes)}` : minutes}:${two(seconds % 60)}`;
}
