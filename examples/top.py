# A heavy symmetrical top: fast spin, small tilt, slow precession. The energy H = W.JW/2 + 20 z stays 1269.975 J.
import math, os

import numpy as np

SHORT = os.environ.get ('SCREE_SHORT') == '1'

solfec = SOLFEC ('DYNAMIC', 1E-3, 'out/top')
bulk = BULK_MATERIAL (solfec, density = 1)
OUTPUT (solfec, 0.01)

# a cone on its tip, tilted by 0.05 rad about x; its characteristics are those of the classic test
tilt = 0.05
points = [0, 0, 0]
for i in range (24): points += [0.5 * math.cos (math.pi * i / 12), 0.5 * math.sin (math.pi * i / 12), 1]
shape = ROTATE (HULL (points, 1, 1), (0, 0, 0), (1, 0, 0), math.degrees (tilt))
top = BODY (solfec, 'RIGID', shape, bulk, label = 'top')
top.scheme = 'RIG_IMP'

R = np.array ([[1, 0, 0], [0, math.cos (tilt), -math.sin (tilt)], [0, math.sin (tilt), math.cos (tilt)]])
axis = R @ (0, 0, 1)
J = R @ np.diag ([5.0, 5.0, 1.0]) @ R.T
BODY_CHARS (top, 1, 1, MASS_CENTER (top), J.T.ravel ())
INITIAL_VELOCITY (top, (0, 0, 0), 50 * axis)

def gravity (q, u, time, step):
  lean = np.reshape (q [:9], (3, 3)).T @ axis
  return np.concatenate ([(0, 0, 0), -20 * np.cross (lean, (0, 0, 1)), (0, 0, 0)])

FORCE (top, 'SPATIAL', (0, 0, 0), (0, 0, 1), gravity)
RUN (solfec, None, 1.0 if SHORT else 10.0)

W, rotation = np.array (top.velo [:3]), np.reshape (top.conf [:9], (3, 3)).T
print ('H = %.6f J' % (0.5 * W @ J @ W + 20 * (rotation @ axis) [2]))
