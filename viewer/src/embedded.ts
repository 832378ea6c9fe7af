/** Results inside the page: what `scree view --export` writes. */
import { Bundle, decode } from "./bundle";
import { Index, Range, Source, SourceError } from "./source";

/** Every part is a script element of this type: base64 of a gzipped bundle. */
const kType = "application/x-scree";

export class EmbeddedSource implements Source {
  readonly exported = true;
  private readonly kept = new Map<string, Promise<Bundle>>();

  static present(): boolean {
    return document.querySelector(`script[type="${kType}"]`) !== null;
  }

  private part(name: string): Promise<Bundle> {
    let bundle = this.kept.get(name);
    if (!bundle) {
      bundle = this.load(name);
      this.kept.set(name, bundle);
    }
    return bundle;
  }

  private async load(name: string): Promise<Bundle> {
    const element = document.querySelector(`script[type="${kType}"][data-name="${CSS.escape(name)}"]`);
    if (!element) throw new SourceError(`This page does not hold '${name}'.`);
    const text = atob((element.textContent ?? "").trim());
    const bytes = Uint8Array.from(text, (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return decode(await new Response(stream).arrayBuffer());
  }

  async index(): Promise<Index> {
    return (await this.part("index")).facts as Index;
  }
  scene = () => this.part("scene");
  series = () => this.part("series");
  frame = (frame: number) => this.part(`frame/${frame}`);
  contacts = (frame: number) => this.part(`contacts/${frame}`);

  async range(field: string): Promise<Range> {
    return (await this.part("index")).facts.ranges[field];
  }

  private async place(frame: number, row: number): Promise<{ bundle: Bundle; at: number }> {
    const bundle = await this.frame(frame);
    const rows = bundle.arrays.row;
    return { bundle, at: rows ? rows.indexOf(row as never) : row };
  }

  async body(frame: number, row: number): Promise<any> {
    const [scene, { bundle, at }] = await Promise.all([this.scene(), this.place(frame, row)]);
    const a = scene.arrays;
    const kinds = ["rigid", "pseudo-rigid", "finite elements", "obstacle"];
    const texts: string[] = scene.facts.texts;
    const b: any = { row, id: a["body.id"][row], label: texts[a["body.label"][row]], material: texts[a["body.material"][row]], kind: kinds[a["body.kind"][row]], mass: a["body.mass"][row], volume: a["body.volume"][row] };
    const f = bundle.arrays;
    if (at < 0 || 3 * at >= f.position.length) return b;
    const three = (values: ArrayLike<number>, shift = [0, 0, 0]) => [0, 1, 2].map((k) => values[3 * at + k] + shift[k]);
    b.position = three(f.position, scene.facts.origin);
    b.velocity = three(f.velocity);
    b.angular_velocity = three(f.angular_velocity);
    b.displacement = f["value.displacement"][at];
    b.kinetic_energy = f["value.kinetic_energy"][at];
    b.force = f["value.force"][at];
    return b;
  }

  async contact(frame: number, number: number): Promise<any> {
    const [scene, bundle] = await Promise.all([this.scene(), this.contacts(frame)]);
    const c = bundle.arrays;
    const at = c.number.indexOf(number as never);
    if (at < 0) throw new SourceError(`This page does not hold contact ${number}.`);
    const a = scene.arrays;
    const side = (row: number) => (row < 0 ? null : { row, id: a["body.id"][row], label: scene.facts.texts[a["body.label"][row]] });
    const three = (values: ArrayLike<number>, shift = [0, 0, 0]) => [0, 1, 2].map((k) => values[3 * at + k] + shift[k]);
    const local = three(c.local_force);
    return {
      number,
      kind: ["contact", "fixed point", "fixed direction", "prescribed motion", "link", "limit"][c.type[at]],
      bodies: [side(c.pair[2 * at]), side(c.pair[2 * at + 1])],
      point: three(c.point, scene.facts.origin),
      normal: three(c.normal),
      gap: c.gap[at],
      normal_force: local[0],
      tangential_force: Math.hypot(local[1], local[2]),
      velocity: three(c.velocity),
    };
  }

  private async frames(): Promise<number> {
    return (await this.index()).frames;
  }

  async history(row: number): Promise<Bundle> {
    const origin = (await this.scene()).facts.origin;
    const time: number[] = [];
    const position: number[] = [];
    const velocity: number[] = [];
    const angular: number[] = [];
    const force: number[] = [];
    for (let k = 0, n = await this.frames(); k < n; ++k) {
      const { bundle, at } = await this.place(k, row);
      const f = bundle.arrays;
      if (at < 0 || 3 * at >= f.position.length) continue;
      time.push(bundle.facts.time);
      for (let i = 0; i < 3; ++i) {
        position.push(f.position[3 * at + i] + origin[i]);
        velocity.push(f.velocity[3 * at + i]);
        angular.push(f.angular_velocity[3 * at + i]);
      }
      force.push(f["value.force"][at]);
    }
    const list = (values: number[]) => Float64Array.from(values);
    return { facts: { kind: "history" }, arrays: { time: list(time), position: list(position), velocity: list(velocity), angular_velocity: list(angular), force_time: list(time), force: list(force) }, bytes: 0 };
  }

  async pairHistory(first: number, second: number): Promise<Bundle> {
    const time: number[] = [];
    const normal: number[] = [];
    const friction: number[] = [];
    const gap: number[] = [];
    for (let k = 0, n = await this.frames(); k < n; ++k) {
      const bundle = await this.contacts(k);
      const c = bundle.arrays;
      let sumN = 0;
      let sumT = 0;
      let least = NaN;
      for (let i = 0; i < c.number.length; ++i) {
        const [a, b] = [c.pair[2 * i], c.pair[2 * i + 1]];
        if (!((a === first && b === second) || (a === second && b === first))) continue;
        sumN += c.local_force[3 * i];
        sumT += Math.hypot(c.local_force[3 * i + 1], c.local_force[3 * i + 2]);
        least = Number.isNaN(least) ? c.gap[i] : Math.min(least, c.gap[i]);
      }
      time.push(bundle.facts.time);
      normal.push(sumN);
      friction.push(sumT);
      gap.push(least);
    }
    const list = (values: number[]) => Float64Array.from(values);
    return { facts: { kind: "pair_history" }, arrays: { time: list(time), normal_force: list(normal), tangential_force: list(friction), gap: list(gap) }, bytes: 0 };
  }
}
