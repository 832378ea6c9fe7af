"""Measures of packings and flows: structure, stress, porosity, forces, flow, slopes.

    from scree import measure

    z = measure.coordination(sim)                                   # a Simulation now,
    z.mean, z.distribution
    sigma = measure.stress("out/box", frame=-1)                     # or results at a frame; Pa, tension positive
    p = measure.pressure(measure.stress("out/box", measure.Grid((0, 0, 0), (1, 1, 2), (4, 4, 8))))
    measure.porosity("out/box", ((0.2, 0.2, 0.2), (0.8, 0.8, 0.8)))
    measure.flow_rate("out/hopper", point=(0, 0, 0), normal=(0, 0, -1)).mean
    measure.angle_of_repose("out/heap").degrees
    measure.to_fields("out/box", "out/box/fields")                  # for ParaView

Bodies are all that move unless `bodies` names others; only contacts count, not the constraints that a script prescribes. Theory chapter 7.
"""
from .fields import body_fields, grid_fields, to_fields
from .flow import FlowRate, Slope, angle_of_repose, flow_rate
from .grid import Grid
from .packing import Coordination, ForceDistribution, body_stress, coordination, deviator, fabric, force_distribution, porosity, pressure, stress
from .snapshot import Snapshot, snapshot

__all__ = ["Coordination", "FlowRate", "ForceDistribution", "Grid", "Slope", "Snapshot", "angle_of_repose", "body_fields", "body_stress", "coordination",
           "deviator", "fabric", "flow_rate", "force_distribution", "grid_fields", "porosity", "pressure", "snapshot", "stress", "to_fields"]
