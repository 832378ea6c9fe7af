/** The address of the page, which holds everything that was chosen. */
import { State, writeLink } from "./state";

const kDelayMilliseconds = 200;

export class Link {
  private timer = 0;

  constructor(private readonly state: State) {}

  /** Write the address soon; many changes in a row become one. */
  write() {
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      const link = writeLink(this.state);
      // Pages opened from a file or inside another page may not be allowed to change their address.
      try {
        window.history.replaceState(null, "", link ? `#${link}` : window.location.pathname + window.location.search);
      } catch {
        // The view stays; only the link does not follow.
      }
    }, kDelayMilliseconds);
  }

  /** Put a link on the clipboard; true when it is there. */
  async copy(): Promise<boolean> {
    const link = `${window.location.href.split("#")[0]}#${writeLink(this.state)}`;
    try {
      await navigator.clipboard.writeText(link);
      return true;
    } catch {
      window.prompt("Link to this view", link);
      return false;
    }
  }
}
