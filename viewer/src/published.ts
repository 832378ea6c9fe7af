/** What scripts and tests reach as `window.scree`: `scree.counters`, `scree.seek(3)`, `scree.set({field: "force"})`. */
import * as capture from "./capture";
import { Line } from "./chart";
import { Panel } from "./panel";
import { Player } from "./player";
import { Stage } from "./stage";
import { State } from "./state";

export function publish(state: State, stage: Stage, player: Player, panel: Panel, set: (change: Partial<State>) => void, fit: () => void) {
  (window as any).scree = {
    state,
    get counters() {
      return {
        ready: stage.begun,
        frame: state.frame,
        frames: player.index.frames,
        time: stage.frame?.facts.time ?? null,
        bodies: stage.bodies?.present ?? 0,
        obstacles: stage.bodies?.presentObstacles ?? 0,
        contacts: stage.contacts.drawn,
        drawCalls: stage.view.drawCalls,
        frameBytes: stage.frame?.bytes ?? 0,
        contactBytes: stage.contactBundle?.bytes ?? 0,
        firstPictureMilliseconds: player.firstPicture,
        framesPerSecond: player.framesPerSecond,
        growing: player.index.growing,
        following: player.following,
        range: [...stage.range],
      };
    },
    /** Numbers of the plots, by title. */
    get plots() {
      const numbers = (lines: Line[]) => Object.fromEntries(lines.map((line) => [line.name.trim(), Array.from(line.y)]));
      const own = Object.entries(panel.selection.lines).map(([title, lines]) => [title, numbers(lines)]);
      return { energies: numbers(panel.energies), ...Object.fromEntries(own) };
    },
    seek: (frame: number) => player.pointAt(frame),
    set,
    fit,
    /** Bodies that can be seen, with the number of their pixels. */
    visibleBodies: () => Object.fromEntries(stage.view.visibleBodies()),
    /** Where the centre of a body is on the page. */
    screen: (row: number) => {
      const centre = stage.bodies?.centre(row);
      if (!centre) return null;
      const p = centre.project(stage.view.camera);
      const rect = stage.canvas.getBoundingClientRect();
      return [rect.left + (0.5 + 0.5 * p.x) * rect.width, rect.top + (0.5 - 0.5 * p.y) * rect.height];
    },
    draw: () => {
      stage.view.draw();
      const gl = stage.view.renderer.getContext();
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
    },
    /** Who draws: the graphics card's name. */
    get renderer() {
      return stage.view.rendererName();
    },
    /** Milliseconds to decode a frame and to order its bodies. */
    benchmark: (times: number) => {
      const begun = performance.now();
      for (let k = 0; k < times; ++k) stage.bodies!.show(stage.frame!, stage.bodyValues(), null);
      const between = performance.now();
      for (let k = 0; k < times; ++k) stage.bodies!.sort(stage.view.camera.position);
      return { decode: (between - begun) / times, sort: (performance.now() - between) / times };
    },
    picture: () => capture.compose(stage.view, stage.overlay).toDataURL("image/png"),
  };
}
