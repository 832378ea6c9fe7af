# Two blocks on a slope of 20 degrees. One is rougher than tan 20 and stays; the other slides with g (sin a - mu cos a).
import math, os

SHORT = os.environ.get ('SCREE_SHORT') == '1'
A, G = math.radians (20), 9.81
SLIDES, STAYS = 0.2, math.tan (A) * 1.001   # friction coefficients

solfec = SOLFEC ('DYNAMIC', 1E-3, 'out/incline')
SURFACE_MATERIAL (solfec, 1, 2, friction = SLIDES)
SURFACE_MATERIAL (solfec, 1, 3, friction = STAYS)
bulk = BULK_MATERIAL (solfec, density = 1000)
GRAVITY (solfec, (math.sin (A), 0, -math.cos (A)), G)  # the slope is the plane z = 0: down is tilted instead
OUTPUT (solfec, 0.02)

def box (low, high, surface):
  return HULL ([v for x in (low [0], high [0]) for y in (low [1], high [1]) for z in (low [2], high [2]) for v in (x, y, z)], 1, surface)

BODY (solfec, 'OBSTACLE', box ((-1, -1, -0.1), (6, 1, 0), 1), bulk, label = 'slope')
slides = BODY (solfec, 'RIGID', box ((-0.15, 0.2, 0), (0.15, 0.5, 0.1), 2), bulk, label = 'slides')
stays = BODY (solfec, 'RIGID', box ((-0.15, -0.5, 0), (0.15, -0.2, 0.1), 3), bulk, label = 'stays')

stop = 0.2 if SHORT else 1.5
RUN (solfec, None, stop)
print ('slid %.6f m (%.6f by the law of friction), stayed within %.1e m' %
       (DISPLACEMENT (slides, slides.center) [0], 0.5 * G * (math.sin (A) - SLIDES * math.cos (A)) * stop ** 2, abs (DISPLACEMENT (stays, stays.center) [0])))
