/** Contact forces as tubes along the chains or as arrows, in one draw call. */
import * as THREE from "three";
import { Bodies, kObstacle, Uniforms } from "./bodies";
import { Bundle } from "./bundle";
import { tubeFragment, tubeVertex } from "./shaders";

export type ContactStyle = "none" | "chains" | "arrows";

const kSides = 10;
/** Radius of the thickest tube as a share of the smaller body's radius. */
const kThickest = 0.28;
/** Type of contacts between bodies; the others are constraints. */
const kContactType = 0;
/** Forces below this share of the largest are not drawn. */
const kWeakest = 1e-3;

export class Contacts {
  readonly mesh: THREE.Mesh;
  /** Tubes or arrows of the frame at hand. */
  drawn = 0;
  private readonly geometry = new THREE.InstancedBufferGeometry();
  private readonly material: THREE.RawShaderMaterial;
  private from = new Float32Array(0);
  private to = new Float32Array(0);
  private id = new Float32Array(0);

  constructor(shared: Uniforms, own: Uniforms) {
    this.material = new THREE.RawShaderMaterial({
      glslVersion: THREE.GLSL3,
      vertexShader: tubeVertex,
      fragmentShader: tubeFragment,
      side: THREE.DoubleSide,
      uniforms: { ...shared, ...own, uArrow: { value: false }, uScale: { value: 1 }, uAlpha: { value: 1 }, uSelected: { value: -1 } },
    });
    this.buildProfile();
    this.mesh = new THREE.Mesh(this.geometry, this.material);
    this.mesh.frustumCulled = false;
    this.mesh.visible = false;
  }

  // Rings of a tube, where the shader finds the profile of an arrow: shaft, step, head.
  private buildProfile() {
    const levels = [0, 0.5, 0.57, 1];
    const position: number[] = [];
    const index: number[] = [];
    levels.forEach((z, level) => {
      for (let k = 0; k < kSides; ++k) {
        const angle = (2 * Math.PI * k) / kSides;
        position.push(Math.cos(angle), Math.sin(angle), z);
        if (!level) continue;
        const a = (level - 1) * kSides + k;
        const b = (level - 1) * kSides + ((k + 1) % kSides);
        index.push(a, b, b + kSides, a, b + kSides, a + kSides);
      }
    });
    this.geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(position), 3));
    this.geometry.setIndex(index);
  }

  // Buffers grow and are used again.
  private reserve(count: number) {
    if (count <= this.id.length && this.id.length) return;
    const room = Math.max(64, Math.ceil(1.5 * count));
    this.geometry.dispose();
    this.from = new Float32Array(4 * room);
    this.to = new Float32Array(4 * room);
    this.id = new Float32Array(room);
    this.geometry.setAttribute("aFrom", new THREE.InstancedBufferAttribute(this.from, 4));
    this.geometry.setAttribute("aTo", new THREE.InstancedBufferAttribute(this.to, 4));
    this.geometry.setAttribute("aNumber", new THREE.InstancedBufferAttribute(this.id, 1));
  }

  hide() {
    this.mesh.visible = false;
    this.drawn = 0;
  }

  select(number: number) {
    this.material.uniforms.uSelected.value = number;
  }

  /** `strongest`: the force of the widest tube, N. `length`: of the longest arrow, m. */
  show(bundle: Bundle, bodies: Bodies, style: ContactStyle, strongest: number, length: number, width: number) {
    const point = bundle.arrays["point"] as Float32Array;
    const force = bundle.arrays["force"] as Float32Array;
    const pair = bundle.arrays["pair"] as Int32Array;
    const number = bundle.arrays["number"] as Int32Array;
    const type = bundle.arrays["type"];
    const count = number.length;
    this.reserve(2 * count);
    const { from, to, id } = this;
    let used = 0;
    const put = (a: ArrayLike<number>, i: number, b: ArrayLike<number>, j: number, radius: number, value: number, n: number) => {
      from.set([a[i], a[i + 1], a[i + 2], radius], 4 * used);
      to.set([b[j], b[j + 1], b[j + 2], value], 4 * used);
      id[used++] = n;
    };
    // Bodies that constraints tie to the ground stand for obstacles.
    const held = new Set<number>();
    for (let c = 0; c < count; ++c) if (type[c] !== kContactType && Math.min(pair[2 * c], pair[2 * c + 1]) < 0) held.add(Math.max(pair[2 * c], pair[2 * c + 1]));
    for (let c = 0; c < count && strongest > 0; ++c) {
      const f = Math.hypot(force[3 * c], force[3 * c + 1], force[3 * c + 2]);
      const share = Math.min(1, f / strongest);
      // Supports and other constraints are shown as arrows; they are no part of a chain.
      if (share < kWeakest || (style === "chains" && type[c] !== kContactType)) continue;
      const moving = [pair[2 * c], pair[2 * c + 1]].filter((b) => b >= 0 && bodies.kind[b] !== kObstacle && (style === "arrows" || !held.has(b)));
      const radius = kThickest * Math.sqrt(share) * Math.min(...moving.map((b) => bodies.radius[b]), Infinity);
      if (!Number.isFinite(radius)) continue;
      if (style === "arrows") {
        const k = (length * share) / f;
        const tip = [point[3 * c] + k * force[3 * c], point[3 * c + 1] + k * force[3 * c + 1], point[3 * c + 2] + k * force[3 * c + 2]];
        put(point, 3 * c, tip, 0, Math.min(0.5 * radius, 0.06 * length), f, number[c]);
      } else {
        for (const b of moving) {
          const centre = bodies.centre(b);
          if (centre) put([centre.x, centre.y, centre.z], 0, point, 3 * c, radius, f, number[c]);
        }
      }
    }
    this.geometry.instanceCount = used;
    for (const name of ["aFrom", "aTo", "aNumber"]) this.geometry.getAttribute(name).needsUpdate = true;
    this.material.uniforms.uArrow.value = style === "arrows";
    this.material.uniforms.uScale.value = width;
    this.mesh.visible = used > 0;
    this.drawn = used;
  }
}
