"""A finder of the program's own comes first and is asked once for each name."""

import importlib.abc
import importlib.machinery
import sys

asked = []


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path, target=None):
        asked.append(name)
        return importlib.machinery.ModuleSpec(name, self) if name == "invented" else None

    def exec_module(self, module):
        module.value = 7


sys.meta_path.insert(0, Finder())
import invented

print(invented.value, asked)
try:
    import nowhere_to_be_found
except ImportError as error:
    print(error.name, asked)
