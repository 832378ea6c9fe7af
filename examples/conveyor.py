# Boxes are dropped at rest on a belt that runs at 1 m/s: they slip until they have its speed. The path they lag behind is v^2 / (2 mu g).
import os

SHORT = os.environ.get ('SCREE_SHORT') == '1'
SPEED, MU = 1.0, 0.3

solfec = SOLFEC ('DYNAMIC', 1E-3, 'out/conveyor')
SURFACE_MATERIAL (solfec, friction = MU)
bulk = BULK_MATERIAL (solfec, density = 500)
GRAVITY (solfec, (0, 0, -1), 9.81)
OUTPUT (solfec, 0.01)

def box (c, s):
  return HULL ([v for i in (-1, 1) for j in (-1, 1) for k in (-1, 1) for v in (c [0] + i * s [0] / 2, c [1] + j * s [1] / 2, c [2] + k * s [2] / 2)], 1, 1)

belt = BODY (solfec, 'OBSTACLE', box ((3, 0, -0.1), (20, 1, 0.2)), bulk, label = 'belt')
INITIAL_VELOCITY (belt, (SPEED, 0, 0), (0, 0, 0))
boxes = [BODY (solfec, 'RIGID', box ((0.5 * i, 0, 0.1), (0.2, 0.2, 0.2)), bulk, label = 'box %d' % i) for i in range (3 if SHORT else 10)]

RUN (solfec, None, 0.5 if SHORT else 2.0)
for b in boxes [:1]:
  print ('speed %.4f m/s, lag %.4f m' % (b.velo [3], SPEED * solfec.time - DISPLACEMENT (b, b.center) [0]))
