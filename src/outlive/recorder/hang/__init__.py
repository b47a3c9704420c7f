"""A program that is alive but makes no progress, as seen from outside."""
