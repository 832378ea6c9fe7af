# A ball thrown through air whose drag is proportional to its speed: a force function with data, against the closed form.
import math

MASS, K, G, V0 = 0.45359237, 1.0, 9.81456, (2.54, 0.0, 12.7)

solfec = SOLFEC ('DYNAMIC', 1E-3, 'out/projectile')
bulk = BULK_MATERIAL (solfec, density = 1000)
GRAVITY (solfec, (0, 0, -1), G)
OUTPUT (solfec, 0.01)

ball = BODY (solfec, 'RIGID', SPHERE ((0, 0, 0), 0.05, 1, 1), bulk, label = 'ball')
BODY_CHARS (ball, MASS, ball.volume, (0, 0, 0), ball.tensor)
INITIAL_VELOCITY (ball, V0, (0, 0, 0))

def drag (k, q, u, time, step):
  return (-k * MASS * u [3], -k * MASS * u [4], -k * MASS * u [5])

FORCE (ball, 'SPATIAL', (0, 0, 0), (1, 0, 0), drag, K)

def landed (ball):
  return 0 if ball.conf [11] < 0 else 1

CALLBACK (solfec, 0.0, ball, landed)
RUN (solfec, None, 5.0)
x = V0 [0] / K * (1 - math.exp (-K * solfec.time))
print ('lands after %.4f s at %.4f m; closed form %.4f m' % (solfec.time, ball.conf [9], x))
