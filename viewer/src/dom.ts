/** Elements of the page in few words. */

type Child = Node | string | null | undefined;

export function h<K extends keyof HTMLElementTagNameMap>(tag: K, props: Record<string, unknown> = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2).toLowerCase(), value as EventListener);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) if (child !== null && child !== undefined) element.append(child);
  return element;
}

/** Line drawings, 20 x 20. */
const kIcons: Record<string, string> = {
  play: "M6 4l10 6-10 6z",
  pause: "M6 4h3v12H6zM11 4h3v12h-3z",
  first: "M5 4v12M15 4l-8 6 8 6z",
  last: "M15 4v12M5 4l8 6-8 6z",
  back: "M13 4l-8 6 8 6z",
  forward: "M7 4l8 6-8 6z",
  loop: "M5 8a5.5 5.5 0 0 1 10-1M15 3v4h-4M15 12a5.5 5.5 0 0 1-10 1M5 17v-4h4",
  fit: "M4 8V4h4M12 4h4v4M16 12v4h-4M8 16H4v-4",
  camera: "M3 6h3l1.5-2h5L14 6h3v10H3zM10 8.2a2.8 2.8 0 1 0 .01 0",
  film: "M3 5h14v10H3zM3 8h14M3 12h14M7 5v3M11 5v3M15 5v3M7 12v3M11 12v3M15 12v3",
  link: "M8.5 11.5l3-3M7 9l-2 2a2.8 2.8 0 0 0 4 4l2-2M13 11l2-2a2.8 2.8 0 0 0-4-4L9 7",
  theme: "M10 3a7 7 0 1 0 0 14zM10 3a7 7 0 0 1 0 14",
  panel: "M3 4h14v12H3zM12.5 4v12",
  close: "M5 5l10 10M15 5L5 15",
};

export function icon(name: string): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 20 20");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", kIcons[name]);
  svg.append(path);
  return svg;
}

export function button(name: string, title: string, action: () => void): HTMLButtonElement {
  const element = h("button", { class: "icon", title, "aria-label": title, "data-action": name, onClick: action });
  element.append(icon(name));
  return element;
}

/** A row of choices of which one is on. */
export class Choice {
  readonly element: HTMLElement;
  private readonly buttons = new Map<string, HTMLButtonElement>();

  constructor(name: string, choices: [string, string][], onChange: (value: string) => void) {
    this.element = h("div", { class: "choice", role: "radiogroup", "data-name": name });
    for (const [value, text] of choices) {
      const b = h("button", { role: "radio", "data-value": value, onClick: () => onChange(value) }, text);
      this.buttons.set(value, b);
      this.element.append(b);
    }
  }

  set(value: string) {
    for (const [own, b] of this.buttons) b.setAttribute("aria-checked", own === value ? "true" : "false");
  }
}

export function select(name: string, choices: [string, string][], onChange: (value: string) => void): HTMLSelectElement {
  const element = h("select", { name, onChange: () => onChange(element.value) });
  for (const [value, text] of choices) element.append(h("option", { value }, text));
  return element;
}

export function row(label: string, ...content: Child[]): HTMLElement {
  return h("div", { class: "row" }, h("label", {}, label), h("div", { class: "control" }, ...content));
}
