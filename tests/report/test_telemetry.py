"""A run for those who watch many: a file for Prometheus that is always whole, events that a real receiver takes, and no cost when off."""

from __future__ import annotations

import gzip
import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import Outlive
from outlive.model.findings import Confidence, EndedBy, Ending, EndingKind, Finding, Place, Verdict
from outlive.report.telemetry.events import events_of
from outlive.report.telemetry.exposition import exposition
from outlive.report.telemetry.metrics_file import MetricsFile, program_of

READING = re.compile(
    r'^outlive_run_[a-z_]+\{(?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)*\} -?[0-9.e+-]+$'
)
SAMPLE = {"rss": 5, "tree": 9, "cpu": 1.25, "threads": 3, "at": 0.5, "groups": [["/job", 2, 70, 100, 0, 0], ["/", 2, None, None, 0, 0]]}  # fmt: skip
DEATH = Verdict(
    "run",
    Ending(EndingKind.SIGNAL, "SIGKILL", None, EndedBy.KERNEL_OOM, "ended by SIGKILL"),
    (Finding("It kept all.", (), Confidence.PROVEN, where=Place("train.py", 7, "main"), slug="kept-in-container"),),
)  # fmt: skip


def readings(text: str) -> dict[str, str]:
    return dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))


@settings(max_examples=40)
@given(st.dictionaries(st.just("run"), st.text()), st.floats(0, 1e9))
def test_every_line_is_one_that_prometheus_reads(labels: dict[str, str], at: float) -> None:
    for line in exposition(labels, {**SAMPLE, "at": at}, 700, 1.0).split("\n")[:-1]:
        assert line.startswith(("# HELP outlive_run_", "# TYPE outlive_run_")) or READING.match(line), line  # fmt: skip


def test_each_family_is_described_once_and_what_is_not_known_is_left_out() -> None:
    text = exposition({"run": "r"}, SAMPLE, None, 1.0)

    types = [line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")]
    assert len(types) == len(set(types))
    assert "outlive_run_memory_limit_bytes" not in text and "exit_status" not in text
    assert {"outlive_run_group_memory_bytes{run=\"r\",group=\"/job\"}": "70"}.items() <= readings(text).items()  # fmt: skip
    assert "0" == readings(text)['outlive_run_ended{run="r"}']


def test_the_file_is_written_now_and_then_and_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "run.prom"
    metrics = MetricsFile(str(path), "r", ["python", "/home/me/train.py", "--token", "x"], 1.0)
    for at in (0.0, 1.0, 4.9):
        metrics.saw(SAMPLE | {"at": at}, 700)
    first = path.read_text()
    metrics.saw(SAMPLE | {"at": 5.0}, 700)
    second = path.read_text()

    metrics.ended(137, DEATH)

    labels = 'run="r",program="train.py"'
    assert "0.0" == readings(first)[f"outlive_run_elapsed_seconds{{{labels}}}"]
    assert "5.0" == readings(second)[f"outlive_run_elapsed_seconds{{{labels}}}"]
    last = readings(path.read_text())
    assert "137" == last[f"outlive_run_exit_status{{{labels}}}"]
    death = f'outlive_run_death{{{labels},cause="kept-in-container",confidence="proven",ending="SIGKILL"}}'
    assert "1" == last[death]
    assert "token" not in path.read_text() and "/home" not in path.read_text()
    assert [path] == list(tmp_path.iterdir())


def test_a_file_that_cannot_be_written_is_said_once_and_harms_nobody(outlive: Outlive) -> None:
    done = outlive("run", "--metrics", "no/folder/x.prom", "-c", "print('well')")

    assert (0, "well\n") == (done.status, done.stdout)
    assert 1 == done.stderr.count("x.prom could not be written: No such file or directory.")


@pytest.mark.parametrize(
    ("command", "name"),
    [(["/usr/bin/python", "/x/train.py", "--key=1"], "train.py"), (["/bin/make", "all"], "make"), (["python", "-m", "pack.age"], "python")],
)  # fmt: skip
def test_a_program_is_named_without_what_may_tell_too_much(command: list[str], name: str) -> None:
    assert name == program_of(command)


def test_the_events_of_a_run_are_in_the_order_of_time() -> None:
    payloads = [
        {"kind": "run", "time": 1000.0},
        {"kind": "signal", "signal": 15, "at": 2.0},
        {"kind": "stopped", "signal": 20, "at": 2.5},
        {"kind": "continued", "at": 3.0},
        {"kind": "end", "at": 3.5},
    ]

    events = events_of("r", payloads, DEATH, ["python", "train.py"], 137)

    names = ("run.started", "signal", "stopped", "continued", "run.ended")
    assert [f"outlive.{name}" for name in names] == [it["name"] for it in events]
    assert [1000, 1002, 1002.5, 1003, 1003.5] == [it["nanoseconds"] / 1e9 for it in events]
    end = events[-1]
    assert ("ERROR", "It kept all.") == (end["severity"], end["body"])
    assert {"outlive.cause": "kept-in-container", "outlive.signal": "SIGKILL", "code.line.number": 7}.items() <= end["attributes"].items()  # fmt: skip
    assert "SIGTERM" == events[1]["attributes"]["outlive.signal"]


def test_a_run_that_ended_well_is_an_event_too() -> None:
    *_, end = events_of("r", [], None, ["true"], 0)

    assert ("INFO", 0) == (end["severity"], end["attributes"]["outlive.exit_status"])


def require_telemetry() -> None:
    if importlib.util.find_spec("opentelemetry") is None:
        if os.environ.get("OUTLIVE_NO_SKIP"):
            pytest.fail("skips are forbidden here: opentelemetry is not installed")
        pytest.skip("opentelemetry is not installed")


class Receiver(HTTPServer):
    """An endpoint on this machine that keeps what it is sent."""

    def __init__(self, status: int = 200) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.got: list[tuple[str, bytes]] = []
        self.status = status

    @property
    def variables(self) -> dict[str, str]:
        """By which it is found, past any proxy."""
        url = f"http://127.0.0.1:{self.server_port}"
        return {"OTEL_EXPORTER_OTLP_ENDPOINT": url, "NO_PROXY": "*", "no_proxy": "*"}


class Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Content-Encoding") == "gzip":
            data = gzip.decompress(data)
        self.server.got.append((self.path, data))
        self.send_response(self.server.status)
        self.end_headers()

    def log_message(self, *words: object) -> None:
        pass


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.mark.death
def test_a_real_death_reaches_prometheus_and_opentelemetry(
    outlive: Outlive, receiver: Receiver
) -> None:
    require_telemetry()
    from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

    script = outlive.script("train.py", "import os, time\ntime.sleep(0.7)\nos.abort()\n")

    done = outlive(
        "run", "--quiet", "--otel", "--metrics", "run.prom", str(script), "--password", "hunter2",
        variables=receiver.variables | {"OTEL_SERVICE_NAME": "night-job"},
    )  # fmt: skip

    assert (-signal.SIGABRT, "") == (done.status, done.stdout)
    (run,) = outlive.runs
    labels = f'run="{run.name}",program="train.py"'
    last = readings((outlive.folder / "run.prom").read_text())
    assert "134" == last[f"outlive_run_exit_status{{{labels}}}"]
    assert int(last[f"outlive_run_resident_bytes{{{labels}}}"]) > 1_000_000
    ((path, data),) = receiver.got
    assert "/v1/logs" == path
    (told,) = ExportLogsServiceRequest.FromString(data).resource_logs
    resource = {it.key: it.value.string_value for it in told.resource.attributes}
    assert "night-job" == resource["service.name"]
    records = told.scope_logs[0].log_records
    assert ["outlive.run.started", "outlive.run.ended"] == [it.event_name for it in records if it.event_name != "outlive.signal"]  # fmt: skip
    end = {it.key: it.value for it in records[-1].attributes}
    assert "exited-without-cleanup" == end["outlive.cause"].string_value
    assert 3 == end["code.line.number"].int_value
    assert b"hunter2" not in data and str(outlive.folder).encode() not in data


def test_an_endpoint_that_refuses_is_a_line_and_nothing_more(
    outlive: Outlive, receiver: Receiver
) -> None:
    require_telemetry()
    receiver.status = 400

    done = outlive(
        "run", "--otel", "-c", "print('well')",
        variables=receiver.variables,
    )  # fmt: skip

    assert (0, "well\n") == (done.status, done.stdout)
    assert [
        "outlive: the OpenTelemetry endpoint did not accept the events: sending ended with status 1."
    ] == done.stderr.splitlines()


def test_without_the_extra_it_says_how_to_install_it_before_anything_runs(outlive: Outlive) -> None:
    code = (
        "import sys\n"
        "class Refuse:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.partition('.')[0] == 'opentelemetry':\n"
        "            raise ModuleNotFoundError(name)\n"
        "sys.meta_path.insert(0, Refuse())\n"
        "from outlive.__main__ import main\n"
        "sys.exit(main(['run', '--otel', 'touch', 'began']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=outlive.folder,
        env=outlive.environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert 2 == done.returncode
    assert "pip install 'outlive[telemetry]'" in done.stderr
    assert not (outlive.folder / "began").exists()


def test_nothing_of_it_is_loaded_unless_it_is_asked_for(outlive: Outlive) -> None:
    code = (
        "import os, sys, json\n"
        "real = os._exit\n"
        "os._exit = lambda status: (os.write(2, json.dumps(sorted(sys.modules)).encode()), real(status))\n"
        "from outlive.__main__ import main\n"
        "main(['run', 'true'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=outlive.environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    loaded = json.loads(done.stderr)
    assert "outlive.cli.run_program.run" in loaded
    assert not [
        name
        for name in loaded
        if name.startswith(
            (
                "outlive.report.telemetry",
                "outlive.report.hooks.on_death",
                "outlive.report.hooks.run_hook",
            )
        )
    ]
