# Balls roll in a pipe that tilts: up and down its wall, against each other, and out at the lower end.
import math, os

SHORT = os.environ.get ('SCREE_SHORT') == '1'
COUNT = 3 if SHORT else 8
INNER, R = 0.5, 0.08

solfec = SOLFEC ('DYNAMIC', 1E-3, 'out/pipe_ball')
SURFACE_MATERIAL (solfec, model = 'SIGNORINI_COULOMB', friction = 0.5)
bulk = BULK_MATERIAL (solfec, density = 2500)
GRAVITY (solfec, (0, math.sin (0.15), -math.cos (0.15)), 9.81)  # the pipe lies along y and slopes down it
OUTPUT (solfec, 0.01)
EXTENTS (solfec, (-2, -2, -3, 2, 6, 3))

pipe = PIPE ((0, 0, 0), (0, 2, 0), INNER, 0.05, 1, 64, 1, 1, [1, 1, 1, 1])
BODY (solfec, 'OBSTACLE', pipe, bulk, label = 'pipe')
for i in range (COUNT):
  angle = math.radians (70 if i % 2 else -70)
  d = INNER - R - 0.002
  BODY (solfec, 'RIGID', SPHERE ((d * math.sin (angle), 0.2 + 0.2 * i, -d * math.cos (angle)), R, 1, 1), bulk, label = 'ball %d' % i)

RUN (solfec, None, 0.5 if SHORT else 3.0)
