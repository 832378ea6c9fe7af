/** Frames fetched from a source and kept while there is room. */
import { Bundle } from "./bundle";
import { Source } from "./source";

const kRoom = 384 * 1024 * 1024;
const kAhead = 4;

export class Frames {
  private readonly kept = new Map<string, Promise<Bundle>>();
  private readonly sizes = new Map<string, number>();
  private bytes = 0;

  constructor(private readonly source: Source) {}

  clear() {
    this.kept.clear();
    this.sizes.clear();
    this.bytes = 0;
  }

  frame(frame: number, field: string | null): Promise<Bundle> {
    return this.get(`f${frame}/${field ?? ""}`, () => this.source.frame(frame, field));
  }

  contacts(frame: number): Promise<Bundle> {
    return this.get(`c${frame}`, () => this.source.contacts(frame));
  }

  /** Fetch frames that playing will need next. */
  prefetch(frame: number, frames: number, field: string | null, contacts: boolean) {
    for (let k = 1; k <= Math.min(kAhead, frames - 1); ++k) {
      const next = (frame + k) % frames;
      this.frame(next, field).catch(() => {});
      if (contacts) this.contacts(next).catch(() => {});
    }
  }

  private get(key: string, load: () => Promise<Bundle>): Promise<Bundle> {
    const known = this.kept.get(key);
    if (known) {
      // Used last, thrown out last.
      this.kept.delete(key);
      this.kept.set(key, known);
      return known;
    }
    const promise = load();
    this.kept.set(key, promise);
    promise.then(
      (bundle) => {
        if (this.kept.get(key) !== promise) return;
        this.sizes.set(key, bundle.bytes);
        this.bytes += bundle.bytes;
        this.trim();
      },
      () => this.kept.delete(key),
    );
    return promise;
  }

  private trim() {
    for (const key of this.kept.keys()) {
      if (this.bytes <= kRoom) return;
      const size = this.sizes.get(key);
      if (size === undefined) continue;
      this.kept.delete(key);
      this.sizes.delete(key);
      this.bytes -= size;
    }
  }
}
