# A semicircular masonry arch of 27 blocks between fixed abutments. Its thickness is 0.12 of its radius: it stands.
# Below about 0.107 no line of thrust fits into it any more. Try: scree run examples/arch.py --out out/falls -- 0.09
import math, os

SHORT = os.environ.get ('SCREE_SHORT') == '1'
argv = NON_SOLFEC_ARGV ()
RATIO = float (argv [0]) if argv else 0.12
RADIUS, WIDTH, BLOCKS = 10.0, 5.0, 27

solfec = SOLFEC ('DYNAMIC', 1E-3, 'out/arch')
SURFACE_MATERIAL (solfec, model = 'SIGNORINI_COULOMB', friction = 0.5)
bulk = BULK_MATERIAL (solfec, density = 1)
GRAVITY (solfec, (0, 0, -1), 9.81)
OUTPUT (solfec, 0.02)

inner, outer = RADIUS * (1 - RATIO / 2), RADIUS * (1 + RATIO / 2)

def block (a, b):
  points = []
  for angle in (a, b):
    for r in (inner, outer):
      for y in (-WIDTH / 2, WIDTH / 2):
        points += [r * math.cos (angle), y, r * math.sin (angle)]
  return HULL (points, 1, 1)

step = math.pi / BLOCKS
for i in range (BLOCKS): BODY (solfec, 'RIGID', block (i * step, (i + 1) * step), bulk)
for x in (-RADIUS, RADIUS):
  size = RADIUS * RATIO
  abutment = HULL ([v for i in (x - size, x + size) for j in (-WIDTH, WIDTH) for k in (-1, 0) for v in (i, j, k)], 1, 1)
  BODY (solfec, 'OBSTACLE', abutment, bulk, label = 'abutment')

RUN (solfec, SOLVER ('NEWTON', 1E-8), 0.05 if SHORT else 0.75)
print ('kinetic energy at the end: %.3e J' % ENERGY (solfec) [0])
