# A row of dominoes on a bend; the first is pushed and the wave runs to the last.
import math, os

SHORT = os.environ.get ('SCREE_SHORT') == '1'
COUNT = 8 if SHORT else 30
W, D, H = 0.02, 0.1, 0.2  # thickness, width, height, m

solfec = SOLFEC ('DYNAMIC', 1E-3, 'out/dominoes')
SURFACE_MATERIAL (solfec, model = 'SIGNORINI_COULOMB', friction = 0.4)
bulk = BULK_MATERIAL (solfec, density = 800)
GRAVITY (solfec, (0, 0, -1), 9.81)
OUTPUT (solfec, 0.01)

slab = HULL ([x for i in (-4, 4) for j in (-4, 4) for k in (-0.2, 0) for x in (i, j, k)], 1, 1)
BODY (solfec, 'OBSTACLE', slab, bulk, label = 'floor')

x, y, heading = -1.0, -1.0, 0.0
for i in range (COUNT):
  piece = HULL ([v for a in (-W/2, W/2) for b in (-D/2, D/2) for c in (0, H) for v in (a, b, c)], 1, 1)
  ROTATE (piece, (0, 0, 0), (0, 0, 1), math.degrees (heading))
  TRANSLATE (piece, (x, y, 0))
  body = BODY (solfec, 'RIGID', piece, bulk, label = 'domino %d' % i)
  if i == 0: INITIAL_VELOCITY (body, (0.15, 0, 0), (0, 3, 0))
  x, y = x + 0.1 * math.cos (heading), y + 0.1 * math.sin (heading)
  if i > 5: heading += 0.08

RUN (solfec, None, 0.9 if SHORT else 3.0)
