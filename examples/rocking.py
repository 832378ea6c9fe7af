# A slender block rocks from edge to edge. Each impact takes energy; below its critical speed it does not topple.
import math, os

SHORT = os.environ.get ('SCREE_SHORT') == '1'
B, H = 0.2, 1.0   # width and height, m

solfec = SOLFEC ('DYNAMIC', 5E-4, 'out/rocking')
SURFACE_MATERIAL (solfec, model = 'SIGNORINI_COULOMB', friction = 0.8)
bulk = BULK_MATERIAL (solfec, density = 2000)
GRAVITY (solfec, (0, 0, -1), 9.81)
OUTPUT (solfec, 0.01)

def box (low, high):
  return HULL ([v for x in (low [0], high [0]) for y in (low [1], high [1]) for z in (low [2], high [2]) for v in (x, y, z)], 1, 1)

BODY (solfec, 'OBSTACLE', box ((-2, -2, -0.2), (2, 2, 0)), bulk, label = 'floor')
block = BODY (solfec, 'RIGID', box ((-B/2, -0.2, 0), (B/2, 0.2, H)), bulk, label = 'block')

# turning about the right lower edge with 80 percent of the speed that would topple it
arm = 0.5 * math.hypot (B, H)
lift = arm - H / 2
inertia = block.tensor [4] + block.mass * arm ** 2
omega = 0.8 * math.sqrt (2 * block.mass * 9.81 * lift / inertia)
INITIAL_VELOCITY (block, (omega * H / 2, 0, omega * B / 2), (0, omega, 0))

RUN (solfec, None, 1.0 if SHORT else 4.0)
print ('energy left %.4f of %.4f J' % (ENERGY (solfec) [0] + block.mass * 9.81 * (block.conf [11] - H / 2), 0.5 * inertia * omega ** 2))
