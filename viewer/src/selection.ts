/** Numbers and histories of one body or contact. */
import { Bundle, Numbers } from "./bundle";
import { Chart, Line } from "./chart";
import { count, number, vector } from "./format";
import { h } from "./dom";

const kXyz = ["#d6453d", "#3f9a4b", "#3d74d6"];

export class Selection {
  readonly element = h("div", { class: "selection" });
  onSeek: (time: number) => void = () => {};
  /** Called with the row of a body that was clicked in the list. */
  onBody: (row: number) => void = () => {};
  /** Called with the number of a contact that was clicked in the list. */
  onContact: (number: number) => void = () => {};
  onClose: () => void = () => {};
  /** What the plots show, by title. */
  readonly lines: Record<string, Line[]> = {};
  private charts: Chart[] = [];
  private readonly facts = h("div");
  private readonly plots = h("div");

  constructor() {
    this.clear();
  }

  clear() {
    this.charts = [];
    this.element.replaceChildren(h("p", { class: "hint" }, "Click a body or a contact force: its numbers and histories appear here."));
  }

  private open() {
    if (this.facts.parentElement !== this.element) this.element.replaceChildren(this.facts, this.plots);
  }

  private heading(text: string): HTMLElement {
    return h("div", { class: "selection-head" }, h("h2", {}, text), h("button", { class: "text", "data-action": "deselect", onClick: () => this.onClose() }, "Clear"));
  }

  private table(rows: [string, string, string, string?][]): HTMLElement {
    const body = h("tbody");
    for (const [name, value, unit, key] of rows) body.append(h("tr", {}, h("th", {}, name), h("td", { "data-key": key ?? name }, value), h("td", { class: "unit" }, unit)));
    return h("table", { class: "facts" }, body);
  }

  body(b: any) {
    this.open();
    const rows: [string, string, string, string?][] = [
      ["Kind", b.kind, ""],
      ["Material", b.material || "–", ""],
      ["Mass", number(b.mass, 6), "kg"],
      ["Volume", number(b.volume, 6), "m³"],
    ];
    if (b.position) {
      rows.push(["Position", vector(b.position, 6), "m"], ["Velocity", vector(b.velocity, 4), "m/s"], ["Speed", number(Math.hypot(...b.velocity), 5), "m/s"]);
      rows.push(["Angular velocity", vector(b.angular_velocity, 4), "rad/s"], ["Displacement", number(b.displacement, 5), "m"]);
      if (b.kinetic_energy !== undefined) rows.push(["Kinetic energy", number(b.kinetic_energy, 5), "J"]);
      if (b.von_mises !== undefined) rows.push(["Largest von Mises", number(b.von_mises, 5), "Pa"]);
      if (b.contacts !== undefined) rows.push(["Contacts", count(b.contacts), ""], ["Contact forces", number(b.force, 5), "N"]);
    } else {
      rows.push(["", "not in this frame", ""]);
    }
    const list = h("ul", { class: "partners" });
    for (const c of b.strongest ?? [])
      list.append(h("li", {}, h("button", { class: "text", onClick: () => this.onContact(c.number) }, `${c.name ?? (c.other < 0 ? "fixed point" : `body row ${c.other}`)}`), h("span", {}, `${number(c.force, 4)} N`)));
    this.facts.replaceChildren(this.heading(`Body ${b.id}${b.label ? ` · ${b.label}` : ""}`), this.table(rows), (b.strongest ?? []).length ? h("h3", {}, "Strongest contacts") : "", list);
  }

  contact(c: any) {
    this.open();
    const name = (side: any) => (side ? `${side.id}${side.label ? ` · ${side.label}` : ""}` : "fixed point");
    this.facts.replaceChildren(
      this.heading(`Contact ${c.number}`),
      this.table([
        ["Kind", c.kind, ""],
        ["First body", name(c.bodies[0]), ""],
        ["Second body", name(c.bodies[1]), ""],
        ["Point", vector(c.point, 6), "m"],
        ["Normal", vector(c.normal, 4), ""],
        ["Gap", number(c.gap, 5), "m"],
        ["Normal force", number(c.normal_force, 5), "N"],
        ["Friction force", number(c.tangential_force, 5), "N"],
        ["Relative velocity", vector(c.velocity, 4), "m/s"],
      ]),
    );
    for (const side of c.bodies) if (side) this.facts.append(h("button", { class: "text", onClick: () => this.onBody(side.row) }, `Body ${name(side)}`), " ");
  }

  private chart(title: string, unit: string, lines: Line[], fromZero = false) {
    this.lines[title] = lines;
    const chart = new Chart({ title, unit, fromZero });
    chart.onSeek = (time) => this.onSeek(time);
    this.charts.push(chart);
    this.plots.append(chart.element);
    chart.set(lines);
  }

  private components(name: string, time: Numbers, values: Numbers) {
    return ["x", "y", "z"].map((axis, k) => ({ name: `${name} ${axis}`, colour: kXyz[k], x: time, y: Float64Array.from({ length: time.length }, (_, i) => values[3 * i + k]) }));
  }

  history(bundle: Bundle) {
    this.charts = [];
    this.plots.replaceChildren();
    const a = bundle.arrays;
    if (bundle.facts.kind === "pair_history") {
      this.chart("Force of this pair", "N", [
        { name: "normal", colour: "#3d74d6", x: a.time, y: a.normal_force },
        { name: "friction", colour: "#d6453d", x: a.time, y: a.tangential_force },
      ], true);
      this.chart("Smallest gap", "m", [{ name: "gap", colour: "#c98a12", x: a.time, y: a.gap }]);
      return;
    }
    this.chart("Position", "m", this.components("", a.time, a.position));
    this.chart("Displacement", "m", this.components("", a.time, Float64Array.from(a.position, (v, i) => v - a.position[i % 3])), true);
    if (a.velocity) this.chart("Velocity", "m/s", this.components("", a.time, a.velocity));
    if (a.force?.length) this.chart("Contact forces", "N", [{ name: "force", colour: "#7b52c9", x: a.force_time, y: a.force }], true);
    if (a.angular_velocity) this.chart("Angular velocity", "rad/s", this.components("", a.time, a.angular_velocity));
  }

  setTime(time: number) {
    for (const chart of this.charts) chart.setTime(time);
  }

  draw() {
    for (const chart of this.charts) chart.draw();
  }
}
