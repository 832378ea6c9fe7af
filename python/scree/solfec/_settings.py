"""Settings of the language that belong to no SOLFEC object."""

warnings = True             #: WARNINGS: tell of what is accepted without effect
geometric_epsilon = 1e-6    #: GEOMETRIC_EPSILON: points nearer than this count as one, m
