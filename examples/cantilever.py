# A cantilever of second-order elements under its own weight: the tip's deflection against beam theory.
import os

SHORT = os.environ.get ('SCREE_SHORT') == '1'
LENGTH, SIDE, YOUNG, DENSITY, G = 1.0, 0.05, 1E8, 1000.0, 10.0

solfec = SOLFEC ('QUASI_STATIC', 0.1, 'out/cantilever')
wood = BULK_MATERIAL (solfec, young = YOUNG, poisson = 0.0, density = DENSITY)
GRAVITY (solfec, (0, 0, -1), G)
OUTPUT (solfec, 0.1)

nodes = [0, 0, 0, LENGTH, 0, 0, LENGTH, SIDE, 0, 0, SIDE, 0, 0, 0, SIDE, LENGTH, 0, SIDE, LENGTH, SIDE, SIDE, 0, SIDE, SIDE]
bar = BODY (solfec, 'FINITE_ELEMENT', HEX (nodes, 6 if SHORT else 20, 1, 1, 1, [1] * 6), wood, label = 'bar', formulation = 'FEM_O2')
# all nodes of the clamped end: elements of second order have them in the middle of edges too
for y in (0, SIDE / 2, SIDE):
  for z in (0, SIDE / 2, SIDE):
    if (y, z) != (SIDE / 2, SIDE / 2): FIX_POINT (solfec, bar, (0, y, z))

RUN (solfec, SOLVER ('AUTO', 1E-8), 1.0)
weight, inertia = DENSITY * G * SIDE ** 2, SIDE ** 4 / 12
print ('deflection of the tip: %.4f mm' % (-1000 * DISPLACEMENT (bar, (LENGTH, SIDE / 2, SIDE / 2)) [2]))
print ('beam theory: %.4f mm' % (1000 * weight * LENGTH ** 4 / (8 * YOUNG * inertia)))
