/** Which frame is shown: pointing at one, playing, following a run that goes on. */
import { Bundle } from "./bundle";
import { Frames } from "./frames";
import { Index, Source } from "./source";
import { Stage } from "./stage";
import { State } from "./state";
import { Timeline } from "./timeline";

const kRatesKept = 40;

export class Player {
  readonly timeline = new Timeline({
    seek: (frame) => void this.pointAt(frame),
    step: (by) => void this.pointAt(this.state.frame + by),
    toggle: () => this.toggle(),
    rate: (rate) => this.onChange({ rate }),
    loop: () => this.onChange({ loop: !this.state.loop }),
    follow: () => void this.pointAt(Infinity),
  });
  index: Index = { frames: 0, bodies: 0, shapes: 0, generation: -1, growing: false, title: "", path: "" };
  playing = false;
  following = false;
  /** Milliseconds after the page's start at which the first picture was drawn; 0: not yet. */
  firstPicture = 0;
  /** Called when a frame is on the screen. */
  onShown: () => void = () => {};
  /** Called when playing has ended. */
  onPaused: () => void = () => {};
  /** Called with what the user chose in the timeline. */
  onChange: (change: Partial<State>) => void = () => {};
  private times: ArrayLike<number> = [];
  private wanted = 0;
  private readonly frames: Frames;
  private readonly rates: number[] = [];

  /** `attempt` runs an action and tells the reader of the page when it fails. */
  constructor(
    private readonly state: State,
    private readonly source: Source,
    private readonly stage: Stage,
    private readonly attempt: (action: () => Promise<void>) => Promise<void>,
  ) {
    this.frames = new Frames(source);
  }

  get time(): number {
    return this.stage.frame?.facts.time ?? 0;
  }

  /** Median of the last pictures a second while playing. */
  get framesPerSecond(): number {
    const rates = this.rates.slice().sort((a, b) => a - b);
    return rates.length ? rates[Math.floor(rates.length / 2)] : 0;
  }

  /** Forget what was fetched: the file is another one. */
  forget() {
    this.frames.clear();
    this.stage.ranges.clear();
  }

  useSeries(series: Bundle) {
    this.times = series.arrays["frame.time"];
  }

  frameAt(time: number): number {
    let best = 0;
    for (let k = 0; k < this.times.length; ++k) if (Math.abs(this.times[k] - time) < Math.abs(this.times[best] - time)) best = k;
    return best;
  }

  async pointAt(frame: number) {
    this.pause();
    const last = this.index.frames - 1;
    this.following = frame >= last && this.index.growing;
    await this.attempt(() => this.show(Math.max(0, Math.min(last, frame))));
  }

  /** Bring a frame onto the screen; only the one asked for last gets there. */
  async show(frame: number): Promise<void> {
    if (!this.stage.bodies || frame < 0) return;
    const turn = ++this.wanted;
    const field = this.stage.field;
    const wantsContacts = this.state.contacts !== "none";
    const [bundle, contacts] = await Promise.all([this.frames.frame(frame, field.sent ? field.name : null), wantsContacts ? this.frames.contacts(frame) : null]);
    const missing = [field.sent && this.state.range === "run" ? field.name : "", wantsContacts ? "contact" : ""];
    for (const name of missing) if (name && !this.stage.ranges.has(name)) this.stage.ranges.set(name, await this.source.range(name));
    if (turn !== this.wanted) return;
    this.state.frame = frame;
    this.stage.show(bundle, contacts);
    if (!this.firstPicture) {
      this.stage.view.draw();
      this.firstPicture = performance.now();
    }
    this.onShown();
  }

  /** The middle and the end of a run that is over. */
  moments(): Promise<Bundle[]> {
    const last = this.index.frames - 1;
    const others = this.index.growing ? [] : [Math.floor(last / 2), last].filter((frame, k, all) => frame !== this.state.frame && all.indexOf(frame) === k);
    const field = this.stage.field;
    return Promise.all(others.map((frame) => this.frames.frame(frame, field.sent ? field.name : null)));
  }

  /** Frame, time and speed in the timeline. */
  showTime() {
    this.timeline.set(this.state.frame, this.index.frames, this.time);
    const span = this.times.length > 1 ? (this.times[this.times.length - 1] - this.times[0]) / (this.times.length - 1) : null;
    this.timeline.setRate(this.state.rate, span);
    this.timeline.setLoop(this.state.loop);
    this.timeline.setLive(this.index.growing, this.following);
  }

  toggle() {
    this.playing = !this.playing;
    this.timeline.setPlaying(this.playing);
    if (this.playing) void this.play();
  }

  pause() {
    this.playing = false;
    this.timeline.setPlaying(false);
  }

  private async play() {
    this.following = false;
    while (this.playing && this.index.frames > 1) {
      const due = performance.now() + 1000 / this.state.rate;
      const next = this.state.frame + 1;
      if (next >= this.index.frames && !this.state.loop) break;
      const field = this.stage.field;
      this.frames.prefetch(next % this.index.frames, this.index.frames, field.sent ? field.name : null, this.state.contacts !== "none");
      const begun = performance.now();
      await this.attempt(() => this.show(next % this.index.frames));
      await new Promise((resolve) => requestAnimationFrame(resolve));
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
      this.rates.push(1000 / (performance.now() - begun));
      if (this.rates.length > kRatesKept) this.rates.shift();
    }
    this.pause();
    this.onPaused();
  }
}
