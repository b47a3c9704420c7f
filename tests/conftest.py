"""What many tests share: a real record, a private home for runs, and Hypothesis without a clock."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import settings
from limited import memory_group, parent_group, task_group, tasks_parent

from harmless.figures import Figures
from harmless.parts import Parts
from warm_command_line import WarmCommandLine

settings.register_profile("outlive", deadline=None, database=None, print_blob=True)
settings.load_profile("outlive")

ROOT = Path(__file__).resolve().parent.parent
SECONDS = 60

# A job in the background is started with these ignored, and hands that on to every program that the tests start.
for _number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(
            _number,
            signal.default_int_handler if _number == signal.SIGINT else signal.SIG_DFL,
        )

# The tests may run in a workflow of GitHub's, or where somebody is told of deaths: the programs in them must not notice.
for _name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "OUTLIVE_ON_DEATH"):
    os.environ.pop(_name, None)

#: Variables of the machine that would change what the command line prints.
UNWANTED = ("FORCE_COLOR", "NO_COLOR", "COLUMNS", "TERM", "CLICOLOR", "TTY_COMPATIBLE")


def hatch_build() -> ModuleType:
    """The build hook: it knows how the C library is compiled."""
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def pytest_addoption(parser: pytest.Parser) -> None:
    """`make harmless` runs what takes too long for every test run."""
    parser.addoption("--harmless", metavar="FILE", help="run the long comparisons; write figures")
    parser.addoption("--every", metavar="N", type=int, default=1, help="of those, every Nth only")


def pytest_configure(config: pytest.Config) -> None:
    """The one that distributes the tests writes the figures down."""
    path = config.getoption("--harmless")
    if path and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Figures(Path(path)))
        config.pluginmanager.register(Parts(Path(path).parent))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Without the option the long comparisons are not there."""
    if config.getoption("--harmless"):
        return
    long = [item for item in items if item.get_closest_marker("harmless")]
    config.hook.pytest_deselected(items=long)
    items[:] = [item for item in items if item not in set(long)]


def pytest_sessionstart() -> None:
    """An editable install does not notice that the C library's sources have changed."""
    build = hatch_build()
    sources, target = ROOT / build.SOURCES, ROOT / build.LIBRARY
    if target.exists() and not build.is_current(sources, target):
        build.compile_shim(sources, target)


#: The commands that only look are forked from one process; the others are started as a user would.
WARM = WarmCommandLine()


def _text(written: bytes) -> str:
    """Read as ``subprocess`` does: line ends are one character."""
    text = written.decode("utf-8", "surrogateescape")
    return text.replace("\r\n", "\n").replace("\r", "\n")


@dataclass(frozen=True)
class Done:
    status: int
    stdout: str
    stderr: str


@dataclass(frozen=True)
class Outlive:
    """The command line, with a home of its own."""

    home: Path
    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if name not in UNWANTED}
        return kept | {"OUTLIVE_HOME": str(self.home), "PYTHONIOENCODING": "utf-8"}

    def __call__(
        self,
        *words: str,
        variables: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        stdin: str = "",
        seconds: float = SECONDS,
    ) -> Done:
        environment = self.environment | dict(variables or {})
        if WARM.can(words, dict(variables or {})):
            ended = WARM(words, cwd or self.folder, environment, stdin.encode(), seconds)
            return Done(ended.status, *(_text(out) for out in (ended.stdout, ended.stderr)))
        done = subprocess.run(
            [sys.executable, "-m", "outlive", *words],
            cwd=cwd or self.folder,
            env=environment,
            input=stdin,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="surrogateescape",
            timeout=seconds,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    @property
    def runs(self) -> list[Path]:
        return sorted((self.home / "runs").iterdir()) if (self.home / "runs").exists() else []

    def script(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path


@pytest.fixture(autouse=True)
def same_import_path() -> Iterator[None]:
    """A command line that is called in this process takes the folder that it is started in off the path, for all tests after it."""
    before = list(sys.path)
    yield
    sys.path[:] = before


@pytest.fixture
def outlive(tmp_path: Path) -> Outlive:
    (tmp_path / "work").mkdir()
    return Outlive(tmp_path / "home", tmp_path / "work")


def skip_for_want_of(what: str) -> None:
    """A skip names its reason; where skips are forbidden it is a failure."""
    if os.environ.get("OUTLIVE_NO_SKIP"):
        pytest.fail(f"skips are forbidden here: {what}")
    pytest.skip(what)


@pytest.fixture
def group(request: pytest.FixtureRequest) -> Iterator[Path]:
    """A memory cgroup of as many MB as the test's mark ``memory`` says."""
    if parent_group() is None:
        skip_for_want_of("no memory cgroup can be made here")
    with memory_group(request.node.get_closest_marker("memory").args[0]) as made:
        yield made


@pytest.fixture
def tasks(request: pytest.FixtureRequest) -> Iterator[Path]:
    """A cgroup of as many processes and threads as the test's mark ``tasks`` says."""
    if tasks_parent() is None:
        skip_for_want_of("no cgroup for tasks can be made here")
    with task_group(request.node.get_closest_marker("tasks").args[0]) as made:
        yield made


@pytest.fixture(scope="session")
def failed_run(tmp_path_factory: pytest.TempPathFactory) -> Outlive:
    """A real record: a program that ended by an exception."""
    parent = tmp_path_factory.mktemp("failed run")
    (parent / "work").mkdir()
    outlive = Outlive(parent / "home", parent / "work")
    script = outlive.script("train.py", FAILING)
    done = outlive("run", "--quiet", str(script))
    assert (1, 1) == (done.status, len(outlive.runs)), done.stderr
    return outlive


FAILING = """\
import time


def load(name):
    raise ValueError(f"cannot load {name}")


time.sleep(0.3)
load("cats")
"""
