"""Trying a program before it counts: what a whole run will need, from its first minute."""
