# Tweezers pressed beyond closing: one elastic body that touches itself. What the prongs do not carry goes through their tips.
import os

SHORT = os.environ.get ('SCREE_SHORT') == '1'
LENGTH, THICK, SLIT, WIDE, BASE, YOUNG = 0.1, 0.004, 0.004, 0.01, 0.02, 2E9
CELLS = 6 if SHORT else 16

solfec = SOLFEC ('QUASI_STATIC', 0.02, 'out/tweezers')
SURFACE_MATERIAL (solfec, friction = 0.2)
plastic = BULK_MATERIAL (solfec, young = YOUNG, poisson = 0.0, density = 1200)
OUTPUT (solfec, 0.02)

# a grid of three rows of cells; of the middle one, the slit, only the base is there
xs = [-BASE] + [LENGTH * i / CELLS for i in range (CELLS + 1)]
zs = [-SLIT / 2 - THICK, -SLIT / 2, SLIT / 2, SLIT / 2 + THICK]
nodes = [c for x in xs for y in (0, WIDE) for z in zs for c in (x, y, z)]
def node (i, j, k): return (i * 2 + j) * 4 + k
elements = []
for i in range (len (xs) - 1):
  for k in (0, 1, 2) if i == 0 else (0, 2):
    elements += [8] + [node (i + a, b, k + c) for c in (0, 1) for a, b in ((0, 0), (1, 0), (1, 1), (0, 1))] + [1]
body = BODY (solfec, 'FINITE_ELEMENT', MESH (nodes, elements, 1), plastic, label = 'tweezers', formulation = 'FEM_O2')
body.selfcontact = 'ON'
for y in (0, WIDE):
  for z in zs: FIX_POINT (solfec, body, (-BASE, y, z))

# the force that closes the slit by beam theory, and twice as much at the end
closing = 3 * YOUNG * (WIDE * THICK ** 3 / 12) / LENGTH ** 3 * SLIT / 2
STEPS = 4 if SHORT else 10
ramp = TIME_SERIES ([0, 0, 0.02 * STEPS, closing, 0.02 * (2 * STEPS + 2), closing])
for y in (0, WIDE):
  for z in (zs [0], zs [-1]): FORCE (body, 'SPATIAL', (LENGTH, y, z), (0, 0, -1 if z > 0 else 1), ramp)

def tips (): return [DISPLACEMENT (body, (LENGTH, WIDE / 2, z)) [2] for z in zs [1:3]]

RUN (solfec, SOLVER ('AUTO', 1E-8), 0.02 * (2 * STEPS + 2))
low, high = tips ()
touch = sum (con.R [2] for con in solfec.constraints if con.kind == 'CONTACT')
print ('slit: %.6f mm open' % (1000 * (SLIT + high - low)))
print ('pressed with: %.4f N' % (2 * closing))
print ('through the tips: %.4f N, by beam theory: %.4f N' % (touch, closing))
