# A cube of ten tonnes rests on balls of one kilogram: nothing moves. The ratio of masses is what makes it hard.
import math, os

SHORT = os.environ.get ('SCREE_SHORT') == '1'
SIDE, R, PITCH = (4 if SHORT else 10), 0.05, 0.11

solfec = SOLFEC ('DYNAMIC', 1E-3, 'out/heavy_on_light')
SURFACE_MATERIAL (solfec, model = 'SIGNORINI_COULOMB', friction = 0.3)
light = BULK_MATERIAL (solfec, label = 'light', density = 1.0 / (4.0 / 3.0 * math.pi * R ** 3))
edge = PITCH * SIDE
heavy = BULK_MATERIAL (solfec, label = 'heavy', density = 10000 / edge ** 3)
GRAVITY (solfec, (0, 0, -1), 9.81)
OUTPUT (solfec, 0.02)

def box (low, high):
  return HULL ([v for x in (low [0], high [0]) for y in (low [1], high [1]) for z in (low [2], high [2]) for v in (x, y, z)], 1, 1)

BODY (solfec, 'OBSTACLE', box ((-2, -2, -0.5), (2, 2, 0)), light, label = 'floor')
for i in range (SIDE):
  for j in range (SIDE):
    BODY (solfec, 'RIGID', SPHERE (((i - 0.5 * (SIDE - 1)) * PITCH, (j - 0.5 * (SIDE - 1)) * PITCH, R), R, 1, 1), light)
cube = BODY (solfec, 'RIGID', box ((-edge / 2, -edge / 2, 2 * R), (edge / 2, edge / 2, 2 * R + edge)), heavy, label = 'cube')

RUN (solfec, None, 0.05 if SHORT else 1.0)
print ('the cube sank by %.1e m' % -DISPLACEMENT (cube, cube.center) [2])
