"""A package without __init__, over two folders."""

import os
import sys

sys.dont_write_bytecode = True
for folder in ("a", "b"):
    os.makedirs(f"{folder}/space")
    open(f"{folder}/space/{folder}.py", "w").write(f"name = '{folder}'\n")
    sys.path.insert(0, os.path.abspath(folder))
import space.a
import space.b

print(space.a.name, space.b.name, len(list(space.__path__)))
