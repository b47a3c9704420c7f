"""A module of the program that is named like one of the standard library."""

MINE = True
