"""Types that tools/make_stubs.py writes beside names: of arguments, where one name has one type everywhere, and of what calls and members give."""

VECTOR, POINTS, NUMBER = "Vector", "Points", "float"
PATH = "str | os.PathLike[str]"

#: Arguments of the Solfec language.
LANGUAGE_ARGUMENTS = {
    "solfec": "SOLFEC", "body": "BODY", "body1": "BODY | None", "body2": "BODY | None", "vertices": POINTS, "faces": "Sequence[int]", "points": POINTS, "nodes": POINTS,
    "elements": "Sequence[int]", "surfids": "int | Sequence[int]", "volid": "int", "surfid": "Any", "surfid1": "int", "surfid2": "int", "surf1": "int", "surf2": "int",
    "convex": "CONVEX", "sphere": "SPHERE", "ellip": "ELLIP", "i": "int", "j": "int", "k": "int", "dx": "Sequence[float]", "dy": "Sequence[float]", "dz": "Sequence[float]",
    "shape": "Any", "shapes": "Any", "obstacles": "Any", "center": VECTOR, "radius": NUMBER, "radii": VECTOR, "error": NUMBER, "analysis": "str", "step": NUMBER, "output": "str",
    "model": "str", "label": "str", "friction": NUMBER, "cohesion": NUMBER, "restitution": NUMBER, "spring": NUMBER, "dashpot": NUMBER, "young": NUMBER, "poisson": NUMBER,
    "density": NUMBER, "kind": "str", "material": "BULK_MATERIAL | str", "formulation": "str", "mesh": "MESH", "form": "str", "base": "Any", "cache": "int",
    "epsilon": NUMBER, "maxiter": "int", "meritval": NUMBER, "failure": "str", "diagepsilon": NUMBER, "diagmaxiter": "int", "diagsolver": "str", "data": "Any",
    "callback": "Callable[..., Any]", "point": VECTOR, "point1": VECTOR, "point2": VECTOR, "direction": VECTOR, "vector": VECTOR, "normal": VECTOR, "coefs": VECTOR,
    "linear": VECTOR, "angular": VECTOR, "tms": "Any", "value": "Any", "solver": "Any", "duration": NUMBER, "interval": NUMBER, "compression": "str", "extents": "Sequence[float]",
    "depth": NUMBER, "tolerance": NUMBER, "goal": NUMBER, "mass": NUMBER, "volume": NUMBER, "tensor": "Sequence[float]", "object": "Any", "angle": NUMBER, "threshold": NUMBER, "minarea": NUMBER,
    "mindist": NUMBER, "steps": "int", "time": NUMBER, "list": "Any", "t0": NUMBER, "t1": NUMBER, "skip": "int", "progress": "str", "path": "str", "subset": "Any",
    "attributes": "Sequence[str]", "function": "Callable[..., Any]", "limits": "tuple[float, float] | None", "update": "str", "pnt": VECTOR, "dir": VECTOR, "rin": NUMBER, "thi": NUMBER,
    "ndir": "int", "nrad": "int", "nthi": "int", "quality": NUMBER, "nodeset": "Sequence[int]", "faceset": "Sequence[Sequence[int]]", "negate": "bool | str", "gap": NUMBER, "state": "str",
    "variant": "str", "name": "str", "yardstick": "str", "options": "dict[str, Any]", "surfaces": "tuple[int, int]", "verbose": "str", "num": "int", "abstol": NUMBER,
    "pathM": "str", "pathK": "str", "spdM": "str", "spdK": "str", "topoadj": "str", "remesh": "Any",
}
LANGUAGE_RETURNS = {
    "HULL": "CONVEX", "HEX": "MESH", "ROUGH_HEX": "MESH", "PIPE": "MESH", "ELLIP_MESH": "MESH", "TETRAHEDRALIZE": "MESH", "MESH2CONVEX": "CONVEX", "MESH_SPLIT": "list[MESH] | None",
    "SPLIT": "tuple[Any, Any]", "MASS_CENTER": "tuple[float, float, float]", "FIX_POINT": "CONSTRAINT", "FIX_DIRECTION": "CONSTRAINT", "SET_DISPLACEMENT": "CONSTRAINT",
    "SET_VELOCITY": "CONSTRAINT", "SET_ACCELERATION": "CONSTRAINT", "PUT_RIGID_LINK": "CONSTRAINT", "SET_DISPLACEMENT3": "list[CONSTRAINT]", "SET_VELOCITY3": "list[CONSTRAINT]",
    "SET_ACCELERATION3": "list[CONSTRAINT]", "NCPU": "int", "RANK": "int", "HERE": "bool", "VIEWER": "bool", "DISPLACEMENT": "tuple[float, float, float]",
    "VELOCITY": "tuple[float, float, float]", "ENERGY": "tuple[float, float, float, float, float]", "TIMING": "float", "HISTORY": "tuple[list[float], ...]", "RENDER": "str",
    "OVERLAPPING": "list[Any]", "NON_SOLFEC_ARGV": "list[str] | None", "DURATION": "Any", "BYLABEL": "Any", "COPY": "Any", "SCALE": "Any", "TRANSLATE": "Any", "ROTATE": "Any",
    "BEND": "Any", "PUT_SPRING": "Any", "SUBDIR": "str | None",
}
#: Routines that give nothing.
LANGUAGE_QUIET = {
    "CONTACT_EXCLUDE_BODIES", "CONTACT_EXCLUDE_OBJECTS", "CONTACT_EXCLUDE_SURFACES", "CONTACT_SPARSIFY", "GRAVITY", "FORCE", "TORQUE", "RUN", "OUTPUT", "EXTENTS", "CALLBACK",
    "REGISTER_CALLBACK", "UNPHYSICAL_PENETRATION", "IMBALANCE_TOLERANCE", "BARRIER", "BODY_CHARS", "INITIAL_VELOCITY", "MATERIAL", "APPLY_BULKMAT", "REGISTER_BASE", "DELETE", "FORWARD", "BACKWARD", "SEEK",
    "INITIALIZE_STATE", "RIGID_TO_FEM", "XDMF_EXPORT", "MBFCP_EXPORT", "LOCDYN_DUMP", "DISPLAY_POINT", "GEOMETRIC_EPSILON", "WARNINGS", "LOAD", "PRESSURE"}
LANGUAGE_MEMBERS = {
    "nver": "int", "nnod": "int", "center": "tuple[float, float, float]", "radius": "float", "radii": "tuple[float, float, float]", "analysis": "str", "mode": "str", "outpath": "str",
    "time": "float", "step": "float", "verbose": "str", "bodies": "list[BODY]", "nbod": "int", "constraints": "list[CONSTRAINT]", "ncon": "int", "kind": "str", "label": "str", "id": "int",
    "conf": "tuple[float, ...]", "velo": "tuple[float, ...]", "mass": "float", "volume": "float", "tensor": "tuple[float, ...]", "selfcontact": "str", "scheme": "str",
    "damping": "float", "mass_damping": "float", "stiffness_damping": "float", "compatible": "str", "cleanup": "str", "disable_rotation": "str", "R": "tuple[float, float, float]", "U": "tuple[float, float, float]", "V": "tuple[float, float, float] | None", "base": "tuple[float, ...]",
    "point": "tuple[float, ...]", "adjbod": "Any", "matlab": "str | None", "gap": "float", "area": "float", "merit": "float", "spair": "tuple[int, int] | None", "iters": "int",
    "error": "str", "epsilon": "float", "maxiter": "int", "failure": "str", "rerhist": "list[float] | None", "times": "NDArray[np.float64]", "values": "NDArray[np.float64]",
}

#: Arguments of the package, where they differ from the language's.
ARGUMENTS = {
    "body": "Body", "body1": "Body | None", "body2": "Body | None", "shape": "Shape | Sequence[Shape]", "material": "BulkMaterial", "value": "float | TimeSeries", "out": f"{PATH} | None",
    "mesh": "Shape", "materials": "dict[int, BulkMaterial]", "shapes": "Shape | Sequence[Shape]",
    "path": PATH, "target": PATH, "folder": PATH, "output": "float", "bodies": "Any", "points": "Any", "density": "float | dict[int, float]",
    "velocity": "Any", "angular_velocity": "Any", "gravity": VECTOR, "threads": "int", "surface": "int | Sequence[int]", "surface1": "int", "surface2": "int", "scheme": "str", "integrator": "str",
    "damping": NUMBER, "stiffness_damping": NUMBER, "pivot": VECTOR, "size": VECTOR, "low": VECTOR, "high": VECTOR, "axes": "Any", "corners": POINTS, "cells": "tuple[int, int, int]",
    "inner_radius": NUMBER, "thickness": NUMBER, "axis": VECTOR, "factors": "float | Vector", "vertices": POINTS, "faces": "Any", "elements": "Sequence[Sequence[int]]", "volume": "Any",
    "length": NUMBER, "checkpoint": "float | None", "quiet": "bool", "resume": "bool | str", "compress": "bool", "max_iterations": "int", "max_seconds": NUMBER, "on_failure": "Callable[..., Any]",
    "convected": "bool", "X": VECTOR, "index": "int", "frame": "int", "every": "int", "times": "tuple[float, float]", "spheres": "bool", "format": "str", "quantity": "str", "count": "int",
    "inertia": "Any", "mass": NUMBER, "source": "Any", "solver": "str", "W": "Any", "B": "Any", "mu": "Any", "R": "Any", "guess": "Any", "solution": "Solution | None", "frames": "Any",
    "function": "Callable[..., Any]", "steps": "int", "data": "Any", "label": "str", "order": "int", "modes": "int", "selfcontact": "bool", "round_spheres": "bool", "history": "bool",
    "text": "str", "dimension": "int", "across": "int", "up": "int", "shear": NUMBER, "reach": NUMBER, "ellipsoids": "bool", "seed": "int", "results": f"Results | {PATH}",
    "names": "Sequence[str]", "along": "str", "at": NUMBER, "solutions": "dict[str, Solution]", "records": "Any", "entity": "str", "host": "str", "port": "int", "browser": "bool",
    "wait": "bool", "block": "bool", "idle": NUMBER, "say": "Callable[[str], Any]", "limit": NUMBER, "rate": NUMBER, "progress": "Callable[[float], Any]", "zoom": NUMBER, "map": "str",
    "obstacles": "str", "chains": "bool", "ground": "bool", "edges": "bool", "samples": "int", "title": "str", "caption": "str", "view": VECTOR, "guesses": "Sequence[Any]",
}
#: Arguments that have another type in one place.
ARGUMENTS_HERE = {"Simulation.disk.axis": "str", "Simulation.disk.velocity": VECTOR, "Simulation.disk.angular_velocity": VECTOR, "Body.hold.motion": "str", "Body.hold.rotation": "str",
                  "Results.row.body": "int | str", "Results.history.body": "int | str", "Results.state.body": "int | str", "Body.apply_force.value": "float | TimeSeries | Callable[..., float]",
                  "Body.apply_load.direction": "str | Vector", "Simulation.fix_surface.direction": "str | Vector", "picture.low": NUMBER, "picture.high": NUMBER, "picture.size": "tuple[int, int]",
                  "Simulation.rigid.velocity": VECTOR, "Simulation.rigid.angular_velocity": VECTOR, "Simulation.pseudo_rigid.velocity": VECTOR,
                  "Simulation.pseudo_rigid.angular_velocity": VECTOR, "Simulation.finite_element.velocity": VECTOR, "Simulation.finite_element.angular_velocity": VECTOR,
                  "Results.histories.bodies": "Sequence[int | str]", "Problem.velocity.R": "Any", "plot.force_chains.thickness": NUMBER, "render.out": PATH, "Shape.__add__.other": "Shape",
                  "TimeSeries.__init__.points": f"float | {PATH} | TimeSeries | Sequence[Any] | Array", "join.shapes": "Shape | Sequence[Shape]", "plot.performance_profile.out": PATH,
                  "Bodies.__getitem__.key": "int | str", "Grid.planes.axis": "int", "Grid.add.index": "Any", "Bodies.__contains__.key": "Body | str", "view.export.out": PATH,
                  "Simulation.export_problems.interval": NUMBER, "Solution.__init__.R": "Array", "Solution.__init__.U": "Array"}

A, AT, LIST = "Array", "tuple[Array, Array]", "list[dict[str, Any]]"
SHAPES = ("sphere", "ellipsoid", "box", "hull", "convex", "mesh", "hex", "rough_hex", "pipe", "copy", "scale", "translate", "rotate", "join", "read_mesh")
FIGURE = "Any"  # matplotlib's Figure, or the path when the figure was saved
#: What functions, methods and properties of the package give.
GIVES = {
    **{name: "Shape" for name in SHAPES}, "read": "Results", "threads": "int", "set_threads": "None", "export": "list[str]", "render": "str",
    "picture": "NDArray[np.uint8]", "mass_center": A, "split": "tuple[Shape | None, Shape | None]", "solvers": LIST, "add_solver": "None",
    **{f"Body.{n}": "None" for n in ("apply_force", "apply_function", "apply_load", "apply_pressure", "apply_torque", "delete", "move", "set_characteristics")},
    **{f"Body.{n}": A for n in ("angular_velocity", "center", "conf", "inertia", "nodes", "point", "point_velocity", "position", "rotation", "stress", "velo", "velocity")},
    **{f"Body.{n}": "float" for n in ("critical_step", "damping", "internal_energy", "kinetic_energy", "mass", "stiffness_damping", "volume")},
    **{f"Body.{n}": "bool" for n in ("deforms", "exists", "round_spheres", "selfcontact")}, **{f"Body.{n}": "str" for n in ("kind", "label", "scheme")},
    "Body.id": "int", "Body.shape": "Shape", "Body.surface": AT, "Body.work": "dict[str, float]",
    "Bodies.__len__": "int", "Bodies.__iter__": "Iterator[Body]", "Bodies.__getitem__": "Body", "Bodies.__contains__": "bool", "Bodies.ids": "NDArray[Any]", "Bodies.labels": "list[str]",
    "Bodies.moving": "NDArray[np.bool_]", **{f"Bodies.{n}": A for n in ("masses", "positions", "rotations", "velocities", "angular_velocities")},
    "Body.held": "tuple[str, str]", "Body.hold": "None", "Constraint.id": "int", "Constraint.bodies": "tuple[Body, ...]", "Constraint.delete": "None", "Constraint.exists": "bool", "Constraint.kind": "str", "Constraint.length": "float",
    **{f"Constraint.{n}": A for n in ("force", "frame", "local_force", "points")},
    **{f"BulkMaterial.{n}": "float" for n in ("young", "poisson", "density")}, "BulkMaterial.model": "str", "BulkMaterial.label": "str", "BulkMaterial.id": "int",
    **{f"SurfaceMaterial.{n}": "float" for n in ("friction", "cohesion", "restitution", "spring", "dashpot", "power")}, "SurfaceMaterial.id": "int",
    **{f"SurfaceMaterial.{n}": "int" for n in ("surface1", "surface2")}, "SurfaceMaterial.is_default": "bool", "SurfaceMaterial.label": "str", "SurfaceMaterial.model": "str",
    **{f"Problem.{n}": A for n in ("B", "mu", "diagonal", "velocity")}, **{f"Problem.{n}": "int" for n in ("blocks", "contacts", "dimension")}, "Problem.asymmetry": "float",
    "Problem.body_form": "bool", "Problem.form": "str", "Problem.name": "str", "Problem.from_arrays": "Problem", "Problem.packing": "Problem", "Problem.guesses": "list[Array]",
    "Problem.measure": "float", "Problem.solution": "tuple[Array, Array] | None", "Problem.solve": "Solution", "Problem.write": "None", "Problem.path": "str | None",
    "Results.__getitem__": "Frame", "Results.__iter__": "Iterator[Frame]", "Results.__len__": "int", "Results.bodies": LIST, "Results.body_frames": "int",
    "Results.contacts": "dict[str, NDArray[Any]]", "Results.energies": "dict[str, Array]", "Results.frame": "Frame", "Results.histories": A, "Results.history": AT, "Results.refresh": "bool",
    "Results.row": "int", "Results.stages": "list[str]", "Results.state": "list[Array] | None", "Results.steps": "dict[str, NDArray[Any]]", "Results.times": A, "Results.title": "str",
    "Results.version": "str", "Results.path": "str",
    "Frame.time": "float", "Frame.step": "int", "Frame.ids": "NDArray[Any]", "Frame.rows": "NDArray[Any]", "Frame.energies": "dict[str, float]", "Frame.contacts": "dict[str, NDArray[Any]]",
    **{f"Frame.{n}": A for n in ("positions", "rotations", "velocities", "angular_velocities", "body_energies")},
    "Shape.__add__": "Shape", "Shape.__len__": "int", "Shape.bounds": AT, "Shape.center": A, "Shape.contains": "bool", "Shape.mass_properties": "dict[str, Any]", "Shape.meshes": LIST,
    "Shape.pieces": LIST, "Shape.size": "float", "Shape.volume": "float",
    "Simulation.__enter__": "Simulation", "Simulation.__exit__": "None", "Simulation.advance": "NDArray[Any]", "Simulation.bodies": "Bodies", "Simulation.bulk_material": "BulkMaterial",
    **{f"Simulation.{n}": "None" for n in ("callback", "close", "exclude", "export_problem", "export_problems", "set_gravity", "solver")}, "Simulation.constraints": "list[Constraint]",
    "Simulation.contact_settings": "dict[str, Any]", "Simulation.contacts": "dict[str, NDArray[Any]]", "Simulation.energies": "dict[str, float]", "Simulation.extents": "tuple[Array, Array] | None",
    **{f"Simulation.{n}": "Body" for n in ("disk", "finite_element", "obstacle", "pseudo_rigid", "rigid")}, "Simulation.gravity": A, "Simulation.hash": "str", "Simulation.integrator": "str",
    **{f"Simulation.{n}": "Constraint" for n in ("distance_limit", "fix_direction", "fix_point", "rigid_link", "set_acceleration", "set_displacement", "set_velocity")},
    "Simulation.fix_surface": "list[Constraint]", "Simulation.problem": "Problem", "Simulation.quasi_static": "bool", "Simulation.report": "dict[str, Any]",
    "Simulation.run": "dict[str, Any] | None", "Simulation.solve_report": "dict[str, Any]", "Simulation.step": "float", "Simulation.steps": "int",
    "Simulation.surface_material": "SurfaceMaterial", "Simulation.threads": "int | None", "Simulation.time": "float", "Simulation.out": "str | None",
    "Solution.converged": "bool", "Solution.solver": "str", "Solution.status": "str", "Solution.stage": "str", "Solution.advice": "str", "Solution.history": "list[float]",
    **{f"Solution.{n}": A for n in ("R", "U")}, **{f"Solution.{n}": "int" for n in ("iterations", "products", "linear_iterations", "fallbacks")},
    **{f"Solution.{n}": "float" for n in ("residual", "merit", "siconos", "ccp", "seconds")},
    "TimeSeries.times": A, "TimeSeries.values": A, "TimeSeries.label": "str | None", "TimeSeries.__call__": "Any", "TimeSeries.derivative": "Any", "TimeSeries.integral": "Any",
    "plot.entities": "list[str]", "plot.curve": "tuple[Array, dict[str, Array], str]", "plot.contact_forces": AT, "plot.performance_profile": "str",
    **{f"plot.{n}": FIGURE for n in ("histories", "energy_ledger", "force_chains", "force_distribution", "convergence", "solver_histories", "timings")},
    "Simulation.servo_wall": "ServoWall", "Simulation.triaxial": "Triaxial", "ServoWall.body": "Body", **{f"ServoWall.{n}": "float" for n in ("area", "force", "displacement", "reaction")},
    **{f"Triaxial.{n}": A for n in ("size", "strain", "pressure")}, "Triaxial.box": AT, "Triaxial.volume": "float", "Triaxial.driven": "list[Body | ServoWall]", "Grid.cell_volume": "float", "Grid.centers": A, "Grid.size": A, "Grid.planes": A,
    "Grid.index": "NDArray[Any]", "FlowRate.mean": "float", "Slope.degrees": "float", **{f"measure.{n}": A for n in ("stress", "fabric")}, "measure.body_stress": "tuple[Any, ...]", "ServoWall.direction": A, "Triaxial.low": A,
    "Triaxial.fixed": "list[Body]", "Triaxial.walls": "list[Body]", "Results.picture": "NDArray[np.uint8]",
    "measure.coordination": "Coordination", "measure.flow_rate": "FlowRate", "measure.force_distribution": "ForceDistribution", "measure.angle_of_repose": "Slope",
    "measure.snapshot": "Snapshot", "measure.to_fields": "list[str]",
    "view.page_folder": "str", "view.open": "Any", "view.follow": "Any", "view.export": "str",
}
#: What may be assigned to a property, where it is more than the property gives.
TAKES = {**{f"Body.{n}": VECTOR for n in ("angular_velocity", "position", "velocity")}, "Body.rotation": "Matrix", "Simulation.gravity": "Vector | None",
         "Simulation.extents": "Sequence[Vector] | Vector | None"}
#: Attributes that constructors set.
ATTRIBUTES = {"Frame": ("time", "step", "ids", "rows", "positions", "rotations", "velocities", "angular_velocities", "body_energies", "energies", "contacts"),
              "ServoWall": ("body", "direction"), "Triaxial": ("low", "fixed", "driven", "walls"), "Results": ("path",), "Problem": ("path",), "TimeSeries": ("label",), "Body": ("id",), "Constraint": ("id",), "BulkMaterial": ("id",),
              "SurfaceMaterial": ("id",),
              "Solution": ("solver", "R", "U", "status", "iterations", "products", "linear_iterations", "fallbacks", "residual", "merit", "siconos", "ccp", "seconds", "history", "stage", "advice")}
