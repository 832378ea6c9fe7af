# Six tubes in a pyramid between two posts. Without friction the lower ones would spread; friction and posts hold them.
import math, os

SHORT = os.environ.get ('SCREE_SHORT') == '1'
R, T, L = 0.2, 0.02, 0.6   # outer radius, wall, length

solfec = SOLFEC ('DYNAMIC', 1E-3, 'out/tubes')
SURFACE_MATERIAL (solfec, friction = 0.3)
bulk = BULK_MATERIAL (solfec, density = 7800)
GRAVITY (solfec, (0, 0, -1), 9.81)
OUTPUT (solfec, 0.01)

def box (low, high):
  return HULL ([v for x in (low [0], high [0]) for y in (low [1], high [1]) for z in (low [2], high [2]) for v in (x, y, z)], 1, 1)

BODY (solfec, 'OBSTACLE', box ((-2, -1, -0.1), (2, 1.6, 0)), bulk, label = 'floor')
posts = [BODY (solfec, 'OBSTACLE', box ((s * 0.65 - 0.05, -0.1, 0), (s * 0.65 + 0.05, 0.7, 1)), bulk, label = 'post') for s in (-1, 1)]
tubes = []
for row in range (3):
  for i in range (3 - row):
    x, z = (i - (2 - row) / 2) * 2 * R, R * (1 + row * math.sqrt (3))
    tube = PIPE ((x, 0, z), (0, L, 0), R - T, T, 1, 24, 1, 1, [1, 1, 1, 1])
    tubes.append (BODY (solfec, 'RIGID', ROTATE (tube, (x, 0, z), (0, 1, 0), 7.5), bulk, label = 'tube %d' % len (tubes)))

RUN (solfec, SOLVER ('AUTO', 1E-7), 0.3 if SHORT else 1.5)
height = tubes [-1].conf [11]
print ('top tube at %.4f m, %.4f m at the start; speed %.1e m/s' % (height, R * (1 + 2 * math.sqrt (3)), max (abs (v) for v in tubes [-1].velo [3:])))
