// The clocks of a game.

/** How often the time left is shown, in milliseconds. */
const TICK_MS = 100;

/** Below this many milliseconds, tenths of seconds are shown. */
const SHORT_MS = 20_000;

export class Clock {
  #left;
  #increment;
  #running;
  #since;
  #timer;
  #onTick;
  #onFlag;

  /** Both sides have `base` milliseconds, and `increment` more for each move. */
  constructor(base, increment, { onTick, onFlag }) {
    this.#left = { w: base, b: base };
    this.#increment = increment;
    this.#onTick = onTick;
    this.#onFlag = onFlag;
  }

  /** Milliseconds that a side has left. */
  left(color) {
    const used = this.#running === color ? performance.now() - this.#since : 0;
    return Math.max(0, this.#left[color] - used);
  }

  get increment() {
    return this.#increment;
  }

  /** Has a side's time run, from now on. */
  run(color) {
    this.stop();
    this.#running = color;
    this.#since = performance.now();
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
    this.#onTick();
  }

  /** The side whose time runs has moved. */
  moved() {
    const color = this.#running;
    this.stop();
    if (color) {
      this.#left[color] += this.#increment;
    }
    this.#onTick();
  }

  stop() {
    if (this.#running) {
      this.#left[this.#running] = this.left(this.#running);
    }
    this.#running = undefined;
    clearInterval(this.#timer);
  }

  #tick() {
    const color = this.#running;
    this.#onTick();
    if (this.left(color) === 0) {
      this.stop();
      this.#onFlag(color);
    }
  }
}

/** A time as it stands on a clock. */
export function timeText(milliseconds) {
  if (milliseconds < SHORT_MS) {
    return `0:${(Math.ceil(milliseconds / 100) / 10).toFixed(1).padStart(4, '0')}`;
  }
  const seconds = Math.ceil(milliseconds / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const two = (number) => String(number).padStart(2, '0');
  return `${hours > 0 ? `${hours}:${two(minutes)}` : minutes}:${two(seconds % 60)}`;
}
