# A chain of beads on rigid links, held at one end, falls from the horizontal and wraps around a peg.
import os

SHORT = os.environ.get ('SCREE_SHORT') == '1'
COUNT = 8 if SHORT else 20
PITCH, R = 0.1, 0.035

solfec = SOLFEC ('DYNAMIC', 5E-4, 'out/chain')
SURFACE_MATERIAL (solfec, model = 'SIGNORINI_COULOMB', friction = 0.3)
bulk = BULK_MATERIAL (solfec, density = 5000)
GRAVITY (solfec, (0, 0, -1), 9.81)
OUTPUT (solfec, 0.01)

peg = PIPE ((0.35, -0.3, -0.35), (0, 0.6, 0), 0.02, 0.05, 1, 32, 1, 1, [1, 1, 1, 1])
BODY (solfec, 'OBSTACLE', peg, bulk, label = 'peg')

before, hook = None, (0, 0, 0)
for i in range (COUNT):
  center = (PITCH * (i + 1), 0, 0)
  bead = BODY (solfec, 'RIGID', SPHERE (center, R, 1, 1), bulk, label = 'bead %d' % i)
  PUT_RIGID_LINK (solfec, before, bead, hook, center)
  before, hook = bead, center

RUN (solfec, SOLVER ('NEWTON', 1E-8), 0.3 if SHORT else 2.0)
