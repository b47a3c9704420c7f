# status: 1
"""GeneratorExit outside of a generator."""

raise GeneratorExit("here")
