"""Our modules, loaded while the program runs: nothing of it is seen in ``sys.modules``, on ``sys.path`` or in a lock of the import system.

In a process that another one of the run has started (``native/young.c``) the recorder is loaded by our own thread, or in the middle of a call of
the program's. Python's import would show half-loaded modules to the program, find the program's ``signal.py`` where ours wants Python's,
and take away modules that the program has begun to use. So the modules that are loaded here have an ``__import__`` of their own: it finds
ours, and copies of what we need of the standard library; what the program can change is there as it was at the start.
"""

from __future__ import annotations

import _imp
import sys

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Dict, Sequence

OURS = "_outlive"
AGENT = OURS + ".agent"

#: What tells whether there are other interpreters, see ``frames``.
INTERPRETERS = "_interpreters" if sys.version_info >= (3, 13) else "_xxsubinterpreters"

PATTERNS = OURS + ".start.patterns"


class World:
    """The modules of ours, and those that they import. ``young`` is what ``sitecustomize`` has kept since the start."""

    def __init__(self, young: Any) -> None:
        self._kind: Any = type(sys)
        self._finder = young.external.PathFinder
        self._loader = young.external.SourceFileLoader
        self._standard = young.standard
        self._builtins = {**young.kept["builtins"], "__import__": self.importing}
        self._modules: Dict[str, Any] = {"sys": sys, OURS: young.package}
        for name, names in young.kept.items():
            self._add(name).__dict__.update(names)
        self._add_patterns()
        globals()["__builtins__"]["__import__"] = self.importing  # of this module too
        young.package.interpreters = self._interpreters()

    def _add(self, name: str) -> Any:
        module = self._modules[name] = self._kind(name)
        return module

    def _interpreters(self) -> Any:
        try:
            return self.get(INTERPRETERS)
        except ImportError:
            return None

    def importing(
        self,
        name: str,
        names: Any = None,
        _locals: Any = None,
        wanted: Sequence[str] = (),
        level: int = 0,
    ) -> Any:
        """Do what ``__import__`` does."""
        if level:
            package = names["__package__"].rsplit(".", level - 1)[0]
            name = f"{package}.{name}" if name else package
        module = self.get(name)
        if not wanted:
            return module if level else self.get(name.partition(".")[0])
        for part in wanted if hasattr(module, "__path__") else ():
            if part != "*" and not hasattr(module, part):
                self.get(f"{name}.{part}")
        return module

    def get(self, name: str) -> Any:
        """Give a module; load it if it is not there."""
        if name.startswith(OURS) and name in sys.modules:
            return sys.modules[name]  # also those that lay on a shelf
        if name not in self._modules:
            parent, _, last = name.rpartition(".")
            package: Any = self.get(parent) if parent else None
            try:
                module = self._load(name, package.__path__ if parent else self._standard)
            except BaseException:
                self._modules.pop(name, None)
                raise
            if parent:
                setattr(package, last, module)
        return self._modules[name]

    def _load(self, name: str, path: Any) -> Any:
        if name in sys.builtin_module_names or name.startswith("_frozen_importlib"):
            return self._built_in(name)
        if name.startswith(OURS):
            return self._own(name, path[0])
        spec = self._finder.find_spec(name, path)
        if spec is None or spec.loader is None:
            raise ImportError(name)
        if hasattr(spec.loader, "get_code") and not is_extension(spec):
            return self._run(name, spec.loader, spec.origin, spec.submodule_search_locations)
        return self._extension(name, spec)

    def _own(self, name: str, folder: str) -> Any:
        """Not by a finder: Python would keep it, with the name of our folder, where the program can see it."""
        path = f"{folder}/{name.rpartition('.')[2]}"
        package = [path] if name.rpartition(".")[0] == OURS and name != AGENT else None
        file = f"{path}/__init__.py" if package else f"{path}.py"
        return self._run(name, self._loader(name, file), file, package)

    def _built_in(self, name: str) -> Any:
        module = sys.modules.get(name)
        if module is None:
            spec = self._kind(name)
            spec.name, spec.origin = name, "built-in"
            module = _imp.create_builtin(spec)
            _imp.exec_builtin(module)
            sys.modules.pop(name, None)
        self._modules[name] = module
        return module

    def _extension(self, name: str, spec: Any) -> Any:
        known = sys.modules.get(name)
        module = _imp.create_dynamic(spec)
        _imp.exec_dynamic(module)
        if known is None:  # some enter themselves
            sys.modules.pop(name, None)
        self._modules[name] = module
        return module

    def _run(self, name: str, loader: Any, file: str, package: Any) -> Any:
        loader.get_data = self._contents  # Python's own would ask the program's ``__import__``
        code = loader.get_code(name)
        module = self._add(name)
        if package is not None:
            module.__path__ = package
        module.__package__ = name if package is not None else name.rpartition(".")[0]
        module.__file__, module.__builtins__ = file, self._builtins
        exec(code, module.__dict__)
        if name.startswith(OURS):
            sys.modules[name] = module  # where other parts of Outlive look for it
        return module

    def _contents(self, path: str) -> bytes:
        posix = self._modules["posix"]
        handle = posix.open(path, posix.O_RDONLY | posix.O_CLOEXEC)
        try:
            return bytes(posix.read(handle, posix.fstat(handle).st_size))
        finally:
            posix.close(handle)

    def _add_patterns(self) -> None:
        """Patterns are compiled when they are needed, and so is what compiles them."""
        patterns = self.get(PATTERNS)
        patterns.stand_in(self._add("re"), self._standard, lambda: self.get(patterns.COMPILER))


def is_extension(spec: Any) -> bool:
    """Whether a module is a shared object."""
    return any(str(spec.origin).endswith(suffix) for suffix in _imp.extension_suffixes())
