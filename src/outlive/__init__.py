"""Outlive: TensorFlow programs die without saying why; Outlive tells why, to the line, and keeps them alive."""

__version__ = "0.1.0"

#: The public names and the module that each is in: loaded when they are used, so that importing this costs nothing.
_PUBLIC = {
    "BatchTooLarge": "outlive.keep.pressure.keras_callback",
    "MemoryBrake": "outlive.keep.pressure.exhaustion",
    "PressureCallback": "outlive.keep.pressure.keras_callback",
    "SessionClosed": "outlive.keep.pressure.shared_session",
    "SkipsLess": "outlive.keep.skip.rebuild",
    "adaptive": "outlive.keep.pressure.adaptive",
    "bound": "outlive.keep.bound.bounded",
    "detect": "outlive.detection.api",
    "limit": "outlive.inside.machine.memory_limit",
    "on_pressure": "outlive.keep.pressure.watch",
    "predict": "outlive.jobs.predict.api",
    "shared_session": "outlive.keep.pressure.shared_session",
    "skip_bad": "outlive.keep.skip.skip_bad",
}
#: A public name that is a module itself.
_MODULES = {"ray": "outlive.jobs.ray"}
__all__ = ["__version__", *sorted({*_PUBLIC, *_MODULES})]


def __getattr__(name: str) -> object:
    import importlib

    if name in _MODULES:
        return importlib.import_module(_MODULES[name])
    if name not in _PUBLIC:
        raise AttributeError(f"module 'outlive' has no attribute {name!r}")
    return getattr(importlib.import_module(_PUBLIC[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_PUBLIC, *_MODULES})


def load_ipython_extension(ipython: object) -> None:
    """``%load_ext outlive`` in a notebook: brings ``%why``."""
    import importlib  # by name: everybody here may import this package, and nobody the notebooks

    importlib.import_module("outlive.jupyter.magics").load(ipython)
