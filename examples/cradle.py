# Newton's cradle: five balls on two threads each. A hair's breadth lies between them, so that impacts follow one another.
import math, os

SHORT = os.environ.get ('SCREE_SHORT') == '1'
R, LENGTH, GAP, COUNT = 0.02, 0.2, 5E-4, 5

solfec = SOLFEC ('DYNAMIC', 1E-4, 'out/cradle')
SURFACE_MATERIAL (solfec, model = 'SIGNORINI_COULOMB', friction = 0.0, restitution = 1.0)
bulk = BULK_MATERIAL (solfec, density = 7800)
GRAVITY (solfec, (0, 0, -1), 9.81)
OUTPUT (solfec, 2E-3)

lift = math.radians (30)
for i in range (COUNT):
  x = i * (2 * R + GAP)
  center = (x, 0, 0) if i else (x - LENGTH * math.sin (lift), 0, LENGTH * (1 - math.cos (lift)))
  ball = BODY (solfec, 'RIGID', SPHERE (center, R, 1, 1), bulk, label = 'ball %d' % i)
  for side in (-0.1, 0.1):
    PUT_RIGID_LINK (solfec, ball, None, center, (x, side, LENGTH))

RUN (solfec, SOLVER ('NEWTON', 1E-10), 0.45 if SHORT else 2.0)
balls = [b for b in solfec.bodies]
print ('height of the last ball: %.4f m, of the first at the start: %.4f m' % (balls [-1].conf [11], LENGTH * (1 - math.cos (lift))))
