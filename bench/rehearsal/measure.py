"""Rehearse each program, then let it run to its end or its death under a cgroup with the same limit, and compare.

``python bench/rehearsal/measure.py [NAME…]``; one line of JSON for each on stdout, a summary at the end.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from outlive.inside.machine.host import Host
from outlive.model.sizes import bytes_in
from outlive.recorder.worker_cgroup import make_cell
from programs import PROGRAMS

HERE = Path(__file__).resolve().parent
LONGEST_SECONDS = 600


def rehearsed(name: str, limit: str, seconds: int) -> dict:
    words = [
        sys.executable,
        "-m",
        "outlive",
        "rehearse",
        "--json",
        "--seconds",
        str(seconds),
        "--memory",
        limit,
    ]
    done = subprocess.run(
        [*words, "programs.py", name], cwd=HERE, capture_output=True, text=True, check=False
    )
    try:
        return json.loads(done.stdout)
    except ValueError:
        return {"answer": "failed", "says": done.stderr[-300:]}


def ran(name: str, limit: int) -> tuple[int, int]:
    """Its status, and the step at which it was."""
    cell = make_cell(Host(), limit)
    if cell is None:
        raise SystemExit("no cgroup can be made here")

    def enter() -> None:
        Path(cell.path, "cgroup.procs").write_text(str(os.getpid()))

    with tempfile.NamedTemporaryFile() as step:
        process = subprocess.Popen(
            [sys.executable, "programs.py", name],
            cwd=HERE,
            env={**os.environ, "OUTLIVE_BENCH_STEP": step.name},
            preexec_fn=enter,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            status = process.wait(LONGEST_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            status = 999
        text = Path(step.name).read_bytes().strip()
    cell.remove()
    return status, int(text or 0)


def main(names: list[str]) -> None:
    for name in names or PROGRAMS:
        _, limit, seconds, dies = PROGRAMS[name]
        told = rehearsed(name, limit, seconds)
        status, step = ran(name, bytes_in(limit))
        reached = told.get("limit_reached") or {}
        predicted = reached.get("step")
        died = status not in (0, 999)
        line = {
            "name": name,
            "meant_to_die": dies,
            "died": died,
            "status": status,
            "answer": told["answer"],
            "step_of_death": step if died else None,
            "predicted": predicted and round(predicted),
            "error": round(predicted / step - 1, 3) if died and predicted and step else None,
            "shape": (told.get("growth") or {}).get("shape"),
            "counted": (told.get("steps") or {}).get("counted"),
            "what": (told.get("growth") or {}).get("what"),
            "line": (told.get("growth") or {}).get("line"),
            "says": told["says"],
        }
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
