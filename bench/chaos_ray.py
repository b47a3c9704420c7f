"""The storm on a cluster: 2,000 pictures, 20 of them poison, 60 kills of raylets, actors, zygotes, workers and the driver, on three nodes.

    python bench/chaos_ray.py [--good 1980] [--kills 60] [--seed 1] [--model DIR] [--figures .harmless]

The nodes are on loopback addresses of this machine, with one core each. A raylet that is killed is replaced by a new node, a driver that is killed is started again with
--resume. Says what was killed and what was wrong at the end: nothing, if every good picture is there exactly once, every bad one is named with its cause, and no
process is left. Needs Ray.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HELPERS = ROOT / "tests" / "helpers"
sys.path[:0] = [str(HELPERS), str(ROOT / "demo"), str(ROOT / "src")]

from kill_storm import POISON, answered, detect_command, make_pictures, reckoning, wrong  # noqa: E402
from ray_processes import Talking, left_behind, of_home, zygotes  # noqa: E402
from trust_figures import write_figures  # noqa: E402

WHOM = ("raylet", "actor", "actor", "zygote", "worker", "worker", "driver")
NODES = 3
SECONDS = 3600.0


class Weather:
    """A cluster, a job on it, and who is killed next."""

    def __init__(self, environment: dict[str, str], noise: random.Random) -> None:
        self.environment = environment
        self.noise = noise
        self.killed: Counter[str] = Counter()
        self.cluster = Talking(environment, "ray_cluster.py", str(NODES))
        self.known = self.cluster.heard()
        self.living = list(range(1, NODES))  #: the head is not among them
        self.starts = 0

    def strike(self, whom: str, driver: subprocess.Popen[bytes]) -> bool:
        """Kill one; nobody, where there is none just now."""
        home = self.environment["OUTLIVE_HOME"]
        if whom == "raylet":
            number = self.noise.choice(self.living)
            self.living.remove(number)
            self.cluster.tell(f"kill {number}")
            self.known = self.cluster.tell("add")
            self.living.append(len(self.known["raylets"]) - 1)
        elif whom == "driver":
            driver.kill()
        else:
            family = zygotes(home)
            chosen = {
                "actor": [pid for pid, words in of_home(home) if words.startswith("ray::Seat")],
                "zygote": [pid for pid, parent in family.items() if parent not in family],
                "worker": [pid for pid, parent in family.items() if parent in family],
            }[whom]
            if not chosen:
                return False
            try:
                os.kill(self.noise.choice(chosen), signal.SIGKILL)
            except ProcessLookupError:
                return False
        self.killed[whom] += 1
        return True

    def run(self, command: list[str], out: Path, kills: list[tuple[int, str]]) -> int:
        """Run the job to its end, through all of it; its status."""
        until = time.monotonic() + SECONDS
        while True:
            self.starts += 1
            again = [*command, "--resume"] if self.starts > 1 else command
            with open(out.parent / "stderr", "wb") as stderr:
                driver = subprocess.Popen(
                    again, env=self.environment, stdout=subprocess.DEVNULL, stderr=stderr
                )
            while driver.poll() is None:
                if time.monotonic() > until:
                    driver.kill()
                    sys.exit(
                        f"it did not end; {kills} kills are left, {answered(out)} are answered"
                    )
                if kills and answered(out) >= kills[0][0]:
                    time.sleep(self.noise.random())
                    if self.strike(kills[0][1], driver):
                        kills.pop(0)
                time.sleep(0.2)
            if driver.returncode != -signal.SIGKILL:
                return driver.returncode


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--good", type=int, default=1980)
    parser.add_argument("--kills", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--figures", type=Path)
    given = parser.parse_args()
    noise = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model = given.model
        if model is None:
            made = [sys.executable, str(HELPERS / "small_detectors.py"), name, "any"]
            subprocess.run(made, check=True, capture_output=True)
            model = folder / "any"
        pictures, out = folder / "pictures", folder / "found"
        make_pictures(pictures, given.good, POISON, given.seed)
        total = given.good + sum(POISON.values())
        points = sorted(noise.randrange(int(total * 0.8)) for _ in range(given.kills))
        kills = [(point, noise.choice(WHOM)) for point in points]
        environment = {
            **os.environ,
            "HOME": name,
            "OUTLIVE_HOME": str(folder / "outlive"),
            "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]),
            "RAY_AUTH_MODE": "disabled",
            "RAY_USAGE_STATS_ENABLED": "0",
        }
        weather = Weather(environment, noise)
        began = time.monotonic()
        on = ("--on", f"ray:{weather.known['address']}", "--memory", "1500MB")
        command = detect_command(model, pictures, out, *on, "--deadline", "10", "--format", "jsonl")
        status = weather.run(command, out, kills)
        seconds = time.monotonic() - began
        if status not in (0, 1):
            weather.cluster.end()
            sys.exit(f"status {status}: {(folder / 'stderr').read_text(errors='replace')[-2000:]}")
        names, causes = reckoning(out)
        faults = wrong(pictures, out)
        weather.cluster.end()
        faults += [f"process {pid} is left" for pid in left_behind(environment["OUTLIVE_HOME"])]
        print(f"status {status}, {seconds:.0f} s, the driver was started {weather.starts} times")
        print(f"killed: {dict(weather.killed)}, {sum(weather.killed.values())} in all")
        print(f"answered: {len(names)} of {total}, {len(causes)} of them in quarantine")
        print("\n".join(faults[:20]) or "nothing was wrong")
        if given.figures:
            counts = {"kills": sum(weather.killed.values()), "pictures": total}
            write_figures(
                given.figures, "ray", counts | {"lost, twice or wrongly named": len(faults)}
            )
        sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
