# A brick wall is hit by a heavy ball.
import os

SHORT = os.environ.get ('SCREE_SHORT') == '1'
ROWS, COLUMNS = (4, 4) if SHORT else (8, 8)

solfec = SOLFEC ('DYNAMIC', 1E-3, 'out/wall_impact')
SURFACE_MATERIAL (solfec, model = 'SIGNORINI_COULOMB', friction = 0.5)
bulk = BULK_MATERIAL (solfec, density = 2000)
steel = BULK_MATERIAL (solfec, label = 'steel', density = 7800)
GRAVITY (solfec, (0, 0, -1), 9.81)
OUTPUT (solfec, 0.01)

def box (low, high):
  return HULL ([v for x in (low [0], high [0]) for y in (low [1], high [1]) for z in (low [2], high [2]) for v in (x, y, z)], 1, 1)

BODY (solfec, 'OBSTACLE', box ((-4, -4, -0.2), (4, 4, 0)), bulk, label = 'floor')
for k in range (ROWS):
  for i in range (COLUMNS):
    x = (i - 0.5 * COLUMNS) * 0.2 + (0.1 if k % 2 else 0)
    BODY (solfec, 'RIGID', box ((x, -0.05, 0.1 * k), (x + 0.199, 0.05, 0.1 * (k + 1))), bulk)

ball = BODY (solfec, 'RIGID', SPHERE ((0.05, -0.25, 0.06 * ROWS), 0.12, 1, 1), steel, label = 'ball')
INITIAL_VELOCITY (ball, (0, 6, 0), (0, 0, 0))

RUN (solfec, SOLVER ('AUTO', 1E-6), 0.15 if SHORT else 1.5)
print ('velocity of the ball: %.3f m/s' % ball.velo [4])
