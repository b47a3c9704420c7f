"""Outlive: TensorFlow programs die without saying why; Outlive tells why, to the line, and keeps them alive."""

__version__ = "0.1.0"

#: The public names and the module that each is in: loaded when they are used, so that importing this costs nothing.
_PUBLIC = {
    "BatchTooLarge": "outlive.keep.keras",
    "MemoryBrake": "outlive.keep.exhaustion",
    "PressureCallback": "outlive.keep.keras",
    "SessionClosed": "outlive.keep.sessions",
    "SkipsLess": "outlive.keep.rebuilding",
    "adaptive": "outlive.keep.adapting",
    "bound": "outlive.keep.bounded",
    "detect": "outlive.detecting.calling",
    "limit": "outlive.memory_limit",
    "on_pressure": "outlive.keep.pressure",
    "predict": "outlive.predicting.calling",
    "shared_session": "outlive.keep.sessions",
    "skip_bad": "outlive.keep.skipping",
}
__all__ = ["__version__", *_PUBLIC]


def __getattr__(name: str) -> object:
    import importlib

    if name not in _PUBLIC:
        raise AttributeError(f"module 'outlive' has no attribute {name!r}")
    return getattr(importlib.import_module(_PUBLIC[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_PUBLIC})


def load_ipython_extension(ipython: object) -> None:
    """``%load_ext outlive`` in a notebook: brings ``%why``."""
    import importlib  # by name: everybody here may import this package, and nobody the notebooks

    importlib.import_module("outlive.jupyter.magics").load(ipython)
