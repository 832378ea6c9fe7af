/** Small line charts on a time axis. */
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

const kLeft = 46;
const kRight = 8;
const kTop = 20;
const kBottom = 16;

export class Chart {
  readonly element = document.createElement("div");
  /** Called with a time the user pointed at. */
  onSeek: (time: number) => void = () => {};
  private readonly canvas = document.createElement("canvas");
  private readonly legend = document.createElement("div");
  private lines: Line[] = [];
  private time = 0;
  private span: [number, number] = [0, 1];

  constructor(private readonly options: ChartOptions) {
    this.element.className = "chart";
    this.element.dataset.chart = options.title;
    this.legend.className = "chart-legend";
    this.element.append(this.canvas, this.legend);
    const seek = (event: PointerEvent) => {
      const rect = this.canvas.getBoundingClientRect();
      const share = (event.clientX - rect.left - kLeft) / Math.max(1, rect.width - kLeft - kRight);
      this.onSeek(this.span[0] + Math.min(1, Math.max(0, share)) * (this.span[1] - this.span[0]));
    };
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      seek(event);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (event.buttons & 1) seek(event);
    });
  }

  set(lines: Line[]) {
    this.lines = lines;
    this.legend.replaceChildren();
    if (lines.length > 1)
      for (const line of lines) {
        const item = document.createElement("span");
        item.textContent = line.name;
        item.style.setProperty("--line", line.colour);
        this.legend.append(item);
      }
    this.draw();
  }

  setTime(time: number) {
    this.time = time;
    this.draw();
  }

  private range(): [number, number] {
    let low = Infinity;
    let high = -Infinity;
    for (const line of this.lines)
      for (let i = 0; i < line.y.length; ++i) {
        const v = line.y[i];
        if (!Number.isFinite(v) || (this.options.logarithmic && v <= 0)) continue;
        if (v < low) low = v;
        if (v > high) high = v;
      }
    if (!(low <= high)) return this.options.logarithmic ? [1e-12, 1] : [0, 1];
    if (this.options.logarithmic) return [Math.pow(10, Math.floor(Math.log10(low))), Math.pow(10, Math.ceil(Math.log10(high) + 1e-9))];
    if (this.options.fromZero) [low, high] = [Math.min(0, low), Math.max(0, high)];
    if (low === high) return [low - 0.5 * (Math.abs(low) || 1), high + 0.5 * (Math.abs(high) || 1)];
    const room = 0.06 * (high - low);
    return [low === 0 ? 0 : low - room, high === 0 ? 0 : high + room];
  }

  draw() {
    const width = this.canvas.clientWidth || 260;
    const height = this.options.height ?? 96;
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.canvas.style.height = `${height}px`;
    const g = this.canvas.getContext("2d");
    if (!g) return;
    g.scale(ratio, ratio);
    const style = getComputedStyle(this.element);
    const ink = style.getPropertyValue("--ink").trim() || "#222";
    const faint = style.getPropertyValue("--faint").trim() || "#999";
    const rule = style.getPropertyValue("--rule").trim() || "#ddd";
    let first = Infinity;
    let last = -Infinity;
    for (const line of this.lines)
      if (line.x.length) {
        first = Math.min(first, line.x[0]);
        last = Math.max(last, line.x[line.x.length - 1]);
      }
    this.span = first < last ? [first, last] : [Number.isFinite(first) ? first : 0, (Number.isFinite(first) ? first : 0) + 1];
    const [low, high] = this.range();
    const scale = (v: number) => (this.options.logarithmic ? Math.log10(Math.max(v, low)) : v);
    const X = (t: number) => kLeft + ((t - this.span[0]) / (this.span[1] - this.span[0])) * (width - kLeft - kRight);
    const Y = (v: number) => height - kBottom - ((scale(v) - scale(low)) / (scale(high) - scale(low))) * (height - kTop - kBottom);

    g.font = "600 11px system-ui, sans-serif";
    g.fillStyle = ink;
    g.textBaseline = "alphabetic";
    g.fillText(this.options.title, 2, 11);
    const after = g.measureText(this.options.title).width;
    g.font = "10px system-ui, sans-serif";
    g.fillStyle = faint;
    if (this.options.unit) g.fillText(this.options.unit, after + 7, 11);

    // Three rules with their values.
    g.strokeStyle = rule;
    g.lineWidth = 1;
    g.textAlign = "right";
    g.textBaseline = "middle";
    const marks = this.options.logarithmic ? [low, Math.pow(10, Math.round(0.5 * (Math.log10(low) + Math.log10(high)))), high] : [low, 0.5 * (low + high), high];
    for (const mark of marks) {
      const y = Math.round(Y(mark)) + 0.5;
      g.beginPath();
      g.moveTo(kLeft, y);
      g.lineTo(width - kRight, y);
      g.stroke();
      g.fillText(number(mark, 3), kLeft - 5, y);
    }
    g.textBaseline = "bottom";
    g.textAlign = "left";
    g.fillText(`${number(this.span[0], 3)} s`, kLeft, height);
    g.textAlign = "right";
    g.fillText(`${number(this.span[1], 3)} s`, width - kRight, height);
    g.textAlign = "left";

    for (const line of this.lines) this.stroke(g, line, X, Y);
    const x = Math.round(X(this.time)) + 0.5;
    if (x >= kLeft && x <= width - kRight + 1) {
      g.strokeStyle = style.getPropertyValue("--accent").trim() || "#e2620c";
      g.beginPath();
      g.moveTo(x, kTop - 4);
      g.lineTo(x, height - kBottom);
      g.stroke();
    }
  }

  private stroke(g: CanvasRenderingContext2D, line: Line, X: (t: number) => number, Y: (v: number) => number) {
    g.strokeStyle = line.colour;
    g.lineWidth = 1.4;
    g.lineJoin = "round";
    g.beginPath();
    let down = false;
    for (let i = 0; i < line.y.length; ++i) {
      const v = line.y[i];
      if (!Number.isFinite(v) || (this.options.logarithmic && v <= 0)) {
        down = false;
        continue;
      }
      if (down) g.lineTo(X(line.x[i]), Y(v));
      else g.moveTo(X(line.x[i]), Y(v));
      down = true;
    }
    g.stroke();
  }
}
