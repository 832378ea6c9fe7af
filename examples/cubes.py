# Cubes in a box that shakes along a diagonal: six walls move together, the cubes clatter between them.
import math, os

SHORT = os.environ.get ('SCREE_SHORT') == '1'
M, A = (2, 0.1) if SHORT else (4, 0.1)
GAP = 0.01 / M

solfec = SOLFEC ('DYNAMIC', 5E-4, 'out/cubes')
SURFACE_MATERIAL (solfec, friction = 0.1)
bulk = BULK_MATERIAL (solfec, young = 1E9, density = 1000)
GRAVITY (solfec, (0, 0, -1), 10)
OUTPUT (solfec, 5E-3)

def box (low, high):
  corners = [low [0], low [1], low [2], high [0], low [1], low [2], high [0], high [1], low [2], low [0], high [1], low [2],
             low [0], low [1], high [2], high [0], low [1], high [2], high [0], high [1], high [2], low [0], high [1], high [2]]
  return HEX (corners, 1, 1, 1, 1, [1] * 6)

size = M * A + (M + 1) * GAP
walls = []
for axis in range (3):
  for low in (-A, size):
    a, b = [-A] * 3, [size + A] * 3
    a [axis], b [axis] = low, low + A
    walls.append (BODY (solfec, 'OBSTACLE', box (a, b), bulk, label = 'wall'))
pitch = A + GAP
for i in range (M):
  for j in range (M):
    for k in range (M):
      c = [GAP + pitch * n for n in (i, j, k)]
      c [2] = A * k
      BODY (solfec, 'RIGID', box (c, [x + A for x in c]), bulk)

def shake (walls):
  """The velocity of 2 Hz and 5 m/s2 along (1, 1, 0)."""
  v = 5 / (4 * math.pi) * (1 - math.cos (4 * math.pi * solfec.time)) / math.sqrt (2)
  for wall in walls: INITIAL_VELOCITY (wall, (v, v, 0), (0, 0, 0))
  return 1

CALLBACK (solfec, 0.0, walls, shake)
RUN (solfec, SOLVER ('AUTO', 1E-6), 0.25 if SHORT else 3.0)
x = [b.conf [9] for b in solfec.bodies if b.kind == 'RIGID']
print ('cubes moved with the box: mean x %.4f m' % (sum (x) / len (x)))
