"""Modules, types and functions of the recorder are not what a program finds by class."""

import abc
import collections.abc
import json

print(
    [kind.__name__ for kind in Exception.__subclasses__() if "outlive" in kind.__module__],
    [kind for kind in json.JSONEncoder.__subclasses__()],
)
