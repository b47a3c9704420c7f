"""In the kernel of a notebook: which cell runs, who asked for it, what was said of the kernel that died before.

The last request is kept so that somebody else can answer it when this process no longer can; the text of the cells so that a
line of one can be shown. Nothing of this is loaded in a program that is no kernel.
"""

from __future__ import annotations

import os
import sys

from ..notes import kinds, links
from ..notes.describe import describe
from ..notes.format import Ring
from ..notes.journal import mapped
from ..notes.masking import mask_text, secrets_here
from ..start.clock import Clock
from ..start.methods import like
from ..start.real import Real

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, Optional

#: Some hundred cells; the oldest are forgotten first.
CELLS_BYTES = 1 << 20

MAX_CODE_CHARACTERS = 60_000


class Cells:
    """The requests to run a cell, written down as they begin and as they end."""

    def __init__(self, folder: str, taken: Callable[[BaseException, Dict[str, Any]], None]) -> None:
        self._folder = folder
        self._taken = (
            taken  # told of every exception that is a cell's, and so does not end the program
        )
        self._ring: Optional[Ring] = None
        self._failed = False
        self._pid = os.getpid()
        self._running: Dict[int, str] = {}  # by thread
        self._said_before = False
        self._looked_for_more = False
        self.answers = False  #: this process runs cells for somebody

    def wrap_kernel(self, module: Any) -> None:
        """``ipykernel.kernelbase``: where requests are answered."""
        execute, shutdown = module.Kernel.execute_request, module.Kernel.shutdown_request

        @like(execute)
        async def execute_request(kernel: Any, stream: Any, ident: Any, parent: Any) -> Any:
            before = last_error()
            mark = id(before)
            del before
            self._begin(kernel, ident, parent)
            try:
                result = execute(kernel, stream, ident, parent)
                return await result if hasattr(result, "__await__") else result
            finally:
                self._end(parent, mark)

        @like(shutdown)
        async def shutdown_request(kernel: Any, stream: Any, ident: Any, parent: Any) -> Any:
            self._append({"kind": kinds.SHUTDOWN})
            result = shutdown(kernel, stream, ident, parent)
            return await result if hasattr(result, "__await__") else result

        module.Kernel.execute_request = execute_request
        module.Kernel.shutdown_request = shutdown_request

    def wrap_compiler(self, module: Any) -> None:
        """``IPython.core.compilerop``: the name under which a cell is compiled stands in every frame of it."""
        real = module.CachingCompiler.cache

        @like(real)
        def cache(compiler: Any, *args: Any, **kwargs: Any) -> Any:
            name = real(compiler, *args, **kwargs)
            running = self._running.get(Real.get_ident())
            if running is not None:
                self._append({"kind": kinds.FILE, "id": running, "file": str(name)})
            return name

        module.CachingCompiler.cache = cache

    def _begin(self, kernel: Any, ident: Any, parent: Any) -> None:
        try:
            self.answers = True
            content, header = parent["content"], parent["header"]
            identifier = str(header["msg_id"])
            self._running[Real.get_ident()] = identifier
            shell = getattr(kernel, "shell", None)
            self._load_what_looks_ahead(shell)
            self._append(
                {
                    "kind": kinds.CELL,
                    "id": identifier,
                    "ident": [bytes(part).hex() for part in ident or ()],
                    "header": {str(name): _plain(value) for name, value in header.items()},
                    "code": _kept(str(content.get("code", ""))),
                    "count": getattr(shell, "execution_count", None),
                    "silent": bool(content.get("silent")),
                    "cell": _cell_of(parent),
                }
            )
            if not content.get("silent"):
                self._say_what_was_before()
        except Exception:
            pass

    def _load_what_looks_ahead(self, shell: Any) -> None:
        """With the first cell: the module that was asked for by name, if this Python has it."""
        if self._looked_for_more or shell is None:
            return
        self._looked_for_more = True
        try:
            name = os.readlink(links.link_in(self._folder, links.FORESEE))
        except OSError:
            return
        try:
            from importlib import import_module

            import_module(name).load(shell)
        except Exception:
            pass  # another environment than Outlive's: its cells run unseen

    def _end(self, parent: Any, mark: int) -> None:
        try:
            self._running.pop(Real.get_ident(), None)
            done: Dict[str, Any] = {"kind": kinds.DONE, "id": str(parent["header"]["msg_id"])}
            error = last_error()
            if error is not None and id(error) != mark:
                done["error"] = describe(error)
                self._taken(error, done["error"])
            self._append(done)
        except Exception:
            pass

    def _say_what_was_before(self) -> None:
        """The kernel before this one died while no cell ran: nobody has been told yet."""
        if self._said_before:
            return
        self._said_before = True
        try:
            text = os.readlink(links.link_in(self._folder, links.BEFORE))
        except OSError:
            return
        with open(text, encoding="utf-8") as file:
            sys.stderr.write(file.read())
        sys.stderr.flush()

    def _append(self, payload: Dict[str, Any]) -> None:
        if self._failed or os.getpid() != self._pid:  # a forked child answers no requests
            return
        try:
            if self._ring is None:
                self._ring = self._open()
            self._ring.append({"time": Clock.time(), "pid": self._pid, **payload})
        except Exception:
            self._failed = True

    def _open(self) -> Ring:
        path = os.path.join(self._folder, f"{os.getpid()}.cells")
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
        handle = os.open(path, flags, 0o600)
        try:
            os.posix_fallocate(handle, 0, CELLS_BYTES)
            return Ring(mapped(handle, CELLS_BYTES), 0, CELLS_BYTES)
        except BaseException:
            os.unlink(path)
            raise
        finally:
            os.close(handle)


def last_error() -> Optional[BaseException]:
    """The exception that IPython showed last; it puts it where Python puts the one that ends a program."""
    error = getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)
    return error if isinstance(error, BaseException) else None


def _kept(code: str) -> str:
    """The text of a cell without secrets, line for line."""
    return mask_text(code, secrets_here(), keep_lines=True)[:MAX_CODE_CHARACTERS]


def _cell_of(parent: Any) -> str:
    """The front end's own name of the cell (JupyterLab and Notebook 7 tell it), by which it can be found again."""
    metadata = parent.get("metadata")
    return str(metadata.get("cellId") or "")[:100] if isinstance(metadata, dict) else ""


def _plain(value: Any) -> Any:
    return value.isoformat() if hasattr(value, "isoformat") else value
