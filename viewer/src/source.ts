/** Where results come from: the local server, or the page itself when it was exported. */
import { Bundle, decode } from "./bundle";

export interface Index {
  frames: number;
  bodies: number;
  shapes: number;
  /** Changes when the file was replaced by another one. */
  generation: number;
  growing: boolean;
  title: string;
  path: string;
}

export interface Range {
  low: number;
  high: number;
  top: number;
}

export interface Source {
  readonly exported: boolean;
  index(): Promise<Index>;
  scene(): Promise<Bundle>;
  series(): Promise<Bundle>;
  frame(frame: number, field: string | null): Promise<Bundle>;
  contacts(frame: number): Promise<Bundle>;
  range(field: string): Promise<Range>;
  body(frame: number, row: number): Promise<any>;
  contact(frame: number, number: number): Promise<any>;
  history(row: number): Promise<Bundle>;
  pairHistory(first: number, second: number): Promise<Bundle>;
}

/** A server's refusal, in words for the reader of the page. */
export class SourceError extends Error {}

export class ServerSource implements Source {
  readonly exported = false;

  private async get(path: string): Promise<Response> {
    let response: Response;
    try {
      response = await fetch(path, { cache: "no-store" });
    } catch {
      throw new SourceError("The server does not answer. Start `scree view` again and open the address it prints.");
    }
    if (!response.ok) {
      const text = await response.text();
      let message = `The server answers ${response.status}.`;
      try {
        message = JSON.parse(text).error ?? message;
      } catch {
        // Not one of the server's own answers.
      }
      throw new SourceError(message);
    }
    return response;
  }

  private async json(path: string): Promise<any> {
    return (await this.get(path)).json();
  }

  private async bundle(path: string): Promise<Bundle> {
    return decode(await (await this.get(path)).arrayBuffer());
  }

  index = () => this.json("index") as Promise<Index>;
  scene = () => this.bundle("scene");
  series = () => this.bundle("series");
  frame = (frame: number, field: string | null) => this.bundle(`frame/${frame}` + (field ? `?field=${field}` : ""));
  contacts = (frame: number) => this.bundle(`contacts/${frame}`);
  range = (field: string) => this.json(`range/${field}`) as Promise<Range>;
  body = (frame: number, row: number) => this.json(`body/${frame}/${row}`);
  contact = (frame: number, number: number) => this.json(`contact/${frame}/${number}`);
  history = (row: number) => this.bundle(`history/${row}`);
  pairHistory = (first: number, second: number) => this.bundle(`pair/${first}/${second}`);
}
