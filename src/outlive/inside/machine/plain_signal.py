"""The functions and numbers of ``signal`` without its enumerations: to load those takes 3 ms, a tenth of the start of `outlive run`."""

from __future__ import annotations

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    import signal
else:
    import _signal as signal

__all__ = ["signal"]
