# A wall of elastic bricks is hit by a heavy ball: stresses run through the masonry.
import os

SHORT = os.environ.get ('SCREE_SHORT') == '1'
ROWS, COLUMNS = (2, 2) if SHORT else (6, 5)
STEP = 2E-4

solfec = SOLFEC ('DYNAMIC', STEP, 'out/brick_wall')
SURFACE_MATERIAL (solfec, friction = 0.6)
clay = BULK_MATERIAL (solfec, label = 'clay', young = 1E9, poisson = 0.2, density = 1800)
steel = BULK_MATERIAL (solfec, label = 'steel', density = 7800)
GRAVITY (solfec, (0, 0, -1), 9.81)
OUTPUT (solfec, 2E-3)

def corners (low, high):
  (x0, y0, z0), (x1, y1, z1) = low, high
  return [x0, y0, z0, x1, y0, z0, x1, y1, z0, x0, y1, z0, x0, y0, z1, x1, y0, z1, x1, y1, z1, x0, y1, z1]

BODY (solfec, 'OBSTACLE', HULL (corners ((-3, -3, -0.2), (3, 3, 0)), 1, 1), clay, label = 'floor')
for k in range (ROWS):
  for i in range (COLUMNS):
    x = (i - 0.5 * COLUMNS) * 0.25 + (0.125 if k % 2 else 0)
    brick = BODY (solfec, 'FINITE_ELEMENT', HEX (corners ((x, -0.06, 0.08 * k), (x + 0.249, 0.06, 0.08 * (k + 1))), 4, 2, 2, 2, [2] * 6), clay)
    brick.stiffness_damping = STEP

ball = BODY (solfec, 'RIGID', SPHERE ((0.03, -0.17, 0.045 * ROWS), 0.1, 3, 3), steel, label = 'ball')
INITIAL_VELOCITY (ball, (0, 8, 0), (0, 0, 0))

RUN (solfec, SOLVER ('AUTO', 1E-6), 0.01 if SHORT else 0.2)
kinetic, internal, external, contact, friction = ENERGY (solfec)
print ('velocity of the ball: %.3f m/s, stored energy: %.3g J' % (ball.velo [4], internal))
