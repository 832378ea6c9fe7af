/** The page: brings source, picture, timeline and panel together. */
import { Bundle } from "./bundle";
import { button, h } from "./dom";
import { count, number } from "./format";
import { Link } from "./link";
import { Messages, words } from "./messages";
import { Panel } from "./panel";
import { Picker } from "./picker";
import { Player } from "./player";
import { publish } from "./published";
import { Recorder } from "./recorder";
import { Source } from "./source";
import { Stage } from "./stage";
import { defaults, readLink, State } from "./state";

const kPollMilliseconds = 1000;
/** A click moves the pointer less than this, pixels. */
const kClick = 4;

export class App {
  private readonly state: State = defaults();
  private readonly given = readLink(this.state, window.location.hash);
  private readonly link = new Link(this.state);
  private readonly messages = new Messages();
  private readonly panel = new Panel((change) => this.set(change));
  private stage!: Stage;
  private player!: Player;
  private picker!: Picker;
  private recorder!: Recorder;

  constructor(
    private readonly root: HTMLElement,
    private readonly source: Source,
  ) {}

  // --- beginning ---------------------------------------------------------------------------------------------

  async start() {
    document.documentElement.dataset.theme = this.state.theme;
    try {
      this.stage = new Stage(this.state);
    } catch {
      this.root.append(h("main", { class: "stage" }, this.messages.message));
      this.messages.say("WebGL is missing", "This browser cannot draw with WebGL 2: switch on hardware acceleration, or use another browser. Pictures without one: scree render RESULTS --out picture.png");
      return;
    }
    this.connect();
    this.stage.element.append(this.tools(), this.messages.notice, this.messages.message);
    this.root.append(this.stage.element, this.panel.element, this.player.timeline.element);
    this.listen();
    this.applyLook();
    await this.attempt(() => this.load());
    if (!this.source.exported) window.setTimeout(() => void this.poll(), kPollMilliseconds);
  }

  /** Make the parts and let them know of each other. */
  private connect() {
    const attempt = (action: () => Promise<void>) => this.attempt(action);
    this.player = new Player(this.state, this.source, this.stage, attempt);
    this.picker = new Picker(this.state, this.source, this.stage, this.panel, this.messages);
    this.recorder = new Recorder(this.state, this.stage, this.player, this.messages, attempt);
    this.player.onShown = () => this.shown();
    this.player.onPaused = () => void this.refreshSelection();
    this.player.onChange = (change) => this.set(change);
    this.picker.onChange = () => this.link.write();
    this.panel.onSeek = (time) => void this.player.pointAt(this.player.frameAt(time));
    this.stage.view.onCamera = () => {
      this.state.camera = this.stage.cameraPlace;
      this.link.write();
    };
    publish(this.state, this.stage, this.player, this.panel, (change) => this.set(change), () => this.fit());
  }

  private tools(): HTMLElement {
    const film = button("film", "Record a video (V); with shift: pictures in an archive", () => {});
    film.addEventListener("click", (event) => void this.recorder.record(event.shiftKey));
    return h(
      "div",
      { class: "tools" },
      button("fit", "Show everything (F)", () => this.fit()),
      button("camera", "Save a picture (P)", () => void this.recorder.picture()),
      film,
      button("link", "Copy a link to this view (L)", () => void this.copyLink()),
      button("theme", "Light or dark (T)", () => this.toggleTheme()),
      button("panel", "Side panel (S)", () => this.set({ panel: !this.state.panel })),
    );
  }

  private async load() {
    const index = (this.player.index = await this.source.index());
    document.title = `${index.title || "results"} – Scree`;
    this.stage.overlay.setTitle(index.title);
    this.stage.overlay.setCaption(index.path);
    if (!index.frames) {
      this.messages.say("No frames yet", index.growing ? "The run has begun; the first frame will appear here." : "Waiting for a run to write its first frame.");
      return;
    }
    await this.loadScene();
    await this.loadSeries();
    this.messages.unsay();
    this.player.following = index.growing && !this.given.has("frame");
    await this.player.show(this.player.following ? index.frames - 1 : Math.min(this.state.frame, index.frames - 1));
    if (!this.player.following && !this.given.has("frame")) await this.showFirstBodies();
    if (this.state.camera.length === 6) this.stage.placeCamera(this.state.camera);
    else this.fit(await this.player.moments());
    this.applyLook();
    this.stage.begun = true;
    if (this.state.selected) await this.picker.select(this.state.selected, false);
  }

  /** A scene that is filled during the run begins where there is something to see. */
  private async showFirstBodies() {
    for (let frame = 1; !this.stage.bodies!.present && frame < this.player.index.frames; frame *= 2) await this.player.show(frame);
  }

  private async loadScene() {
    this.panel.setFields(this.stage.useScene(await this.source.scene()));
  }

  private async loadSeries() {
    const series = await this.source.series();
    this.player.useSeries(series);
    this.panel.setSeries(series);
  }

  // --- following a run ---------------------------------------------------------------------------------------

  private async poll() {
    try {
      await this.update(await this.source.index());
    } catch (error) {
      if (this.player.index.frames) this.messages.note(words(error), "server");
      else this.messages.say("These results cannot be shown", words(error));
    }
    window.setTimeout(() => void this.poll(), kPollMilliseconds);
  }

  /** See what a run has added. */
  private async update(now: typeof this.player.index) {
    const before = this.player.index;
    this.messages.serverIsBack();
    if (now.generation !== before.generation || (!before.frames && now.frames)) {
      this.player.forget();
      await this.load();
      return;
    }
    this.player.index = now;
    if (now.frames > before.frames) {
      if (now.bodies !== before.bodies || now.shapes !== before.shapes) await this.loadScene();
      await this.loadSeries();
      if (this.state.range === "run") this.stage.ranges.clear();
      if (this.player.following && !this.player.playing) await this.player.show(now.frames - 1);
    }
    this.showTime();
  }

  // --- what is shown -----------------------------------------------------------------------------------------

  private set(change: Partial<State>) {
    const before = { ...this.state };
    Object.assign(this.state, change);
    if (change.range === "fixed" && before.range !== "fixed") {
      // Ends that were not given are those of now.
      if (change.low === undefined) this.state.low = this.stage.range[0];
      if (change.high === undefined) this.state.high = this.stage.range[1];
    }
    if (change.field !== undefined && change.field !== before.field && this.state.range === "fixed") this.state.range = "run";
    this.applyLook();
    const reload = (["field", "range", "contacts"] as const).some((key) => before[key] !== this.state[key]);
    if (reload) void this.attempt(() => this.player.show(this.state.frame));
    else this.stage.showContacts();
    if (before.panel !== this.state.panel) this.stage.resize();
    this.showTime();
    this.link.write();
  }

  private applyLook() {
    document.documentElement.dataset.theme = this.state.theme;
    this.root.dataset.panel = String(this.state.panel);
    this.stage.applyLook();
    this.showPanel();
  }

  private showPanel() {
    this.panel.set(this.state, this.stage.range[0], this.stage.range[1], this.stage.field.sent);
  }

  private shown() {
    this.stage.applyColours();
    this.showPanel();
    this.showTime();
    this.link.write();
    if (!this.player.playing) void this.refreshSelection();
  }

  private showTime() {
    this.player.showTime();
    const facts = this.stage.frame?.facts;
    if (facts) this.stage.overlay.setCaption(`t = ${number(facts.time, 4)} s · ${count(this.stage.bodies?.present ?? 0)} bodies · ${count(facts.contacts)} contacts`);
    if (this.state.panel) this.panel.setTime(this.player.time, this.state.tab);
  }

  private async refreshSelection() {
    if (this.state.selected) await this.picker.refresh();
  }

  private fit(others: Bundle[] = []) {
    this.stage.fit(others);
    this.link.write();
  }

  private toggleTheme() {
    this.set({ theme: this.state.theme === "light" ? "dark" : "light" });
  }

  private async copyLink() {
    if (await this.link.copy()) this.messages.note("The link is on the clipboard.");
  }

  // --- input -------------------------------------------------------------------------------------------------

  private listen() {
    const { canvas } = this.stage;
    new ResizeObserver(() => this.stage.resize()).observe(this.stage.element);
    this.stage.resize();
    let down = [0, 0];
    canvas.addEventListener("pointerdown", (event) => (down = [event.clientX, event.clientY]));
    canvas.addEventListener("click", (event) => {
      // A click, not the end of a drag.
      if (Math.hypot(event.clientX - down[0], event.clientY - down[1]) <= kClick && this.stage.bodies) this.picker.pick(event.clientX, event.clientY);
    });
    window.addEventListener("keydown", (event) => this.key(event));
    window.addEventListener("hashchange", () => {
      readLink(this.state, window.location.hash);
      if (this.state.camera.length === 6 && this.stage.bodies) this.stage.placeCamera(this.state.camera);
      this.applyLook();
      void this.attempt(() => this.player.show(Math.min(this.state.frame, this.player.index.frames - 1)));
    });
    canvas.addEventListener("webglcontextlost", () => this.messages.say("The graphics card let go of the picture", "Reload the page to go on."));
  }

  private key(event: KeyboardEvent) {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || (target.matches("input[type=text], select") && event.key !== "Escape")) return;
    const step = event.shiftKey ? 10 : 1;
    const keys: Record<string, () => void> = {
      " ": () => this.player.toggle(),
      ArrowLeft: () => void this.player.pointAt(this.state.frame - step),
      ArrowRight: () => void this.player.pointAt(this.state.frame + step),
      Home: () => void this.player.pointAt(0),
      End: () => void this.player.pointAt(Infinity),
      f: () => this.fit(),
      p: () => void this.recorder.picture(),
      v: () => void this.recorder.record(event.shiftKey),
      l: () => void this.copyLink(),
      t: () => this.toggleTheme(),
      s: () => this.set({ panel: !this.state.panel }),
      Escape: () => (this.recorder.recording ? this.recorder.stop() : void this.picker.select("")),
    };
    const action = keys[event.key] ?? keys[event.key.toLowerCase()];
    if (!action) return;
    event.preventDefault();
    action();
  }

  private async attempt(action: () => Promise<void>) {
    try {
      await action();
    } catch (error) {
      if (this.stage.frame) this.messages.note(words(error), "frame");
      else this.messages.say("These results cannot be shown", words(error));
    }
  }
}
