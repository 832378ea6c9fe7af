"""Scenes as input files of Solfec itself, and runs of its program on them.

Scree reads these files too: that is how they are checked against the scenes they stand for."""
import json
import os
import pathlib
import re
import subprocess
import tempfile

MARK = "SOLFEC FIGURES"   #: begins the line in which a script says what it took

_DRUM = """
import math
solfec = SOLFEC ('DYNAMIC', {step}, 'out')
GRAVITY (solfec, (0, 0, -10))
SURFACE_MATERIAL (solfec, model = 'SIGNORINI_COULOMB', friction = 0.3)
bulk = BULK_MATERIAL (solfec, model = 'KIRCHHOFF', young = 1E6, poisson = 0.25, density = 100)
surfaces = [1, 1, 1, 1, 1, 1]

def block (x, y, z):
  return [x[0], y[0], z[0], x[1], y[0], z[0], x[1], y[1], z[0], x[0], y[1], z[0], x[0], y[0], z[1], x[1], y[0], z[1], x[1], y[1], z[1], x[0], y[1], z[1]]

parts = [PIPE ((0, 0, 0), (0, 0.5, 0), 1, 0.05, 1, 32, 1, 1, [1, 1, 1, 1])]
for x in (-0.9, 0.9):
  parts.append (HEX (block ((x - 0.1, x + 0.1), (0, 0.5), (-0.1, 0.1)), 1, 1, 1, 1, surfaces))
drum = BODY (solfec, 'OBSTACLE', parts, bulk)
for low, high in ((-0.052, -0.002), (0.502, 0.552)):
  points = []
  for k in range (31):
    for y in (low, high):
      points += [1.05 * math.cos (2 * math.pi * k / 31), y, 1.05 * math.sin (2 * math.pi * k / 31)]
  BODY (solfec, 'OBSTACLE', HULL (points, 1, 1), bulk)

radii = {radii}
layers = int (0.75 / (2 * radii[2]))
state = {{'made': 0, 'turning': False}}

def insert (data):
  if state['made'] < 100:
    for layer in range (layers):
      for i in range (int (math.ceil (1.4 / (2 * radii[0])))):
        for j in range (int (math.ceil ((0.45 - 0.05) / (2 * radii[1])))):
          if state['made'] == 100: return 1
          place = (-0.7 + 2 * radii[0] * i, 0.05 + 2 * radii[1] * j, 0.25 - 2 * radii[2] * layer)
          body = BODY (solfec, '{kind}', {shape}, bulk)
          {damping}
          state['made'] += 1
  elif not state['turning']:
    state['turning'] = True
    INITIAL_VELOCITY (drum, (0, 0, 0), (0, 1, 0))
  return 1

CALLBACK (solfec, layers * math.sqrt (2 * 2.1 * radii[2] / 10), 0, insert)
"""

_CUBES = """
import math
step, edge = {step}, {edge}
size, gap, wall = 0.1, 0.01 / edge, 0.05
solfec = SOLFEC ('DYNAMIC', step, 'out')
GRAVITY (solfec, (0, 0, -10))
SURFACE_MATERIAL (solfec, model = 'SIGNORINI_COULOMB', friction = 0.1)
bulk = BULK_MATERIAL (solfec, model = 'KIRCHHOFF', young = 1E9, poisson = 0.25, density = 1000)
surfaces = [1, 1, 1, 1, 1, 1]

def block (low, high):
  return [low[0], low[1], low[2], high[0], low[1], low[2], high[0], high[1], low[2], low[0], high[1], low[2],
          low[0], low[1], high[2], high[0], low[1], high[2], high[0], high[1], high[2], low[0], high[1], high[2]]

inner = edge * size + (edge + 1) * gap
for axis in range (3):
  for at in (-wall, inner):
    low, high = [-wall] * 3, [inner + wall] * 3
    low[axis], high[axis] = at, at + wall
    box = BODY (solfec, 'OBSTACLE', HEX (block (low, high), 1, 1, 1, 1, surfaces), bulk)
    swing = []
    for k in range (int (3 / step) + 2):
      swing += [k * step, 5 / (4 * math.pi) * math.sin (4 * math.pi * k * step)]
    SET_VELOCITY (box, tuple (0.5 * (low[i] + high[i]) for i in range (3)), (math.sqrt (0.5), math.sqrt (0.5), 0), TIME_SERIES (swing))

for k in range (edge ** 3):
  low = [gap + (size + gap) * i for i in (k % edge, k // edge % edge, k // edge ** 2)]
  body = BODY (solfec, '{kind}', HEX (block (low, [x + size for x in low]), 2, 2, 2, 1, surfaces), bulk)
  {damping}
"""

_RUN = """
import os
OUTPUT (solfec, 1E9)
solver = {solver}
def busy ():
  return os.times ()[0] + os.times ()[1]
begun = busy ()
RUN (solfec, solver, {duration})
print ('{mark} {{"cpu_ms": %.6f, "contacts": %d, "bodies": %d}}' % (1E3 * (busy () - begun) / {steps}, solfec.ncon, solfec.nbod))
"""

_SOFT = "body.scheme, body.damping = 'DEF_LIM', {step}"


def _drum(name):
    r0 = 0.1
    spheres, soft = "spheres" in name, name.endswith("pseudo_rigid")
    radii = [0.9 * r0, 0.5 * r0, r0]
    if spheres:
        radii = [sum(radii) / 3] * 3
    step = 1e-3
    return step, _DRUM.format(step=step, radii=radii, kind="PSEUDO_RIGID" if soft else "RIGID", shape="SPHERE (place, radii[0], 1, 1)" if spheres else "ELLIP (place, tuple (radii), 1, 1)",
                              damping=_SOFT.format(step=step) if soft else "pass")


def _cubes(name):
    step, rigid = 5e-4, name.endswith("rigid")
    return step, _CUBES.format(step=step, edge=int(re.search(r"\d+", name)[0]), kind="RIGID" if rigid else "FINITE_ELEMENT",
                               damping="pass" if rigid else _SOFT.format(step=step))


def scenes():
    """Names of the scenes that Solfec can run."""
    drums = [f"drum{spheres}{soft}" for spheres in ("", "_spheres") for soft in ("", "_pseudo_rigid")]
    return drums + [f"cubes_{m}{rigid}" for m in (2, 3, 4, 5) for rigid in ("", "_rigid")]


def script(scene, steps, solver, tolerance):
    """The input file of so many steps of a scene; GAUSS_SEIDEL meets its own kind, every other solver Solfec's NEWTON. `tolerance` is of Solfec's merit."""
    if scene not in scenes():
        raise ValueError(f"--solfec: scene '{scene}' has no input file for Solfec; choose {', '.join(scenes())}")
    step, text = _drum(scene) if scene.startswith("drum") else _cubes(scene)
    chosen = f"GAUSS_SEIDEL_SOLVER (1.0, 1000, {tolerance:g})" if solver == "GAUSS_SEIDEL" else f"NEWTON_SOLVER ({tolerance:g}, 1000)"
    return text + _RUN.format(solver=chosen, duration=f"{steps} * {step:g}", steps=steps, mark=MARK)


def run(program, scene, steps, solver, tolerance):
    """Run Solfec's program on a scene; its figures: name, cpu_ms of a step, contacts (and other constraints) at the end, bodies."""
    program = pathlib.Path(program).absolute()
    if not os.access(program, os.X_OK) or program.is_dir():
        raise ValueError(f"--solfec: '{program}' is not a program; give the path of Solfec's serial program")
    text = script(scene, steps, solver, tolerance)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / f"{scene}.py"
        path.write_text(text)
        done = subprocess.run([str(program), str(path)], cwd=folder, capture_output=True, text=True)
    said = [line for line in done.stdout.splitlines() if line.startswith(MARK)]
    if done.returncode or not said:
        last = (done.stderr.strip() or done.stdout.strip() or "nothing")[-300:]
        raise ValueError(f"--solfec: '{program}' ended with status {done.returncode} before it had run {scene}; it said: {last}")
    return {"name": f"Solfec's {'GAUSS_SEIDEL' if solver == 'GAUSS_SEIDEL' else 'NEWTON'}", **json.loads(said[-1][len(MARK):])}
