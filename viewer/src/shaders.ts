/** GLSL of bodies and contact forces. Bodies take their place and value from textures, so a new frame is two uploads. */

/** Bodies a row of the textures. */
export const kBodiesPerRow = 512;
/** Nodes a row of the node texture. */
export const kNodesPerRow = 1024;

const kHead = `precision highp float;
precision highp int;
precision highp sampler2D;
`;

// Three texels a body: rows of the deformation gradient (or rotation), the position in w.
const kPlace = `
uniform sampler2D uPlace;
uniform sampler2D uValue;
ivec2 texel(int body) { return ivec2(body % ${kBodiesPerRow}, body / ${kBodiesPerRow}); }
void place(int body, out mat3 F, out vec3 x) {
  ivec2 t = texel(body);
  vec4 a = texelFetch(uPlace, ivec2(3 * t.x, t.y), 0);
  vec4 b = texelFetch(uPlace, ivec2(3 * t.x + 1, t.y), 0);
  vec4 c = texelFetch(uPlace, ivec2(3 * t.x + 2, t.y), 0);
  F = transpose(mat3(a.xyz, b.xyz, c.xyz));
  x = vec3(a.w, b.w, c.w);
}
`;

const kColour = `
uniform sampler2D uMap;
uniform sampler2D uPalette;
uniform int uMode;            // 0 plain, 1 map, 2 palette
uniform vec2 uRange;
uniform vec3 uPlain;
vec3 colour_of(float value) {
  if (uMode == 1) {
    float t = uRange.y > uRange.x ? clamp((value - uRange.x) / (uRange.y - uRange.x), 0.0, 1.0) : 0.0;
    return texelFetch(uMap, ivec2(int(t * 255.0 + 0.5), 0), 0).rgb;
  }
  if (uMode == 2) return texelFetch(uPalette, ivec2(int(mod(value, 10.0)), 0), 0).rgb;
  return uPlain;
}
`;

const kShade = `
uniform mat4 viewMatrix;
uniform vec3 uSky;
uniform vec3 uGround;
uniform float uAlpha;
uniform bool uPick;
uniform vec4 uCut;            // kept: dot(xyz, x) <= w; xyz = 0: everything
uniform int uSelected;
layout(location = 0) out vec4 colour;

vec3 encode(vec3 c) { return mix(12.92 * c, 1.055 * pow(max(c, vec3(1e-6)), vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c)); }

vec4 shade(vec3 base, vec3 n, vec3 to_eye, bool selected) {
  // A key light over the viewer's left shoulder, light from above and from the ground.
  vec3 key = normalize(transpose(mat3(viewMatrix)) * vec3(-0.45, 0.65, 0.75));
  float diffuse = max(dot(n, key), 0.0);
  vec3 ambient = mix(uGround, uSky, 0.5 + 0.5 * n.z);
  float gloss = pow(max(dot(n, normalize(key + to_eye)), 0.0), 40.0);
  float rim = pow(1.0 - max(dot(n, to_eye), 0.0), 3.0);
  vec3 c = base * (ambient + 0.85 * diffuse) + vec3(0.10 * gloss) + base * 0.12 * rim;
  if (selected) c = mix(c, vec3(1.0, 0.42, 0.05), 0.45) + vec3(0.9, 0.35, 0.05) * rim;
  return vec4(encode(c), uAlpha);
}

vec4 pick_colour(int id) { return vec4(float(id & 255), float((id >> 8) & 255), float((id >> 16) & 255), float((id >> 24) & 255)) / 255.0; }
`;

/** Spheres and ellipsoids: a quad that covers the silhouette exactly, a ray through every pixel of it. */
export const ellipsoidVertex = `${kHead}${kPlace}${kColour}
uniform mat4 viewMatrix;
uniform mat4 projectionMatrix;
uniform vec3 cameraPosition;
uniform sampler2D uPiece;     // three texels a piece: rows of axes diag(radii), the centre in w
uniform int uPiecesPerRow;
in vec2 corner;
in uvec2 aInstance;           // body, piece
out vec3 vPoint;
flat out vec3 vEye;
flat out mat3 vM;
flat out vec3 vCentre;
flat out vec3 vColour;
flat out int vBody;

void main() {
  int body = int(aInstance.x), piece = int(aInstance.y);
  vec4 value = texelFetch(uValue, texel(body), 0);
  gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
  vPoint = vEye = vCentre = vColour = vec3(0.0);
  vM = mat3(1.0);
  vBody = body;
  if (value.y < 0.5) return;
  mat3 F;
  vec3 x;
  place(body, F, x);
  ivec2 p = ivec2(3 * (piece % uPiecesPerRow), piece / uPiecesPerRow);
  vec4 a = texelFetch(uPiece, p, 0), b = texelFetch(uPiece, p + ivec2(1, 0), 0), c = texelFetch(uPiece, p + ivec2(2, 0), 0);
  mat3 M = F * transpose(mat3(a.xyz, b.xyz, c.xyz));
  vec3 centre = F * vec3(a.w, b.w, c.w) + x;

  // In the space where the ellipsoid is the unit sphere: the circle the eye sees, and a square around it.
  vec3 eye = inverse(M) * (cameraPosition - centre);
  float d = length(eye);
  if (!(d > 1.0001)) return;
  vec3 n = eye / d;
  vec3 u = normalize(abs(n.z) < 0.9 ? cross(n, vec3(0.0, 0.0, 1.0)) : cross(n, vec3(1.0, 0.0, 0.0)));
  vec3 v = cross(n, u);
  float r = 1.01 * sqrt(1.0 - 1.0 / (d * d));
  vPoint = n / d + r * (corner.x * u + corner.y * v);
  vEye = eye;
  vM = M;
  vCentre = centre;
  vColour = colour_of(value.x);
  gl_Position = projectionMatrix * viewMatrix * vec4(M * vPoint + centre, 1.0);
}
`;

export const ellipsoidFragment = `${kHead}${kShade}
uniform mat4 projectionMatrix;
uniform vec3 cameraPosition;
in vec3 vPoint;
flat in vec3 vEye;
flat in mat3 vM;
flat in vec3 vCentre;
flat in vec3 vColour;
flat in int vBody;

void main() {
  // From the point on the silhouette's plane, which is near the sphere: no cancellation however far the eye is.
  vec3 ray = normalize(vPoint - vEye);
  float along = dot(vPoint, ray);
  float discriminant = 1.0 - dot(vPoint, vPoint) + along * along;
  if (discriminant < 0.0) discard;
  float root = sqrt(discriminant);
  float t = -along - root;
  vec3 s = vPoint + t * ray;
  vec3 x = vM * s + vCentre;
  // Cofactors of M: normals of the sphere to those of the ellipsoid.
  vec3 n = s.x * cross(vM[1], vM[2]) + s.y * cross(vM[2], vM[0]) + s.z * cross(vM[0], vM[1]);
  n = normalize(dot(cross(vM[0], vM[1]), vM[2]) < 0.0 ? -n : n);
  vec3 base = vColour;
  if (dot(uCut.xyz, x) > uCut.w) {
    // The front is cut away: see the cut face where the ray meets the plane inside.
    float slope = dot(uCut.xyz, vM * ray);
    float at = (uCut.w - dot(uCut.xyz, vM * vPoint + vCentre)) / slope;
    if (slope == 0.0 || at < t || at > -along + root) discard;
    x = vM * (vPoint + at * ray) + vCentre;
    n = uCut.xyz;
    base *= 0.7;
  }
  vec4 clip = projectionMatrix * viewMatrix * vec4(x, 1.0);
  gl_FragDepth = clamp(0.5 * clip.z / clip.w + 0.5, 0.0, 1.0);
  colour = uPick ? pick_colour(vBody + 1) : shade(base, n, normalize(cameraPosition - x), vBody == uSelected);
}
`;

/** Polyhedra and meshes; finite element bodies take their points from the node texture. */
export const meshVertex = `${kHead}${kPlace}${kColour}
uniform mat4 viewMatrix;
uniform mat4 projectionMatrix;
uniform sampler2D uNode;      // place, value
in vec3 position;
in vec3 aEdge;                // barycentric; 1 throughout where the edge is not drawn
in float aNode;               // number among the points of the shape
in float aBody;
out vec3 vX;
out vec3 vEdge;
out vec3 vColour;
flat out int vBody;

void main() {
  int body = int(aBody + 0.5);
  vec4 value = texelFetch(uValue, texel(body), 0);
  vBody = body;
  vEdge = aEdge;
  vX = vec3(0.0);
  vColour = vec3(0.0);
  gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
  if (value.y < 0.5) return;
  if (value.z >= 0.0) {
    int node = int(value.z) + int(aNode + 0.5);
    vec4 point = texelFetch(uNode, ivec2(node % ${kNodesPerRow}, node / ${kNodesPerRow}), 0);
    vX = point.xyz;
    vColour = colour_of(value.w > 0.5 ? point.w : value.x);
  } else {
    mat3 F;
    vec3 x;
    place(body, F, x);
    vX = F * position + x;
    vColour = colour_of(value.x);
  }
  gl_Position = projectionMatrix * viewMatrix * vec4(vX, 1.0);
}
`;

export const meshFragment = `${kHead}${kShade}
uniform vec3 cameraPosition;
uniform vec4 uEdgeColour;
in vec3 vX;
in vec3 vEdge;
in vec3 vColour;
flat in int vBody;

void main() {
  if (dot(uCut.xyz, vX) > uCut.w) discard;
  if (uPick) {
    colour = pick_colour(vBody + 1);
    return;
  }
  vec3 to_eye = normalize(cameraPosition - vX);
  vec3 n = normalize(cross(dFdx(vX), dFdy(vX)));
  if (dot(n, to_eye) < 0.0) n = -n;
  vec3 base = vColour;
  // Behind a cut one sees the inside: flat and darker, like the cut face itself.
  if (!gl_FrontFacing && uCut.xyz != vec3(0.0)) {
    n = uCut.xyz;
    base *= 0.7;
  }
  colour = shade(base, n, to_eye, vBody == uSelected);
  vec3 width = fwidth(vEdge);
  vec3 near = clamp(vEdge / max(1.2 * width, vec3(1e-6)), 0.0, 1.0);
  float line = 1.0 - min(near.x, min(near.y, near.z));
  // Edges thinner than the pixels between them are left out.
  float room = 1.0 - smoothstep(0.08, 0.3, max(width.x, max(width.y, width.z)));
  colour.rgb = mix(colour.rgb, uEdgeColour.rgb, line * room * uEdgeColour.a);
}
`;

/** Tubes and arrows between two points. */
export const tubeVertex = `${kHead}${kColour}
uniform mat4 viewMatrix;
uniform mat4 projectionMatrix;
uniform float uScale;
uniform bool uArrow;
in vec3 position;             // x, y on the unit circle; z along
in vec4 aFrom;                // place, radius
in vec4 aTo;                  // place, force
in float aNumber;
out vec3 vX;
out vec3 vNormal;
out vec3 vColour;
flat out int vBody;

void main() {
  vec3 axis = aTo.xyz - aFrom.xyz;
  float len = length(axis);
  vec3 w = len > 0.0 ? axis / len : vec3(0.0, 0.0, 1.0);
  vec3 u = normalize(abs(w.z) < 0.9 ? cross(w, vec3(0.0, 0.0, 1.0)) : cross(w, vec3(1.0, 0.0, 0.0)));
  vec3 v = cross(w, u);
  float r = aFrom.w * uScale;
  float z = position.z;
  float spread = 1.0;
  float slope = 0.0;
  if (uArrow) {
    // Profile of an arrow: shaft, step, head.
    float head = min(0.45, 5.0 * r / max(len, 1e-20));
    if (z > 0.5) slope = 0.5;
    spread = z < 0.4 ? 1.0 : z < 0.6 ? (z < 0.55 ? 1.0 : 2.4) : 0.0;
    z = z < 0.1 ? 0.0 : z < 0.6 ? 1.0 - head : 1.0;
  }
  vec3 side = position.x * u + position.y * v;
  vX = aFrom.xyz + z * axis + r * spread * side;
  vNormal = normalize(side + slope * w);
  vColour = colour_of(aTo.w);
  vBody = int(aNumber + 0.5);
  gl_Position = projectionMatrix * viewMatrix * vec4(vX, 1.0);
}
`;

export const tubeFragment = `${kHead}${kShade}
uniform vec3 cameraPosition;
in vec3 vX;
in vec3 vNormal;
in vec3 vColour;
flat in int vBody;

void main() {
  if (dot(uCut.xyz, vX) > uCut.w) discard;
  vec3 to_eye = normalize(cameraPosition - vX);
  vec3 n = normalize(vNormal);
  colour = uPick ? pick_colour(vBody + 0x40000001) : shade(vColour, dot(n, to_eye) < 0.0 ? -n : n, to_eye, vBody == uSelected);
}
`;
