"""What `outlive run` costs a program that starts processes: bare and watched, in turns, in one run.

Two programs wait side by side, one bare and one watched, and are told in turn to start so many processes: whatever else the machine does
meanwhile meets both. Told are CPU time (of the program and all that it started) and clock time, watched over bare, how far the ratios of
the rounds lie apart (the middle half of them), and whether the promise is kept: at most 1.2 times the CPU time of bare.

A third program is bare too, and as large as the watched one: as much private memory, as many mappings, one idle thread more. Linux copies
all of these at a fork, so what it takes is what no hook can take away.

    python bench/forks.py [--rounds 20] [--only fork,spawn] [--python PYTHON] [--figures .harmless]

With --figures the ratios are left for `make trust`.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "helpers"))

from trust_figures import write_figures

Rounds = dict[
    str, list[tuple[float, float]]
]  #: "bare", "watched" or "as large": CPU and clock of each round

#: Of each: what starts one process and waits for its end, and how many make a round.
KINDS = {
    "fork": ("os.fork, the child ends at once", 50),
    "threads": ("os.fork beside 20 busy threads", 2),
    "workers": ("multiprocessing.Process, by fork", 20),
    "ctypes": ("fork called through ctypes", 50),
    "spawn": ("python -c pass", 8),
}

LARGE = "as large"
#: Of these the size of the process that forks is a part.
FORKS = {"fork", "workers", "ctypes"}

#: Watched over bare, in CPU time: the clock of a machine with other work tells of that work.
PROMISED = 1.2

WORKER = """
import ctypes, os, resource, subprocess, sys, threading, time
libc = ctypes.CDLL(None)

def nothing():
    pass

def fork():
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)

def through_ctypes():
    child = libc.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)

def worker():
    import multiprocessing
    process = multiprocessing.get_context("fork").Process(target=nothing)
    process.start()
    process.join()

def spawn():
    subprocess.run([sys.executable, "-c", "pass"], check=True)

def busy(stop):
    while not stop.is_set():
        sum(range(1000))

def used():
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))

def size():
    # how much private memory this process has, in kB, and how many mappings
    with open("/proc/self/smaps_rollup") as rollup, open("/proc/self/maps") as maps:
        memory = next(int(line.split()[1]) for line in rollup if line.startswith("Anonymous"))
        return memory, len(maps.readlines())

def grow(memory, mappings):
    # as another process, with one thread more
    import mmap
    threading.Thread(target=threading.Event().wait, daemon=True).start()
    while size()[1] < mappings:
        for protection in (mmap.PROT_READ, mmap.PROT_READ | mmap.PROT_WRITE):
            kept.append(mmap.mmap(-1, 3 * mmap.PAGESIZE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, protection))
        kept[-1][0] = 1
    while size()[0] < memory:
        kept.append([bytes(200) for _ in range(200)])

kept = []
acts = {"fork": fork, "threads": fork, "workers": worker, "ctypes": through_ctypes, "spawn": spawn}
for line in sys.stdin:
    kind, count, *more = line.split()
    if kind == "size":
        print(*size(), flush=True)
        continue
    if kind == "grow":
        grow(int(count), int(more[0]))
        print(*size(), flush=True)
        continue
    stop = threading.Event()
    threads = [threading.Thread(target=busy, args=(stop,)) for _ in range(20 if kind == "threads" else 0)]
    for thread in threads:
        thread.start()
    began, before = time.perf_counter(), used()
    for _ in range(int(count)):
        acts[kind]()
    print(time.perf_counter() - began, used() - before, flush=True)
    stop.set()
    for thread in threads:
        thread.join()
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--only", default=",".join(KINDS))
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--figures", type=Path)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="outlive-forks-") as home:
        seen = measure(asked.only.split(","), asked.rounds, asked.python, home)
    if asked.figures:
        processes = {kind: KINDS[kind][1] * asked.rounds for kind in seen}
        ratios = {
            f"{KINDS[kind][0]} ({processes[kind]:,} times)": round(ratio(found), 2)
            for kind, found in seen.items()
        }
        for kind in FORKS & seen.keys():
            ratios[f"a bare program as large: {KINDS[kind][0]}"] = round(
                ratio(seen[kind], LARGE), 2
            )
        load = {f"load of the machine with {os.cpu_count()} cores": round(os.getloadavg()[0])}
        write_figures(asked.figures, "forks", ratios | load)


def measure(kinds: list[str], rounds: int, python: str, home: str) -> dict[str, Rounds]:
    """Let both programs start processes in turn, and show each kind as it is done."""
    found: dict[str, Rounds] = {}
    programs = {
        "bare": start([], python, home),
        "watched": start(outlive(), python, home),
        LARGE: start([], python, home),
    }
    for program in programs.values():
        ask(program, "workers", 1)  # loads what is needed
    memory, mappings = asked_of(programs["watched"], "size 0")
    asked_of(programs[LARGE], f"grow {memory:.0f} {mappings:.0f}")
    print(f"{'':34}{'CPU ms':>18}{'':>8}{'clock ms':>18}")
    print(f"{'one process':34}{'bare':>9}{'watched':>9}{'':>8}{'bare':>9}{'watched':>9}")
    for kind in kinds:
        told, count = KINDS[kind]
        ways = [way for way in programs if way != LARGE or kind in FORKS]
        seen: Rounds = {way: [] for way in ways}
        for turn in range(rounds + 1):
            for way in ways:
                program = programs[way]
                result = ask(program, kind, count)
                if turn:  # the first one loads what is needed
                    seen[way].append(result)
        show(told, seen)
        found[kind] = seen
    for program in programs.values():
        program.communicate(timeout=60)
    return found


def start(before: list[str], python: str, home: str) -> subprocess.Popen[str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "OUTLIVE"))}
    return subprocess.Popen(
        [*before, python, "-c", WORKER],
        env={**environment, "OUTLIVE_HOME": home},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def outlive() -> list[str]:
    return [str(Path(sys.executable).parent / "outlive"), "run", "--quiet", "--"]


def ask(program: subprocess.Popen[str], kind: str, count: int) -> tuple[float, float]:
    clock, cpu = asked_of(program, f"{kind} {count}")
    return cpu / count * 1000, clock / count * 1000


def asked_of(program: subprocess.Popen[str], line: str) -> tuple[float, float]:
    """Give one of the programs a line, and take its two numbers."""
    assert program.stdin
    assert program.stdout
    program.stdin.write(f"{line}\n")
    program.stdin.flush()
    one, other = map(float, program.stdout.readline().split())
    return one, other


def show(told: str, seen: Rounds) -> None:
    columns = []
    for which in (0, 1):
        bare, watched = (
            statistics.median(one[which] for one in seen[way]) for way in ("bare", "watched")
        )
        columns += [f"{bare:9.2f}{watched:9.2f}{watched / bare:7.2f}×"]
    print(f"{told:34}{''.join(columns)}  {judged(seen)}", flush=True)


def ratio(seen: Rounds, way: str = "watched") -> float:
    """CPU time over that of the bare program."""
    bare, other = (statistics.median(one[0] for one in seen[name]) for name in ("bare", way))
    return other / bare


def judged(seen: Rounds) -> str:
    """Say whether the promise is kept, and how sure that is."""
    ratios = [
        mine[0] / theirs[0] for mine, theirs in zip(seen["watched"], seen["bare"], strict=True)
    ]
    low, _, high = statistics.quantiles(ratios, n=4)
    word = "met" if ratio(seen) <= PROMISED else "missed"
    floor = f"; a bare program as large {ratio(seen, LARGE):.2f}×" if LARGE in seen else ""
    return f"{word:6} (promised {PROMISED}×; half of the rounds {low:.2f}–{high:.2f}×{floor})"


if __name__ == "__main__":
    main()
