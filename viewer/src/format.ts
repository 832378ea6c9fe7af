/** Numbers as people write them. */

/** Significant figures; powers of ten for the very large and the very small. */
export function number(value: number, figures = 4): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) {
    const [mantissa, exponent] = value.toExponential(Math.max(0, figures - 1)).split("e");
    const short = mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa;
    return (Math.abs(Number(short)) === 1 && figures <= 3 ? (value < 0 ? "−" : "") : short.replace("-", "−") + "·") + "10" + superscript(Number(exponent));
  }
  // Figures before the point are never cut.
  const text = size >= Math.pow(10, figures - 1) ? value.toFixed(0) : value.toPrecision(figures);
  return (text.includes(".") ? text.replace(/\.?0+$/, "") : text).replace("-", "−");
}

function superscript(exponent: number): string {
  return String(exponent).replace(/[-0-9]/g, (c) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(c)]);
}

/** Components; what is rounding beside the largest is zero. */
export function vector(values: number[], figures = 4): string {
  const rounding = 1e-9 * Math.max(...values.map(Math.abs));
  return values.map((v) => number(Math.abs(v) < rounding ? 0 : v, figures)).join(", ");
}

/** A length with the unit that suits it. */
export function length(metres: number): string {
  if (metres >= 1000) return `${number(metres / 1000, 3)} km`;
  if (metres >= 1) return `${number(metres, 3)} m`;
  if (metres >= 0.01) return `${number(metres * 100, 3)} cm`;
  if (metres >= 1e-3) return `${number(metres * 1e3, 3)} mm`;
  return `${number(metres * 1e6, 3)} µm`;
}

export function count(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
}
