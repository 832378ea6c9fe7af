# A plank on a hinge with two weights: it turns as the torques say, and balances when they agree.

def seesaw (name, left, right):
  """Weights of these masses (kg) sit 1 m left and 0.5 m right of the hinge."""
  solfec = SOLFEC ('DYNAMIC', 1E-3, 'out/seesaw/' + name)
  SURFACE_MATERIAL (solfec, friction = 0.9)
  bulk = BULK_MATERIAL (solfec, density = 500)
  GRAVITY (solfec, (0, 0, -1), 10)
  OUTPUT (solfec, 0.01)
  def box (c, s):
    return HULL ([v for i in (-1, 1) for j in (-1, 1) for k in (-1, 1) for v in (c [0] + i * s [0] / 2, c [1] + j * s [1] / 2, c [2] + k * s [2] / 2)], 1, 1)
  plank = BODY (solfec, 'RIGID', box ((0, 0, 0), (2.4, 0.3, 0.04)), bulk, label = 'plank')
  for y in (-0.15, 0.15): FIX_POINT (solfec, plank, (0, y, 0))
  for x, mass in ((-1.0, left), (0.5, right)):
    weight = BODY (solfec, 'RIGID', box ((x, 0, 0.12), (0.2, 0.2, 0.2)), bulk)
    BODY_CHARS (weight, mass, weight.volume, weight.center, [mass * 0.04 / 6 if i in (0, 4, 8) else 0 for i in range (9)])
  RUN (solfec, None, 0.2)
  return solfec, plank

even, plank = seesaw ('even', 4, 8)
print ('balanced: tilt %.2e' % abs (plank.conf [2]))
uneven, plank = seesaw ('uneven', 8, 4)
print ('uneven: tilt %.4f, speed %.4f rad/s' % (plank.conf [2], plank.velo [1]))
