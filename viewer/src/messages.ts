/** Words over the picture: what the page cannot go on without, and lines that go away. */
import { h } from "./dom";
import { SourceError } from "./source";

const kNoticeMilliseconds = 4000;

export function words(error: unknown): string {
  return error instanceof SourceError || error instanceof Error ? error.message : String(error);
}

export class Messages {
  readonly message = h("div", { class: "message", role: "alert", hidden: true });
  readonly notice = h("div", { class: "notice", role: "status", hidden: true });
  private timer = 0;

  /** Something the page cannot go on without. */
  say(title: string, text: string) {
    this.message.replaceChildren(h("h2", {}, title), h("p", {}, text));
    this.message.hidden = false;
  }

  unsay() {
    this.message.hidden = true;
  }

  /** A line that goes away; of the kind "server" only when the server is back. */
  note(text: string, kind = "") {
    this.notice.textContent = text;
    this.notice.dataset.kind = kind;
    this.notice.hidden = false;
    window.clearTimeout(this.timer);
    if (kind !== "server") this.timer = window.setTimeout(() => (this.notice.hidden = true), kNoticeMilliseconds);
  }

  serverIsBack() {
    if (this.notice.dataset.kind === "server") this.notice.hidden = true;
  }
}
