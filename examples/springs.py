# Weights on springs: one swings with its period, one is damped to rest, one runs against the limit of its stroke.
import math

PERIOD = 0.5

solfec = SOLFEC ('DYNAMIC', 1E-3, 'out/springs')
bulk = BULK_MATERIAL (solfec, density = 1000)
GRAVITY (solfec, (0, 0, -1), 9.81)
OUTPUT (solfec, 0.005)

weights = [BODY (solfec, 'RIGID', SPHERE ((0.5 * i, 0, 0), 0.1, 1, 1), bulk, label = name) for i, name in enumerate (('free', 'damped', 'limited'))]
mass = weights [0].mass
k = mass * (2 * math.pi / PERIOD) ** 2
c = 2 * math.sqrt (k * mass)   # critical

laws = (lambda x, v: -k * x, lambda x, v: -k * x - c * v, lambda x, v: -k * x)
limits = (None, None, (-0.03, 0.03))
springs = [PUT_SPRING (w, w.center, None, (w.center [0], 0, 1), law, limit) for w, law, limit in zip (weights, laws, limits)]

RUN (solfec, None, 3 * PERIOD)
sag = 9.81 * mass / k
print ('after three periods the free one is back at %.5f m' % weights [0].conf [11])
print ('the damped one hangs at %.5f m, m g / k = %.5f m' % (weights [1].conf [11], sag))
print ('the limited one never left %.5f m' % -min (HISTORY (solfec, (weights [2], weights [2].center, 'CZ'), 0, 9) [1]))
