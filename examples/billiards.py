# A break at billiards without friction and loss: momentum and energy of sixteen balls are kept through every collision.
import math, os, random

SHORT = os.environ.get ('SCREE_SHORT') == '1'
R = 0.028
random.seed (1)

solfec = SOLFEC ('DYNAMIC', 2E-4, 'out/billiards')
SURFACE_MATERIAL (solfec, friction = 0.0, restitution = 1.0)
bulk = BULK_MATERIAL (solfec, density = 1700)
OUTPUT (solfec, 2E-3)

def ball (x, y, label):
  return BODY (solfec, 'RIGID', SPHERE ((x, y, 0), R, 1, 1), bulk, label = label)

cue = ball (-0.3, 0.004, 'cue')
INITIAL_VELOCITY (cue, (4, 0, 0), (0, 0, 0))
gap = 2 * R + 1E-4
balls = [cue] + [ball (row * gap * math.sqrt (0.75) + random.uniform (0, 4E-5), (i - row / 2) * gap, 'ball') for row in range (5) for i in range (row + 1)]

RUN (solfec, SOLVER ('GAUSS_SEIDEL', 1E-12), 0.1 if SHORT else 0.4)
mass = cue.mass
print ('momentum %.10f of %.10f kg m/s' % (sum (mass * b.velo [3] for b in balls), 4 * mass))
print ('energy %.8f of %.8f J' % (ENERGY (solfec) [0], 8 * mass))
print ('moving: %d balls' % sum (abs (b.velo [3]) + abs (b.velo [4]) > 1E-6 for b in balls))
