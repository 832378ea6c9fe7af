# A ball shoots through a bent duct: four plates bent into a quarter circle guide it without loss.
import os

SHORT = os.environ.get ('SCREE_SHORT') == '1'
R, RADIUS, V = 0.08, 1.0, 3.0

solfec = SOLFEC ('DYNAMIC', 5E-4, 'out/elbow')
SURFACE_MATERIAL (solfec, friction = 0.0)
bulk = BULK_MATERIAL (solfec, density = 1000)
OUTPUT (solfec, 0.005)

def plate (low, high):
  corners = [low [0], low [1], low [2], high [0], low [1], low [2], high [0], high [1], low [2], low [0], high [1], low [2],
             low [0], low [1], high [2], high [0], low [1], high [2], high [0], high [1], high [2], low [0], high [1], high [2]]
  return HEX (corners, 60, 1, 1, 1, [1] * 6)

# floor, ceiling and sides of a duct 0.2 x 0.2 along x, bent upwards about an axis one metre above its middle line
walls = [plate ((0, -0.1, -0.15), (3, 0.1, -0.1)), plate ((0, -0.1, 0.1), (3, 0.1, 0.15)),
         plate ((0, -0.15, -0.15), (3, -0.1, 0.15)), plate ((0, 0.1, -0.15), (3, 0.15, 0.15))]
BEND (walls, (1, 0, RADIUS), (0, -1, 0), 90)
BODY (solfec, 'OBSTACLE', walls, bulk, label = 'duct')

ball = BODY (solfec, 'RIGID', SPHERE ((0.2, 0, -0.015), R, 2, 2), bulk, label = 'ball')
INITIAL_VELOCITY (ball, (V, 0, 0), (0, 0, 0))
RUN (solfec, None, 0.8 if SHORT else 1.0)
print ('velocity out: %.4f m/s up, %.4f m/s across, of %.1f m/s' % (ball.velo [5], ball.velo [3], V))
