"""How ``multiprocessing`` starts its processes: who asks for a fork by its name, and spawn as what is usual where a fork has hung.

Loaded with ``multiprocessing`` itself.
"""

from __future__ import annotations

import sys

from ..notes import kinds
from ..notes.describe import frames_of
from ..start.methods import like

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable


def note_forks_by_name(module: Any, note: Callable[..., None]) -> None:
    """``get_context("fork")`` and ``set_start_method("fork")`` are decisions of the program's."""
    kind = module.DefaultContext
    for name in ("get_context", "set_start_method"):
        real = getattr(kind, name)

        @like(real)
        def choosing(
            context: Any, method: Any = None, *args: Any, real: Any = real, **kwargs: Any
        ) -> Any:
            if method == "fork":
                note(kinds.FORK_BY_NAME, frames=frames_of(sys._getframe(1)))
            return real(context, method, *args, **kwargs)

        setattr(kind, name, choosing)


def spawn_by_default(module: Any) -> None:
    """What is used where nobody asks for anything; ``set_start_method`` can still be called, once, as ever."""
    module._default_context._default_context = module._concrete_contexts["spawn"]
