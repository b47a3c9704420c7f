# python: -v
# documented: stderr: the recorder's modules are imported before the program begins
"""The same with -v."""

print("begun")
