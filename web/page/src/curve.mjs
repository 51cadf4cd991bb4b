// The graph of White's winning chances.

import uPlot from 'uplot';

/** The approximate maximum number of positions drawn, besides mistakes. The graph has fewer pixels in a row. */
const MAX_POINTS = 2000;

export class Curve {
  #element;
  #plot;
  #data;
  #ply = 0;
  #onPick;

  /** `onPick` gets the ply of a click. */
  constructor(element, onPick) {
    this.#element = element;
    this.#onPick = onPick;
    new ResizeObserver(() => this.#plot?.setSize({ width: element.clientWidth, height: element.clientHeight })).observe(element);
  }

  /** Shows a winning percentage for each position, and the name of the mistake that led to it. */
  show(percents, mistakes) {
    this.#data = { percents, mistakes };
    this.draw();
  }

  /** The position to mark. */
  set ply(ply) {
    this.#ply = ply;
    this.#plot?.redraw(false);
  }

  /** Draws the graph in the page's colours. */
  draw() {
    if (!this.#data) {
      return;
    }
    const { percents, mistakes } = this.#data;
    const color = (name) => this.#color(name);
    const points = (name) => ({
      show: true, paths: () => null, stroke: color(name), label: name,
      points: { show: true, size: 8, fill: color(name), stroke: color('panel'), width: 1 },
    });
    const names = ['inaccuracy', 'mistake', 'blunder'];
    const step = Math.ceil(percents.length / MAX_POINTS);
    const plies = [...percents.keys()].filter((ply) => ply % step === 0 || mistakes[ply]);
    const only = (name) => plies.map((ply) => (mistakes[ply] === name ? percents[ply] : null));
    this.#plot?.destroy();
    this.#plot = new uPlot(
      {
        width: this.#element.clientWidth,
        height: this.#element.clientHeight,
        padding: [6, 6, 6, 6],
        legend: { show: false },
        cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
        scales: { x: { time: false, range: [0, Math.max(percents.length - 1, 1)] }, y: { range: [0, 100] } },
        axes: [{ show: false }, { show: false }],
        series: [
          {},
          { stroke: color('curve-line'), width: 1.5, fill: color('curve-fill'), fillTo: 0, points: { show: false } },
          ...names.map(points),
        ],
        hooks: { drawSeries: [(plot, at) => at === 1 && this.#drawLines(plot, color)] },
      },
      [plies, plies.map((ply) => percents[ply]), ...names.map(only)],
      this.#element,
    );
    this.#plot.over.addEventListener('click', () => this.#onPick(plies[this.#plot.cursor.idx] ?? this.#ply));
  }

  /** A colour of the page, in a form for the canvas. */
  #color(name) {
    this.#element.style.color = `var(--${name})`;
    return getComputedStyle(this.#element).color;
  }

  /** Draws the 50 % line and the mark of the current position. */
  #drawLines(plot, color) {
    const { ctx, bbox } = plot;
    const line = (x1, y1, x2, y2, width, name) => {
      ctx.save();
      ctx.strokeStyle = color(name);
      ctx.lineWidth = width * devicePixelRatio;
      ctx.beginPath();
      ctx.moveTo(x1, y1);
      ctx.lineTo(x2, y2);
      ctx.stroke();
      ctx.restore();
    };
    const middle = plot.valToPos(50, 'y', true);
    const here = plot.valToPos(this.#ply, 'x', true);
    line(bbox.left, middle, bbox.left + bbox.width, middle, 1, 'curve-middle');
    line(here, bbox.top, here, bbox.top + bbox.height, 2, 'accent');
  }
}
