# A stack of drums, as of a temple column, on ground that shakes. It rocks and twists; the ground's motion is prescribed by its acceleration.
import math, os

SHORT = os.environ.get ('SCREE_SHORT') == '1'
DRUMS, R, H = (3, 0.4, 0.6) if SHORT else (6, 0.4, 0.6)
AMPLITUDE, FREQUENCY, CYCLES = 2.0, 1.0, 1   # m/s2, Hz

solfec = SOLFEC ('DYNAMIC', 1E-3, 'out/shaken_column')
SURFACE_MATERIAL (solfec, friction = 0.6)
bulk = BULK_MATERIAL (solfec, density = 2700)
GRAVITY (solfec, (0, 0, -1), 9.81)
OUTPUT (solfec, 0.02)

# the ground is a heavy slab, held in height and direction, driven along x
slab = HULL ([v for x in (-2, 2) for y in (-2, 2) for z in (-0.5, 0) for v in (x, y, z)], 1, 1)
ground = BODY (solfec, 'RIGID', slab, bulk, label = 'ground')
for point in ((-2, -2, -0.5), (2, -2, -0.5), (0, 2, -0.5)): FIX_DIRECTION (solfec, ground, point, (0, 0, 1))
for point in ((-2, 0, -0.25), (2, 0, -0.25)): FIX_DIRECTION (solfec, ground, point, (0, 1, 0))
points = []
for k in range (201):
  t = k * CYCLES / FREQUENCY / 200
  points += [t, AMPLITUDE * math.sin (2 * math.pi * FREQUENCY * t)]
SET_ACCELERATION (solfec, ground, (0, 0, -0.25), (1, 0, 0), TIME_SERIES (points))

def drum (z):
  return HULL ([v for s in (0, H) for k in range (16) for v in (R * math.cos (k * math.pi / 8), R * math.sin (k * math.pi / 8), z + s)], 2, 2)

drums = [BODY (solfec, 'RIGID', drum (H * i), bulk, label = 'drum %d' % i) for i in range (DRUMS)]
RUN (solfec, SOLVER ('AUTO', 1E-6), 0.5 if SHORT else 3.0)
t = min (solfec.time, CYCLES / FREQUENCY)
w = 2 * math.pi * FREQUENCY
print ('ground %.5f m, expected %.5f m' % (DISPLACEMENT (ground, ground.center) [0], AMPLITUDE / w * (t - math.sin (w * t) / w)))
print ('top drum against the ground: %.4f m' % (DISPLACEMENT (drums [-1], drums [-1].center) [0] - DISPLACEMENT (ground, ground.center) [0]))
