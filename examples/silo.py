# Spheres fill a silo. Its wall carries part of their weight by friction, so the floor feels less than all of it.
import math, os, random

SHORT = os.environ.get ('SCREE_SHORT') == '1'
LAYERS, R, INNER = (8, 0.06, 0.2) if SHORT else (24, 0.05, 0.2)
random.seed (2)

solfec = SOLFEC ('DYNAMIC', 2E-3, 'out/silo')
SURFACE_MATERIAL (solfec, friction = 0.5)
bulk = BULK_MATERIAL (solfec, density = 1500)
GRAVITY (solfec, (0, 0, -1), 9.81)
OUTPUT (solfec, 0.02)

floor = BODY (solfec, 'OBSTACLE', HULL ([v for x in (-1, 1) for y in (-1, 1) for z in (-0.1, 0) for v in (x, y, z)], 1, 1), bulk, label = 'floor')
silo = BODY (solfec, 'OBSTACLE', PIPE ((0, 0, 0.002), (0, 0, 4), INNER, 0.04, 1, 24, 1, 1, [1, 1, 1, 1]), bulk, label = 'silo')
grains = []
for layer in range (LAYERS):
  for k in range (4):
    a = math.pi / 2 * k + layer + random.uniform (-0.05, 0.05)
    c = (0.1 * math.cos (a), 0.1 * math.sin (a), R * 1.2 + 2.1 * R * layer)
    grains.append (BODY (solfec, 'RIGID', SPHERE (c, R, 2, 2), bulk))

RUN (solfec, SOLVER ('AUTO', 1E-6), 1.2 if SHORT else 3.0)

def down (body):
  """Vertical force on a body, downwards."""
  return -sum ((1 if c.adjbod [1] is body else -1) * sum (c.base [6 + j] * c.R [j] for j in range (3)) for c in body.constraints)

weight = 9.81 * sum (g.mass for g in grains)
print ('floor %.3f, wall %.3f of the weight' % (down (floor) / weight, down (silo) / weight))
print ('speed left %.2e m/s' % max (max (abs (v) for v in g.velo [3:]) for g in grains))
