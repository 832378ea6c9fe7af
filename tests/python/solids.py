"""Corners that several tests build solids from."""

#: A unit cube as the language lists it: bottom counter-clockwise, then top.
CUBE = [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1]
