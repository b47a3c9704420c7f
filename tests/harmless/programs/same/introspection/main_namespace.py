"""The names that a program begins with."""

print(sorted(globals()), __builtins__.__name__, __loader__.__class__.__name__)
