# A rotating drum of ellipsoids: a pipe with two lifters turns at 1 rad/s between fixed side discs.
# Particles rain in at the start; once all have been made the drum begins to turn.
import math, os

SHORT = os.environ.get('SCREE_SHORT') == '1'
N = 60 if SHORT else 100        # ellipsoids
STOP = 0.3 if SHORT else 5.0    # duration, s
STEP = 1E-3                     # time step, s

r0 = (0.1 / N) ** (1.0 / 3.0)
rx, ry, rz = 0.9 * r0, 0.5 * r0, r0
layers = int (0.75 / (2 * rz))

solfec = SOLFEC ('DYNAMIC', STEP, 'out/drum')
SURFACE_MATERIAL (solfec, model = 'SIGNORINI_COULOMB', friction = 0.3, restitution = 0.0)
bulk = BULK_MATERIAL (solfec, model = 'KIRCHHOFF', young = 1E6, poisson = 0.25, density = 100)
GRAVITY (solfec, (0, 0, -1), 10)
OUTPUT (solfec, 0.02)

def block (x0):
  return HULL ([v for x in (x0 - 0.1, x0 + 0.1) for y in (0, 0.5) for z in (-0.1, 0.1) for v in (x, y, z)], 1, 1)

# the drum: one obstacle made of a pipe and two lifters; its sides: two fixed discs
pipe = PIPE ((0, 0, 0), (0, 0.5, 0), 1.0, 0.05, 1, 32, 1, 1, [1, 1, 1, 1])
drum = BODY (solfec, 'OBSTACLE', [pipe, block (-0.9), block (0.9)], bulk, label = 'drum')
for name, y0, y1 in (('front', -0.052, -0.002), ('back', 0.502, 0.552)):
  points = []
  for i in range (31):
    a = 2 * math.pi * i / 31
    for y in (y0, y1): points += [1.05 * math.cos (a), y, 1.05 * math.sin (a)]
  BODY (solfec, 'OBSTACLE', HULL (points, 1, 1), bulk, label = name)

def insert (state):
  """Fill the lattice again until there are N particles; then, once, set the drum turning."""
  if state ['made'] < N:
    for k in range (layers):
      x = max (-0.7, rx - 0.795)   # clear of the lifters and discs
      while x < 0.7:
        y = max (0.05, ry)
        while y < 0.45 and state ['made'] < N:
          BODY (solfec, 'RIGID', ELLIP ((x, y, 0.25 - 2 * rz * k), (rx, ry, rz), 2, 2), bulk)
          state ['made'] += 1
          y += 2 * ry
        x += 2 * rx
  elif not state ['turning']:
    INITIAL_VELOCITY (drum, (0, 0, 0), (0, 1, 0))
    state ['turning'] = True
  return 1

CALLBACK (solfec, layers * math.sqrt (2 * 2.1 * rz / 10), {'made': 0, 'turning': False}, insert)
RUN (solfec, SOLVER ('AUTO'), STOP)
