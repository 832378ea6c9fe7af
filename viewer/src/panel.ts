/** The side panel: what is shown and how, plots of the run, the thing selected. */
import { Bundle } from "./bundle";
import { Chart, Line } from "./chart";
import { Choice, h, row, select } from "./dom";
import { Field } from "./fields";
import { Selection } from "./selection";
import { State } from "./state";

type Change = (change: Partial<State>) => void;

export class Panel {
  readonly element: HTMLElement;
  readonly selection = new Selection();
  /** Called with a time pointed at in a plot. */
  onSeek: (time: number) => void = () => {};

  /** What the plot of energies shows. */
  energies: Line[] = [];

  private readonly field: HTMLSelectElement;
  private readonly map: HTMLSelectElement;
  private readonly range: Choice;
  private readonly low: HTMLInputElement;
  private readonly high: HTMLInputElement;
  private readonly ends: HTMLElement;
  private readonly contacts: Choice;
  private readonly width: HTMLInputElement;
  private readonly bodies: Choice;
  private readonly obstacles: Choice;
  private readonly cut: Choice;
  private readonly cutAt: HTMLInputElement;
  private readonly cutFlip: HTMLInputElement;
  private readonly edges: HTMLInputElement;
  private readonly tabs: Choice;
  private readonly pages: Record<string, HTMLElement>;
  private readonly charts: Record<string, Chart>;

  constructor(private readonly change: Change) {
    this.field = select("field", [], (field) => change({ field }));
    this.map = select("map", [["dusk", "Dusk"], ["spectrum", "Spectrum"], ["grey", "Grey"]], (map) => change({ map }));
    this.range = new Choice("range", [["run", "Whole run"], ["frame", "This frame"], ["fixed", "Fixed"]], (v) => change({ range: v as State["range"] }));
    this.low = this.numberInput("low", (low) => change({ low, range: "fixed" }));
    this.high = this.numberInput("high", (high) => change({ high, range: "fixed" }));
    this.ends = row("From, to", this.low, this.high);
    this.contacts = new Choice("contacts", [["none", "None"], ["chains", "Chains"], ["arrows", "Arrows"]], (v) => change({ contacts: v as State["contacts"] }));
    this.width = this.slider("width", 0.25, 3, 0.05, (width) => change({ width }));
    this.bodies = new Choice("bodies", [["solid", "Solid"], ["glass", "Glass"], ["hidden", "Hidden"]], (v) => change({ bodies: v as State["bodies"] }));
    this.obstacles = new Choice("obstacles", [["automatic", "Auto"], ["solid", "Solid"], ["faded", "Faded"], ["hidden", "Hidden"]], (v) => change({ obstacles: v as State["obstacles"] }));
    this.cut = new Choice("cut", [["none", "None"], ["x", "x"], ["y", "y"], ["z", "z"]], (v) => change({ cut: v as State["cut"] }));
    this.cutAt = this.slider("cutAt", 0, 1, 0.002, (cutAt) => change({ cutAt }));
    this.cutFlip = h("input", { type: "checkbox", name: "cutFlip", onChange: () => change({ cutFlip: this.cutFlip.checked }) });
    this.edges = h("input", { type: "checkbox", name: "edges", onChange: () => change({ edges: this.edges.checked }) });
    this.charts = {
      energy: new Chart({ title: "Energy and work since the start", unit: "J", height: 124 }),
      contacts: new Chart({ title: "Contacts", unit: "", fromZero: true }),
      iterations: new Chart({ title: "Iterations", unit: "a step", fromZero: true }),
      residual: new Chart({ title: "Residual", unit: "", logarithmic: true }),
      penetration: new Chart({ title: "Largest penetration", unit: "m", fromZero: true }),
      seconds: new Chart({ title: "Wall time", unit: "ms a step", fromZero: true }),
    };
    for (const chart of Object.values(this.charts)) chart.onSeek = (time) => this.onSeek(time);
    this.selection.onSeek = (time) => this.onSeek(time);
    this.tabs = new Choice("tab", [["show", "Show"], ["plots", "Plots"], ["selection", "Selection"]], (v) => change({ tab: v as State["tab"] }));
    this.tabs.element.classList.add("tabs");
    this.pages = {
      show: this.showPage(),
      plots: h("div", { class: "page" }, ...Object.values(this.charts).map((c) => c.element)),
      selection: h("div", { class: "page" }, this.selection.element),
    };
    this.element = h("aside", { class: "panel" }, this.tabs.element, ...Object.values(this.pages));
  }

  private showPage(): HTMLElement {
    const section = (title: string, ...rows: HTMLElement[]) => h("section", {}, h("h2", {}, title), ...rows);
    return h(
      "div",
      { class: "page" },
      section("Colour", row("By", this.field), row("Map", this.map), row("Scale", this.range.element), this.ends),
      section("Contact forces", row("Draw as", this.contacts.element), row("Width", this.width)),
      section("Bodies", row("Moving", this.bodies.element), row("Obstacles", this.obstacles.element), row("Edges", this.edges)),
      section("Cut plane", row("Across", this.cut.element), row("Place", this.cutAt), row("Other side", this.cutFlip)),
    );
  }

  private numberInput(name: string, onChange: (value: number) => void): HTMLInputElement {
    const input: HTMLInputElement = h("input", {
      type: "text",
      inputmode: "decimal",
      name,
      onChange: () => {
        const value = Number(input.value.replace(",", "."));
        if (Number.isFinite(value) && input.value.trim()) onChange(value);
      },
    });
    return input;
  }

  private slider(name: string, min: number, max: number, step: number, onChange: (value: number) => void): HTMLInputElement {
    const input: HTMLInputElement = h("input", { type: "range", name, min, max, step, onInput: () => onChange(Number(input.value)) });
    return input;
  }

  setFields(fields: Field[]) {
    this.field.replaceChildren(...fields.map((f) => h("option", { value: f.name }, f.unit ? `${f.title} (${f.unit})` : f.title)));
  }

  set(state: State, low: number, high: number, scaled: boolean) {
    this.field.value = state.field;
    this.map.value = state.map;
    this.range.set(state.range);
    for (const [input, value] of [[this.low, low], [this.high, high]] as const)
      if (document.activeElement !== input) input.value = String(Number(value.toPrecision(5)));
    this.range.element.parentElement!.parentElement!.hidden = !scaled;
    this.map.parentElement!.parentElement!.hidden = !scaled;
    this.ends.hidden = !scaled;
    this.contacts.set(state.contacts);
    this.width.value = String(state.width);
    this.width.parentElement!.parentElement!.hidden = state.contacts === "none";
    this.bodies.set(state.bodies);
    this.obstacles.set(state.obstacles);
    this.cut.set(state.cut);
    this.cutAt.value = String(state.cutAt);
    this.cutFlip.checked = state.cutFlip;
    for (const input of [this.cutAt, this.cutFlip]) input.parentElement!.parentElement!.hidden = state.cut === "none";
    this.edges.checked = state.edges;
    this.tabs.set(state.tab);
    for (const [name, page] of Object.entries(this.pages)) page.hidden = name !== state.tab;
    if (state.tab === "plots") for (const chart of Object.values(this.charts)) chart.draw();
    if (state.tab === "selection") this.selection.draw();
  }

  /** Open the page on the selection. */
  showSelection() {
    this.change({ tab: "selection", panel: true });
  }

  setSeries(series: Bundle) {
    const a = series.arrays;
    const frames = a["frame.time"];
    const energy = a["frame.energy"];
    const names = ["kinetic", "internal", "potential", "external work", "contact work", "friction work", "damping work"];
    const colours = ["#3d74d6", "#7b52c9", "#3f9a4b", "#8a8f98", "#c98a12", "#d6453d", "#1d9aa8"];
    // Energies relative to the first frame, as works are: their zero means nothing, and potential energy would dwarf the rest.
    const lines = names.map((name, k) => ({ name, colour: colours[k], x: frames, y: Float64Array.from({ length: frames.length }, (_, i) => energy[7 * i + k] - energy[k]) }));
    this.charts.energy.set((this.energies = lines.filter((line) => line.y.some((v) => v !== 0))));
    const steps = a["step.time"];
    const one = (name: string, colour: string, scale = 1) => [{ name, colour, x: steps, y: scale === 1 ? a[name] : Float64Array.from(a[name], (v) => scale * v) }];
    this.charts.contacts.set(one("step.contacts", "#3d74d6"));
    this.charts.iterations.set(one("step.iterations", "#7b52c9"));
    this.charts.residual.set(one("step.residual", "#d6453d"));
    this.charts.penetration.set(one("step.penetration_max", "#c98a12"));
    this.charts.seconds.set(one("step.seconds", "#1d9aa8", 1000));
  }

  setTime(time: number, tab: string) {
    if (tab === "plots") for (const chart of Object.values(this.charts)) chart.setTime(time);
    if (tab === "selection") this.selection.setTime(time);
  }

}
