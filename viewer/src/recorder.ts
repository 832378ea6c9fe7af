/** Saving what the page shows: a picture, a video, all frames as pictures. */
import * as capture from "./capture";
import { Messages } from "./messages";
import { Player } from "./player";
import { Stage } from "./stage";
import { State } from "./state";

export class Recorder {
  recording = false;

  constructor(
    private readonly state: State,
    private readonly stage: Stage,
    private readonly player: Player,
    private readonly messages: Messages,
    private readonly attempt: (action: () => Promise<void>) => Promise<void>,
  ) {}

  private fileName(ending: string): string {
    const title = (this.player.index.title || "scree").replace(/\.py$/, "").replace(/[^\w.-]+/g, "_");
    return `${title}_${String(this.state.frame).padStart(4, "0")}.${ending}`;
  }

  async picture() {
    if (!this.stage.bodies) return;
    capture.save(await capture.png(capture.compose(this.stage.view, this.stage.overlay)), this.fileName("png"));
  }

  /** A video of all frames, or with `pictures` (and where the browser records none) an archive of pictures; called again: stop. */
  async record(pictures: boolean) {
    if (!this.stage.bodies || this.recording) {
      this.recording = false;
      return;
    }
    this.recording = true;
    this.player.pause();
    const all = Array.from({ length: this.player.index.frames }, (_, k) => k);
    const from = this.state.frame;
    const show = async (frame: number) => {
      this.messages.note(`Recording frame ${frame + 1} of ${all.length}; Escape stops.`);
      await this.player.show(frame);
    };
    const cancelled = () => !this.recording;
    await this.attempt(async () => {
      const film = pictures ? null : await capture.video(this.stage.view, this.stage.overlay, all, this.state.rate, show, cancelled);
      if (film) capture.save(film, this.fileName("webm"));
      else capture.save(await capture.sequence(this.stage.view, this.stage.overlay, all, show, cancelled), this.fileName("zip"));
      this.messages.note("Saved.");
    });
    this.recording = false;
    await this.attempt(() => this.player.show(from));
  }

  stop() {
    this.recording = false;
  }
}
