/** The thing selected: a body or a contact, marked in the picture, with its numbers and histories in the panel. */
import { Messages, words } from "./messages";
import { Panel } from "./panel";
import { Source } from "./source";
import { Stage } from "./stage";
import { State } from "./state";

export class Picker {
  /** Called when something else is selected. */
  onChange: () => void = () => {};

  constructor(
    private readonly state: State,
    private readonly source: Source,
    private readonly stage: Stage,
    private readonly panel: Panel,
    private readonly messages: Messages,
  ) {
    panel.selection.onBody = (row) => void this.select(`b${row}`);
    panel.selection.onContact = (n) => void this.select(`c${n}`);
    panel.selection.onClose = () => void this.select("");
  }

  /** Select what is drawn at a place on the page. */
  pick(x: number, y: number) {
    const id = this.stage.view.pick(x, y);
    void this.select(id <= 0 ? "" : id > 0x40000000 ? `c${id - 0x40000001}` : `b${id - 1}`);
  }

  /** "b12": a body's row, "c3": a contact of the frame, "": nothing. open: bring the panel's page to the front. */
  async select(what: string, open = true) {
    this.state.selected = what;
    this.onChange();
    const row = what.startsWith("b") ? Number(what.slice(1)) : -1;
    const contact = what.startsWith("c") ? Number(what.slice(1)) : -1;
    this.stage.mark(row, contact);
    if (row < 0 && contact < 0) {
      this.panel.selection.clear();
      return;
    }
    if (open) this.panel.showSelection();
    await this.refresh();
    const history = row >= 0 ? this.source.history(row) : this.source.contact(this.state.frame, contact).then((c) => this.source.pairHistory(c.bodies[0]?.row ?? -1, c.bodies[1]?.row ?? -1));
    try {
      const bundle = await history;
      if (this.state.selected !== what) return;
      this.panel.selection.history(bundle);
      this.panel.selection.setTime(this.stage.frame?.facts.time ?? 0);
    } catch (error) {
      this.messages.note(words(error));
    }
  }

  /** Numbers of the selected thing in the frame at hand. */
  async refresh() {
    const what = this.state.selected;
    try {
      if (what.startsWith("b")) {
        const body = await this.source.body(this.state.frame, Number(what.slice(1)));
        for (const c of body.strongest ?? []) c.name = this.stage.bodyName(c.other);
        if (this.state.selected === what) this.panel.selection.body(body);
      } else if (what.startsWith("c")) {
        const contact = await this.source.contact(this.state.frame, Number(what.slice(1)));
        if (this.state.selected === what) this.panel.selection.contact(contact);
      }
    } catch (error) {
      // Contacts are numbered anew in every frame.
      if (what.startsWith("c")) void this.select("");
      else this.messages.note(words(error));
    }
  }
}
