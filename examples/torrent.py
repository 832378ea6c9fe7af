# A torrent of rocks down a chute: random hulls are thrown in by a callback and vanish where they leave the extents.
import math, os, random

SHORT = os.environ.get ('SCREE_SHORT') == '1'
random.seed (7)

solfec = SOLFEC ('DYNAMIC', 2E-3, 'out/torrent')
SURFACE_MATERIAL (solfec, friction = 0.35, restitution = 0.0)
bulk = BULK_MATERIAL (solfec, density = 2600)
GRAVITY (solfec, (0, 0, -1), 9.81)
OUTPUT (solfec, 0.02)
EXTENTS (solfec, (-1, -2, -3, 4.0, 2, 3))

def box (low, high):
  return HULL ([v for x in (low [0], high [0]) for y in (low [1], high [1]) for z in (low [2], high [2]) for v in (x, y, z)], 1, 1)

# a bed that falls by 35 degrees, between two banks
chute = [box ((0, -0.6, -0.1), (6, 0.6, 0)), box ((0, -0.7, 0), (6, -0.6, 0.5)), box ((0, 0.6, 0), (6, 0.7, 0.5))]
BODY (solfec, 'OBSTACLE', ROTATE (chute, (0, 0, 0), (0, 1, 0), 35), bulk, label = 'chute')

def rock (c, r):
  points = []
  for k in range (14):
    u, a = random.uniform (-1, 1), random.uniform (0, 2 * math.pi)
    s = math.sqrt (1 - u * u)
    points += [c [0] + r * s * math.cos (a), c [1] + 0.8 * r * s * math.sin (a), c [2] + 0.7 * r * u]
  return HULL (points, 2, 2)

def feed (state):
  for y in (-0.4, -0.13, 0.13, 0.4):
    body = BODY (solfec, 'RIGID', rock ((0.3, y, 0.2), random.uniform (0.07, 0.12)), bulk, label = 'rock %d' % state ['made'])
    INITIAL_VELOCITY (body, (1.0, 0, -0.7), (0, 0, 0))
    state ['made'] += 1
  return 1

state = {'made': 0}
CALLBACK (solfec, 0.25, state, feed)
RUN (solfec, SOLVER ('AUTO', 1E-5), 1.0 if SHORT else 4.0)
print ('%d rocks thrown in, %d still on the way' % (state ['made'], solfec.nbod - 1))
