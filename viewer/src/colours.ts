/** Colour maps and palettes, the same as those of `scree render`. */
import * as THREE from "three";

export type Rgb = [number, number, number];

function linearFromLch(lightness: number, chroma: number, hue: number): Rgb {
  const a = chroma * Math.cos((hue * Math.PI) / 180);
  const b = chroma * Math.sin((hue * Math.PI) / 180);
  const inverse = (t: number) => (t > 6 / 29 ? t * t * t : (108 / 841) * (t - 4 / 29));
  const f = (lightness + 16) / 116;
  const x = 0.95047 * inverse(f + a / 500);
  const y = inverse(f);
  const z = 1.08883 * inverse(f - b / 200);
  return [
    3.2404542 * x - 1.5371385 * y - 0.4985314 * z,
    -0.969266 * x + 1.8760108 * y + 0.041556 * z,
    0.0556434 * x - 0.2040259 * y + 1.0572252 * z,
  ];
}

/** Linear RGB of the largest chroma, up to the one asked for, that a screen can show. */
function fromLch(lightness: number, chroma: number, hue: number): Rgb {
  const shown = (c: number) => linearFromLch(lightness, c, hue).every((v) => v >= 0 && v <= 1);
  let low = 0;
  let high = chroma;
  if (shown(chroma)) low = chroma;
  else
    for (let k = 0; k < 20; ++k) {
      const middle = 0.5 * (low + high);
      if (shown(middle)) low = middle;
      else high = middle;
    }
  return linearFromLch(lightness, low, hue).map((v) => Math.min(1, Math.max(0, v))) as Rgb;
}

export const kMaps: Record<string, (t: number) => Rgb> = {
  // Straight in lightness, once around from purple to yellow.
  dusk: (t) => fromLch(20 + 70 * t, 46 - 18 * Math.sin(Math.PI * t) + 22 * t * t, 312 - 210 * Math.pow(t, 0.9)),
  // An arch in lightness, from blue through green to red.
  spectrum: (t) => {
    const lightness = 34 + 47 * Math.pow(Math.sin(Math.PI * (0.08 + 0.84 * t)), 1.2);
    const cyan = (t - 0.26) / 0.26;
    return fromLch(lightness, 62 - 24 * Math.exp(-cyan * cyan), 285 - 250 * t);
  },
  // Lightness alone, for print.
  grey: (t) => fromLch(18 + 76 * t, 0, 0),
};

const kHue = [250, 45, 140, 85, 20, 200, 310, 65, 170, 275];
const kLightness = [55, 66, 64, 76, 58, 66, 60, 70, 72, 70];

/** Linear RGB of the n-th colour of a set. */
export function paletteColour(number: number): Rgb {
  const index = (((number * 7 + 3) % 10) + 10) % 10;
  return fromLch(kLightness[index], 42, kHue[index]);
}

export function toCss(c: Rgb): string {
  const encode = (v: number) => Math.round(255 * (v <= 0.0031308 ? 12.92 * v : 1.055 * Math.pow(v, 1 / 2.4) - 0.055));
  return `rgb(${encode(c[0])}, ${encode(c[1])}, ${encode(c[2])})`;
}

/** 256 linear colours of a map as a texture. */
export function mapTexture(name: string): THREE.DataTexture {
  return table(256, (k) => kMaps[name](k / 255));
}

/** The ten colours of the palette as a texture. */
export function paletteTexture(): THREE.DataTexture {
  return table(10, (k) => paletteColour(k));
}

function table(size: number, colour: (k: number) => Rgb): THREE.DataTexture {
  const data = new Float32Array(4 * size);
  for (let k = 0; k < size; ++k) data.set([...colour(k), 1], 4 * k);
  const texture = new THREE.DataTexture(data, size, 1, THREE.RGBAFormat, THREE.FloatType);
  texture.needsUpdate = true;
  return texture;
}

export function cssGradient(name: string, steps = 16): string {
  const stops = Array.from({ length: steps + 1 }, (_, k) => toCss(kMaps[name](k / steps)));
  return `linear-gradient(to right, ${stops.join(", ")})`;
}
