"""Judge forged records, by their numbers, and print what each took. Run by a test, in a child with little memory."""

from __future__ import annotations

import io
import os
import shutil
import sys
import tempfile
import time
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from forged_records import Forger
from outlive.__main__ import main
from outlive.coroner.judge import judge
from outlive.model.verdict_json import to_json
from outlive.recorder.store import run_folders
from outlive.recorder.store.read_run import read_run, start_of
from outlive.report.compare_runs import told
from outlive.report.comparison import to_data
from outlive.report.html_page import page
from outlive.report.terminal import console_on, neighbours_in
from outlive.report.text import render
from outlive.report.write_page import story_of


def judge_record(number: int, folder: Path) -> None:
    """Everything that `why`, `why --html`, `--share` and `compare` do with a record."""
    for name, content in Forger(number).folder().items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    payloads, rings = read_run(str(folder))
    verdict, evidence = judge("run", payloads, rings)
    assert () == verdict.failures, verdict.failures
    around = neighbours_in(str(start_of(payloads).get("folder", "")))
    render(verdict, console_on(io.StringIO()), around)
    to_json(verdict).encode()
    page(story_of(verdict, evidence, payloads, rings, share=number % 4 == 0)).encode()
    if number % 8 == 0:
        to_data(told(str(folder)), told(str(folder)))


WAYS = ((), ("--json",), ("--again",), ("--html", "-"), ("--share",))


def judge_archive(number: int, folder: Path) -> None:
    """What the command line does with a file that somebody sent."""
    path = folder / "sent.zip"
    path.write_bytes(Forger(number, wrong=0.01).archive())
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as errors:
        try:
            status = main(["why", str(path), *WAYS[number % len(WAYS)]])
        except SystemExit as ended:
            status = int(ended.code or 0)
    assert status in (0, 1, 2, 3)
    assert "evil()" not in out.getvalue()
    assert "Traceback" not in errors.getvalue()


def one(kind: str, number: int) -> tuple[float, int]:
    """Judge one; the seconds that it took of the processor, and the most memory in MB so far."""
    folder = Path(tempfile.mkdtemp(prefix="forged-"))
    began = time.process_time()
    try:
        (judge_record if kind == "record" else judge_archive)(number, folder)
    finally:
        shutil.rmtree(folder)
    taken = time.process_time() - began
    return taken, most_megabytes()


def most_megabytes() -> int:
    """Of this program; ``ru_maxrss`` is also that of whoever forked it."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) // 1024 for line in file if line.startswith("VmHWM"))


if __name__ == "__main__":
    os.environ["OUTLIVE_HOME"] = tempfile.mkdtemp(prefix="forged-home-")
    assert run_folders.list_runs() == []
    what, first, last = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    worst = max((one(what, number)[0], number) for number in range(first, last))
    most = most_megabytes()
    print(f"{worst[0]:.2f} {worst[1]} {most}")
