# Grains of several shapes run out of a hopper onto a floor.
import math, os, random

SHORT = os.environ.get ('SCREE_SHORT') == '1'
LAYERS = 2 if SHORT else 6
random.seed (3)

solfec = SOLFEC ('DYNAMIC', 2E-3, 'out/hopper')
SURFACE_MATERIAL (solfec, model = 'SIGNORINI_COULOMB', friction = 0.3)
bulk = BULK_MATERIAL (solfec, density = 1500)
GRAVITY (solfec, (0, 0, -1), 9.81)
OUTPUT (solfec, 0.02)

def slab (low, high):
  return HULL ([v for i in (0, 1) for j in (0, 1) for k in (0, 1) for v in ((low, high) [i][0], (low, high) [j][1], (low, high) [k][2])], 1, 1)

BODY (solfec, 'OBSTACLE', slab ((-1.5, -1.5, -0.1), (1.5, 1.5, 0)), bulk, label = 'floor')

# four plates at 55 degrees around an opening of 0.28 m
walls = []
for turn in (0, 90, 180, 270):
  plate = TRANSLATE (slab ((0, -0.6, -0.02), (0.7, 0.6, 0)), (0.14, 0, 0.4))
  ROTATE (plate, (0.14, 0, 0.4), (0, 1, 0), -55)
  walls.append (ROTATE (plate, (0, 0, 0), (0, 0, 1), turn))
BODY (solfec, 'OBSTACLE', walls, bulk, label = 'hopper')

def grain (k, c):
  kind = k % 3
  if kind == 0: return SPHERE (c, 0.035, 1, 1)
  if kind == 1: return ELLIP (c, (0.045, 0.03, 0.035), 1, 1)
  return ROTATE (slab ([x - 0.03 for x in c], [x + 0.03 for x in c]), c, (1, 1, 0), random.uniform (0, 90))

count = 0
for layer in range (LAYERS):
  for i in range (4):
    for j in range (4):
      c = [(i - 1.5) * 0.1 + random.uniform (-0.005, 0.005), (j - 1.5) * 0.1, 0.75 + 0.1 * layer]
      BODY (solfec, 'RIGID', grain (count, tuple (c)), bulk)
      count += 1

RUN (solfec, SOLVER ('AUTO', 1E-6), 0.36 if SHORT else 3.0)
print ('%d of %d grains are through' % (sum (b.conf [11] < 0.4 for b in solfec.bodies if b.kind == 'RIGID'), count))
