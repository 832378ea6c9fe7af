# A tower of blocks, three to a layer; one block is drawn out slowly. The tower stays up.
import os

SHORT = os.environ.get ('SCREE_SHORT') == '1'
LAYERS = 4 if SHORT else 12
L, W, H = 0.075, 0.025, 0.015

solfec = SOLFEC ('DYNAMIC', 1E-3, 'out/jenga')
SURFACE_MATERIAL (solfec, friction = 0.3)
bulk = BULK_MATERIAL (solfec, density = 600)
GRAVITY (solfec, (0, 0, -1), 9.81)
OUTPUT (solfec, 0.01)

def box (c, s):
  return HULL ([v for i in (-1, 1) for j in (-1, 1) for k in (-1, 1) for v in (c [0] + i * s [0] / 2, c [1] + j * s [1] / 2, c [2] + k * s [2] / 2)], 1, 1)

BODY (solfec, 'OBSTACLE', box ((0, 0, -0.05), (1, 1, 0.1)), bulk, label = 'table')
blocks = {}
for layer in range (LAYERS):
  for i in (-1, 0, 1):
    c = (W * i, 0, H * (layer + 0.5)) if layer % 2 else (0, W * i, H * (layer + 0.5))
    size = (W, L, H) if layer % 2 else (L, W, H)
    blocks [layer, i] = BODY (solfec, 'RIGID', box (c, size), bulk, label = 'block %d %d' % (layer, i))

# the middle block of the second layer is drawn along y, speeding up gently to 0.2 m/s
drawn = blocks [1, 0]
SET_VELOCITY (solfec, drawn, drawn.center, (0, 1, 0), TIME_SERIES ([0, 0, 0.2, 0.2, 1, 0.2]))
RUN (solfec, SOLVER ('AUTO', 1E-6), 0.3 if SHORT else 0.8)
moved = max (max (abs (d) for d in DISPLACEMENT (b, b.center)) for b in blocks.values () if b is not drawn)
print ('drawn by %.4f m, the others moved by %.2e m at most' % (DISPLACEMENT (drawn, drawn.center) [1], moved))
