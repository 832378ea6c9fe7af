/** What the page shows, kept in the address so that a link brings it back. */

export interface State {
  frame: number;
  /** -1: follow the last frame. */
  field: string;
  map: string;
  /** How the ends of the colours are found. */
  range: "run" | "frame" | "fixed";
  low: number;
  high: number;
  contacts: "none" | "chains" | "arrows";
  width: number;
  bodies: "solid" | "glass" | "hidden";
  obstacles: "automatic" | "solid" | "faded" | "hidden";
  cut: "none" | "x" | "y" | "z";
  cutAt: number;
  cutFlip: boolean;
  edges: boolean;
  theme: "light" | "dark";
  panel: boolean;
  tab: "show" | "plots" | "selection";
  rate: number;
  loop: boolean;
  /** "b12" a body's row, "c3" a contact of the frame. */
  selected: string;
  /** Place of the camera and what it looks at, m, relative to the origin; empty: fit. */
  camera: number[];
}

export function defaults(): State {
  return {
    frame: 0,
    field: "velocity",
    map: "dusk",
    range: "run",
    low: 0,
    high: 1,
    contacts: "none",
    width: 1,
    bodies: "solid",
    obstacles: "automatic",
    cut: "none",
    cutAt: 0.5,
    cutFlip: false,
    edges: true,
    theme: window.matchMedia?.("(prefers-color-scheme: dark)").matches ? "dark" : "light",
    panel: window.innerWidth >= 1000,
    tab: "show",
    rate: 25,
    loop: true,
    selected: "",
    camera: [],
  };
}

/** Values of the address that fit their kinds; the rest stays as it was. */
export function readLink(state: State, hash: string): Set<string> {
  const given = new Set<string>();
  for (const [key, text] of new URLSearchParams(hash.replace(/^#/, ""))) {
    if (!(key in state)) continue;
    const target = state as unknown as Record<string, unknown>;
    const now = target[key];
    if (typeof now === "number") {
      const value = Number(text);
      if (!Number.isFinite(value)) continue;
      target[key] = value;
    } else if (typeof now === "boolean") {
      target[key] = text === "1";
    } else if (Array.isArray(now)) {
      const values = text.split(",").map(Number);
      if (values.length !== 6 || !values.every(Number.isFinite)) continue;
      target[key] = values;
    } else {
      if (key in kChoices && !kChoices[key].includes(text)) continue;
      target[key] = text;
    }
    given.add(key);
  }
  return given;
}

const kChoices: Record<string, string[]> = {
  map: ["dusk", "spectrum", "grey"],
  range: ["run", "frame", "fixed"],
  contacts: ["none", "chains", "arrows"],
  bodies: ["solid", "glass", "hidden"],
  obstacles: ["automatic", "solid", "faded", "hidden"],
  cut: ["none", "x", "y", "z"],
  theme: ["light", "dark"],
  tab: ["show", "plots", "selection"],
};

/** The address part of everything that is not as by default. */
export function writeLink(state: State): string {
  const plain = defaults() as unknown as Record<string, unknown>;
  const parts = new URLSearchParams();
  for (const [key, value] of Object.entries(state)) {
    if (Array.isArray(value)) {
      if (value.length) parts.set(key, value.map((v) => Number(v.toPrecision(6))).join(","));
    } else if (value !== plain[key]) {
      parts.set(key, typeof value === "boolean" ? (value ? "1" : "0") : typeof value === "number" ? String(Number(value.toPrecision(6))) : String(value));
    }
  }
  return parts.toString().replaceAll("%2C", ",");
}
