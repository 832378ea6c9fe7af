# A block is cut along planes into pieces, which fall and come apart on the floor.
import os, random

SHORT = os.environ.get ('SCREE_SHORT') == '1'
CUTS = 3 if SHORT else 5
random.seed (5)

solfec = SOLFEC ('DYNAMIC', 1E-3, 'out/splitting')
SURFACE_MATERIAL (solfec, model = 'SIGNORINI_COULOMB', friction = 0.4)
bulk = BULK_MATERIAL (solfec, density = 2400)
GRAVITY (solfec, (0, 0, -1), 9.81)
OUTPUT (solfec, 0.01)

def box (low, high):
  return HULL ([v for x in (low [0], high [0]) for y in (low [1], high [1]) for z in (low [2], high [2]) for v in (x, y, z)], 1, 1)

BODY (solfec, 'OBSTACLE', box ((-3, -3, -0.2), (3, 3, 0)), bulk, label = 'floor')

pieces = [box ((-0.3, -0.3, 0.2), (0.3, 0.3, 0.8))]
for cut in range (CUTS):
  point = [random.uniform (-0.1, 0.1), random.uniform (-0.1, 0.1), 0.5 + random.uniform (-0.1, 0.1)]
  normal = [random.uniform (-1, 1) for i in range (3)]
  halves = [half for piece in pieces for half in SPLIT (piece, point, normal, 2)]
  pieces = [half for half in halves if half is not None]
bodies = [BODY (solfec, 'RIGID', piece, bulk) for piece in pieces]
print ('%d pieces of %.12f m3 together' % (len (bodies), sum (body.volume for body in bodies)))

RUN (solfec, SOLVER ('AUTO', 1E-6), 0.25 if SHORT else 1.5)
