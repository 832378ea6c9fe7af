/** All bodies of a scene in a handful of draw calls. */
import * as THREE from "three";
import { Bundle } from "./bundle";
import { readShapes, Shape, Triangles } from "./geometry";
import { ellipsoidFragment, ellipsoidVertex, kBodiesPerRow, kNodesPerRow, meshFragment, meshVertex } from "./shaders";

/** Shapes with at least this many bodies are drawn by instancing, the others together in one buffer. */
const kInstances = 8;
const kPiecesPerRow = 256;

export const kRigid = 0;
export const kPseudoRigid = 1;
export const kFiniteElements = 2;
export const kObstacle = 3;

/** Uniforms every material shares: one object, so that a change reaches all. */
export type Uniforms = Record<string, THREE.IUniform>;

function floatTexture(width: number, height: number): THREE.DataTexture {
  const texture = new THREE.DataTexture(new Float32Array(4 * width * height), width, height, THREE.RGBAFormat, THREE.FloatType);
  texture.needsUpdate = true;
  return texture;
}

export class Bodies {
  readonly group = new THREE.Group();
  readonly count: number;
  /** Moving bodies and obstacles of the frame at hand. */
  present = 0;
  presentObstacles = 0;
  readonly kind: Uint8Array;
  readonly radius: Float32Array;
  readonly shapes: Shape[];

  private readonly place: THREE.DataTexture;
  private readonly value: THREE.DataTexture;
  private node: THREE.DataTexture;
  private readonly shapeOf: Int32Array;
  private readonly materials: { material: THREE.RawShaderMaterial; obstacle: boolean }[] = [];
  private readonly sorted: { geometry: THREE.InstancedBufferGeometry; instances: Uint32Array; count: number }[] = [];

  constructor(
    readonly scene: Bundle,
    private readonly shared: Uniforms,
  ) {
    this.kind = scene.arrays["body.kind"] as Uint8Array;
    this.radius = scene.arrays["body.radius"] as Float32Array;
    this.shapeOf = scene.arrays["body.shape"] as Int32Array;
    this.count = this.kind.length;
    this.shapes = readShapes(scene);
    const rows = Math.max(1, Math.ceil(this.count / kBodiesPerRow));
    this.place = floatTexture(3 * kBodiesPerRow, rows);
    this.value = floatTexture(kBodiesPerRow, rows);
    this.node = floatTexture(kNodesPerRow, 1);
    this.build();
  }

  // --- what is drawn how -------------------------------------------------------------------------------------

  private build() {
    for (const obstacle of [false, true]) {
      const own: number[][] = this.shapes.map(() => []);
      for (let b = 0; b < this.count; ++b)
        if ((this.kind[b] === kObstacle) === obstacle && this.shapeOf[b] >= 0) own[this.shapeOf[b]].push(b);
      this.buildEllipsoids(own, obstacle);
      const few: [Triangles, number][] = [];
      own.forEach((bodies, s) => {
        const triangles = this.shapes[s].triangles;
        if (!triangles || !bodies.length) return;
        if (bodies.length >= kInstances) this.addMesh(triangles, instancedAttribute(bodies), bodies.length, obstacle);
        else for (const body of bodies) few.push([triangles, body]);
      });
      if (few.length) {
        const [merged, body] = merge(few);
        this.addMesh(merged, new THREE.BufferAttribute(body, 1), 0, obstacle);
      }
    }
  }

  private buildEllipsoids(own: number[][], obstacle: boolean) {
    const rows: number[] = [];
    const instances: number[] = [];
    own.forEach((bodies, s) => {
      if (!bodies.length) return;
      for (const ellipsoid of this.shapes[s].ellipsoids) {
        const piece = rows.length / 12;
        rows.push(...ellipsoid.rows);
        for (const body of bodies) instances.push(body, piece);
      }
    });
    const count = instances.length / 2;
    if (!count) return;
    const pieces = floatTexture(3 * kPiecesPerRow, Math.ceil(rows.length / 12 / kPiecesPerRow));
    (pieces.image.data as unknown as Float32Array).set(rows);
    const geometry = new THREE.InstancedBufferGeometry();
    geometry.setAttribute("corner", new THREE.BufferAttribute(new Float32Array([-1, -1, 1, -1, 1, 1, -1, 1]), 2));
    geometry.setIndex([0, 1, 2, 0, 2, 3]);
    const list = new Uint32Array(instances);
    const attribute = new THREE.InstancedBufferAttribute(new Uint32Array(instances), 2);
    attribute.gpuType = THREE.IntType;
    attribute.setUsage(THREE.DynamicDrawUsage);
    geometry.setAttribute("aInstance", attribute);
    geometry.instanceCount = count;
    this.sorted.push({ geometry, instances: list, count });
    const material = this.material(ellipsoidVertex, ellipsoidFragment, obstacle, {
      uPiece: { value: pieces },
      uPiecesPerRow: { value: kPiecesPerRow },
    });
    this.add(geometry, material);
  }

  private addMesh(triangles: Triangles, body: THREE.BufferAttribute, instances: number, obstacle: boolean) {
    const geometry = instances ? new THREE.InstancedBufferGeometry() : new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(triangles.position, 3));
    geometry.setAttribute("aEdge", new THREE.BufferAttribute(triangles.edge, 3));
    geometry.setAttribute("aNode", new THREE.BufferAttribute(triangles.node, 1));
    geometry.setAttribute("aBody", body);
    if (geometry instanceof THREE.InstancedBufferGeometry) geometry.instanceCount = instances;
    this.add(geometry, this.material(meshVertex, meshFragment, obstacle, {}));
  }

  private add(geometry: THREE.BufferGeometry, material: THREE.RawShaderMaterial) {
    const mesh = new THREE.Mesh(geometry, material);
    mesh.frustumCulled = false;
    mesh.userData.obstacle = this.materials[this.materials.length - 1].obstacle;
    this.group.add(mesh);
  }

  private material(vertexShader: string, fragmentShader: string, obstacle: boolean, own: Uniforms) {
    const material = new THREE.RawShaderMaterial({
      glslVersion: THREE.GLSL3,
      vertexShader,
      fragmentShader,
      side: THREE.DoubleSide,
      uniforms: {
        ...this.shared,
        ...own,
        uPlace: { value: this.place },
        uValue: { value: this.value },
        uNode: { value: this.node },
        uAlpha: { value: 1 },
      },
    });
    // Obstacles are grey whatever the colours of the others say.
    if (obstacle) {
      material.uniforms.uMode = { value: 0 };
      material.uniforms.uPlain = this.shared.uObstacle;
    }
    this.materials.push({ material, obstacle });
    return material;
  }

  // --- a frame -----------------------------------------------------------------------------------------------

  /** Put bodies where a frame says, with a value each for the colours. */
  show(frame: Bundle, values: Float32Array | null, nodeValues: Float32Array | null) {
    const a = frame.arrays;
    const rows = a["row"] as Int32Array | undefined;
    const position = a["position"] as Float32Array;
    const quaternion = a["quaternion"] as Int16Array;
    const gradient = a["gradient"] as Float32Array | undefined;
    const nodes = a["node"] as Float32Array | undefined;
    const place = this.place.image.data as unknown as Float32Array;
    const value = this.value.image.data as unknown as Float32Array;
    value.fill(0);
    this.present = this.presentObstacles = 0;
    let nextGradient = 0;
    let nextNode = 0;
    for (let i = 0, n = quaternion.length / 4; i < n; ++i) {
      const body = rows ? rows[i] : i;
      if (body >= this.count) continue;
      const p = 12 * body;
      if (this.kind[body] === kPseudoRigid && gradient) {
        for (let r = 0; r < 3; ++r) for (let c = 0; c < 3; ++c) place[p + 4 * r + c] = gradient[nextGradient++];
      } else {
        writeRotation(place, p, quaternion, 4 * i);
      }
      place[p + 3] = position[3 * i];
      place[p + 7] = position[3 * i + 1];
      place[p + 11] = position[3 * i + 2];
      const v = 4 * body;
      value[v] = values ? values[i] : 0;
      value[v + 1] = 1;
      value[v + 2] = -1;
      if (this.kind[body] === kFiniteElements && nodes && this.shapeOf[body] >= 0) {
        value[v + 2] = nextNode;
        value[v + 3] = nodeValues ? 1 : 0;
        nextNode += this.shapes[this.shapeOf[body]].points;
      }
      if (this.kind[body] === kObstacle) ++this.presentObstacles;
      else ++this.present;
    }
    this.place.needsUpdate = true;
    this.value.needsUpdate = true;
    if (nodes) this.showNodes(nodes, nodeValues);
  }

  private showNodes(nodes: Float32Array, values: Float32Array | null) {
    const count = nodes.length / 3;
    const height = Math.max(1, Math.ceil(count / kNodesPerRow));
    if (this.node.image.height < height) {
      this.node.dispose();
      this.node = floatTexture(kNodesPerRow, height);
      for (const { material } of this.materials) material.uniforms.uNode.value = this.node;
    }
    const data = this.node.image.data as unknown as Float32Array;
    for (let i = 0; i < count; ++i) {
      data[4 * i] = nodes[3 * i];
      data[4 * i + 1] = nodes[3 * i + 1];
      data[4 * i + 2] = nodes[3 * i + 2];
      data[4 * i + 3] = values ? values[i] : 0;
    }
    this.node.needsUpdate = true;
  }

  /** Place of a body's centre in the frame at hand; null when it is not there. */
  centre(body: number): THREE.Vector3 | null {
    const value = this.value.image.data as unknown as Float32Array;
    if (body < 0 || body >= this.count || value[4 * body + 1] < 0.5) return null;
    const place = this.place.image.data as unknown as Float32Array;
    return new THREE.Vector3(place[12 * body + 3], place[12 * body + 7], place[12 * body + 11]);
  }

  /** Place of a body in the frame at hand: x = F X + position. */
  matrix(body: number): THREE.Matrix4 | null {
    if (!this.centre(body)) return null;
    const p = (this.place.image.data as unknown as Float32Array).subarray(12 * body, 12 * body + 12);
    return new THREE.Matrix4().set(p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], p[9], p[10], p[11], 0, 0, 0, 1);
  }

  /** Nearest first, so that hidden pixels of quads are rejected before they are shaded. */
  sort(eye: THREE.Vector3) {
    const place = this.place.image.data as unknown as Float32Array;
    for (const { geometry, instances, count } of this.sorted) {
      if (count < 256) continue;
      const distance = new Float32Array(count);
      let low = Infinity;
      let high = 0;
      for (let i = 0; i < count; ++i) {
        const p = 12 * instances[2 * i];
        const d = Math.hypot(place[p + 3] - eye.x, place[p + 7] - eye.y, place[p + 11] - eye.z);
        distance[i] = d;
        if (d < low) low = d;
        if (d > high) high = d;
      }
      // Buckets are enough: order within one does not matter.
      const buckets = 1024;
      const start = new Uint32Array(buckets + 1);
      const scale = high > low ? (buckets - 1e-3) / (high - low) : 0;
      for (let i = 0; i < count; ++i) ++start[1 + Math.floor((distance[i] - low) * scale)];
      for (let k = 0; k < buckets; ++k) start[k + 1] += start[k];
      const attribute = geometry.getAttribute("aInstance") as THREE.InstancedBufferAttribute;
      const order = attribute.array as Uint32Array;
      for (let i = 0; i < count; ++i) {
        const at = start[Math.floor((distance[i] - low) * scale)]++;
        order[2 * at] = instances[2 * i];
        order[2 * at + 1] = instances[2 * i + 1];
      }
      attribute.needsUpdate = true;
    }
  }

  /** Opacity of moving bodies and of obstacles; 0 hides. */
  setOpacity(moving: number, obstacles: number) {
    this.group.children.forEach((mesh, i) => {
      const { material, obstacle } = this.materials[i];
      const alpha = obstacle ? obstacles : moving;
      mesh.visible = alpha > 0;
      material.uniforms.uAlpha.value = alpha;
      const transparent = alpha < 1;
      if (material.transparent !== transparent) {
        material.transparent = transparent;
        material.depthWrite = !transparent;
        material.needsUpdate = true;
      }
      mesh.renderOrder = transparent ? (obstacle ? 2 : 1) : 0;
    });
  }

  /** Box around the moving bodies of the frame at hand. */
  bounds(): THREE.Box3 {
    const box = new THREE.Box3();
    for (let b = 0; b < this.count; ++b) {
      if (this.kind[b] === kObstacle) continue;
      const centre = this.centre(b);
      if (centre) box.union(new THREE.Box3(centre.clone().subScalar(this.radius[b]), centre.clone().addScalar(this.radius[b])));
    }
    return box;
  }

  dispose() {
    for (const mesh of this.group.children as THREE.Mesh[]) {
      mesh.geometry.dispose();
      (mesh.material as THREE.Material).dispose();
    }
    for (const texture of [this.place, this.value, this.node]) texture.dispose();
  }
}

function writeRotation(place: Float32Array, p: number, q: Int16Array, at: number) {
  let x = q[at];
  let y = q[at + 1];
  let z = q[at + 2];
  let w = q[at + 3];
  const s = 1 / Math.sqrt(x * x + y * y + z * z + w * w || 1);
  x *= s;
  y *= s;
  z *= s;
  w *= s;
  place[p] = 1 - 2 * (y * y + z * z);
  place[p + 1] = 2 * (x * y - z * w);
  place[p + 2] = 2 * (x * z + y * w);
  place[p + 4] = 2 * (x * y + z * w);
  place[p + 5] = 1 - 2 * (x * x + z * z);
  place[p + 6] = 2 * (y * z - x * w);
  place[p + 8] = 2 * (x * z - y * w);
  place[p + 9] = 2 * (y * z + x * w);
  place[p + 10] = 1 - 2 * (x * x + y * y);
}

function instancedAttribute(bodies: number[]): THREE.InstancedBufferAttribute {
  return new THREE.InstancedBufferAttribute(new Float32Array(bodies), 1);
}

/** Triangles of several bodies in one buffer, with the body of each corner. */
function merge(parts: [Triangles, number][]): [Triangles, Float32Array] {
  const corners = parts.reduce((sum, [t]) => sum + t.node.length, 0);
  const merged = { position: new Float32Array(3 * corners), edge: new Float32Array(3 * corners), node: new Float32Array(corners) };
  const body = new Float32Array(corners);
  let at = 0;
  for (const [t, b] of parts) {
    merged.position.set(t.position, 3 * at);
    merged.edge.set(t.edge, 3 * at);
    merged.node.set(t.node, at);
    body.fill(b, at, at + t.node.length);
    at += t.node.length;
  }
  return [merged, body];
}
