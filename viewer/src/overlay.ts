/** What lies over the picture: title, legends, axes, scale bar; also painted into saved pictures. */
import { cssGradient, kMaps, paletteColour, toCss } from "./colours";
import { h } from "./dom";
import { length, number } from "./format";
import { View } from "./view";

export interface Scale {
  title: string;
  unit: string;
  low: number;
  high: number;
  map: string;
  /** For sets of names instead of numbers: what each colour means. */
  names?: { name: string; colour: number }[];
  note?: string;
}

export class Overlay {
  readonly element = h("div", { class: "overlay" });
  private readonly title = h("h1");
  private readonly caption = h("p", { class: "caption" });
  private readonly legends = h("div", { class: "legends" });
  private readonly axes = h("canvas", { class: "axes", width: 176, height: 176 });
  private readonly bar = h("div", { class: "scale-bar" });
  private scales: Scale[] = [];

  constructor() {
    this.element.append(h("div", { class: "heading" }, this.title, this.caption), h("div", { class: "corner" }, this.axes, this.bar), this.legends);
  }

  setTitle(title: string) {
    this.title.textContent = title;
  }

  setCaption(text: string) {
    this.caption.textContent = text;
  }

  setScales(scales: Scale[]) {
    this.scales = scales;
    this.legends.replaceChildren(...scales.map((scale) => this.legend(scale)));
  }

  private legend(scale: Scale): HTMLElement {
    const head = h("div", { class: "legend-title" }, scale.title, scale.unit ? h("span", {}, scale.unit) : null);
    if (scale.names) {
      const list = h("ul", {});
      for (const { name, colour } of scale.names) list.append(h("li", { style: `--line: ${toCss(paletteColour(colour))}` }, name));
      return h("div", { class: "legend", "data-legend": scale.title }, head, list);
    }
    const texts = [0, 0.25, 0.5, 0.75, 1].map((t) => number(scale.low + t * (scale.high - scale.low), 3));
    // Long numbers leave room for three.
    const ticks = texts.filter((_, k) => k % 2 === 0 || texts.every((t) => t.length < 7)).map((t) => h("span", {}, t));
    return h(
      "div",
      { class: "legend", "data-legend": scale.title, "data-low": scale.low, "data-high": scale.high },
      head,
      h("div", { class: "ramp", style: `background: ${cssGradient(scale.map)}` }),
      h("div", { class: "ticks" }, ...ticks),
      scale.note ? h("div", { class: "note" }, scale.note) : null,
    );
  }

  /** Axes and scale bar follow the camera. */
  update(view: View) {
    const { length: metres, width } = view.scaleBar(110);
    this.bar.style.width = `${width}px`;
    this.bar.textContent = length(metres);
    const g = this.axes.getContext("2d");
    if (!g) return;
    g.setTransform(2, 0, 0, 2, 0, 0);
    g.clearRect(0, 0, 88, 88);
    this.drawAxes(g, view, 44, 44, 30, getComputedStyle(this.element).getPropertyValue("--ink"));
  }

  private drawAxes(g: CanvasRenderingContext2D, view: View, x: number, y: number, size: number, ink: string) {
    const colours = ["#d6453d", "#3f9a4b", "#3d74d6"];
    const order = view.axes().map((v, k) => ({ v, k }));
    order.sort((a, b) => a.v.z - b.v.z);
    g.lineWidth = 2;
    g.lineCap = "round";
    g.textAlign = "center";
    g.textBaseline = "middle";
    g.font = "600 11px system-ui, sans-serif";
    for (const { v, k } of order) {
      g.strokeStyle = colours[k];
      g.beginPath();
      g.moveTo(x, y);
      g.lineTo(x + size * v.x, y - size * v.y);
      g.stroke();
      g.fillStyle = ink;
      g.fillText("xyz"[k], x + (size + 9) * v.x, y - (size + 9) * v.y);
    }
  }

  /** Paint the same onto a picture `scale` times as large as the page. */
  paint(g: CanvasRenderingContext2D, view: View, width: number, height: number, scale: number) {
    const style = getComputedStyle(this.element);
    const ink = style.getPropertyValue("--ink");
    const faint = style.getPropertyValue("--faint");
    g.save();
    g.scale(scale, scale);
    g.textBaseline = "alphabetic";
    g.textAlign = "left";
    g.fillStyle = ink;
    g.font = "600 17px system-ui, sans-serif";
    g.fillText(this.title.textContent ?? "", 20, 34);
    g.fillStyle = faint;
    g.font = "13px system-ui, sans-serif";
    g.fillText(this.caption.textContent ?? "", 20, 54);
    this.drawAxes(g, view, 56, height - 66, 30, ink);
    const bar = view.scaleBar(110);
    g.fillStyle = ink;
    g.fillRect(112, height - 40, bar.width, 2);
    g.textAlign = "center";
    g.textBaseline = "bottom";
    g.font = "12px system-ui, sans-serif";
    g.fillText(length(bar.length), 112 + bar.width / 2, height - 44);
    let x = width - 20;
    for (const scaleOf of this.scales) {
      if (scaleOf.names) continue;
      x -= 240;
      this.paintLegend(g, scaleOf, x, height - 74, ink, faint);
      x -= 24;
    }
    g.restore();
  }

  private paintLegend(g: CanvasRenderingContext2D, scale: Scale, x: number, y: number, ink: string, faint: string) {
    const gradient = g.createLinearGradient(x, 0, x + 240, 0);
    for (let k = 0; k <= 16; ++k) gradient.addColorStop(k / 16, toCss(kMaps[scale.map](k / 16)));
    g.textAlign = "left";
    g.textBaseline = "bottom";
    g.font = "600 12px system-ui, sans-serif";
    g.fillStyle = ink;
    g.fillText(scale.title, x, y);
    const after = g.measureText(scale.title).width;
    g.fillStyle = faint;
    g.font = "12px system-ui, sans-serif";
    g.fillText(scale.unit, x + after + 6, y);
    g.fillStyle = gradient;
    g.fillRect(x, y + 4, 240, 10);
    g.fillStyle = faint;
    g.textBaseline = "top";
    for (const t of [0, 0.5, 1]) {
      g.textAlign = t === 0 ? "left" : t === 1 ? "right" : "center";
      g.fillText(number(scale.low + t * (scale.high - scale.low), 3), x + 240 * t, y + 18);
    }
  }
}
