/** Bundles of named arrays, as docs/results_format.md ("On the wire") describes them. */

export type Numbers = Float64Array | Float32Array | Int32Array | Int16Array | Uint16Array | Uint8Array;

export interface Bundle {
  facts: Record<string, any>;
  arrays: Record<string, Numbers>;
  /** Length of the bundle, not counting compression. */
  bytes: number;
}

const kMagic = "SCREEBUN";

const kTypes: Record<string, { new (b: ArrayBuffer, offset: number, length: number): Numbers }> = {
  f8: Float64Array,
  f4: Float32Array,
  i4: Int32Array,
  i2: Int16Array,
  u2: Uint16Array,
  u1: Uint8Array,
};

/** Views into the bytes; nothing is copied. Throws when the bytes are not a bundle. */
export function decode(buffer: ArrayBuffer): Bundle {
  const magic = buffer.byteLength >= 16 ? new TextDecoder().decode(new Uint8Array(buffer, 0, 8)) : "";
  if (magic !== kMagic) throw new Error("the server sent something that is not a bundle");
  const length = Number(new DataView(buffer).getBigUint64(8, true));
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 16, length)));
  const arrays: Record<string, Numbers> = {};
  for (const [name, spec] of Object.entries<any>(head.arrays)) {
    arrays[name] = new kTypes[spec.type](buffer, 16 + length + spec.offset, spec.rows * spec.width);
  }
  return { facts: head.facts, arrays, bytes: buffer.byteLength };
}
