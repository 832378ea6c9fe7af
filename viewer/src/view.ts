/** The picture: renderer, camera, picking, axes and scale bar. */
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { mapTexture, paletteTexture } from "./colours";
import { Framing } from "./framing";

export interface Theme {
  background: string;
  sky: [number, number, number];
  ground: [number, number, number];
  plain: [number, number, number];
  obstacle: [number, number, number];
  edge: [number, number, number, number];
}

export const kThemes: Record<"light" | "dark", Theme> = {
  light: { background: "#f4f5f7", sky: [0.62, 0.64, 0.68], ground: [0.3, 0.29, 0.28], plain: [0.16, 0.32, 0.5], obstacle: [0.5, 0.52, 0.56], edge: [0.1, 0.12, 0.15, 0.75] },
  dark: { background: "#14171c", sky: [0.42, 0.45, 0.52], ground: [0.12, 0.12, 0.13], plain: [0.2, 0.4, 0.62], obstacle: [0.07, 0.08, 0.1], edge: [0.02, 0.02, 0.03, 0.8] },
};

/** True when the processor draws instead of a graphics card: then smooth edges cost too much. */
function softwareGl(): boolean {
  const gl = document.createElement("canvas").getContext("webgl2");
  const name = gl ? nameOf(gl) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}

function nameOf(gl: WebGL2RenderingContext): string {
  const info = gl.getExtension("WEBGL_debug_renderer_info");
  return info ? String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)) : "unknown";
}

/** Share of the window's width and height that what is looked at may fill; title and legends keep the rest. */
const kFilled = [0.94, 0.84];

export class View {
  readonly renderer: THREE.WebGLRenderer;
  readonly scene = new THREE.Scene();
  readonly camera = new THREE.PerspectiveCamera(32, 1, 0.01, 1000);
  readonly controls: OrbitControls;
  /** Shared by all materials. */
  readonly uniforms: Record<string, THREE.IUniform>;
  /** Colours of contact forces: own scale, same map. */
  readonly contactColours: Record<string, THREE.IUniform>;
  drawCalls = 0;
  /** Called when the camera was moved by hand. */
  onCamera: () => void = () => {};
  /** Called before every picture. */
  onDraw: () => void = () => {};

  private dirty = true;
  private readonly pickTarget = new THREE.WebGLRenderTarget(1, 1);
  private size = 1;

  constructor(readonly canvas: HTMLCanvasElement) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: !softwareGl(), preserveDrawingBuffer: true, powerPreference: "high-performance" });
    this.renderer.outputColorSpace = THREE.LinearSRGBColorSpace;
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio || 1));
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    this.controls.zoomToCursor = true;
    this.controls.screenSpacePanning = true;
    this.controls.addEventListener("change", () => {
      this.redraw();
      this.onCamera();
    });
    const map = mapTexture("dusk");
    this.uniforms = {
      uMap: { value: map },
      uPalette: { value: paletteTexture() },
      uMode: { value: 0 },
      uRange: { value: new THREE.Vector2(0, 1) },
      uPlain: { value: new THREE.Vector3() },
      uObstacle: { value: new THREE.Vector3() },
      uSky: { value: new THREE.Vector3() },
      uGround: { value: new THREE.Vector3() },
      uEdgeColour: { value: new THREE.Vector4() },
      uCut: { value: new THREE.Vector4(0, 0, 0, 1) },
      uPick: { value: false },
      uSelected: { value: -1 },
    };
    this.contactColours = { uMap: { value: mapTexture("spectrum") }, uMode: { value: 1 }, uRange: { value: new THREE.Vector2(0, 1) } };
    this.setTheme("light");
    const loop = () => {
      requestAnimationFrame(loop);
      if (this.dirty) this.draw();
    };
    requestAnimationFrame(loop);
  }

  redraw() {
    this.dirty = true;
  }

  rendererName(): string {
    return nameOf(this.renderer.getContext() as WebGL2RenderingContext);
  }

  /** Draw now. */
  draw() {
    this.dirty = false;
    this.onDraw();
    this.setClipping();
    this.renderer.render(this.scene, this.camera);
    this.drawCalls = this.renderer.info.render.calls;
  }

  setTheme(name: "light" | "dark") {
    const theme = kThemes[name];
    this.scene.background = null;
    // The colour as written, without conversion: the canvas is drawn in the screen's own space.
    this.renderer.setClearColor(new THREE.Color().setStyle(theme.background, THREE.LinearSRGBColorSpace), 1);
    this.uniforms.uSky.value.set(...theme.sky);
    this.uniforms.uGround.value.set(...theme.ground);
    this.uniforms.uPlain.value.set(...theme.plain);
    this.uniforms.uObstacle.value.set(...theme.obstacle);
    this.uniforms.uEdgeColour.value.set(...theme.edge);
    this.redraw();
  }

  setMap(name: string) {
    this.uniforms.uMap.value = mapTexture(name);
    this.redraw();
  }

  resize(width: number, height: number) {
    if (width < 1 || height < 1) return;
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.renderer.setSize(width, height, false);
    this.redraw();
  }

  // Near and far planes just around the scene keep the depths fine.
  private setClipping() {
    const distance = this.camera.position.distanceTo(this.controls.target);
    this.camera.near = Math.max(distance - 20 * this.size, 0.002 * Math.max(distance, 0.05 * this.size));
    this.camera.far = distance + 40 * this.size;
    this.camera.updateProjectionMatrix();
    this.camera.updateMatrixWorld();
  }

  /** Look at things from their more open side, as near as all of them are seen. */
  fit({ box, balls }: Framing, direction?: THREE.Vector3) {
    const centre = box.getCenter(new THREE.Vector3());
    const extent = box.getSize(new THREE.Vector3());
    this.size = Math.max(extent.length(), 1e-12);
    let from = direction;
    if (!from) {
      // Thin scenes are seen from the front.
      if (extent.y < 0.6 * extent.x) from = new THREE.Vector3(0.25, -1, 0.28);
      else if (extent.x < 0.6 * extent.y) from = new THREE.Vector3(1, -0.25, 0.28);
      else from = new THREE.Vector3(0.62, -0.95, 0.5);
    }
    from = from.clone().normalize();
    this.camera.position.copy(centre).add(from);
    this.camera.lookAt(centre);
    this.camera.updateMatrixWorld();
    // In the camera's axes a ball (x, z, r) is inside the slope s when x + s z + r sqrt(1 + s^2) <= c_x + s c_z, and likewise on the other side:
    // the nearest camera touches a ball on both sides of the picture, across or upright.
    const inverse = this.camera.quaternion.clone().invert();
    const slope = Math.tan((this.camera.fov * Math.PI) / 360);
    const slopes = [slope * this.camera.aspect * kFilled[0], slope * kFilled[1]];
    const reach = slopes.map(() => [-Infinity, -Infinity]);
    for (const ball of balls) {
      const at = ball.centre.clone().sub(centre).applyQuaternion(inverse);
      slopes.forEach((s, k) => {
        const room = s * at.z + ball.radius * Math.hypot(1, s);
        reach[k][0] = Math.max(reach[k][0], at.getComponent(k) + room);
        reach[k][1] = Math.max(reach[k][1], -at.getComponent(k) + room);
      });
    }
    const distance = Math.max(...slopes.map((s, k) => (reach[k][0] + reach[k][1]) / (2 * s)));
    const across = new THREE.Vector3((reach[0][0] - reach[0][1]) / 2, (reach[1][0] - reach[1][1]) / 2, 0).applyQuaternion(this.camera.quaternion);
    this.controls.target.copy(centre).add(across);
    this.camera.position.copy(this.controls.target).addScaledVector(from, distance);
    this.controls.update();
    this.redraw();
  }

  /** What the scene's size is, for clipping and arrows, m. */
  setSize(size: number) {
    this.size = Math.max(size, 1e-12);
  }

  get sceneSize(): number {
    return this.size;
  }

  /** Number behind a pixel: 0 nothing, b + 1 a body, 0x40000001 + c a contact. */
  pick(x: number, y: number): number {
    const rect = this.canvas.getBoundingClientRect();
    this.camera.setViewOffset(rect.width, rect.height, x - rect.left, y - rect.top, 1, 1);
    const pixel = this.renderIds(this.pickTarget);
    this.camera.clearViewOffset();
    return pixel[0] | (pixel[1] << 8) | (pixel[2] << 16) | (pixel[3] << 24);
  }

  /** The different bodies that can be seen, from the pixels of a picture of their numbers. */
  visibleBodies(): Map<number, number> {
    const target = new THREE.WebGLRenderTarget(this.canvas.clientWidth, this.canvas.clientHeight);
    const pixels = this.renderIds(target);
    target.dispose();
    const seen = new Map<number, number>();
    for (let i = 0; i < pixels.length; i += 4) {
      const id = pixels[i] | (pixels[i + 1] << 8) | (pixels[i + 2] << 16) | (pixels[i + 3] << 24);
      if (id > 0 && id < 0x40000000) seen.set(id - 1, (seen.get(id - 1) ?? 0) + 1);
    }
    return seen;
  }

  private renderIds(target: THREE.WebGLRenderTarget): Uint8Array {
    const colour = this.renderer.getClearColor(new THREE.Color());
    this.uniforms.uPick.value = true;
    // Transparent bodies cannot be picked through: blending would mix numbers.
    const hidden = this.scene.children.flatMap((c) => c.children).filter((o) => o.visible && ((o as THREE.Mesh).material as THREE.Material).transparent);
    for (const object of hidden) object.visible = false;
    this.renderer.setRenderTarget(target);
    this.renderer.setClearColor(0x000000, 0);
    this.renderer.clear();
    this.setClipping();
    this.renderer.render(this.scene, this.camera);
    const pixels = new Uint8Array(4 * target.width * target.height);
    this.renderer.readRenderTargetPixels(target, 0, 0, target.width, target.height, pixels);
    this.renderer.setRenderTarget(null);
    this.renderer.setClearColor(colour, 1);
    for (const object of hidden) object.visible = true;
    this.uniforms.uPick.value = false;
    return pixels;
  }

  /** A round length that is about `pixels` wide at the place looked at. */
  scaleBar(pixels: number): { length: number; width: number } {
    const distance = this.camera.position.distanceTo(this.controls.target);
    const perPixel = (2 * distance * Math.tan((this.camera.fov * Math.PI) / 360)) / Math.max(1, this.canvas.clientHeight);
    const power = Math.pow(10, Math.floor(Math.log10(perPixel * pixels)));
    const length = [5, 2, 1].map((f) => f * power).find((l) => l <= perPixel * pixels) ?? power;
    return { length, width: length / perPixel };
  }

  /** Directions of the x, y and z axes on the screen, the depth third. */
  axes(): THREE.Vector3[] {
    const inverse = this.camera.quaternion.clone().invert();
    return [0, 1, 2].map((k) => new THREE.Vector3().setComponent(k, 1).applyQuaternion(inverse));
  }
}
