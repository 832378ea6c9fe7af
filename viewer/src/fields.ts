/** What colours can show. */

export interface Field {
  name: string;
  title: string;
  unit: string;
  /** Computed by the server and sent with frames; the others are known from the scene. */
  sent: boolean;
  /** Names instead of numbers. */
  set: boolean;
}

export const kFields: Field[] = [
  { name: "velocity", title: "Speed", unit: "m/s", sent: true, set: false },
  { name: "displacement", title: "Displacement", unit: "m", sent: true, set: false },
  { name: "kinetic_energy", title: "Kinetic energy", unit: "J", sent: true, set: false },
  { name: "von_mises", title: "Von Mises stress", unit: "Pa", sent: true, set: false },
  { name: "force", title: "Contact force", unit: "N", sent: true, set: false },
  { name: "body", title: "Body", unit: "", sent: false, set: true },
  { name: "material", title: "Material", unit: "", sent: false, set: true },
  { name: "none", title: "One colour", unit: "", sent: false, set: false },
];

export function fieldOf(name: string): Field {
  return kFields.find((f) => f.name === name) ?? kFields[kFields.length - 1];
}
