/** Small line charts on a time axis, drawn by uPlot; pressing or dragging on one asks for a time. */
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { number } from "./format";

export interface Line {
  name: string;
  colour: string;
  x: ArrayLike<number>;
  y: ArrayLike<number>;
}

export interface ChartOptions {
  title: string;
  unit: string;
  logarithmic?: boolean;
  /** The axis includes zero. */
  fromZero?: boolean;
  height?: number;
}

const kWidth = 260;
const kHeight = 96;
const kFont = "10px system-ui, sans-serif";

export class Chart {
  readonly element = document.createElement("div");
  /** Called with a time the user pointed at. */
  onSeek: (time: number) => void = () => {};
  private readonly heading = document.createElement("div");
  private readonly place = document.createElement("div");
  private readonly legend = document.createElement("div");
  private readonly marker = document.createElement("div");
  private plot: uPlot | null = null;
  private names = "";
  private time = 0;

  constructor(private readonly options: ChartOptions) {
    this.element.className = "chart";
    this.element.dataset.chart = options.title;
    this.heading.className = "chart-title";
    const unit = document.createElement("span");
    unit.textContent = options.unit;
    this.heading.append(options.title, unit);
    this.legend.className = "chart-legend";
    this.marker.className = "chart-time";
    this.element.append(this.heading, this.place, this.legend);
  }

  set(lines: Line[]) {
    const names = lines.map((line) => line.name).join("\n");
    const data = this.aligned(lines);
    if (this.plot && names === this.names) {
      this.plot.setData(data);
    } else {
      this.names = names;
      this.build(lines, data);
    }
    this.draw();
  }

  setTime(time: number) {
    this.time = time;
    if (!this.plot) return;
    const x = this.plot.valToPos(time, "x");
    this.marker.hidden = !(x >= -1 && x <= this.plot.over.clientWidth + 1);
    this.marker.style.left = `${x}px`;
  }

  /** Fit the place the chart has now. */
  draw() {
    if (!this.plot) return;
    const size = { width: this.place.clientWidth || kWidth, height: this.options.height ?? kHeight };
    if (size.width !== this.plot.width) this.plot.setSize(size);
    else this.plot.redraw(false, true);
    this.setTime(this.time);
  }

  /** Lines over one axis of times; what cannot be drawn is a gap. */
  private aligned(lines: Line[]): uPlot.AlignedData {
    const drawn = (v: number) => (Number.isFinite(v) && !(this.options.logarithmic && v <= 0) ? v : null);
    const table = (line: Line): uPlot.AlignedData => [Array.from(line.x), Array.from(line.y, drawn)];
    if (lines.every((line) => line.x === lines[0].x)) return [Array.from(lines[0]?.x ?? []), ...lines.map((line) => Array.from(line.y, drawn))];
    return uPlot.join(lines.map(table));
  }

  private range(low: number | null, high: number | null): [number, number] {
    const log = this.options.logarithmic;
    if (low === null || high === null || !(low <= high)) return log ? [1e-12, 1] : [0, 1];
    if (log) return [Math.pow(10, Math.floor(Math.log10(low))), Math.pow(10, Math.ceil(Math.log10(high) + 1e-9))];
    if (this.options.fromZero) [low, high] = [Math.min(0, low), Math.max(0, high)];
    if (low === high) return [low - 0.5 * (Math.abs(low) || 1), high + 0.5 * (Math.abs(high) || 1)];
    const room = 0.06 * (high - low);
    return [low === 0 ? 0 : low - room, high === 0 ? 0 : high + room];
  }

  private axis(more: uPlot.Axis): uPlot.Axis {
    const colour = (name: string, other: string) => () => getComputedStyle(this.element).getPropertyValue(name).trim() || other;
    const grid = { stroke: colour("--rule", "#ddd"), width: 1 };
    return { font: kFont, stroke: colour("--faint", "#999"), grid, ticks: { ...grid, size: 3 }, gap: 3, ...more };
  }

  /** Powers of ten, at most five. */
  private decades(low: number, high: number): number[] {
    const [first, last] = [Math.round(Math.log10(low)), Math.round(Math.log10(high))];
    const step = Math.max(1, Math.ceil((last - first) / 4));
    return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, k) => Math.pow(10, first + step * k));
  }

  /** Room for the widest label of an axis. */
  private labels(plot: uPlot, values: string[] | null): number {
    plot.ctx.font = kFont;
    return 10 + Math.max(0, ...(values ?? []).map((text) => plot.ctx.measureText(text ?? "").width));
  }

  private build(lines: Line[], data: uPlot.AlignedData) {
    this.plot?.destroy();
    const values = (_: uPlot, marks: (number | null)[]) => marks.map((v) => (v === null ? "" : number(v, 3)));
    this.plot = new uPlot(
      {
        width: this.place.clientWidth || kWidth,
        height: this.options.height ?? kHeight,
        padding: [6, 8, 0, 0],
        legend: { show: false },
        cursor: { y: false, drag: { x: false, y: false }, points: { size: 5 } },
        scales: { x: { time: false }, y: { distr: this.options.logarithmic ? 3 : 1, range: (_, low, high) => this.range(low, high) } },
        axes: [this.axis({ size: 20, values: (u, marks) => values(u, marks).map((text, k) => (k === marks.length - 1 && text ? `${text} s` : text)) }),
               this.axis({ size: (u, marks) => this.labels(u, marks), values, space: 24, ...(this.options.logarithmic && { splits: (_, __, low, high) => this.decades(low, high), filter: (_, marks) => marks }) })],
        series: [{}, ...lines.map((line) => ({ label: line.name, stroke: line.colour, width: 1.4, points: { show: false } }))],
      },
      data,
      this.place,
    );
    this.plot.over.append(this.marker);
    this.listen(this.plot);
    this.name(lines);
  }

  private listen(plot: uPlot) {
    const seek = (event: PointerEvent) => {
      const rect = plot.over.getBoundingClientRect();
      this.onSeek(plot.posToVal(Math.min(rect.width, Math.max(0, event.clientX - rect.left)), "x"));
    };
    plot.over.addEventListener("pointerdown", (event) => {
      plot.over.setPointerCapture(event.pointerId);
      seek(event);
    });
    plot.over.addEventListener("pointermove", (event) => {
      if (event.buttons & 1) seek(event);
    });
  }

  private name(lines: Line[]) {
    this.legend.replaceChildren();
    if (lines.length < 2) return;
    for (const line of lines) {
      const item = document.createElement("span");
      item.textContent = line.name;
      item.style.setProperty("--line", line.colour);
      this.legend.append(item);
    }
  }
}
