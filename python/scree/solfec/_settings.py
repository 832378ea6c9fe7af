"""Settings of the language that belong to no SOLFEC object."""

geometric_epsilon = 1e-6    #: GEOMETRIC_EPSILON: points nearer than this count as one, m
