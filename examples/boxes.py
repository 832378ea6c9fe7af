# A pyramid of boxes stands; one more box falls on its top and rests there.
import os

SHORT = os.environ.get ('SCREE_SHORT') == '1'
ROWS = 4 if SHORT else 8

solfec = SOLFEC ('DYNAMIC', 1E-3, 'out/boxes')
SURFACE_MATERIAL (solfec, model = 'SIGNORINI_COULOMB', friction = 0.5)
bulk = BULK_MATERIAL (solfec, density = 2000)
GRAVITY (solfec, (0, 0, -1), 9.81)
OUTPUT (solfec, 0.02)

def box (x, y, z, a, b, c):
  corners = [-a/2, -b/2, -c/2, a/2, -b/2, -c/2, a/2, b/2, -c/2, -a/2, b/2, -c/2,
             -a/2, -b/2,  c/2, a/2, -b/2,  c/2, a/2, b/2,  c/2, -a/2, b/2,  c/2]
  return TRANSLATE (HULL (corners, 1, 1), (x, y, z))

BODY (solfec, 'OBSTACLE', box (0, 0, -0.1, 6, 6, 0.2), bulk, label = 'floor')
for row in range (ROWS):
  for i in range (ROWS - row):
    BODY (solfec, 'RIGID', box ((i - 0.5 * (ROWS - row - 1)) * 0.42, 0, 0.1 + 0.2 * row, 0.4, 0.4, 0.2), bulk)
BODY (solfec, 'RIGID', box (0, 0, 0.2 * ROWS + 0.15, 0.3, 0.3, 0.2), bulk, label = 'last')

RUN (solfec, None, 0.3 if SHORT else 2.0)
