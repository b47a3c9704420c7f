"""Reached by Python at start-up because `outlive run` put this folder first in PYTHONPATH.

It loads Outlive's recorder, takes its own folder out of sys.path, and hands over to the user's own sitecustomize, if there is
one. It must be readable by every Python that the program may start (2.7 and 3.6 too), and raises only what ``site`` would have met
without it: that there is no sitecustomize, or what the user's own raises.

In the first Python of a run the recorder is loaded at once. One that another process of the run has started gets the C library alone
(``native/young.c``), and the rest when it has lived for a tenth of a second, or when something happens that the rest has to see.
"""

import sys

#: Loading the recorder late was tried with these.
_TRIED = ((3, 9), (3, 14))

#: When there are more no process is recorded, see ``agent``.
_MOST_FILES = 300

#: Links in the record's folder that ask for what has to be in place before the program's first line.
_AT_ONCE = ("brake", "bound", "trim", "skip", "spawn", "rehearse")

#: Modules of which the recorder wants to see the import.
_IMPORTS = (
    "IPython.core.compilerop",
    "IPython.core.interactiveshell",
    "asyncio.base_events",
    "concurrent.futures._base",
    "concurrent.futures.process",
    "ipykernel.kernelbase",
    "jupyter_client.launcher",
    "keras.src.callbacks.backup_and_restore",
    "keras.src.saving.saving_api",
    "logging",
    "multiprocessing.context",
    "multiprocessing.pool",
    "multiprocessing.popen_fork",
    "multiprocessing.process",
    "subprocess",
    "tensorflow.python.checkpoint.checkpoint",
    "tensorflow.python.client.session",
    "tensorflow.python.data.ops.dataset_ops",
    "tensorflow.python.data.ops.iterator_ops",
    "tensorflow.python.eager.cancellation",
    "tensorflow.python.framework.func_graph",
    "traceback",
)

#: Calls that it wants to see.
_CALLS = (
    ("os", "abort kill killpg setns unshare"),
    ("sys", "excepthook"),
    ("_signal", "alarm setitimer"),
    ("_thread", "_excepthook"),
    ("faulthandler", "disable enable is_enabled"),
)

#: Calls before which it has to be there, and which are none of its business then: afterwards it could not be read, or would be seen.
_CALLS_BEFORE = (
    ("os", "fork forkpty"),
    ("os", "chroot setegid seteuid setgid setregid setresgid setresuid setreuid setuid"),
    ("sys", "addaudithook"),
)

#: Settings that are ours for a moment while it is loaded.
_SETTINGS = (("gc", "get_threshold set_threshold"),)

#: Modules that the program may put functions of its own into before the recorder is loaded.
_KEPT = ("_signal", "_thread", "builtins", "faulthandler", "gc", "os", "posix", "time")


def _load_recorder():
    import os

    folder = os.environ.get("OUTLIVE_RECORD_FOLDER")
    if not folder or sys.version_info < (3, 9) or sys.implementation.name != "cpython":
        return
    inside = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    package = _package("_outlive", inside)
    package.interpreters = None
    package.young = None
    if not _is_young(folder) or not _Young(package, folder, inside).begin():
        _load_at_once(package, folder)


def _load_at_once(package, folder):
    import os

    interpreters = _interpreters()
    if interpreters and interpreters.get_current() != interpreters.get_main():
        return
    package.interpreters = (
        interpreters  # held, so that it is not freed while the program uses its own
    )
    sys.modules["_outlive"] = package
    for part in ("start", "notes", "machine", "events", "memory", "tfdata"):
        name = "_outlive." + part
        sys.modules[name] = _package(name, os.path.join(package.__path__[0], part))
    taken = _take_low_descriptors()
    try:
        package.borrowed = _import_privately("_outlive.agent")
    finally:
        for number in taken:
            os.close(number)
    sys.modules["_outlive.agent"].start(folder)


def _package(name, folder):
    """A package by hand: importlib.util would double the cost of the start, and an __init__ is one more file to open."""
    package = type(sys)(name)
    package.__path__ = [folder]
    return package


def _interpreters():
    """The module that tells which interpreter of this process this is; None in a Python that was built without it.

    A second interpreter reads this file too, and nothing of ours may be loaded there, so it is asked before anything is imported.
    Modules that the recorder needs and takes out of sys.modules again (ctypes, mmap) were freed with that interpreter, and on 3.12
    and 3.13 the process died of a double free.
    """
    name = "_interpreters" if sys.version_info >= (3, 13) else "_xxsubinterpreters"
    known = name in sys.modules
    try:
        return __import__(name)
    except ImportError:
        return None
    finally:
        if not known:
            sys.modules.pop(name, None)


def _take_low_descriptors():
    """Descriptors that fill the low numbers while ctypes is loaded: newer builds of libffi then open their own file for good, and a
    program counts on getting the lowest numbers itself. bash puts what it keeps for itself at 255, too.
    """
    import os

    taken = []
    try:
        taken.append(os.open(os.devnull, os.O_RDONLY))
        while taken[-1] < 254:
            taken.append(os.dup(taken[0]))
    except OSError:  # no more are allowed, and some are needed now: libffi's is where it is
        while taken:
            os.close(taken.pop())
    return taken


def _import_privately(name):
    """Import our module so that neither side sees the other's modules.

    A program may have a signal.py or resource.py of its own: while ours is loaded the program's folders are out of sys.path, and
    afterwards the modules that only we needed are out of sys.modules (ours hold on to them), so that `import signal` finds what it
    would have found. Only here, where no other thread is: one that imports at the same time would lose its modules.
    """
    path, before = list(sys.path), set(sys.modules)
    sys.path[:] = standard = _of_the_standard_library(path)
    try:
        _import_patterns(standard)
        __import__(name)
    finally:
        sys.path[:] = path
        kept = set(sys.builtin_module_names)
        new = [
            added
            for added in set(sys.modules) - before
            if added not in kept and not added.startswith("_outlive")
        ]
        borrowed = {added: sys.modules.pop(added) for added in new}
    return borrowed


def _import_patterns(standard):
    """Put what is enough of ``re`` for us in its place, where the program has not loaded it yet."""
    __import__("_outlive.start.patterns")
    patterns = sys.modules["_outlive.start.patterns"]
    if "re" not in sys.modules:
        alone = type(sys)("re")
        sys.modules["re"] = patterns.stand_in(alone, standard, lambda: compiler)
        __import__(patterns.COMPILER)
        compiler = sys.modules[patterns.COMPILER]


def _of_the_standard_library(path):
    import os

    standard = os.path.dirname(os.path.abspath(os.__file__))
    return [
        entry
        for entry in path
        if entry == standard or os.path.dirname(entry) == standard or entry.endswith(".zip")
    ]


def _is_young(folder):
    """Whether another process of this run has started this one, and nothing has to be there at once."""
    import os

    if not _TRIED[0] <= sys.version_info[:2] < _TRIED[1] or "t" in sys.abiflags:
        return False
    try:
        names = os.listdir(folder)
    except OSError:
        return False
    return (
        len(names) <= _MOST_FILES
        and any(name.endswith(".ring") for name in names)
        and not set(_AT_ONCE) & set(names)
    )


class _Young(object):
    """A process whose recorder is not loaded yet, and what it has to know of the time when the program had not begun."""

    def __init__(self, package, folder, inside):
        self.package = package
        self.folder = folder
        self.inside = inside
        self.fault = self.statm = (-1, None)  # descriptors and what they mean
        self.shim = None

    def begin(self):
        """Put in place what has to be there at once; False: everything has to be."""
        import _imp
        import gc
        import os

        spec = type(sys)("_outlive_shim")
        spec.name, spec.origin = "_outlive_shim", self.inside + "/_shim.so"
        try:
            self.shim = shim = _imp.create_dynamic(spec)
        except (ImportError, SystemError):
            return False
        collecting = [gc.get_threshold, gc.set_threshold, gc.isenabled, gc.enable, gc.disable]
        switching = [sys.getswitchinterval, sys.setswitchinterval]
        able = shim.open(os.fsencode(self.folder), tuple(collecting + switching))
        if able:
            # So that no frame of ours is taken for the program's.
            globals()["__name__"] = "_outlive.sitecustomize"
            self.package.young = self
            sys.modules["_outlive"] = self.package
            self._remember()
            self._watch_faults()
            shim.begin(self.load)
            self._watch_calls()
        return able is None or able

    def _remember(self):
        """What the program may change before the recorder is loaded."""
        import _thread
        import atexit
        import builtins

        self.main = _thread.get_ident()
        self.kept = {name: dict(vars(__import__(name))) for name in _KEPT}
        self.standard = _of_the_standard_library(sys.path)
        self.external = sys.modules["_frozen_importlib_external"]
        self.quitter = type(getattr(builtins, "exit", None))
        atexit.register(self.shim.leave)

    def _open_aside(self, path, flags):
        import os

        number = self.shim.open_aside(path, flags)
        if number < 0:
            return -1, None
        found = os.fstat(number)
        return number, (found.st_dev, found.st_ino)

    def _watch_faults(self):
        import os

        faulthandler = sys.modules["faulthandler"]
        self.statm = self._open_aside("/proc/self/statm", os.O_RDONLY)
        if not faulthandler.is_enabled():
            # It gets a file when there is something to write.
            self.fault = self._open_aside("/dev/null", os.O_WRONLY)
            if self.fault[0] >= 0:
                faulthandler.enable(self.fault[0], True)
        self.shim.watch_signals(self.fault[0])

    def _watch_calls(self):
        shim = self.shim
        self.originals = originals = {}

        def watch(home, name, before, names=None):
            function = getattr(sys.modules[home], name, None)
            if function is not None and shim.watch(function, before, names):
                originals[home, name] = function

        for calls, before in ((_CALLS + _CALLS_BEFORE, shim.load), (_SETTINGS, shim.wait)):
            for home, names in calls:
                for name in names.split():
                    watch(home, name, before)
        watch("sys", "exit", self._quitting(lambda: None))
        watch("os", "_exit", self._quitting(shim.ends_well))
        watch("builtins", "exec", shim.load, dict.fromkeys(_IMPORTS))
        self._watch_what_people_type()

    def _quitting(self, ends_well):
        load = self.shim.load

        def quitting(args, names):
            code = args[0] if args else (names or {}).get("status")
            if code is None or (type(code) is int and code == 0):
                ends_well()
            else:
                load()

        return quitting

    def _watch_what_people_type(self):
        """``exit`` and ``quit``, see ``endings``."""
        self.typed = None
        if self.quitter.__name__ == "Quitter":
            real, quitting = self.quitter.__call__, self._quitting(lambda: None)

            def __call__(self, code=None):
                quitting((code,), None)
                now = type(self).__call__  # the recorder's own, if that was loaded just now
                return (real if now is __call__ else now)(self, code)

            self.typed = (__call__, real)
            self.quitter.__call__ = __call__

    def _watch_no_more(self):
        for home, names in _CALLS_BEFORE + _SETTINGS:
            for name in names.split():
                if (home, name) in self.originals:
                    self.shim.watch(self.originals[home, name], None, None)

    def load(self):
        """Load the recorder and start it; whether it could be done."""
        try:
            if self.typed is not None and vars(self.quitter).get("__call__") is self.typed[0]:
                self.quitter.__call__ = self.typed[1]
            names = {"__name__": "_outlive.start.late"}
            names["__builtins__"] = dict(self.kept["builtins"], __import__=_import_for_late)
            code = self.external.SourceFileLoader("late", self.inside + "/start/late.py").get_code(
                "late"
            )
            self.kept["builtins"]["exec"](code, names)
            names["World"](self).get("_outlive.agent").start(self.folder)
            self._watch_no_more()
            return True
        except Exception as failure:
            _confess(failure, self.folder, self.kept["posix"])
            return False


def _import_for_late(name, *_):
    """What ``late`` imports itself; that has no future which the program could see."""
    module = sys.modules.get(name)
    if module is None:
        module = type(sys)(name)
        module.annotations = None
    return module


def _hand_over():
    """The user's own, now that this folder is out of the way. If there is none, the error says so as it would have."""
    import os

    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if entry != here]
    ours = os.path.dirname(os.path.dirname(here))
    for entry in [one for one in sys.path_importer_cache if str(one).startswith(ours)]:
        del sys.path_importer_cache[entry]  # what is imported later makes it anew
    mine = sys.modules.pop("sitecustomize", None)  # Python 2 empties a module that nobody holds
    import sitecustomize  # noqa: F401

    return mine


def _confess(error, folder, posix):
    """The program must run as if nothing had been tried; the verdict says that the recorder failed."""
    try:
        path = "%s/%d.failed" % (folder, posix["getpid"]())
        flags = posix["O_WRONLY"] | posix["O_CREAT"] | posix["O_EXCL"]
        handle = posix["open"](path, flags, 0o600)
        posix["write"](
            handle, ("%s: %s" % (type(error).__name__, error)).encode("utf-8", "replace")
        )
        posix["close"](handle)
    except Exception:
        pass


try:
    _load_recorder()
except Exception as failure:
    import os
    import posix

    _confess(failure, os.environ.get("OUTLIVE_RECORD_FOLDER", ""), vars(posix))
_hand_over()
