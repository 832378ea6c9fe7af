/** Play, step and point at frames. */
import { button, h, icon, select } from "./dom";
import { number } from "./format";

export interface TimelineActions {
  seek(frame: number): void;
  step(by: number): void;
  toggle(): void;
  rate(value: number): void;
  loop(): void;
  follow(): void;
}

export class Timeline {
  readonly element: HTMLElement;
  private readonly play: HTMLButtonElement;
  private readonly slider: HTMLInputElement;
  private readonly time = h("output", { class: "time" });
  private readonly counter = h("output", { class: "frame-number" });
  private readonly rate: HTMLSelectElement;
  private readonly repeat: HTMLButtonElement;
  private readonly live: HTMLButtonElement;

  constructor(actions: TimelineActions) {
    this.play = button("play", "Play or pause (space)", actions.toggle);
    this.slider = h("input", { type: "range", min: 0, max: 0, value: 0, step: 1, "aria-label": "frame", class: "slider" });
    this.slider.addEventListener("input", () => actions.seek(Number(this.slider.value)));
    const rates: [string, string][] = [2, 5, 10, 25, 50].map((r) => [String(r), `${r} fps`]);
    this.rate = select("rate", rates, (value) => actions.rate(Number(value)));
    this.repeat = button("loop", "Repeat", actions.loop);
    this.live = h("button", { class: "live", title: "Follow the run as frames arrive (End)", hidden: true, onClick: actions.follow }, "Live");
    this.element = h(
      "div",
      { class: "timeline" },
      h(
        "div",
        { class: "group" },
        button("first", "First frame (Home)", () => actions.seek(0)),
        button("back", "One frame back (←)", () => actions.step(-1)),
        this.play,
        button("forward", "One frame on (→)", () => actions.step(1)),
        button("last", "Last frame (End)", () => actions.seek(Infinity)),
      ),
      this.slider,
      this.time,
      this.counter,
      h("div", { class: "group" }, this.live, this.rate, this.repeat),
    );
  }

  set(frame: number, frames: number, time: number) {
    this.slider.max = String(Math.max(0, frames - 1));
    this.slider.value = String(frame);
    this.slider.style.setProperty("--share", String(frames > 1 ? frame / (frames - 1) : 0));
    this.time.textContent = `${number(time, 5)} s`;
    this.counter.textContent = frames ? `${frame + 1} / ${frames}` : "0 / 0";
  }

  setPlaying(playing: boolean) {
    this.play.replaceChildren(icon(playing ? "pause" : "play"));
    this.play.dataset.playing = String(playing);
  }

  setRate(rate: number, span: number | null) {
    this.rate.value = String(rate);
    this.rate.title = span === null ? "Frames a second" : `Frames a second; ${number(rate * span, 2)} times real time`;
  }

  setLoop(on: boolean) {
    this.repeat.setAttribute("aria-pressed", String(on));
  }

  setLive(growing: boolean, following: boolean) {
    this.live.hidden = !growing;
    this.live.setAttribute("aria-pressed", String(following));
  }
}
