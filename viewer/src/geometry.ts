/** Shapes of a scene as triangles: fans of faces, with the sharp edges marked. */
import { Bundle } from "./bundle";

/** Edges between faces that meet at less than this angle are not drawn. */
const kSharp = Math.cos((30 * Math.PI) / 180);

export interface Ellipsoid {
  /** Rows of [axes diag(radii) | centre]. */
  rows: number[];
}

export interface Triangles {
  /** Three corners a triangle; relative to the body's reference centre. */
  position: Float32Array;
  /** Barycentric coordinates; 1 at all corners for edges that are not drawn. */
  edge: Float32Array;
  /** Numbers of the corners among the points of the shape. */
  node: Float32Array;
}

export interface Shape {
  ellipsoids: Ellipsoid[];
  triangles: Triangles | null;
  points: number;
}

export function readShapes(scene: Bundle): Shape[] {
  const a = scene.arrays;
  const shapes: Shape[] = [];
  const pieceEnd = a["shape.piece_end"];
  let piece = 0;
  for (let s = 0; s < pieceEnd.length; ++s) {
    const shape: Shape = { ellipsoids: [], triangles: null, points: 0 };
    const soup = new Soup();
    for (; piece < pieceEnd[s]; ++piece) readPiece(scene, piece, shape, soup);
    shape.triangles = soup.finish();
    shapes.push(shape);
  }
  return shapes;
}

function readPiece(scene: Bundle, piece: number, shape: Shape, soup: Soup) {
  const a = scene.arrays;
  const begin = (end: string) => (piece ? a[end][piece - 1] : 0);
  const r = a["piece.reals"].subarray(begin("piece.real_end"), a["piece.real_end"][piece]) as Float32Array;
  const kind = a["piece.kind"][piece];
  if (kind === 0) {
    shape.ellipsoids.push({ rows: [r[3], 0, 0, r[0], 0, r[3], 0, r[1], 0, 0, r[3], r[2]] });
  } else if (kind === 1) {
    const rows: number[] = [];
    for (let i = 0; i < 3; ++i) rows.push(r[6 + 3 * i] * r[3], r[7 + 3 * i] * r[4], r[8 + 3 * i] * r[5], r[i]);
    shape.ellipsoids.push({ rows });
  } else {
    const faces = a["piece.faces"].subarray(begin("piece.face_end"), a["piece.face_end"][piece]) as Int32Array;
    soup.add(r, faces, shape.points);
    shape.points += r.length / 3;
  }
}

/** Triangles of several pieces. */
class Soup {
  private position: number[] = [];
  private edge: number[] = [];
  private node: number[] = [];

  add(points: Float32Array, faces: Int32Array, firstNode: number) {
    const polygons: Int32Array[] = [];
    for (let at = 0; at < faces.length; at += 1 + faces[at]) polygons.push(faces.subarray(at + 1, at + 1 + faces[at]));
    const sharp = sharpEdges(points, polygons);
    for (const polygon of polygons) {
      const n = polygon.length;
      for (let i = 1; i + 1 < n; ++i) {
        const corners = [polygon[0], polygon[i], polygon[i + 1]];
        // The edge opposite to a corner is where its coordinate is 0.
        const drawn = [sharp.has(key(corners[1], corners[2])), i + 2 === n && sharp.has(key(corners[2], corners[0])), i === 1 && sharp.has(key(corners[0], corners[1]))];
        for (let c = 0; c < 3; ++c) {
          const p = corners[c];
          this.position.push(points[3 * p], points[3 * p + 1], points[3 * p + 2]);
          for (let e = 0; e < 3; ++e) this.edge.push(!drawn[e] || e === c ? 1 : 0);
          this.node.push(firstNode + p);
        }
      }
    }
  }

  finish(): Triangles | null {
    if (!this.position.length) return null;
    return { position: new Float32Array(this.position), edge: new Float32Array(this.edge), node: new Float32Array(this.node) };
  }
}

function key(a: number, b: number): number {
  return a < b ? a * 0x4000000 + b : b * 0x4000000 + a;
}

function normal(points: Float32Array, polygon: Int32Array): number[] {
  // Newell's sum: right for polygons that are not quite plane.
  const n = [0, 0, 0];
  for (let i = 0; i < polygon.length; ++i) {
    const a = 3 * polygon[i];
    const b = 3 * polygon[(i + 1) % polygon.length];
    n[0] += (points[a + 1] - points[b + 1]) * (points[a + 2] + points[b + 2]);
    n[1] += (points[a + 2] - points[b + 2]) * (points[a] + points[b]);
    n[2] += (points[a] - points[b]) * (points[a + 1] + points[b + 1]);
  }
  const length = Math.hypot(n[0], n[1], n[2]) || 1;
  return n.map((v) => v / length);
}

/** Edges of one face only, or between faces that meet at an angle. */
function sharpEdges(points: Float32Array, polygons: Int32Array[]): Set<number> {
  const seen = new Map<number, number[]>();
  const sharp = new Set<number>();
  for (const polygon of polygons) {
    const n = normal(points, polygon);
    for (let i = 0; i < polygon.length; ++i) {
      const edge = key(polygon[i], polygon[(i + 1) % polygon.length]);
      const other = seen.get(edge);
      if (!other) {
        seen.set(edge, n);
        sharp.add(edge);
      } else if (n[0] * other[0] + n[1] * other[1] + n[2] * other[2] > kSharp) {
        sharp.delete(edge);
      }
    }
  }
  return sharp;
}
