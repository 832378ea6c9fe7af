# A ball slides, begins to roll, and hits ten pins. It rolls from v = 5/7 of its first speed on, whatever the friction.
import math, os

SHORT = os.environ.get ('SCREE_SHORT') == '1'
V0, R, MU = 6.0, 0.108, 0.25

solfec = SOLFEC ('DYNAMIC', 1E-3, 'out/bowling')
SURFACE_MATERIAL (solfec, friction = MU)
SURFACE_MATERIAL (solfec, 2, 2, friction = 0.2, restitution = 0.6)
bulk = BULK_MATERIAL (solfec, density = 1280)
wood = BULK_MATERIAL (solfec, label = 'wood', density = 700)
GRAVITY (solfec, (0, 0, -1), 9.81)
OUTPUT (solfec, 0.01)

lane = HULL ([v for x in (-1, 8) for y in (-0.6, 0.6) for z in (-0.1, 0) for v in (x, y, z)], 1, 1)
BODY (solfec, 'OBSTACLE', lane, bulk, label = 'lane')
ball = BODY (solfec, 'RIGID', SPHERE ((0, 0.02, R), R, 2, 2), bulk, label = 'ball')
INITIAL_VELOCITY (ball, (V0, 0, 0), (0, 0, 0))

def pin (x, y):
  """A stack of octagonal rings, thick at the belly."""
  rings = [(0.0, 0.03), (0.11, 0.06), (0.25, 0.025), (0.38, 0.02)]
  corner = lambda z, r, k: (x + r * math.cos (k * math.pi / 4), y + r * math.sin (k * math.pi / 4), z)
  return [HULL ([v for z, r in pair for k in range (8) for v in corner (z, r, k)], 1, 2) for pair in zip (rings, rings [1:])]

START = 2.0 if SHORT else 6.0
pins = [BODY (solfec, 'RIGID', pin (START + 0.26 * row, 0.3 * (i - row / 2)), wood, label = 'pin') for row in range (4) for i in range (row + 1)]

seen = []
def watch (ball):
  if ball.conf [9] < START - 0.3: seen.append ((solfec.time, ball.velo [3], ball.velo [1]))
  return 1

CALLBACK (solfec, 0.01, ball, watch)
RUN (solfec, SOLVER ('AUTO', 1E-6), 0.6 if SHORT else 3.0)
expected = max (5 / 7 * V0, V0 - MU * 9.81 * seen [-1][0])
print ('before the pins %.4f m/s, expected %.4f m/s' % (seen [-1][1], expected))
print ('pins down: %d' % sum (DISPLACEMENT (p, p.center) [2] < -0.03 for p in pins))
