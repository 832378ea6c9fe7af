/** The page: brings source, picture, timeline and panel together. */
import * as THREE from "three";
import { Bodies, kObstacle } from "./bodies";
import { Bundle } from "./bundle";
import * as capture from "./capture";
import { Contacts } from "./contacts";
import { button, h } from "./dom";
import { Field, fieldOf, kFields } from "./fields";
import { count, number } from "./format";
import { Frames } from "./frames";
import { Overlay, Scale } from "./overlay";
import { Panel } from "./panel";
import { framing, hides } from "./framing";
import { Index, Range, Source, SourceError } from "./source";
import { defaults, readLink, State, writeLink } from "./state";
import { Timeline } from "./timeline";
import { View } from "./view";

const kPollMilliseconds = 1000;
const kGlass = 0.16;
const kFaded = 0.14;
const kSetNames = 12;

export class App {
  readonly state: State = defaults();
  private readonly given: Set<string>;
  private readonly frames: Frames;
  private view!: View;
  private bodies: Bodies | null = null;
  private contacts!: Contacts;
  private index: Index = { frames: 0, bodies: 0, shapes: 0, generation: -1, growing: false, title: "", path: "" };
  private times: ArrayLike<number> = [];
  private current: Bundle | null = null;
  private contactBundle: Bundle | null = null;
  private readonly ranges = new Map<string, Range>();
  private range: [number, number] = [0, 1];
  private playing = false;
  private following = false;
  private recording = false;
  private wanted = 0;
  private sortedFor = "";
  private autoFade = false;
  private readonly rates: number[] = [];
  private firstPicture = 0;

  private readonly stage = h("main", { class: "stage" });
  private readonly canvas = h("canvas", { class: "picture", tabindex: 0 });
  private readonly message = h("div", { class: "message", role: "alert", hidden: true });
  private readonly notice = h("div", { class: "notice", role: "status", hidden: true });
  private readonly overlay = new Overlay();
  private readonly panel = new Panel((change) => this.set(change));
  private readonly timeline = new Timeline({
    seek: (frame) => void this.pointAt(frame),
    step: (by) => void this.pointAt(this.state.frame + by),
    toggle: () => this.toggle(),
    rate: (rate) => this.set({ rate }),
    loop: () => this.set({ loop: !this.state.loop }),
    follow: () => void this.pointAt(Infinity),
  });

  constructor(
    private readonly root: HTMLElement,
    private readonly source: Source,
  ) {
    this.given = readLink(this.state, window.location.hash);
    this.frames = new Frames(source);
    this.publish();
  }

  // --- beginning ---------------------------------------------------------------------------------------------

  async start() {
    const tools = h(
      "div",
      { class: "tools" },
      button("fit", "Show everything (F)", () => this.fit()),
      button("camera", "Save a picture (P)", () => void this.savePicture()),
      button("film", "Record a video (V); with shift: pictures in an archive", () => void this.record(false)),
      button("link", "Copy a link to this view (L)", () => void this.copyLink()),
      button("theme", "Light or dark (T)", () => this.set({ theme: this.state.theme === "light" ? "dark" : "light" })),
      button("panel", "Side panel (S)", () => this.set({ panel: !this.state.panel })),
    );
    tools.querySelector('[data-action="film"]')!.addEventListener("click", (event) => {
      if (!(event as MouseEvent).shiftKey) return;
      event.stopImmediatePropagation();
      void this.record(true);
    }, true);
    this.stage.append(this.canvas, this.overlay.element, tools, this.notice, this.message);
    this.root.append(this.stage, this.panel.element, this.timeline.element);
    document.documentElement.dataset.theme = this.state.theme;
    try {
      if (!document.createElement("canvas").getContext("webgl2")) throw new Error("no context");
      this.view = new View(this.canvas);
    } catch {
      this.say("WebGL is missing", "This browser cannot draw with WebGL 2: switch on hardware acceleration, or use another browser. Pictures without one: scree render RESULTS --out picture.png");
      return;
    }
    this.contacts = new Contacts(this.view.uniforms, this.view.contactColours);
    this.view.scene.add(new THREE.Group().add(this.contacts.mesh));
    this.view.onCamera = () => this.cameraMoved();
    this.view.onDraw = () => this.beforeDraw();
    this.panel.onSeek = (time) => void this.pointAt(this.frameAt(time));
    this.panel.selection.onBody = (row) => void this.select(`b${row}`);
    this.panel.selection.onContact = (n) => void this.select(`c${n}`);
    this.panel.selection.onClose = () => void this.select("");
    this.listen();
    this.applyLook();
    await this.attempt(() => this.load());
    if (!this.source.exported) window.setTimeout(() => void this.poll(), kPollMilliseconds);
  }

  private async load() {
    this.index = await this.source.index();
    document.title = `${this.index.title || "results"} – Scree`;
    this.overlay.setTitle(this.index.title);
    this.overlay.setCaption(this.index.path);
    if (!this.index.frames) {
      this.say("No frames yet", this.index.growing ? "The run has begun; the first frame will appear here." : "Waiting for a run to write its first frame.");
      return;
    }
    const [scene, series] = await Promise.all([this.source.scene(), this.source.series()]);
    this.useScene(scene);
    this.useSeries(series);
    this.message.hidden = true;
    this.following = this.index.growing && !this.given.has("frame");
    await this.show(this.following ? this.index.frames - 1 : Math.min(this.state.frame, this.index.frames - 1));
    if (this.state.camera.length === 6) this.placeCamera(this.state.camera);
    else this.fit();
    this.applyLook();
    if (this.state.selected) await this.select(this.state.selected, false);
  }

  private useScene(scene: Bundle) {
    if (this.bodies) {
      this.view.scene.remove(this.bodies.group);
      this.bodies.dispose();
    }
    this.bodies = new Bodies(scene, this.view.uniforms);
    this.view.scene.add(this.bodies.group);
    const sent: string[] = scene.facts.fields;
    const fields = kFields.filter((f) => !f.sent || sent.includes(f.name));
    if (!fields.some((f) => f.name === this.state.field)) this.state.field = "velocity";
    this.panel.setFields(fields);
    this.sortedFor = "";
  }

  private useSeries(series: Bundle) {
    this.times = series.arrays["frame.time"];
    this.panel.setSeries(series);
  }

  // --- following a run ---------------------------------------------------------------------------------------

  private async poll() {
    try {
      const before = this.index;
      const now = await this.source.index();
      if (this.notice.dataset.kind === "server") this.notice.hidden = true;
      if (now.generation !== before.generation || (!before.frames && now.frames)) {
        this.frames.clear();
        this.ranges.clear();
        await this.load();
      } else if (now.frames > before.frames) {
        this.index = now;
        if (now.bodies !== before.bodies || now.shapes !== before.shapes) this.useScene(await this.source.scene());
        this.useSeries(await this.source.series());
        if (this.state.range === "run") this.ranges.clear();
        if (this.following && !this.playing) await this.show(now.frames - 1);
        else this.showTime();
      } else {
        this.index = now;
      }
      this.timeline.setLive(this.index.growing, this.following);
    } catch (error) {
      if (this.index.frames) this.note(this.words(error), "server");
      else this.say("These results cannot be shown", this.words(error));
    }
    window.setTimeout(() => void this.poll(), kPollMilliseconds);
  }

  // --- frames ------------------------------------------------------------------------------------------------

  private async pointAt(frame: number) {
    this.playing = false;
    this.timeline.setPlaying(false);
    const last = this.index.frames - 1;
    this.following = frame >= last && this.index.growing;
    await this.attempt(() => this.show(Math.max(0, Math.min(last, frame))));
  }

  private field(): Field {
    return fieldOf(this.state.field);
  }

  /** Bring a frame onto the screen; only the one asked for last gets there. */
  private async show(frame: number): Promise<void> {
    if (!this.bodies || frame < 0) return;
    const turn = ++this.wanted;
    const field = this.field();
    const name = field.sent ? field.name : null;
    const wantsContacts = this.state.contacts !== "none";
    const [bundle, contacts] = await Promise.all([this.frames.frame(frame, name), wantsContacts ? this.frames.contacts(frame) : null]);
    if (field.sent && this.state.range === "run" && !this.ranges.has(field.name)) this.ranges.set(field.name, await this.source.range(field.name));
    if (wantsContacts && !this.ranges.has("contact")) this.ranges.set("contact", await this.source.range("contact"));
    if (turn !== this.wanted) return;
    this.state.frame = frame;
    this.current = bundle;
    this.contactBundle = contacts;
    const before = this.bodies.present;
    this.bodies.show(bundle, this.bodyValues(field, bundle), field.sent ? ((bundle.arrays[`node_value.${field.name}`] as Float32Array) ?? null) : null);
    this.sortedFor = "";
    if (before !== this.bodies.present) this.bodiesChanged(before === 0);
    this.applyColours();
    this.applyContacts();
    this.showTime();
    this.view.redraw();
    if (!this.firstPicture) {
      this.view.draw();
      this.firstPicture = performance.now();
    }
    this.writeLink();
    if (this.state.selected && !this.playing) void this.refreshSelection();
  }

  private bodyValues(field: Field, bundle: Bundle): Float32Array | null {
    if (field.sent) return bundle.arrays[`value.${field.name}`] as Float32Array;
    if (!field.set) return null;
    const rows = bundle.arrays.row;
    const scene = this.bodies!.scene.arrays;
    const source = field.name === "material" ? scene["body.material"] : scene["body.id"];
    const n = bundle.arrays.quaternion.length / 4;
    return Float32Array.from({ length: n }, (_, i) => source[rows ? rows[i] : i] % 10);
  }

  private showTime() {
    const time = this.current?.facts.time ?? 0;
    this.timeline.set(this.state.frame, this.index.frames, time);
    const span = this.times.length > 1 ? (this.times[this.times.length - 1] - this.times[0]) / (this.times.length - 1) : null;
    this.timeline.setRate(this.state.rate, span);
    const facts = this.current?.facts;
    if (facts) this.overlay.setCaption(`t = ${number(time, 4)} s · ${count(this.bodies?.present ?? 0)} bodies · ${count(facts.contacts)} contacts`);
    if (this.state.panel) this.panel.setTime(time, this.state.tab);
  }

  private frameAt(time: number): number {
    let best = 0;
    for (let k = 0; k < this.times.length; ++k) if (Math.abs(this.times[k] - time) < Math.abs(this.times[best] - time)) best = k;
    return best;
  }

  private toggle() {
    this.playing = !this.playing;
    this.timeline.setPlaying(this.playing);
    if (this.playing) void this.play();
  }

  private async play() {
    this.following = false;
    while (this.playing && this.index.frames > 1) {
      const due = performance.now() + 1000 / this.state.rate;
      const next = this.state.frame + 1;
      if (next >= this.index.frames && !this.state.loop) break;
      this.frames.prefetch(next % this.index.frames, this.index.frames, this.field().sent ? this.field().name : null, this.state.contacts !== "none");
      const begun = performance.now();
      await this.attempt(() => this.show(next % this.index.frames));
      await new Promise((resolve) => requestAnimationFrame(resolve));
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
      this.rates.push(1000 / (performance.now() - begun));
      if (this.rates.length > 40) this.rates.shift();
    }
    this.playing = false;
    this.timeline.setPlaying(false);
    if (this.state.selected) void this.refreshSelection();
  }

  // --- looks -------------------------------------------------------------------------------------------------

  private set(change: Partial<State>) {
    const before = { ...this.state };
    Object.assign(this.state, change);
    if (change.range === "fixed" && before.range !== "fixed" && change.low === undefined && change.high === undefined) [this.state.low, this.state.high] = this.range;
    if (change.range === "fixed" && before.range !== "fixed" && (change.low === undefined) !== (change.high === undefined)) {
      if (change.low === undefined) this.state.low = this.range[0];
      else this.state.high = this.range[1];
    }
    if (change.field !== undefined && change.field !== before.field && this.state.range === "fixed") this.state.range = "run";
    this.applyLook();
    const reload = ["field", "range", "contacts"].some((key) => (before as any)[key] !== (this.state as any)[key]);
    if (reload) void this.attempt(() => this.show(this.state.frame));
    else this.applyContacts();
    if (before.panel !== this.state.panel) this.resize();
    this.showTime();
    this.writeLink();
  }

  private applyLook() {
    const s = this.state;
    document.documentElement.dataset.theme = s.theme;
    this.root.dataset.panel = String(s.panel);
    if (!this.view) return;
    this.view.setTheme(s.theme);
    this.view.setMap(s.map);
    if (!s.edges) this.view.uniforms.uEdgeColour.value.w = 0;
    const faded = s.obstacles === "faded" || (s.obstacles === "automatic" && this.autoFade);
    this.bodies?.setOpacity(s.bodies === "hidden" ? 0 : s.bodies === "glass" ? kGlass : 1, s.obstacles === "hidden" ? 0 : faded ? kFaded : 1);
    this.applyCut();
    this.applyColours();
    this.timeline.setLoop(s.loop);
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

  private applyColours() {
    const field = this.field();
    const uniforms = this.view.uniforms;
    uniforms.uMode.value = field.set ? 2 : field.sent ? 1 : 0;
    if (field.sent) {
      const known = this.ranges.get(field.name);
      if (this.state.range === "fixed") this.range = [this.state.low, this.state.high];
      else if (this.state.range === "frame") this.range = this.frameRange(field);
      else if (known) this.range = [Math.min(0, known.low), known.top > 0 ? known.top : known.high];
      uniforms.uRange.value.set(...this.range);
    }
    this.panel.set(this.state, this.range[0], this.range[1], field.sent);
    this.overlay.setScales(this.scales(field));
  }

  private frameRange(field: Field): [number, number] {
    const values = this.current?.arrays[`value.${field.name}`];
    if (!values || !this.bodies) return this.range;
    const rows = this.current!.arrays.row;
    let low = Infinity;
    let high = -Infinity;
    const take = (v: number) => {
      if (v < low) low = v;
      if (v > high) high = v;
    };
    for (let i = 0; i < values.length; ++i) if (this.bodies.kind[rows ? rows[i] : i] !== kObstacle) take(values[i]);
    for (const v of this.current!.arrays[`node_value.${field.name}`] ?? []) take(v);
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

  private applyContacts() {
    if (!this.contacts) return;
    if (this.state.contacts === "none" || !this.contactBundle || !this.bodies) {
      this.contacts.hide();
      this.view?.redraw();
      return;
    }
    this.view.contactColours.uRange.value.set(0, this.strongest());
    this.contacts.show(this.contactBundle, this.bodies, this.state.contacts, this.strongest(), 0.12 * this.view.sceneSize, this.state.width);
    this.view.redraw();
  }

  // --- camera ------------------------------------------------------------------------------------------------

  private fit() {
    if (!this.bodies) return;
    this.resize();
    this.view.fit(framing(this.bodies));
    this.state.camera = [];
    this.applyLook();
    this.writeLink();
  }

  // The first bodies, or others than before: look at them again, unless the camera was placed by hand.
  private bodiesChanged(first: boolean) {
    if (first && !this.state.camera.length) this.fit();
    const hidden = hides(this.bodies!);
    if (hidden === this.autoFade) return;
    this.autoFade = hidden;
    this.applyLook();
  }

  private placeCamera(values: number[]) {
    this.resize();
    this.view.setSize(framing(this.bodies!).getSize(new THREE.Vector3()).length());
    this.view.camera.position.set(values[0], values[1], values[2]);
    this.view.controls.target.set(values[3], values[4], values[5]);
    this.view.controls.update();
  }

  private cameraMoved() {
    const { position } = this.view.camera;
    const { target } = this.view.controls;
    this.state.camera = [position.x, position.y, position.z, target.x, target.y, target.z];
    this.writeLink();
  }

  private beforeDraw() {
    this.overlay.update(this.view);
    const eye = this.view.camera.position;
    const key = `${this.state.frame} ${eye.x.toPrecision(2)} ${eye.y.toPrecision(2)} ${eye.z.toPrecision(2)}`;
    if (this.bodies && key !== this.sortedFor) {
      this.bodies.sort(eye);
      this.sortedFor = key;
    }
  }

  private resize() {
    this.view?.resize(this.stage.clientWidth, this.stage.clientHeight);
  }

  // --- selection ---------------------------------------------------------------------------------------------

  private async select(what: string, open = true) {
    this.state.selected = what;
    this.writeLink();
    const row = what.startsWith("b") ? Number(what.slice(1)) : -1;
    const contact = what.startsWith("c") ? Number(what.slice(1)) : -1;
    this.view.uniforms.uSelected.value = row;
    this.contacts.select(contact);
    this.view.redraw();
    if (row < 0 && contact < 0) {
      this.panel.selection.clear();
      return;
    }
    if (open) this.panel.showSelection();
    await this.refreshSelection();
    const history = row >= 0 ? this.source.history(row) : this.source.contact(this.state.frame, contact).then((c) => this.source.pairHistory(c.bodies[0]?.row ?? -1, c.bodies[1]?.row ?? -1));
    try {
      const bundle = await history;
      if (this.state.selected !== what) return;
      this.panel.selection.history(bundle);
      this.panel.selection.setTime(this.current?.facts.time ?? 0);
    } catch (error) {
      this.note(this.words(error));
    }
  }

  private async refreshSelection() {
    const what = this.state.selected;
    try {
      if (what.startsWith("b")) {
        const body = await this.source.body(this.state.frame, Number(what.slice(1)));
        for (const c of body.strongest ?? []) c.name = this.bodyName(c.other);
        if (this.state.selected === what) this.panel.selection.body(body);
      } else if (what.startsWith("c")) {
        const contact = await this.source.contact(this.state.frame, Number(what.slice(1)));
        if (this.state.selected === what) this.panel.selection.contact(contact);
      }
    } catch (error) {
      // Contacts are numbered anew in every frame.
      if (what.startsWith("c")) void this.select("");
      else this.note(this.words(error));
    }
  }

  private bodyName(row: number): string {
    if (row < 0 || !this.bodies) return "fixed point";
    const scene = this.bodies.scene;
    const label = scene.facts.texts[scene.arrays["body.label"][row]];
    return `${this.bodies.kind[row] === kObstacle ? "obstacle" : "body"} ${scene.arrays["body.id"][row]}${label ? ` · ${label}` : ""}`;
  }

  // --- input -------------------------------------------------------------------------------------------------

  private listen() {
    new ResizeObserver(() => this.resize()).observe(this.stage);
    this.resize();
    let down = [0, 0];
    this.canvas.addEventListener("pointerdown", (event) => (down = [event.clientX, event.clientY]));
    this.canvas.addEventListener("click", (event) => {
      // A click, not the end of a drag.
      if (Math.hypot(event.clientX - down[0], event.clientY - down[1]) > 4 || !this.bodies) return;
      const id = this.view.pick(event.clientX, event.clientY);
      void this.select(id <= 0 ? "" : id > 0x40000000 ? `c${id - 0x40000001}` : `b${id - 1}`);
    });
    window.addEventListener("keydown", (event) => {
      const target = event.target as HTMLElement;
      if (event.ctrlKey || event.metaKey || event.altKey || (target.matches("input[type=text], select") && event.key !== "Escape")) return;
      const step = event.shiftKey ? 10 : 1;
      const keys: Record<string, () => void> = {
        " ": () => this.toggle(),
        ArrowLeft: () => void this.pointAt(this.state.frame - step),
        ArrowRight: () => void this.pointAt(this.state.frame + step),
        Home: () => void this.pointAt(0),
        End: () => void this.pointAt(Infinity),
        f: () => this.fit(),
        p: () => void this.savePicture(),
        v: () => void this.record(event.shiftKey),
        l: () => void this.copyLink(),
        t: () => this.set({ theme: this.state.theme === "light" ? "dark" : "light" }),
        s: () => this.set({ panel: !this.state.panel }),
        Escape: () => (this.recording ? (this.recording = false) : void this.select("")),
      };
      const action = keys[event.key] ?? keys[event.key.toLowerCase()];
      if (!action) return;
      event.preventDefault();
      action();
    });
    window.addEventListener("hashchange", () => {
      readLink(this.state, window.location.hash);
      if (this.state.camera.length === 6 && this.bodies) this.placeCamera(this.state.camera);
      this.applyLook();
      void this.attempt(() => this.show(Math.min(this.state.frame, this.index.frames - 1)));
    });
    this.canvas.addEventListener("webglcontextlost", () => this.say("The graphics card let go of the picture", "Reload the page to go on."));
  }

  private linkTimer = 0;
  private writeLink() {
    window.clearTimeout(this.linkTimer);
    this.linkTimer = window.setTimeout(() => {
      const link = writeLink(this.state);
      // Pages opened from a file may not be allowed to change their address.
      try {
        window.history.replaceState(null, "", link ? `#${link}` : window.location.pathname + window.location.search);
      } catch {
        // The view stays; only the link does not follow.
      }
    }, 200);
  }

  private async copyLink() {
    const link = `${window.location.href.split("#")[0]}#${writeLink(this.state)}`;
    try {
      await navigator.clipboard.writeText(link);
      this.note("The link is on the clipboard.");
    } catch {
      window.prompt("Link to this view", link);
    }
  }

  // --- files -------------------------------------------------------------------------------------------------

  private fileName(ending: string): string {
    return `${(this.index.title || "scree").replace(/\.py$/, "").replace(/[^\w.-]+/g, "_")}_${String(this.state.frame).padStart(4, "0")}.${ending}`;
  }

  private async savePicture() {
    if (!this.bodies) return;
    capture.save(await capture.png(capture.compose(this.view, this.overlay)), this.fileName("png"));
  }

  private async record(pictures: boolean) {
    if (!this.bodies || this.recording) {
      this.recording = false;
      return;
    }
    this.recording = true;
    this.playing = false;
    const all = Array.from({ length: this.index.frames }, (_, k) => k);
    const from = this.state.frame;
    const show = async (frame: number) => {
      this.note(`Recording frame ${frame + 1} of ${all.length}; Escape stops.`);
      await this.show(frame);
    };
    const cancelled = () => !this.recording;
    await this.attempt(async () => {
      const film = pictures ? null : await capture.video(this.view, this.overlay, all, this.state.rate, show, cancelled);
      if (film) capture.save(film, this.fileName("webm"));
      else capture.save(await capture.sequence(this.view, this.overlay, all, show, cancelled), this.fileName("zip"));
      this.note("Saved.");
    });
    this.recording = false;
    await this.attempt(() => this.show(from));
  }

  // --- words -------------------------------------------------------------------------------------------------

  private words(error: unknown): string {
    return error instanceof SourceError || error instanceof Error ? error.message : String(error);
  }

  private async attempt(action: () => Promise<void>) {
    try {
      await action();
    } catch (error) {
      if (this.current) this.note(this.words(error), "frame");
      else this.say("These results cannot be shown", this.words(error));
    }
  }

  /** Something the page cannot go on without. */
  private say(title: string, text: string) {
    this.message.replaceChildren(h("h2", {}, title), h("p", {}, text));
    this.message.hidden = false;
  }

  private noteTimer = 0;
  /** A line that goes away. */
  private note(text: string, kind = "") {
    this.notice.textContent = text;
    this.notice.dataset.kind = kind;
    this.notice.hidden = false;
    window.clearTimeout(this.noteTimer);
    if (kind !== "server") this.noteTimer = window.setTimeout(() => (this.notice.hidden = true), 4000);
  }

  /** For scripts and tests: `scree.counters`, `scree.seek(3)`, `scree.set({field: "force"})`. */
  private publish() {
    const app = this;
    (window as any).scree = {
      state: this.state,
      get counters() {
        const rates = app.rates.slice().sort((a, b) => a - b);
        return {
          ready: app.current !== null,
          frame: app.state.frame,
          frames: app.index.frames,
          time: app.current?.facts.time ?? null,
          bodies: app.bodies?.present ?? 0,
          obstacles: app.bodies?.presentObstacles ?? 0,
          contacts: app.contacts?.drawn ?? 0,
          drawCalls: app.view?.drawCalls ?? 0,
          frameBytes: app.current?.bytes ?? 0,
          contactBytes: app.contactBundle?.bytes ?? 0,
          firstPictureMilliseconds: app.firstPicture,
          framesPerSecond: rates.length ? rates[Math.floor(rates.length / 2)] : 0,
          growing: app.index.growing,
          following: app.following,
          range: [...app.range],
        };
      },
      seek: (frame: number) => app.pointAt(frame),
      set: (change: Partial<State>) => app.set(change),
      fit: () => app.fit(),
      /** Bodies that can be seen, with the number of their pixels. */
      visibleBodies: () => Object.fromEntries(app.view.visibleBodies()),
      /** Where the centre of a body is on the page. */
      screen: (row: number) => {
        const centre = app.bodies?.centre(row);
        if (!centre) return null;
        const p = centre.project(app.view.camera);
        const rect = app.canvas.getBoundingClientRect();
        return [rect.left + (0.5 + 0.5 * p.x) * rect.width, rect.top + (0.5 - 0.5 * p.y) * rect.height];
      },
      draw: () => {
        app.view.draw();
        const gl = app.view.renderer.getContext();
        gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
      },
      /** Who draws: the graphics card's name. */
      get renderer() {
        return app.view.rendererName();
      },
      /** Milliseconds to decode a frame and to order its bodies. */
      benchmark: (times: number) => {
        const begun = performance.now();
        for (let k = 0; k < times; ++k) app.bodies!.show(app.current!, app.bodyValues(app.field(), app.current!), null);
        const between = performance.now();
        for (let k = 0; k < times; ++k) app.bodies!.sort(app.view.camera.position);
        return { decode: (between - begun) / times, sort: (performance.now() - between) / times };
      },
      picture: () => capture.compose(app.view, app.overlay).toDataURL("image/png"),
    };
  }
}
