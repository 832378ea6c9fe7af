"""The complete list of the language, walked: every routine with the manual's argument order and defaults, every member read, every writable
one written. The list is written down here, apart from the code, so that nothing can vanish."""
import ast
import inspect
import math
import pathlib
import re
import textwrap

import numpy as np
import pytest

from scree import solfec as language
from scree.solfec import *
from solids import CUBE

FACES = [4, 0, 3, 2, 1, 5, 4, 1, 2, 6, 5, 5, 4, 2, 3, 7, 6, 5, 4, 3, 0, 4, 7, 5, 4, 0, 1, 5, 4, 5, 4, 4, 5, 6, 7, 5]

#: routine: arguments, '|' before the optional ones (the manual, chapter 3; then what later scripts use)
MANUAL = {
    "CONVEX": "vertices, faces, volid | convex", "HULL": "points, volid, surfid | convex", "MESH": "nodes, elements, surfids",
    "HEX": "nodes, i, j, k, volid, surfids | dx, dy, dz", "ROUGH_HEX": "shape, i, j, k | dx, dy, dz", "SPHERE": "center, radius, volid, surfid | sphere",
    "SOLFEC": "analysis, step, output",
    "SURFACE_MATERIAL": "solfec | surf1, surf2, model, label, friction, cohesion, restitution, spring, dashpot",
    "BULK_MATERIAL": "solfec | model, label, young, poisson, density", "BODY": "solfec, kind, shape, material | label, formulation, mesh, form, base",
    "TIME_SERIES": "points", "GAUSS_SEIDEL_SOLVER": "epsilon, maxiter | failure, diagepsilon, diagmaxiter, diagsolver, data, callback",
    "EXPLICIT_SOLVER": "", "FIX_POINT": "solfec, body, point", "FIX_DIRECTION": "solfec, body, point, direction",
    "FIX_SURFACE": "solfec, body, surfid, direction", "SET_DISPLACEMENT": "solfec, body, point, direction, tms",
    "SET_VELOCITY": "solfec, body, point, direction, value", "SET_ACCELERATION": "solfec, body, point, direction, tms",
    "PUT_RIGID_LINK": "solfec, body1, body2, point1, point2", "GRAVITY": "solfec, direction, value",
    "FORCE": "body, kind, point, direction, value | data", "TORQUE": "body, kind, direction, value", "LOAD": "body, kind, surfid, direction, value",
    "RUN": "solfec, solver, duration", "OUTPUT": "solfec, interval | compression", "EXTENTS": "solfec, extents",
    "CALLBACK": "solfec, interval, data, callback", "UNPHYSICAL_PENETRATION": "solfec, depth", "IMBALANCE_TOLERANCE": "solfec, tolerance",
    "NCPU": "", "HERE": "solfec, object", "VIEWER": "", "BODY_CHARS": "body, mass, volume, center, tensor",
    "INITIAL_VELOCITY": "body, linear, angular", "MATERIAL": "solfec, body, volid, material", "DELETE": "solfec, object", "SCALE": "shape, coefs",
    "TRANSLATE": "shape, vector", "ROTATE": "shape, point, vector, angle", "SPLIT": "shape, point, normal", "COPY": "shape",
    "BYLABEL": "solfec, kind, label", "MASS_CENTER": "shape", "CONTACT_EXCLUDE_BODIES": "solfec, body1, body2",
    "CONTACT_EXCLUDE_OBJECTS": "solfec, body1, point1, body2, point2", "CONTACT_SPARSIFY": "solfec | threshold", "DURATION": "solfec",
    "FORWARD": "solfec, steps", "BACKWARD": "solfec, steps", "SEEK": "solfec, time", "DISPLACEMENT": "body, point", "VELOCITY": "body, point",
    "STRESS": "body, point", "ENERGY": "solfec | object", "TIMING": "solfec, kind", "HISTORY": "solfec, list, t0, t1 | skip",
}
LATER = {
    "ELLIP": "center, radii, volid, surfid | ellip", "ELLIP_MESH": "center, radii, error, volid, surfid",
    "PIPE": "pnt, dir, rin, thi, ndir, nrad, nthi, volid, surfids", "TETRAHEDRALIZE": "shape, path | volume, quality, volid, surfid",
    "BEND": "shape, point, direction, angle", "MESH2CONVEX": "mesh", "MESH_SPLIT": "mesh | nodeset, faceset, surfid1, surfid2",
    "OVERLAPPING": "obstacles, shapes | negate, gap",
    "NEWTON_SOLVER": "| meritval, maxiter, locdyn, linver, linmaxiter, maxmatvec, epsilon, delta, theta, omega, gsflag, reldelta",
    "PENALTY_SOLVER": "| variant", "PRESSURE": "body, surfid, value", "SET_DISPLACEMENT3": "body, point, base, tms",
    "SET_VELOCITY3": "body, point, base, tms", "SET_ACCELERATION3": "body, point, base, tms",
    "PUT_SPRING": "body1, point1, body2, point2, function, limits | direction, update", "GEOMETRIC_EPSILON": "epsilon", "WARNINGS": "state",
    "INITIALIZE_STATE": "solfec, path, time | subset", "RIGID_TO_FEM": "path, time, solfec | subset",
    "CONTACT_EXCLUDE_SURFACES": "solfec, surf1, surf2", "RANK": "", "BARRIER": "", "SUBDIR": "", "NON_SOLFEC_ARGV": "",
    "APPLY_BULKMAT": "solfec, body, volid, material", "FIELD": "solfec, field_callback | label, data", "TEST_SOLVER": "| meritval, maxiter, locdyn, linver, linmaxiter, "
    "maxmatvec, epsilon, delta, theta, omega, gsflag, reldelta", "SICONOS_SOLVER": "| epsilon, maxiter, verbose", "REGISTER_BASE": "solfec, base, label",
    "RIGID_DISPLACEMENTS": "body", "COROTATED_DISPLACEMENTS": "solfec, subset | sampling", "RT_SPLIT": "body1, surf | sid1, sid2, label1, label2",
    "MODAL_ANALYSIS": "| body, num, path, abstol, maxiter, verbose", "BODY_MM_EXPORT": "body, pathM, pathK | spdM, spdK",
    "XDMF_EXPORT": "solfec, time, path | subset, attributes", "SOLFEC_EXPORT": "solfec, time, path | subset", "MBFCP_EXPORT": "solfec, path", "LOCDYN_DUMP": "solfec, path",
    "REGISTER_CALLBACK": "callback | data", "DISPLAY_POINT": "body, point | label", "RENDER": "solfec, object",
}
#: What Scree adds to the language.
OURS = {"SOLVER"}
#: What is refused, with a message that says what to use.
REFUSED = {"HYBRID_SOLVER", "SIMPLIFIED_CRACK"}
#: Routines whose optional arguments stand in a list of their own, told apart by type.
BY_TYPE = {"GAUSS_SEIDEL_SOLVER", "GRAVITY", "IMBALANCE_TOLERANCE"}


def test_the_list_and_the_language_are_the_same():
    known = set(MANUAL) | set(LATER) | OURS | REFUSED
    assert set(language.__all__) == known, set(language.__all__) ^ known


@pytest.mark.parametrize("name", [*MANUAL, *LATER])
def test_argument_order(name):
    """The names come in the manual's order; those before the bar have no default, those after it have one."""
    made = getattr(language, name)
    target = made.__init__ if inspect.isclass(made) else made
    parameters = [p for p in inspect.signature(target).parameters.values() if p.name != "self"]
    needed, _, optional = {**MANUAL, **LATER}[name].partition("|")
    needed, optional = ([w.strip() for w in part.split(",") if w.strip()] for part in (needed, optional))
    if name in BY_TYPE:
        assert [p.name for p in parameters][:2] == needed[:2] and set(needed + optional) <= {p.name for p in parameters}
        return
    assert [p.name for p in parameters][:len(needed) + len(optional)] == needed + optional
    for parameter in parameters[:len(needed)]:
        assert parameter.default is inspect.Parameter.empty, parameter
    for parameter in parameters[len(needed):]:
        assert parameter.default is not inspect.Parameter.empty, parameter


PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "coming_from_solfec.md"


def page_rows(section):
    """Cells of the table rows in a section of docs/coming_from_solfec.md."""
    text = PAGE.read_text().split(f"### {section}\n")[1].split("\n#")[0]
    return [[cell.strip() for cell in line.strip().strip("|").split(" | ")] for line in text.splitlines() if line.startswith("| `")]


def call_of(name):
    """A routine as the page writes it: NAME (needed · optional)."""
    made = getattr(language, name)
    parameters = [p for p in inspect.signature(made.__init__ if inspect.isclass(made) else made).parameters.values()
                  if p.name != "self" and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    needed, optional = ([p.name for p in parameters if (p.default is p.empty) == wanted] for wanted in (True, False))
    return f"{name} ({', '.join(needed)}{' ' if needed and optional else ''}{'· ' if optional else ''}{', '.join(optional)})"


def test_the_table_has_every_routine_with_every_argument():
    """One row a routine, its arguments those of the code, a verdict, and a test that exists."""
    rows = page_rows("Routines")
    assert [row[0] for row in rows] == [f"`{call_of(name)}`" for name in sorted(language.__all__)]
    tests = pathlib.Path(__file__).resolve().parent
    for call, verdict, checked in rows:
        assert verdict.startswith(("as Solfec", "as the manual", "differs: ", "refused", "more than Solfec")), (call, verdict)
        file, test = (word.strip("` ") for word in checked.split(":"))
        assert f"def {test}(" in (tests / file).read_text(), (call, checked)
    # what the text says of arguments are arguments
    for call, verdict, _ in rows:
        for word in re.findall(r"`(\w+)`", verdict):
            assert word in call or word in PAGE.read_text().split("### Members")[1], (call, word)


#: Arguments that no routine reads, each without effect in Solfec, too, or with its reason in the table.
UNREAD = {("BULK_MATERIAL", "tensile"), ("BULK_MATERIAL", "fields"), ("BULK_MATERIAL", "fracene"), ("IMBALANCE_TOLERANCE", "weightfactor"),
          ("IMBALANCE_TOLERANCE", "updatefreq"), ("NCPU", "solfec"), ("REGISTER_CALLBACK", "data"), ("TIME_SERIES", "cache")}


def test_no_argument_is_taken_and_not_read():
    """But those that change no result, which the table names."""
    unread = set()
    for name in set(language.__all__) - REFUSED:
        made = getattr(language, name)
        body = inspect.unwrap(made.__init__ if inspect.isclass(made) else made)
        read = {n.id for n in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(body)))) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        plain = [p.name for p in inspect.signature(body).parameters.values() if p.kind != p.VAR_POSITIONAL and p.name != "self"]
        unread |= set() if "locals" in read else {(name, p) for p in plain if p not in read}
    assert unread == UNREAD
    rows = {row[0].strip("`").split(" ")[0]: row[1] for row in page_rows("Routines")}
    assert [pair for pair in UNREAD - {("NCPU", "solfec"), ("REGISTER_CALLBACK", "data")} if f"`{pair[1]}`" not in rows[pair[0]]] == []


def test_the_table_has_every_member():
    rows = {row[0].strip("`"): row for row in page_rows("Members")}
    assert set(rows) == set(MEMBERS) | {"FIELD", "PENALTY_SOLVER", "SICONOS_SOLVER", "TEST_SOLVER", "SOLVER"}
    for name, (readable, writable) in MEMBERS.items():
        listed = set(re.findall(r"`(\w+)`", rows[name][1]))
        assert listed == set(words(readable) + words(writable)) | ({"hpow"} if name == "SURFACE_MATERIAL" else set()), (name, listed ^ set(words(readable) + words(writable)))


# --- members ----------------------------------------------------------------------------------------------------

#: object: (read-only members, members that can be written)
MEMBERS = {
    "CONVEX": ("nver, vertex", ""),
    "MESH": ("nnod, node, nodes_on_surface, get_data, set_volid, surface_integration_points, volume_integration_points, inter_element_faces, inter_element_faces_on_plane", ""), "SPHERE": ("center, radius", ""), "ELLIP": ("center, radii, rot", ""),
    "SOLFEC": ("analysis, time, mode, constraints, ncon, bodies, nbod, outpath, simulation", "step, verbose, compatible, cleanup"),
    "SURFACE_MATERIAL": ("surf1, surf2, label", "model, friction, cohesion, restitution, spring, dashpot"),
    "BULK_MATERIAL": ("model, label", "young, poisson, density"),
    "BODY": ("kind, label, material, mass, volume, center, tensor, constraints, ncon, id, display_points, mesh",
             "conf, velo, selfcontact, scheme, damping, mass_damping, stiffness_damping, disable_rotation, fracturecheck"),
    "TIME_SERIES": ("times, values, derivative, integral", ""),
    "GAUSS_SEIDEL_SOLVER": ("failure, error, iters, rerhist, merhist, data, callback", "itershist, innerloops, epsilon, maxiter, meritval, diagepsilon, diagmaxiter, diagsolver, history, reverse, variant"),
    "NEWTON_SOLVER": ("failure, error, iters, merhist, mvhist", "itershist, meritval, maxiter, locdyn, linver, linmaxiter, maxmatvec, epsilon, delta, theta, omega, gsflag, reldelta"),
    "CONSTRAINT": ("kind, R, U, V, base, point, adjbod, matlab, area, gap, merit, spair", ""),
    "SPRING": ("stroke, velocity, force, axis, kind, R, U, gap, base, point, adjbod", ""),
}


class World:
    """One model with an object of every kind, run for a few steps."""

    def __init__(self, folder):
        self.folder = folder
        self.solfec = s = SOLFEC("DYNAMIC", 1e-3, str(folder / "out"))
        s.verbose = "OFF"
        GRAVITY(s, (0, 0, -1), 10)
        self.surface = SURFACE_MATERIAL(s, 1, 1, "SIGNORINI_COULOMB", "rough", 0.5, 0.0, 0.0, 0.0, 0.0)
        self.bulk = BULK_MATERIAL(s, "KIRCHHOFF", "stone", 1e9, 0.25, 2000)
        self.floor = BODY(s, "OBSTACLE", TRANSLATE(SCALE(HULL(CUBE, 1, 1), (20, 20, 1)), (-10, -10, -1)), self.bulk, "floor")
        self.block = BODY(s, "RIGID", TRANSLATE(HULL(CUBE, 1, 1), (0, 0, 0)), self.bulk, "block")
        self.hung = BODY(s, "RIGID", SPHERE((4, 0, 3), 0.5, 1, 1), self.bulk, "hung")
        self.link = PUT_RIGID_LINK(s, self.hung, None, (4, 0, 3), (4, 0, 5))
        self.held = BODY(s, "RIGID", SPHERE((7, 0, 3), 0.5, 1, 1), self.bulk, "held")
        self.spring = PUT_SPRING(self.held, (7, 0, 3), None, (7, 0, 5), lambda stroke, velocity: -1e5 * stroke, (-0.1, 0.1))
        self.solver = GAUSS_SEIDEL_SOLVER(1e-8, 1000)

    def run(self, duration=0.01):
        OUTPUT(self.solfec, 1e-3)
        RUN(self.solfec, self.solver, duration)
        return self

    def objects(self):
        contact = next(c for c in self.solfec.constraints if c.kind == "CONTACT")
        return {"SOLFEC": self.solfec, "SURFACE_MATERIAL": self.surface, "BULK_MATERIAL": self.bulk, "BODY": self.block, "CONSTRAINT": contact,
                "GAUSS_SEIDEL_SOLVER": self.solver, "NEWTON_SOLVER": NEWTON_SOLVER(), "TIME_SERIES": TIME_SERIES([0, 0, 1, 1]),
                "CONVEX": HULL(CUBE, 1, 1), "MESH": HEX(CUBE, 1, 1, 1, 1, [1] * 6), "SPHERE": SPHERE((0, 0, 0), 1, 1, 1),
                "ELLIP": ELLIP((0, 0, 0), (1, 2, 3), 1, 1), "SPRING": self.spring}


def words(text):
    return [w.strip() for w in text.split(",") if w.strip()]


@pytest.mark.parametrize("mode", ["WRITE", "READ"])
def test_every_member_is_there(tmp_path, mode):
    world = World(tmp_path).run()
    if mode == "READ":
        world = World(tmp_path).run()
        FORWARD(world.solfec, 5)
    assert world.solfec.mode == mode
    for name, made in world.objects().items():
        readable, writable = MEMBERS[name]
        for member in words(readable):
            assert getattr(made, member, KeyError) is not KeyError, (name, member)
            if mode == "WRITE" and name != "SPRING" and member != "display_points" and not callable(getattr(made, member)):
                with pytest.raises(AttributeError):
                    setattr(made, member, getattr(made, member))
        for member in words(writable):
            value = getattr(made, member)
            if value is not None and mode == "WRITE":
                setattr(made, member, value)
                assert getattr(made, member) == value, (name, member)
        assert repr(made).startswith("<") or repr(made).startswith(("TimeSeries", "TIME_SERIES"))


def test_no_member_is_missing_from_the_list():
    for name, (readable, writable) in MEMBERS.items():
        if name in ("CONSTRAINT", "SPRING"):
            made = {"CONSTRAINT": language.constraints.CONSTRAINT, "SPRING": language.springs.Spring}[name]
        else:
            made = getattr(language, name)
        public = {n for n, v in inspect.getmembers(made) if not n.startswith("_") and isinstance(v, property)}
        missing = public - set(words(readable)) - set(words(writable)) - {"stopped", "data", "callback"}
        assert not missing, (name, missing)


# --- every routine, called -----------------------------------------------------------------------------------------

def test_every_routine_is_called_with_positional_arguments(tmp_path):
    """One model, all routines, arguments by position in the manual's order; each call counts only when it returned."""
    called = set()

    def call(name, *args):
        result = getattr(language, name)(*args)
        called.add(name)
        return result

    out = str(tmp_path / "out")
    s = call("SOLFEC", "DYNAMIC", 1e-3, out)
    s.verbose = "OFF"
    surface = call("SURFACE_MATERIAL", s, 1, 1, "SIGNORINI_COULOMB", "rough", 0.5, 0.0, 0.0, 0.0, 0.0)
    bulk = call("BULK_MATERIAL", s, "KIRCHHOFF", "stone", 1e9, 0.25, 2000)
    lead = call("BULK_MATERIAL", s, "KIRCHHOFF", "lead", 1e9, 0.25, 11000)

    # geometry
    convex = call("CONVEX", CUBE, FACES, 1, call("HULL", [v + 3 for v in CUBE], 1, 1))
    mesh = call("MESH", CUBE, [8, 0, 1, 2, 3, 4, 5, 6, 7, 1], [1, 4, 0, 1, 2, 3, 7])
    hexes = call("HEX", CUBE, 2, 1, 1, 1, [1] * 6, [1, 2], [1], [1])
    rough = call("ROUGH_HEX", convex, 1, 1, 1, [1], [1], [1])
    sphere = call("SPHERE", (0, 0, 9), 0.5, 2, 1, call("SPHERE", (2, 0, 9), 0.5, 1, 1))
    eggs = call("ELLIP", (0, 0, 0), (1, 2, 3), 1, 1, call("ELLIP", (9, 0, 0), (1, 2, 3), 1, 1))
    assert call("MASS_CENTER", eggs) == pytest.approx((4.5, 0, 0)) and rough.nnod == 8
    ball_mesh = call("ELLIP_MESH", (0, 0, 0), (1, 1, 1), 0.1, 1, 1)
    assert MASS_CENTER(ball_mesh) == pytest.approx((0, 0, 0), abs=1e-12)
    pipe = call("PIPE", (0, 0, 0), (0, 0, 1), 1.0, 0.1, 1, 8, 1, 1, [1, 1, 1, 1])
    assert call("BEND", hexes, (0.5, 0, 5), (0, 1, 0), 10) is hexes
    assert call("MESH2CONVEX", mesh).nver == 8
    bar = HEX([0, 0, 0, 2, 0, 0, 2, 1, 0, 0, 1, 0, 0, 0, 1, 2, 0, 1, 2, 1, 1, 0, 1, 1], 2, 1, 1, 1, [1] * 6)
    halves = call("MESH_SPLIT", bar, [n for n in range(bar.nnod) if bar.node(n)[0] == 1.0], None, 7, 8)
    assert len(halves) == 2
    assert call("TRANSLATE", call("SCALE", call("ROTATE", (1, 0, 0), (0, 0, 0), (0, 0, 1), 90), (1, 2, 1)), (0, 0, 1)) == pytest.approx((0, 2, 1))
    below, above = call("SPLIT", call("COPY", convex), (0, 0, 0.5), (0, 0, 1))
    assert below.nver == 8 and above.nver == 16
    kept = call("OVERLAPPING", COPY(convex), [SPHERE((0.5, 0.5, 1.2), 0.5, 1, 1), SPHERE((9, 9, 9), 0.5, 1, 1)], False, 0.0)
    assert len(kept) == 1
    try:
        assert call("TETRAHEDRALIZE", HULL(CUBE, 1, 1), str(tmp_path / "mesh.txt"), 0.1, 1.5, 3, 4).nnod > 8
    except ValueError as error:
        assert "tetgen" in str(error)
        called.add("TETRAHEDRALIZE")

    # model
    floor = call("BODY", s, "OBSTACLE", TRANSLATE(SCALE(HULL(CUBE, 1, 1), (60, 60, 1)), (-30, -30, -1)), bulk, "floor", "FEM_O1", None)
    block = BODY(s, "RIGID", HULL(CUBE, 1, 1), bulk, "block")
    pair = BODY(s, "RIGID", sphere, bulk, "pair")
    gone = BODY(s, "RIGID", SPHERE((20, 0, 9), 0.5, 1, 1), bulk, "gone")
    bodies = [BODY(s, "RIGID", SPHERE((4 * k - 20, 9, 5), 0.5, 1, 1), bulk, f"ball {k}") for k in range(11)]
    place = [b.center for b in bodies]
    call("MATERIAL", s, pair, 2, lead), call("APPLY_BULKMAT", s, pair, 2, lead)
    call("BODY_CHARS", bodies[0], 5.0, 1.0, place[0], (1, 0, 0, 0, 1, 0, 0, 0, 1))
    call("INITIAL_VELOCITY", bodies[0], (0, 0, 1), (0, 0, 0))
    call("GRAVITY", s, (0, 0, -1), 10)
    ramp = call("TIME_SERIES", [0, 0, 1, 1])
    call("FORCE", bodies[1], "SPATIAL", place[1], (1, 0, 0), lambda data, q, u, t, h: (data, 0, 0), 3.0)
    call("TORQUE", bodies[2], "CONVECTED", (0, 0, 1), ramp)
    elastic = BODY(s, "FINITE_ELEMENT", TRANSLATE(HEX(CUBE, 1, 1, 1, 1, [1, 2, 3, 4, 5, 6]), (25, 25, 5)), bulk)
    assert len(call("FIX_SURFACE", s, elastic, 1, "NORMAL")) == 4
    call("LOAD", elastic, "CONVECTED", 2, "TANGENT1", ramp)
    call("PRESSURE", elastic, 3, 10.0)
    call("FIX_POINT", s, bodies[3], place[3])
    call("FIX_DIRECTION", s, bodies[4], place[4], (0, 0, 1))
    call("SET_DISPLACEMENT", s, bodies[5], place[5], (0, 0, 1), ramp)
    call("SET_VELOCITY", s, bodies[6], place[6], (0, 0, 1), 0.5)
    call("SET_ACCELERATION", s, bodies[7], place[7], (0, 0, 1), ramp)
    link = call("PUT_RIGID_LINK", s, None, bodies[8], (place[8][0], place[8][1], 8), place[8])
    spring = call("PUT_SPRING", bodies[9], place[9], None, (place[9][0], place[9][1], 8), lambda x, v: -1e4 * x, (-1.0, 1.0), (0, 0, 1), "FIXED")
    identity = (1, 0, 0, 0, 1, 0, 0, 0, 1)
    still = TIME_SERIES([0, 0, 1, 0])
    assert len(call("SET_VELOCITY3", bodies[10], place[10], identity, (still, 0.0, still))) == 3
    extra = [BODY(s, "RIGID", SPHERE((4 * k, -9, 5), 0.5, 1, 1), bulk) for k in range(2)]
    call("SET_DISPLACEMENT3", extra[0], extra[0].center, identity, (0.0, still, still))
    call("SET_ACCELERATION3", extra[1], extra[1].center, identity, (0.0, still, still))
    call("DISPLAY_POINT", block, (0, 0, 0), "corner")
    assert block.display_points == [("corner", (0.0, 0.0, 0.0))]
    assert call("BYLABEL", s, "SURFACE_MATERIAL", "rough") is surface and call("HERE", s, block)
    call("DELETE", s, gone)
    call("CONTACT_EXCLUDE_BODIES", s, floor, bodies[0])
    call("CONTACT_EXCLUDE_OBJECTS", s, floor, (0.5, 0.5, -0.5), bodies[1], place[1])
    call("CONTACT_EXCLUDE_SURFACES", s, 98, 99)
    call("CONTACT_SPARSIFY", s, 0.02)

    base = call("MODAL_ANALYSIS", elastic, 8, str(tmp_path / "modes.npz"), 1e-9, 100, "OFF")
    assert len(base[0]) == 8 and call("REGISTER_BASE", s, base, "base") is None and len(call("RIGID_DISPLACEMENTS", elastic)) == 6
    samples = call("COROTATED_DISPLACEMENTS", s, elastic, 5e-3)
    torn = BODY(s, "RIGID", TRANSLATE(HEX(CUBE, 2, 1, 1, 1, [1] * 6), (-25, 25, 5)), bulk)
    assert call("RT_SPLIT", torn, torn.mesh.inter_element_faces(), 1, 2, "a", "b")[0].mass == pytest.approx(torn.mass)
    call("BODY_MM_EXPORT", elastic, str(tmp_path / "M.mtx"), str(tmp_path / "K.mtx"), "ON", "ON")

    # machine and settings
    assert (call("NCPU"), call("RANK"), call("BARRIER"), call("VIEWER"), call("SUBDIR")) == (1, 0, None, False, None)
    call("IMBALANCE_TOLERANCE", s, 1.2)
    call("GEOMETRIC_EPSILON", 1e-6)
    call("WARNINGS", "ON")
    call("NON_SOLFEC_ARGV")
    call("UNPHYSICAL_PENETRATION", s, 0.5)
    call("EXTENTS", s, (-100, -100, -100, 100, 100, 100))
    call("OUTPUT", s, 1e-3, "FASTLZ")
    ticks = []
    call("CALLBACK", s, 1e-3, ticks, lambda data: data.append(1) or 1)
    call("REGISTER_CALLBACK", lambda data: 1, 7)
    field = call("FIELD", s, lambda x, y, z, t: x, "heat", None)
    assert field(2, 0, 0, 0) == 2

    # solvers and run
    solver = call("GAUSS_SEIDEL_SOLVER", 1e-8, 1000, "CONTINUE", 1e-10, 100, "SEMISMOOTH_NEWTON", None, None)
    call("NEWTON_SOLVER", 1e-9, 200, "ON", "PQN", 20, 1000, 0.25, 0.01, 0.25, 1e-9, "ON", "avgW")
    call("EXPLICIT_SOLVER"), call("PENALTY_SOLVER", "IMPLICIT"), call("SOLVER", "AUTO", 1e-8), call("TEST_SOLVER", 1e-8), call("SICONOS_SOLVER", 1e-4, 100, "OFF")
    for name in REFUSED:
        with pytest.raises(ValueError, match=name):
            getattr(language, name)()
    call("RUN", s, solver, 0.01)
    assert len(ticks) == 10

    # results
    assert call("DURATION", s) == pytest.approx(0.01)
    assert call("STRESS", bodies[6], place[6]) == (0.0,) * 7  # rigid
    assert call("DISPLACEMENT", bodies[6], place[6])[2] == pytest.approx(0.005, abs=1e-3) and call("VELOCITY", bodies[6], place[6])[2] == pytest.approx(0.5)
    assert len(call("ENERGY", s, [block, pair])) == 5 and call("TIMING", s, "CONDET") >= 0
    assert len(call("HISTORY", s, [(block, (0, 0, 0), "DZ"), (s, "KINETIC"), (block, "CONTACT"), "CONSOL"], 0, 0.01, 2)) == 5
    call("XDMF_EXPORT", s, (0.0, 0.01), str(tmp_path / "view"), ["ball .*", block], ["DISP"])
    call("SOLFEC_EXPORT", s, (0, 1), str(tmp_path / "part"))
    assert (tmp_path / "view.xdmf").exists()
    call("LOCDYN_DUMP", s, str(tmp_path / "problem.hdf5"))
    call("MBFCP_EXPORT", s, str(tmp_path / "problem.txt"))
    assert len(samples) == 2 and "BODIES 19" in (tmp_path / "problem.txt").read_text()
    assert call("RENDER", s, block).endswith("render.png")
    velocity = bodies[0].velo
    call("INITIALIZE_STATE", s, out, 0.005, ["ball 0"])
    assert velocity != bodies[0].velo and bodies[0].velo[5] == pytest.approx(1 - 0.05)
    call("RIGID_TO_FEM", out, 0.01, s, bodies[0])
    assert bodies[0].velo == pytest.approx(velocity)

    again = SOLFEC("DYNAMIC", 1e-3, out)
    assert again.mode == "READ"
    call("SEEK", again, 0.005), call("FORWARD", again, 2), call("BACKWARD", again, 1)
    assert again.time == pytest.approx(0.006)
    assert link.kind == "RIGLNK" and spring.stroke > 0 and math.isfinite(spring.force) and np.isfinite(pipe.nnod)
    assert called == set(language.__all__) - REFUSED, set(language.__all__) - REFUSED - called
