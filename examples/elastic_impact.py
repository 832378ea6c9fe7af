# Elastic, pseudo-rigid and rigid bodies fall on a soft plate that rests on two beams: one script, all kinds of bodies.
import os

SHORT = os.environ.get ('SCREE_SHORT') == '1'
CELLS = 6 if SHORT else 14

solfec = SOLFEC ('DYNAMIC', 1E-3, 'out/elastic_impact')
SURFACE_MATERIAL (solfec, friction = 0.4)
rubber = BULK_MATERIAL (solfec, label = 'rubber', young = 2E6, poisson = 0.4, density = 1100)
jelly = BULK_MATERIAL (solfec, label = 'jelly', young = 2E5, poisson = 0.3, density = 1000)
stone = BULK_MATERIAL (solfec, label = 'stone', density = 2500)
GRAVITY (solfec, (0, 0, -1), 9.81)
OUTPUT (solfec, 0.01)

def corners (low, high):
  (x0, y0, z0), (x1, y1, z1) = low, high
  return [x0, y0, z0, x1, y0, z0, x1, y1, z0, x0, y1, z0, x0, y0, z1, x1, y0, z1, x1, y1, z1, x0, y1, z1]

for x in (-0.95, 0.95):
  BODY (solfec, 'OBSTACLE', HULL (corners ((x - 0.05, -0.5, -0.3), (x + 0.05, 0.5, 0)), 1, 1), stone)
BODY (solfec, 'OBSTACLE', HULL (corners ((-2, -2, -0.4), (2, 2, -0.3)), 1, 1), stone)

plate = BODY (solfec, 'FINITE_ELEMENT', HEX (corners ((-1, -0.4, 0), (1, 0.4, 0.06)), CELLS, CELLS // 2, 1, 1, [1] * 6), rubber,
              label = 'plate', formulation = 'FEM_O2')
plate.stiffness_damping = 2E-3
for k in range (2 if SHORT else 4):
  x = -0.5 + 0.34 * k
  egg = BODY (solfec, 'PSEUDO_RIGID', ELLIP ((x, 0.1, 0.3 + 0.1 * k), (0.1, 0.12, 0.15), 2, 2), jelly, label = 'egg %d' % k)
  egg.stiffness_damping = 2E-3
ball = BODY (solfec, 'RIGID', SPHERE ((0.1, -0.15, 0.8), 0.12, 3, 3), stone, label = 'ball')

RUN (solfec, SOLVER ('AUTO', 1E-6), 0.1 if SHORT else 1.0)
print ('the plate sags by %.1f mm' % (-1000 * DISPLACEMENT (plate, (0, 0, 0)) [2]))
