"""Outlive: TensorFlow programs die without saying why; Outlive tells why, to the line, and keeps them alive."""

__version__ = "0.1.0"
__all__ = ["__version__"]
