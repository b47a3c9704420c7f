"""A module that is loaded when it is first used."""

import importlib.util
import sys

spec = importlib.util.find_spec("colorsys")
spec.loader = importlib.util.LazyLoader(spec.loader)
module = importlib.util.module_from_spec(spec)
sys.modules["colorsys"] = module
spec.loader.exec_module(module)
print(type(module).__name__, module.ONE_THIRD > 0, type(module).__name__)
