"""The plugin of pytest: `--outlive` starts the same command line again under `outlive run`; there, hooks keep the journal.

Loaded by every pytest where Outlive is installed: without the option it does nothing, and imports next to nothing.
"""

from __future__ import annotations

import os
import sys

import pytest

from outlive.pytest_plugin.journal import VARIABLE, Journal, own_journal, shortened

TYPE_CHECKING = False  # pytest's start waits for this module
if TYPE_CHECKING:
    from collections.abc import Generator

NAME = "outlive-journal"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option `--outlive`."""
    parser.getgroup("outlive").addoption(
        "--outlive",
        action="store_true",
        help="record this run; if it dies, say in which test, and why",
    )


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(
    early_config: pytest.Config,
) -> Generator[None, object, object]:
    """Before the first conftest is imported, and before any output is captured: start again under the recorder."""
    options = early_config.known_args_namespace
    if options.outlive and VARIABLE not in os.environ:
        _start_again(early_config)
    return (yield)


def _start_again(config: pytest.Config) -> None:
    """Replace this process. Returns only if that cannot be done."""
    given = config.invocation_params
    if list(map(str, given.args)) != sys.argv[1:] or given.plugins:
        _say("pytest was started by a program, not from a command line: this run is not recorded.")
        return
    import shlex
    import tempfile

    handle, path = tempfile.mkstemp(prefix="outlive-tests-", suffix=".jsonl")
    os.close(handle)
    then = [sys.executable, "-m", "outlive.pytest_plugin", path]
    report = getattr(config.known_args_namespace, "xmlpath", None)
    if report:
        then += ["--junitxml", os.path.abspath(os.path.expanduser(os.path.expandvars(report)))]
    if os.environ.get("OUTLIVE_ON_DEATH"):
        then += ["--then", os.environ["OUTLIVE_ON_DEATH"]]
    command = [sys.executable, "-m", "outlive", "run", "--quiet", "--on-end", shlex.join(then)]
    command += ["--", sys.executable, *sys.orig_argv[1:]]
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        os.execve(sys.executable, command, {**os.environ, VARIABLE: path})
    except OSError as error:
        os.unlink(path)
        _say(f"the recorder could not be started ({error.strerror}): this run is not recorded.")


def _say(text: str) -> None:
    print(f"outlive: {text}", file=sys.stderr)


def pytest_configure(config: pytest.Config) -> None:
    """In the recorded run, and in its workers."""
    path = own_journal(hasattr(config, "workerinput"))
    if path is not None:
        config.pluginmanager.register(Keeper(path, config), NAME)


class Keeper:
    """Writes down what runs, before it runs."""

    def __init__(self, path: str, config: pytest.Config) -> None:
        self._path = path
        self._journal = Journal(path)
        self._is_worker = hasattr(config, "workerinput")
        self._status = 0

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """From here on a death is a death of the run."""
        self._controls = session.config.pluginmanager.hasplugin("dsession")
        self._journal.write("session", worker=self._is_worker)

    def pytest_collectstart(self, collector: pytest.Collector) -> None:
        """A module that is about to be imported."""
        self._journal.write("collect", node=collector.nodeid)

    def pytest_collection_finish(self) -> None:
        """All modules are imported."""
        self._journal.write("collected")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Note that the setup of a test begins."""
        self._journal.write("phase", node=item.nodeid, when="setup")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> None:
        """Note that the test itself begins."""
        self._journal.write("phase", node=item.nodeid, when="call")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> None:
        """Its fixtures are taken down."""
        self._journal.write("phase", node=item.nodeid, when="teardown")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """What came of it; a controller only hears of it from the worker that ran it."""
        if self._controls:
            return
        text = "" if report.passed else shortened(report.longreprtext)
        self._journal.write(
            "report",
            node=report.nodeid,
            when=report.when,
            outcome=report.outcome,
            seconds=report.duration,
            text=text,
        )

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """A test has ended."""
        if not self._controls:
            self._journal.write("finish", node=nodeid)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """The run has ended as runs do."""
        self._status = int(exitstatus)
        if not self._is_worker:
            self._journal.write("end", status=self._status)

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self) -> None:
        """Nobody will read the journal of a run that went well."""
        if self._status == 0 and not self._is_worker:
            try:
                os.unlink(self._path)
            except OSError:
                pass
