"""Whole scripts in the Solfec language, run by `scree run`: the manual's tutorial 4.2, and a run that is stopped and resumed."""
import json
import math

import numpy as np
import pytest

import scree

BALL_IMPACT = """
def ball_impact (step, stop, spring_value, dashpot_value, output):
  w = 2
  l = 2
  h = 1
  floor_vid = 1
  floor_sid = 1
  floor = HULL ([-w/2, -l/2, -h,
                  w/2, -l/2, -h,
                  w/2, l/2, -h,
                 -w/2, l/2, -h,
                 -w/2, -l/2, 0,
                  w/2, -l/2, 0,
                  w/2, l/2, 0,
                 -w/2, l/2, 0], floor_vid, floor_sid)
  solfec = SOLFEC ('DYNAMIC', step, output)
  bulk = BULK_MATERIAL (solfec, model = 'KIRCHHOFF',
                        young = 15E9, poisson = 0.3, density = 2E3)
  BODY (solfec, 'OBSTACLE', floor, bulk)
  sphere = SPHERE ((0, 0, 1.0), 1, 1, 1)
  body = BODY (solfec, 'RIGID', sphere, bulk)
  INITIAL_VELOCITY (body, (0, 0, -5), (0, 0, 0))
  SURFACE_MATERIAL (solfec, model = 'SPRING_DASHPOT', friction = 0.0,
                    spring = spring_value, dashpot = dashpot_value)
  GRAVITY (solfec, (0, 0, -1), 10)
  xs = EXPLICIT_SOLVER ()
  RUN (solfec, xs, stop)
  return solfec

step = 1E-3
stop = 2.0
spring = 1E+9

sol1 = ball_impact (step, stop, spring, 0E0, 'out/tutorial/ball-impact-1')
sol2 = ball_impact (step, stop, spring, 1E6, 'out/tutorial/ball-impact-2')
sol3 = ball_impact (step, stop, spring, 1E7, 'out/tutorial/ball-impact-3')

if not VIEWER() and sol1.mode == 'READ':
  import json
  curves = [HISTORY (sol, (sol, 'KINETIC'), 0, stop) for sol in (sol1, sol2, sol3)]
  places = [HISTORY (sol, [(sol.bodies [1], (0, 0, 1), 'CZ')], 0, stop) for sol in (sol1, sol2, sol3)]
  print (json.dumps ([curves, places]))
"""


def test_ball_impact_runs_and_reads_its_history(command, script):
    path = script(BALL_IMPACT)
    first = command("run", path, "--quiet")
    assert first.status == 0, first.err
    assert first.out == ""
    second = command("run", path, "--quiet")
    assert second.status == 0, second.err
    curves, places = json.loads(second.out)
    mass, start = 4 / 3 * math.pi * 2000, 0.5 * 4 / 3 * math.pi * 2000 * 25
    for times, kinetic in curves:
        assert len(times) == 2001 and times[-1] == pytest.approx(2.0) and kinetic[0] == pytest.approx(start)
    total = [np.array(curves[k][1]) + mass * 10 * (np.array(places[k][1]) - 1) for k in range(3)]
    # without a dashpot energy is kept within 1 % between impacts (during one the spring holds it) and the ball keeps bouncing
    free = np.array(places[0][1]) > 1.0
    assert total[0][free] == pytest.approx(np.full(free.sum(), start), rel=0.01)
    # energy left at t = 0.2 s, after the first impact: a spring with damping ratio 0.173 returns exp(-pi 0.173 / 0.985)^2 = 0.33 of it (a
    # little more or less where contact ends by the sign of the force); an overdamped one next to nothing
    left = [total[k][200] / start for k in range(3)]
    assert left[0] == pytest.approx(1, rel=0.01) and 0.25 < left[1] < 0.45 and abs(left[2]) < 0.05
    # at rest the spring carries the weight: overlap m g / s
    assert 1 - places[2][1][-1] == pytest.approx(mass * 10 / 1e9, rel=1e-3)


RAIN = """
import os, signal
solfec = SOLFEC ('DYNAMIC', 1E-3, 'out')
SURFACE_MATERIAL (solfec, friction = 0.4)
bulk = BULK_MATERIAL (solfec, density = 1000)
GRAVITY (solfec, (0, 0, -1), 10)
BODY (solfec, 'OBSTACLE', HULL ([v for x in (-3, 3) for y in (-3, 3) for z in (-1, 0) for v in (x, y, z)], 1, 1), bulk)
OUTPUT (solfec, 0.05)

def rain (solfec, bulk, made):
  made.append (BODY (solfec, 'RIGID', SPHERE ((0.05 * len (made), 0.01, 0.6), 0.1, 1, 1), bulk))
  INITIAL_VELOCITY (made [0], (0.1 * len (made), 0, made [0].velo [5]), (0, 0, 0))
  if len (made) == 4 and 'STOP' in os.environ: os.kill (os.getpid (), signal.SIGTERM)
  return 1

CALLBACK (solfec, 0.1, (solfec, bulk, []), rain)
RUN (solfec, GAUSS_SEIDEL_SOLVER (1E-8, 1000), 0.8)
"""


def test_a_stopped_run_resumes_to_the_same_end(command, script, tmp_path):
    path = script(RAIN)
    whole = command("run", path, "--out", tmp_path / "whole", "--quiet")
    assert whole.status == 0, whole.err
    cut = command("run", path, "--out", tmp_path / "cut", "--quiet", env={"STOP": "1"})
    assert cut.status == 1 and "resume" in cut.err
    resumed = command("run", path, "--out", tmp_path / "cut", "--quiet", "--resume")
    assert resumed.status == 0, resumed.err
    one, two = scree.read(tmp_path / "whole"), scree.read(tmp_path / "cut")
    assert (one.times == two.times).all() and (one[-1].positions == two[-1].positions).all() and (one[-1].velocities == two[-1].velocities).all()
    # a finished run is read, not run again
    again = command("run", path, "--out", tmp_path / "cut")
    assert again.status == 0 and "READ" in again.err
