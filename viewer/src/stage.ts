/** The picture of one frame: bodies, contact forces, colours, cut plane and camera. */
import * as THREE from "three";
import { Bodies, kObstacle } from "./bodies";
import { Bundle } from "./bundle";
import { Contacts } from "./contacts";
import { h } from "./dom";
import { Field, fieldOf, kFields } from "./fields";
import { count } from "./format";
import { framing, framingOfAll, hides } from "./framing";
import { Overlay, Scale } from "./overlay";
import { Range } from "./source";
import { State } from "./state";
import { View } from "./view";

const kGlass = 0.16;
const kFaded = 0.14;
const kSetNames = 12;
/** Length of the longest arrow as a share of the scene. */
const kArrow = 0.12;

export class Stage {
  readonly element = h("main", { class: "stage" });
  readonly canvas = h("canvas", { class: "picture", tabindex: 0 });
  readonly overlay = new Overlay();
  readonly view: View;
  readonly contacts: Contacts;
  bodies: Bodies | null = null;
  frame: Bundle | null = null;
  contactBundle: Bundle | null = null;
  /** The first view is there. */
  begun = false;
  /** Ranges of fields over the run, by name; "contact": of contact forces. */
  readonly ranges = new Map<string, Range>();
  /** Ends of the colours. */
  range: [number, number] = [0, 1];
  private autoFade = false;
  private sortedFor = "";

  /** Throws where the browser cannot draw. */
  constructor(private readonly state: State) {
    this.element.append(this.canvas, this.overlay.element);
    if (!document.createElement("canvas").getContext("webgl2")) throw new Error("no WebGL 2");
    this.view = new View(this.canvas);
    this.contacts = new Contacts(this.view.uniforms, this.view.contactColours);
    this.view.scene.add(new THREE.Group().add(this.contacts.mesh));
    this.view.onDraw = () => this.beforeDraw();
  }

  get field(): Field {
    return fieldOf(this.state.field);
  }

  /** Take another scene; returns the fields it can show. */
  useScene(scene: Bundle): Field[] {
    if (this.bodies) {
      this.view.scene.remove(this.bodies.group);
      this.bodies.dispose();
    }
    this.bodies = new Bodies(scene, this.view.uniforms);
    this.view.scene.add(this.bodies.group);
    this.sortedFor = "";
    const sent: string[] = scene.facts.fields;
    const fields = kFields.filter((f) => !f.sent || sent.includes(f.name));
    if (!fields.some((f) => f.name === this.state.field)) this.state.field = "velocity";
    return fields;
  }

  /** Put a frame onto the canvas. */
  show(frame: Bundle, contacts: Bundle | null) {
    const field = this.field;
    const before = this.bodies!.present;
    this.frame = frame;
    this.contactBundle = contacts;
    this.bodies!.show(frame, this.bodyValues(), field.sent ? ((frame.arrays[`node_value.${field.name}`] as Float32Array) ?? null) : null);
    this.sortedFor = "";
    if (before !== this.bodies!.present) this.bodiesChanged(before === 0);
    this.showContacts();
    this.view.redraw();
  }

  /** Values of the field on the bodies of the frame at hand. */
  bodyValues(): Float32Array | null {
    const field = this.field;
    if (!this.frame || !this.bodies) return null;
    if (field.sent) return this.frame.arrays[`value.${field.name}`] as Float32Array;
    if (!field.set) return null;
    const rows = this.frame.arrays.row;
    const scene = this.bodies.scene.arrays;
    const source = field.name === "material" ? scene["body.material"] : scene["body.id"];
    const n = this.frame.arrays.quaternion.length / 4;
    return Float32Array.from({ length: n }, (_, i) => source[rows ? rows[i] : i] % 10);
  }

  bodyName(row: number): string {
    if (row < 0 || !this.bodies) return "fixed point";
    const scene = this.bodies.scene;
    const label = scene.facts.texts[scene.arrays["body.label"][row]];
    return `${this.bodies.kind[row] === kObstacle ? "obstacle" : "body"} ${scene.arrays["body.id"][row]}${label ? ` · ${label}` : ""}`;
  }

  // --- looks -------------------------------------------------------------------------------------------------

  /** Apply everything that was chosen. */
  applyLook() {
    const s = this.state;
    this.view.setTheme(s.theme);
    this.view.setMap(s.map);
    if (!s.edges) this.view.uniforms.uEdgeColour.value.w = 0;
    const faded = s.obstacles === "faded" || (s.obstacles === "automatic" && (this.autoFade || s.contacts !== "none"));
    this.bodies?.setOpacity(s.bodies === "hidden" ? 0 : s.bodies === "glass" ? kGlass : 1, s.obstacles === "hidden" ? 0 : faded ? kFaded : 1);
    this.applyCut();
    this.applyColours();
    this.overlay.update(this.view);
    this.view.redraw();
  }

  private applyCut() {
    const cut = this.view.uniforms.uCut.value as THREE.Vector4;
    cut.set(0, 0, 0, 1);
    const axis = "xyz".indexOf(this.state.cut);
    if (axis < 0 || !this.bodies) return;
    const box = this.bodies.bounds();
    if (box.isEmpty()) return;
    const at = box.min.getComponent(axis) + this.state.cutAt * (box.max.getComponent(axis) - box.min.getComponent(axis));
    const sign = this.state.cutFlip ? -1 : 1;
    cut.setComponent(axis, sign);
    cut.w = sign * at;
  }

  applyColours() {
    const field = this.field;
    const uniforms = this.view.uniforms;
    uniforms.uMode.value = field.set ? 2 : field.sent ? 1 : 0;
    if (field.sent) {
      const known = this.ranges.get(field.name);
      if (this.state.range === "fixed") this.range = [this.state.low, this.state.high];
      else if (this.state.range === "frame") this.range = this.frameRange(field);
      else if (known) this.range = [Math.min(0, known.low), known.top > 0 ? known.top : known.high];
      uniforms.uRange.value.set(...this.range);
    }
    this.overlay.setScales(this.scales(field));
  }

  private frameRange(field: Field): [number, number] {
    const values = this.frame?.arrays[`value.${field.name}`];
    if (!values || !this.bodies) return this.range;
    const rows = this.frame!.arrays.row;
    let low = Infinity;
    let high = -Infinity;
    const take = (v: number) => {
      if (v < low) low = v;
      if (v > high) high = v;
    };
    for (let i = 0; i < values.length; ++i) if (this.bodies.kind[rows ? rows[i] : i] !== kObstacle) take(values[i]);
    for (const v of this.frame!.arrays[`node_value.${field.name}`] ?? []) take(v);
    return low <= high ? [low, high] : [0, 1];
  }

  private scales(field: Field): Scale[] {
    const scales: Scale[] = [];
    if (field.sent) scales.push({ title: field.title, unit: field.unit, low: this.range[0], high: this.range[1], map: this.state.map });
    if (field.name === "material" && this.bodies) {
      const material = this.bodies.scene.arrays["body.material"];
      const used = [...new Set(material)].filter((m) => material.some((own, b) => own === m && this.bodies!.kind[b] !== kObstacle)).slice(0, kSetNames);
      scales.push({ title: field.title, unit: "", low: 0, high: 1, map: "dusk", names: used.map((m) => ({ name: this.bodies!.scene.facts.texts[m] || "unnamed", colour: m })) });
    }
    if (this.state.contacts !== "none") {
      const drawn = this.contactBundle ? this.contactBundle.arrays.number.length : 0;
      const all = this.contactBundle?.facts.contacts ?? 0;
      scales.push({ title: "Force of a contact", unit: "N", low: 0, high: this.strongest(), map: "spectrum", note: drawn < all ? `strongest ${count(drawn)} of ${count(all)}` : undefined });
    }
    return scales;
  }

  /** The force of the widest tube: few contacts of the run are stronger. */
  private strongest(): number {
    const range = this.ranges.get("contact");
    return (range && (range.top || range.high)) || 1;
  }

  showContacts() {
    if (this.state.contacts === "none" || !this.contactBundle || !this.bodies) {
      this.contacts.hide();
    } else {
      this.view.contactColours.uRange.value.set(0, this.strongest());
      this.contacts.show(this.contactBundle, this.bodies, this.state.contacts, this.strongest(), kArrow * this.view.sceneSize, this.state.width);
    }
    this.view.redraw();
  }

  /** Mark a body or a contact; -1: none. */
  mark(row: number, contact: number) {
    this.view.uniforms.uSelected.value = row;
    this.contacts.select(contact);
    this.view.redraw();
  }

  // --- camera ------------------------------------------------------------------------------------------------

  /** Look at everything that matters, in the frame at hand and in others. */
  fit(others: Bundle[] = []) {
    if (!this.bodies) return;
    this.resize();
    const moments = [framing(this.bodies)];
    for (const other of others) {
      this.bodies.show(other, null, null);
      moments.push(framing(this.bodies));
    }
    if (others.length) this.show(this.frame!, this.contactBundle);
    this.view.fit(framingOfAll(moments));
    this.state.camera = [];
    this.applyLook();
  }

  /** The camera where the address has it: its place and what it looks at. */
  placeCamera(values: number[]) {
    this.resize();
    this.view.setSize(framing(this.bodies!).box.getSize(new THREE.Vector3()).length());
    this.view.camera.position.set(values[0], values[1], values[2]);
    this.view.controls.target.set(values[3], values[4], values[5]);
    this.view.controls.update();
  }

  get cameraPlace(): number[] {
    const { position } = this.view.camera;
    const { target } = this.view.controls;
    return [position.x, position.y, position.z, target.x, target.y, target.z];
  }

  resize() {
    this.view.resize(this.element.clientWidth, this.element.clientHeight);
  }

  // The first bodies, or others than before: look at them again, unless the camera was placed by hand.
  private bodiesChanged(first: boolean) {
    if (first && !this.state.camera.length) this.fit();
    const hidden = hides(this.bodies!);
    if (hidden === this.autoFade) return;
    this.autoFade = hidden;
    this.applyLook();
  }

  // Transparent bodies are drawn from far to near.
  private beforeDraw() {
    this.overlay.update(this.view);
    const eye = this.view.camera.position;
    const key = `${this.state.frame} ${eye.x.toPrecision(2)} ${eye.y.toPrecision(2)} ${eye.z.toPrecision(2)}`;
    if (this.bodies && key !== this.sortedFor) {
      this.bodies.sort(eye);
      this.sortedFor = key;
    }
  }
}
