# A house of cards: leaning cards hold each other and the floors between the storeys, by friction alone.
import math, os

SHORT = os.environ.get ('SCREE_SHORT') == '1'
STOREYS = 2 if SHORT else 3
L, W, T = 0.1, 0.06, 0.002       # length, width and thickness of a card, m
A = math.radians (20)            # lean
SPACING = 1.02 * L             # between peaks: the cards of a floor lie end to end without touching

solfec = SOLFEC ('DYNAMIC', 1E-3, 'out/card_house')
SURFACE_MATERIAL (solfec, model = 'SIGNORINI_COULOMB', friction = 0.6)
bulk = BULK_MATERIAL (solfec, density = 1000)
GRAVITY (solfec, (0, 0, -1), 9.81)
OUTPUT (solfec, 0.02)

def card (x, z, angle):
  corners = [v for i in (-T/2, T/2) for j in (-W/2, W/2) for k in (-L/2, L/2) for v in (i, j, k)]
  shape = ROTATE (HULL (corners, 1, 1), (0, 0, 0), (0, 1, 0), math.degrees (angle))
  return BODY (solfec, 'RIGID', TRANSLATE (shape, (x, 0, z)), bulk)

ground = HULL ([v for i in (-1, 1) for j in (-1, 1) for k in (-0.1, 0) for v in (i, j, k)], 1, 1)
BODY (solfec, 'OBSTACLE', ground, bulk, label = 'table')

half, rise = T/2 * math.cos (A) + L/2 * math.sin (A), T/2 * math.sin (A) + L/2 * math.cos (A)
z = 0.0
for storey in range (STOREYS):
  pairs = STOREYS - storey
  for i in range (pairs):
    x = (i - 0.5 * (pairs - 1)) * SPACING
    card (x - half, z + rise, A)
    card (x + half, z + rise, -A)
  z += 2 * rise
  for i in range (pairs - 1):
    card ((i - 0.5 * (pairs - 2)) * SPACING, z + T/2, math.pi / 2)
  z += T

RUN (solfec, SOLVER ('NEWTON', 1E-8), 0.1 if SHORT else 2.0)
print ('kinetic energy at the end: %.3e J' % ENERGY (solfec) [0])
