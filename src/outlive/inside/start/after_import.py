"""Call a function once, right after a module has been imported for the first time.

The import system has a module's code run by ``exec``, and where calls of that can be seen nothing else is needed. Otherwise one finder
stands first in ``sys.meta_path``; for all names but the wanted ones it costs a lookup in a dictionary, and the module keeps its own
loader and spec: nothing of ours is left on it.
"""

from __future__ import annotations

import builtins
import sys

from .calls import Calls, programs_own

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    import importlib.machinery
    from types import ModuleType
    from typing import Any, Callable, Dict, Optional

    Act = Callable[[Any], None]


#: Who looks for a module because it is imported; others only ask where it is.
IMPORTING = "_find_and_load_unlocked"


class AfterImport:
    """What is to be done, and the finder."""

    def __init__(self, acts: Dict[str, Act]) -> None:
        self._acts = dict(acts)

    def install(self, calls: Calls) -> None:
        """Act at once on what is already imported, wait for the rest."""
        for name in list(self._acts):
            if name in sys.modules and not is_being_imported(sys.modules[name]):
                self._act(name, sys.modules[name])
        if not calls.watch(builtins, "exec", after=self._executed, names=self._acts):
            sys.meta_path.insert(0, self)

    def _executed(self, args: Any, _names: Any, _result: Any) -> None:
        name = args[1]["__name__"]
        module = sys.modules.get(name)
        if module is not None and vars(module) is args[1]:
            self._act(name, module)

    def find_spec(
        self, name: str, path: Any = None, target: Any = None
    ) -> Optional[importlib.machinery.ModuleSpec]:
        """Called by the import system for every module that is not yet loaded."""
        if name not in self._acts or sys._getframe(2).f_code.co_name != IMPORTING:
            return None
        for finder in list(sys.meta_path):
            if finder is self or not hasattr(finder, "find_spec"):
                continue
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                if spec.loader is not None and hasattr(spec.loader, "exec_module"):
                    spec.loader = _Then(spec.loader, self, name)  # type: ignore[assignment]
                return spec
        return None

    def _act(self, name: str, module: ModuleType) -> None:
        act = self._acts.pop(name, None)
        if act is not None:
            try:
                act(module)
            except Exception as error:
                if programs_own(error) is not None:
                    raise
                # a library that changed shape: that reading is missing, nothing else


def is_being_imported(module: Any) -> bool:
    """Whether its code is still running, or about to: the import of one of these modules is what loads us in a young process."""
    return bool(getattr(getattr(module, "__spec__", None), "_initializing", False))


class _Then:
    """Stands in for a module's loader during one import, and puts the real one back."""

    def __init__(self, loader: Any, finder: AfterImport, name: str) -> None:
        self._loader = loader
        self._finder = finder
        self._name = name

    def create_module(self, spec: Any) -> Any:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        module.__loader__ = self._loader
        self._loader.exec_module(module)
        self._finder._act(self._name, module)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)
