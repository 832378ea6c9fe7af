/** What to look at: the bodies that matter, without strays and endless floors. */
import * as THREE from "three";
import { Bodies, kObstacle } from "./bodies";

/** Share of bodies on either side that may be strays. */
const kStray = 0.01;
/** A body smaller than this share of the scene is taken as the ball around it. */
const kSmall = 0.05;
/** A run that takes more than so many times the room of its first bodies is not shown whole. */
const kFar = 6;

/** Box of an obstacle's surface in the frame at hand. */
function surfaceBox(bodies: Bodies, body: number): THREE.Box3 {
  const shape = bodies.shapes[bodies.scene.arrays["body.shape"][body]];
  const matrix = bodies.matrix(body);
  const box = new THREE.Box3();
  if (!shape || !matrix) return box;
  const local = new THREE.Box3();
  if (shape.triangles) local.setFromArray(shape.triangles.position);
  for (const { rows } of shape.ellipsoids) {
    const centre = new THREE.Vector3(rows[3], rows[7], rows[11]);
    const reach = new THREE.Vector3(...[0, 4, 8].map((r) => Math.hypot(rows[r], rows[r + 1], rows[r + 2])));
    local.union(new THREE.Box3(centre.clone().sub(reach), centre.clone().add(reach)));
  }
  return local.isEmpty() ? box : local.applyMatrix4(matrix);
}

/** Box of moving bodies, strays left out. */
function movingBox(bodies: Bodies): THREE.Box3 {
  const places: number[][] = [[], [], []];
  let radius = 0;
  for (let b = 0; b < bodies.count; ++b) {
    if (bodies.kind[b] === kObstacle) continue;
    const centre = bodies.centre(b);
    if (!centre) continue;
    radius = Math.max(radius, bodies.radius[b]);
    centre.toArray().forEach((v, k) => places[k].push(v));
  }
  const n = places[0].length;
  if (!n) return new THREE.Box3();
  if (n < 50) return bodies.bounds();
  const out = Math.floor(kStray * n);
  const box = new THREE.Box3();
  places.forEach((values, k) => {
    const sorted = Float32Array.from(values).sort();
    box.min.setComponent(k, sorted[out] - radius);
    box.max.setComponent(k, sorted[n - 1 - out] + radius);
  });
  return box;
}

/** What a picture of everything should hold: balls that must be seen whole, and the box around them. */
export interface Framing {
  box: THREE.Box3;
  balls: { centre: THREE.Vector3; radius: number }[];
}

function corners(box: THREE.Box3): Framing["balls"] {
  return [0, 1, 2, 3, 4, 5, 6, 7].map((k) => ({ centre: new THREE.Vector3(k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y, k & 4 ? box.max.z : box.min.z), radius: 0 }));
}

/** What must be seen of a body: its corners where it is large, for a plate fills little of the ball around it. */
function outline(bodies: Bodies, body: number, size: number): Framing["balls"] {
  const matrix = bodies.matrix(body);
  const shape = bodies.shapes[bodies.scene.arrays["body.shape"][body]];
  if (!matrix) return [];
  if (!shape?.triangles || shape.ellipsoids.length || bodies.radius[body] < kSmall * size) return [{ centre: bodies.centre(body)!, radius: bodies.radius[body] }];
  const { position } = shape.triangles;
  return Array.from({ length: position.length / 3 }, (_, k) => ({ centre: new THREE.Vector3().fromArray(position, 3 * k).applyMatrix4(matrix), radius: 0 }));
}

export function framing(bodies: Bodies): Framing {
  const moving = movingBox(bodies);
  if (moving.isEmpty()) {
    const all = new THREE.Box3();
    for (let b = 0; b < bodies.count; ++b) all.union(surfaceBox(bodies, b));
    const box = all.isEmpty() ? new THREE.Box3(new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1)) : all;
    return { box, balls: corners(box) };
  }
  // Obstacles count when they do not make the picture much larger.
  const size = moving.getSize(new THREE.Vector3()).length();
  const box = moving.clone();
  const balls: Framing["balls"] = [];
  for (let b = 0; b < bodies.count; ++b) {
    if (bodies.kind[b] === kObstacle) {
      const own = surfaceBox(bodies, b);
      if (own.isEmpty() || own.getSize(new THREE.Vector3()).length() >= 2.2 * size) continue;
      box.union(own);
      for (const ball of outline(bodies, b, size)) balls.push(ball);
    } else {
      const centre = bodies.centre(b);
      if (centre && moving.containsPoint(centre)) for (const ball of outline(bodies, b, size)) balls.push(ball);
    }
  }
  return { box, balls };
}

/** A picture of several moments; of the first alone where the others lie far apart: a stray would make everything small. */
export function framingOfAll(moments: Framing[]): Framing {
  const [first] = moments;
  const box = first.box.clone();
  for (const moment of moments) box.union(moment.box);
  const size = (b: THREE.Box3) => b.getSize(new THREE.Vector3()).length();
  return size(box) > kFar * size(first.box) ? first : { box, balls: moments.flatMap((moment) => moment.balls) };
}

/** True when obstacles stand around the moving bodies and would hide them. */
export function hides(bodies: Bodies): boolean {
  const moving = movingBox(bodies);
  if (moving.isEmpty()) return false;
  const around = new THREE.Box3();
  for (let b = 0; b < bodies.count; ++b) {
    if (bodies.kind[b] !== kObstacle) continue;
    const own = surfaceBox(bodies, b);
    // What lies under everything hides nothing.
    if (own.max.z > moving.min.z + 0.25 * (moving.max.z - moving.min.z)) around.union(own);
  }
  const centre = moving.getCenter(new THREE.Vector3());
  return !around.isEmpty() && around.containsPoint(centre);
}
