/** Pictures, videos and frame sequences as files. */
import { Overlay } from "./overlay";
import { View } from "./view";

/** The picture with its overlays on a canvas of its own. */
export function compose(view: View, overlay: Overlay, target = document.createElement("canvas")): HTMLCanvasElement {
  view.draw();
  const source = view.canvas;
  if (target.width !== source.width || target.height !== source.height) [target.width, target.height] = [source.width, source.height];
  const g = target.getContext("2d")!;
  g.drawImage(source, 0, 0);
  overlay.paint(g, view, source.clientWidth, source.clientHeight, source.width / Math.max(1, source.clientWidth));
  return target;
}

export function save(blob: Blob, name: string) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

export function png(canvas: HTMLCanvasElement): Promise<Blob> {
  return new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the picture cannot be encoded"))), "image/png"));
}

/** A video where the browser can record one, else null. `show` puts a frame on the screen; stop when `cancelled`. */
export async function video(view: View, overlay: Overlay, frames: number[], rate: number, show: (frame: number) => Promise<void>, cancelled: () => boolean): Promise<Blob | null> {
  const type = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"].find((t) => window.MediaRecorder?.isTypeSupported(t));
  if (!type) return null;
  const canvas = compose(view, overlay);
  const stream = canvas.captureStream(0);
  const track = stream.getVideoTracks()[0] as CanvasCaptureMediaStreamTrack;
  const recorder = new MediaRecorder(stream, { mimeType: type, videoBitsPerSecond: 12e6 });
  const parts: Blob[] = [];
  recorder.ondataavailable = (event) => parts.push(event.data);
  const done = new Promise<void>((resolve) => (recorder.onstop = () => resolve()));
  recorder.start();
  for (const frame of frames) {
    if (cancelled()) break;
    const due = performance.now() + 1000 / rate;
    await show(frame);
    compose(view, overlay, canvas);
    track.requestFrame();
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
  }
  recorder.stop();
  await done;
  return new Blob(parts, { type });
}

/** Pictures of frames in an archive (zip, stored). */
export async function sequence(view: View, overlay: Overlay, frames: number[], show: (frame: number) => Promise<void>, cancelled: () => boolean): Promise<Blob> {
  const files: { name: string; data: Uint8Array }[] = [];
  for (const frame of frames) {
    if (cancelled()) break;
    await show(frame);
    const blob = await png(compose(view, overlay));
    files.push({ name: `frame_${String(frame).padStart(6, "0")}.png`, data: new Uint8Array(await blob.arrayBuffer()) });
  }
  return zip(files);
}

const kCrc = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; ++k) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c >>> 0;
});

function crc32(data: Uint8Array): number {
  let c = 0xffffffff;
  for (const byte of data) c = kCrc[(c ^ byte) & 255] ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}

function words(...values: [number, 2 | 4][]): Uint8Array {
  const bytes = new Uint8Array(values.reduce((sum, [, size]) => sum + size, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [value, size] of values) {
    if (size === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += size;
  }
  return bytes;
}

function zip(files: { name: string; data: Uint8Array }[]): Blob {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const { name, data } of files) {
    const label = new TextEncoder().encode(name);
    const common = words([20, 2], [0, 2], [0, 2], [0, 2], [0x21, 2], [crc32(data), 4], [data.length, 4], [data.length, 4], [label.length, 2], [0, 2]);
    const head = words([0x04034b50, 4]);
    parts.push(head, common, label, data);
    directory.push(words([0x02014b50, 4], [20, 2]), common, words([0, 2], [0, 2], [0, 2], [0, 4], [offset, 4]), label);
    offset += head.length + common.length + label.length + data.length;
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  const tail = words([0x06054b50, 4], [0, 2], [0, 2], [files.length, 2], [files.length, 2], [size, 4], [offset, 4], [0, 2]);
  return new Blob([...parts, ...directory, tail] as BlobPart[], { type: "application/zip" });
}
