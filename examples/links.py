# A chain of five interlocking links, each a ring of four bars, hangs from a hook. The hook carries it all; nothing slips through.
import os

SHORT = os.environ.get ('SCREE_SHORT') == '1'
COUNT, A, T = 5, 0.1, 0.02   # links, half length, thickness of a bar

solfec = SOLFEC ('DYNAMIC', 1E-3, 'out/links')
SURFACE_MATERIAL (solfec, friction = 0.3)
bulk = BULK_MATERIAL (solfec, density = 7800)
GRAVITY (solfec, (0, 0, -1), 9.81)
OUTPUT (solfec, 0.01)

def box (c, s):
  return HULL ([v for i in (-1, 1) for j in (-1, 1) for k in (-1, 1) for v in (c [0] + i * s [0] / 2, c [1] + j * s [1] / 2, c [2] + k * s [2] / 2)], 1, 1)

def ring (z, turned):
  """Four bars around the centre (0, 0, z), in the plane x-z or y-z."""
  bars = [box ((0, 0, z + s * A), (0.12, T, T)) for s in (-1, 1)] + [box ((s * 0.05, 0, z), (T, T, 2 * A - T)) for s in (-1, 1)]
  return ROTATE (bars, (0, 0, z), (0, 0, 1), 90) if turned else bars

hook = BODY (solfec, 'OBSTACLE', box ((0, 0, A), (0.02, 0.3, 0.02)), bulk, label = 'hook')
pitch = 2 * A - T - 0.004   # a little play between the links
links = []
for i in range (COUNT):
  links.append (BODY (solfec, 'RIGID', ring (-(pitch * i) + 0.018, i % 2 == 1), bulk, label = 'link %d' % i))
INITIAL_VELOCITY (links [-1], (0.3, 0.2, 0), (0, 0, 0))

RUN (solfec, SOLVER ('AUTO', 1E-7), 0.4 if SHORT else 3.0)
load = sum ((1 if c.adjbod [1] is hook else -1) * sum (c.base [6 + j] * c.R [j] for j in range (3)) for c in hook.constraints)
print ('the hook carries %.4f of the weight' % (-load / (9.81 * sum (b.mass for b in links))))
