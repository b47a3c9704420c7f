"""The verdicts that the manual shows: each cause's victim is really run, and what Outlive says of it is kept, masked.

    make verdicts                    all of them (some minutes; cgroups need root)
    make verdicts ONLY=deadlocked    only these

They are kept as JSON, so that `make docs` shows them as the present Outlive prints them, and reads them as the present Outlive reads
verdicts. Run this again when a victim or the words of a cause have changed: a test says when.
"""

from __future__ import annotations

import functools
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
VERDICTS = HERE / "verdicts"
EXAMPLES = HERE / "examples"
for _folder in ("demo", "tests/helpers"):
    if str(ROOT / _folder) not in sys.path:
        sys.path.insert(0, str(ROOT / _folder))

from outlive.coroner.examine import decide  # noqa: E402
from outlive.inside.notes.masking import mask_text  # noqa: E402
from outlive.model.evidence import Errors, Evidence, Run  # noqa: E402
from outlive.model.findings import EndedBy, Ending, EndingKind, Verdict  # noqa: E402
from outlive.model.verdict_json import from_json, to_data  # noqa: E402
from outlive.report.share import Stranger  # noqa: E402
from outlive.report.terminal import names_to_hide  # noqa: E402
from outlive.units.unit import cause, discover  # noqa: E402
from victim_runner import Victim, missing, victims  # noqa: E402

SECONDS = 120

#: What stands for the name of the run in the manual.
RUN = "RUN"


@dataclass(frozen=True)
class Example:
    """A program that dies of a cause, and what Outlive said of it."""

    slug: str
    program: Path | None  #: none where it cannot be staged
    verdict: Verdict
    note: str = ""  #: how it was staged, if not by `outlive run program`

    @property
    def path(self) -> Path:
        """Where it is kept."""
        return VERDICTS / f"{self.slug}.json"

    def write(self) -> None:
        """Keep it."""
        program = self.program.relative_to(ROOT).as_posix() if self.program else None
        data = {"program": program, "note": self.note, "verdict": to_data(self.verdict)}
        text = json.dumps(data, indent=1, ensure_ascii=False) + "\n"
        self.path.write_text(text, encoding="utf-8")


def read_example(slug: str) -> Example | None:
    """What was kept, if it was; an error if the present Outlive cannot read it."""
    if not (VERDICTS / f"{slug}.json").exists():
        return None
    data = json.loads((VERDICTS / f"{slug}.json").read_text(encoding="utf-8"))
    program = ROOT / data["program"] if data["program"] else None
    return Example(slug, program, from_json(json.dumps(data["verdict"])), data["note"])


@functools.cache
def _victims() -> tuple[Victim, ...]:
    return tuple(victims())


def chosen_victim(slug: str) -> Victim | None:
    """The victim that says ``# example: yes``, else the shortest."""
    fitting = [victim for victim in _victims() if victim.expected[0] == slug]
    marked = [victim for victim in fitting if "example" in victim.header]
    return min(marked or fitting, key=lambda it: len(it.path.read_text()), default=None)


def masked(verdict: Verdict) -> Verdict:
    """Fit to be published."""
    return replace(Stranger(mask_text, names_to_hide()).verdict(verdict), run=RUN)


def play_victim(slug: str, victim: Victim) -> Example:
    """Let it die under `outlive run`, in the circumstances that it asks for."""
    from recorded_deaths import play

    with tempfile.TemporaryDirectory() as folder:
        death = play(victim, "die", Path(folder))
    told = from_json(json.dumps(death.hang or death.verdict))
    return Example(slug, victim.path, masked(told), _circumstances(victim))


def _circumstances(victim: Victim) -> str:
    """The header of a victim, in words."""
    words = []
    for name, text in (
        ("memory", "with a memory limit of {} MB"),
        ("address_space", "with `ulimit -v` of {} MB"),
        ("cpu", "with a CPU time limit of {} s"),
        ("open_files", "with `ulimit -n {}`"),
        ("tasks", "with at most {} processes and threads"),
        ("disk", "on a file system of {}"),
        ("send", "and was sent {}"),
        ("hang_after", "as `outlive run --hang-after {}`"),
    ):
        if name in victim.header:
            words.append(text.format(victim.header[name].split()[0]))
    return f"It was run {', '.join(words)}." if words else ""


def _recorded(start: Callable[[Mapping[str, str], Path], None]) -> Verdict:
    """Run something that is recorded, and take the verdict."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = os.environ | {"OUTLIVE_HOME": str(folder / "home"), "PYTHONUNBUFFERED": "1"}
        start(environment, folder)
        told = subprocess.run(
            [sys.executable, "-m", "outlive", "why", "--json"],
            env=environment,
            stdout=subprocess.PIPE,
            timeout=SECONDS,
            check=False,
        )
    return masked(from_json(told.stdout.decode()))


def hung_up() -> Example:
    """A terminal is closed under its program."""
    program = EXAMPLES / "terminal_hung_up.py"

    def start(environment: Mapping[str, str], folder: Path) -> None:
        import fcntl
        import termios

        master, slave = os.openpty()
        process = subprocess.Popen(
            [sys.executable, "-m", "outlive", "run", str(program)],
            env=environment,
            cwd=folder,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(slave)
        while b"step 20" not in os.read(master, 4096):
            pass
        os.close(master)
        process.wait(timeout=SECONDS)

    note = "It was run in a terminal whose window was closed."
    return Example("terminal-hung-up", program, _recorded(start), note)


def stale() -> Example:
    """A notebook is run from top to bottom."""
    program = EXAMPLES / "stale_notebook_state.ipynb"
    run = "import nbformat, nbclient, sys; nbclient.NotebookClient(nbformat.read(sys.argv[1], 4)).execute()"

    def start(environment: Mapping[str, str], folder: Path) -> None:
        subprocess.run(
            [sys.executable, "-m", "outlive", "run", "--", sys.executable, "-c", run, str(program)],
            env=environment,
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=SECONDS,
            check=False,
        )

    note = "The notebook was run from top to bottom with nbclient."
    return Example("stale-notebook-state", program, _recorded(start), note)


def out_of_memory() -> Example:
    """Not staged: others use this machine. The kernel's words are those of a real log."""
    from made_evidence import PID, gathered

    line = f"Out of memory: Killed process {PID} (python) total-vm:61841024kB, anon-rss:30412800kB, file-rss:0kB, UID:1000"
    told = decide(RUN, gathered(kernel_lines=[line]))
    ending = replace(told.ending, detail="ended by SIGKILL after 412.0 s", by=EndedBy.KERNEL_OOM)
    note = "To exhaust a whole machine for an example would harm its neighbours: this verdict was made from the text of a kernel log."
    return Example("machine-out-of-memory", None, masked(replace(told, ending=ending)), note)


def out_of_gpu_memory() -> Example:
    """Not staged: there is no GPU where the manual is made. The words are TensorFlow's."""
    from outlive.model.events import Program, Thrown
    from outlive.model.findings import Place

    words = "OOM when allocating tensor with shape[256,512,512,64] and type float on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc [Op:Conv2D]"
    error = Thrown("tensorflow.ResourceExhaustedError", words, (Place("train.py", 31, "step", "logits = model(batch)"),), pid=1)  # fmt: skip
    ending = Ending(EndingKind.EXCEPTION, exit_code=1, detail="exit status 1 after 18.2 s")
    program = Program(pid=1, own_pids=frozenset({1}), python="3.11.7")
    told = decide(RUN, Evidence(Run(ending, program, {}), errors=Errors(thrown=(error,))))
    note = "There is no GPU where this manual is made: this verdict was judged from the words of TensorFlow's error."
    return Example("gpu-memory-exhausted", None, masked(told), note)


OTHERWISE: Mapping[str, Callable[[], Example]] = {
    "terminal-hung-up": hung_up,
    "stale-notebook-state": stale,
    "machine-out-of-memory": out_of_memory,
    "gpu-memory-exhausted": out_of_gpu_memory,
}


def make(slug: str) -> Example:
    """Let the victim of this cause die, and bring its verdict; an error if it is another one."""
    victim = chosen_victim(slug)
    if victim is None:
        example = OTHERWISE[slug]()
    else:
        reasons = missing(victim)
        if reasons:
            raise SystemExit(f"{slug}: {victim.name} cannot be run here: {'; '.join(reasons)}")
        example = play_victim(slug, victim)
    found = example.verdict.cause
    if found is None or found.slug != slug:
        raise SystemExit(f"{slug}: another verdict was given: {found and found.slug}")
    return example


def main(arguments: list[str]) -> None:
    """Make those that were asked for, or all."""
    VERDICTS.mkdir(exist_ok=True)
    signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # ignored in the background, and by heirs
    known: dict[str, Any] = {unit.slug: unit for unit in discover(cause)}
    for slug in arguments or known:
        make(slug).write()
        print(slug, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
