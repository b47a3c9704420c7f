"""As much of ``re`` as we use: Python's own compiler of patterns, without the enumerations and collections that ``re`` itself loads.

Those are 0.7 MB of private memory, and each page of it costs every fork of the program about 0.14 µs.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable, Sequence

#: What compiles patterns.
COMPILER = "re._compiler" if sys.version_info >= (3, 11) else "sre_compile"

#: As ``re`` has them.
IGNORECASE, MULTILINE, DOTALL = 2, 8, 16

FUNCTIONS = ("findall", "finditer", "fullmatch", "match", "search")


def stand_in(module: Any, folders: Sequence[str], compiler: Callable[[], Any]) -> Any:
    """Make an empty module into that part of ``re``; ``compiler`` gives the module that compiles."""
    module.__path__ = [f"{folder}/re" for folder in folders]
    module.IGNORECASE, module.MULTILINE, module.DOTALL = IGNORECASE, MULTILINE, DOTALL
    module.compile = lambda text, flags=0: compiler().compile(text, flags)
    for name in FUNCTIONS:
        setattr(module, name, _by_pattern(module, name))
    return module


def _by_pattern(module: Any, name: str) -> Any:
    def apply(pattern: Any, text: Any, flags: int = 0) -> Any:
        return getattr(module.compile(pattern, flags), name)(text)

    return apply
