# A pendulum of length 1 m released from the horizontal with g = pi^2: one swing there and back takes 2.36068 s.
import math, os

SHORT = os.environ.get ('SCREE_SHORT') == '1'
G = math.pi ** 2

solfec = SOLFEC ('DYNAMIC', 1E-3, 'out/pendulum')
bulk = BULK_MATERIAL (solfec, density = 1)
GRAVITY (solfec, (0, 0, -1), G)
OUTPUT (solfec, 0.01)

bob = BODY (solfec, 'RIGID', SPHERE ((1, 0, 0), 0.1, 1, 1), bulk, label = 'bob')
BODY_CHARS (bob, 1.0, 4.0 / 3.0 * math.pi * 1E-3, (1, 0, 0), (1, 0, 0, 0, 1, 0, 0, 0, 1))
thread = PUT_RIGID_LINK (solfec, bob, None, (1, 0, 0), (0, 0, 0))

RUN (solfec, None, 2.36068 / 4 if SHORT else 2.36068)

energy = ENERGY (solfec) [0] + G * bob.conf [11]
print ('place (%.5f, %.5f) m, energy %.3e J, pull of the thread %.4f N' % (bob.conf [9], bob.conf [11], energy, abs (thread.R [2])))
