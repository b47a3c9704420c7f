"""Outlive: TensorFlow programs die without saying why; Outlive tells why, to the line, and keeps them alive."""

__version__ = "0.1.0"
__all__ = ["__version__"]


def load_ipython_extension(ipython: object) -> None:
    """``%load_ext outlive`` in a notebook: brings ``%why``."""
    import importlib  # by name: everybody here may import this package, and nobody the notebooks

    importlib.import_module("outlive.jupyter.magics").load(ipython)
