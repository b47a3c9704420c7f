"""The source of a wrapped module can be had through its loader."""

import importlib.util
import inspect
import subprocess

print(
    importlib.util.find_spec("subprocess").loader.get_source("subprocess")
    == inspect.getsource(subprocess),
    subprocess.__file__.endswith("subprocess.py"),
)
