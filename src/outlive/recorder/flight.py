"""One run while it goes on: what is sampled, what is written, and what is sealed at the end.

Everything that can fail here fails quietly: a full disk, a vanished cgroup, a program that forbids to be looked at.
"""

from __future__ import annotations

import os
import signal
import time
from collections import deque

from outlive.inside.machine.cpu_quota import throttled_groups
from outlive.inside.machine.host import Host
from outlive.inside.notes import kinds, links
from outlive.inside.notes.format import Log
from outlive.inside.notes.masking import Masker, mask_edges, secrets_of, split_arguments
from outlive.recorder.baseline import Baseline, reading
from outlive.recorder.introduction import introduction, working_folder
from outlive.recorder.last_lines import KernelLog, tail_of_stderr
from outlive.recorder.sampler import Sampler, has_own_pid_namespace, process_stat
from outlive.recorder.store import run_folders
from outlive.recorder.store.eventful import eventful_notes

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    #: Looks at the files that an exception is about: from the entries and the folder of the rings to what it saw.
    Inspect = Callable[[Sequence[dict[str, Any]], "str | None"], "dict[str, object] | None"]

#: Seconds between samples when memory is far from its limit, and by how much of it is used when it is not.
CALM_SECONDS = 0.5
NEAR = ((0.85, 0.05), (0.6, 0.1))

#: How much of the limit is used is told to the program in such steps, from there on.
NEAR_ENOUGH_TO_TELL = 0.5
NEARNESS_STEP = 0.05

#: After this many written samples the distance between written ones doubles: a week fits in a few megabytes.
SAMPLES_PER_OCTAVE = 1024

#: Limits change rarely.
SAMPLES_BETWEEN_LIMITS = 20
SAMPLES_BETWEEN_TIDYING = 4

#: By then a program has imported what it needs; what is installed is listed once, between two samples.
SAMPLES_BEFORE_PACKAGES = 4

#: Half a second: a start need not wait for the kernel.
SAMPLES_BEFORE_TRACE = 2
#: Nothing is forecast of a program that has just begun.
SECONDS_BEFORE_WATCHING = 3.0

#: Kept in memory at full rate, and written when the run is sealed.
RECENT_SAMPLES = 600

#: An OOM kill may be counted before its victim is gone; a reading must be this old to be "before".
BEFORE_SECONDS = 0.7

#: The kernel's counters and its log can lag the death (FACTS: "read after a short wait").
SECONDS_FOR_COUNTERS = 0.25

#: By these a person or a system asks a program to end.
ENDS_A_PROGRAM = frozenset({signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT})


class Flight:
    """The record of one run, as its supervisor makes it."""

    def __init__(
        self,
        host: Host,
        baseline: Baseline,
        command: Sequence[str],
        folder: str | None,
        rings: str | None,
    ) -> None:
        self._host = host
        self._baseline = baseline
        self._folder = folder
        self._rings = rings
        self._log = _open_log(folder)
        self.trouble = "" if self._log or folder is None else "the record could not be written"
        self.shown, self.secrets = split_arguments(command)
        self.secrets += secrets_of(os.environ)
        self._masker = Masker(self.secrets)
        self._recent: deque[dict[str, Any]] = deque(maxlen=RECENT_SAMPLES)
        self._written = 0
        self._seen = 0
        self._next = 0.0
        self._rare: list[dict[str, Any]] = []
        self._limit: int | None = None
        self._told_limit: tuple[int | None, int] = (None, 0)
        self._kernel_log = KernelLog(baseline.kernel_log)
        self._hang: Any = None
        self._notes_hangs = False
        self._when_hanging: Any = None
        self._told_of_a_hang: tuple[str, ...] = ()
        self._packages_told = False
        self._neighbours: Any = None
        self._kill_trace: Any = None
        self.end_signal = 0  #: the last signal by which somebody wanted the program to end
        self.died_at = 0.0  #: seconds since the start
        self.job = ""  #: that it is a rank of, where somebody named one
        self.metrics: Any = None  #: who is told of each sample, if somebody asked for it
        self.warn: Callable[[str], None] | None = None  #: who is told what a watch says, if anybody
        self._readings: Any = None
        self._watching: Any = None

    @property
    def ended_at(self) -> float:
        """When the program was gone, in seconds since 1970."""
        return self._baseline.time + self.died_at

    def watch_for_hangs(self, after: float, tell: Callable[[bool], None]) -> None:
        """Call ``tell`` with everything recorded so far when the program has made no progress for that many seconds."""
        from outlive.recorder.hang.watch import HangWatch

        self._hang = HangWatch(self._host, self._rings, after)
        self._when_hanging = tell

    def note_hangs(self) -> None:
        """Write down when the program stops making progress, and print nothing: who is ended by a time limit then has a cause."""
        self._notes_hangs = True

    def program_started(self, pid: int, argv: Sequence[str]) -> None:
        """Write who is recorded."""
        self._pid = pid
        self._sampler = Sampler(self._host, pid)
        self._task_groups = self._host.task_groups(pid)
        self._cpu_groups = throttled_groups(self._host, pid)
        told = introduction(
            self._host,
            self._baseline,
            pid,
            argv,
            self.shown,
            self.secrets,
            self._rings,
            self._task_groups,
            self.job,
        )
        self._write(told)
        self._mark_as_rank(told["job"])

    def _mark_as_rank(self, job: dict[str, Any] | None) -> None:
        if job is not None and self._folder is not None:
            try:
                run_folders.write_link(
                    os.path.join(self._folder, run_folders.JOB_NAME), job["name"]
                )
            except OSError as error:
                self.trouble = self.trouble or f"the job could not be noted: {error.strerror}"

    def _tell_the_limit(self, nearness: float) -> None:
        """The smallest limit above the program and how much of it is used, by whomever, for the census inside it.

        In a link, which is read without opening it; what is used is told in steps, and only when it may matter.
        """
        if self._seen % SAMPLES_BETWEEN_LIMITS == 1:
            total, _ = self._host.memory()
            limits = [self._host.read_group(group).limit_bytes for group in self._sampler.groups]
            self._limit = min((limit for limit in (*limits, total) if limit), default=None)
        step = int(nearness / NEARNESS_STEP) if nearness >= NEAR_ENOUGH_TO_TELL else 0
        told = (self._limit, step)
        if self._limit is not None and told != self._told_limit and self._rings is not None:
            self._told_limit = told
            used = int(step * NEARNESS_STEP * self._limit)
            run_folders.tell_inside(self._rings, links.LIMIT, f"{self._limit} {used}")

    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._baseline.began

    def seconds_to_next(self) -> float:
        """Until the next sample is due."""
        return max(0.0, self._next - self.elapsed())

    def sample_if_due(self) -> None:
        """Take a sample; more often as the limit comes near."""
        if self.elapsed() < self._next:
            return
        pause = CALM_SECONDS
        try:
            sample = self._sampler.sample()
            sample["at"] = round(self.elapsed(), 3)
            sample["members"] = sorted(self._sampler.members() or ())[:200]
            nearness = self._sampler.nearness(sample)
            self._look_at_neighbours(sample)
            self._read_for_watches(sample)
            pause = next((seconds for share, seconds in NEAR if nearness >= share), CALM_SECONDS)
            self._keep(sample)
            self._tell_the_limit(nearness)
            self._ask_watches(sample)
            self._thin_out_rings()
            if self._seen == SAMPLES_BEFORE_TRACE:
                self._trace_kills()
            if self._seen == SAMPLES_BEFORE_PACKAGES:
                self._tell_packages()
            if self._hang is not None or self._notes_hangs:
                self._look_for_a_hang(sample["at"])
            if self.metrics is not None:
                self.metrics.saw(sample, self._limit)
        except Exception as error:  # looking must never end the waiting
            self.trouble = self.trouble or f"sampling failed: {type(error).__name__}: {error}"
        self._next = self.elapsed() + pause

    def _look_at_neighbours(self, sample: dict[str, Any]) -> None:
        """Who else is under the limit that is nearest: loaded when the program runs, its start need not wait for it."""
        if self._neighbours is None:
            from outlive.recorder.neighbours import Neighbours

            self._neighbours = Neighbours(self._host)
        own = {self._sampler.pid, *self._sampler.family}
        others = self._neighbours.look(self._sampler.groups, sample["groups"], own)
        if others is not None:
            sample["neighbours"] = others

    def _trace_kills(self) -> None:
        """From now on the kernel notes who sends SIGKILL, where it lets us ask."""
        from outlive.recorder.signals.kill_trace import KillTrace

        self._kill_trace = KillTrace.open(self._host)

    def _note_the_killer(self, killed: int | None) -> None:
        if self._kill_trace is None:
            return
        try:
            found = self._kill_trace.killer_of(self._pid) if killed == signal.SIGKILL else None
            if found is not None:
                sender, name = found
                self._note_signal(signal.SIGKILL, sender, None, name)
        except Exception as error:  # looking must never end the waiting
            self.trouble = self.trouble or f"trace: {type(error).__name__}: {error}"
        finally:
            self._kill_trace.stop()

    def _read_for_watches(self, sample: dict[str, Any]) -> None:
        """What the watches need beside the sample: loaded when the program has run for a while, most programs end before."""
        if sample["at"] < SECONDS_BEFORE_WATCHING:
            return
        try:
            if self._readings is None:
                from outlive.recorder.watching.readings import Readings

                self._readings = Readings(self._host, self._pid, self._rings)
            reading = self._readings.read(sample, self._sampler.tree)
        except Exception:  # a file that the kernel writes otherwise: the watches then know less
            return
        if reading is not None:
            sample["reading"] = reading
            sample["machine"] = self._host.memory()[0]

    def _ask_watches(self, sample: dict[str, Any]) -> None:
        """Write down what the watches say, and hand it on."""
        if self._readings is None:
            return
        from outlive.recorder.watching.watching import Watching, entry

        if self._watching is None:
            self._watching = Watching()
            self._watching.remember(list(self._recent)[:-1])
        for finding in self._watching.saw(sample):
            self._write(entry(sample["at"], finding))
            if self.metrics is not None:
                self.metrics.warned(finding.slug)
            if self.warn is not None:
                self.warn(finding.says)

    def _neighbours_at_the_death(self, killed: int | None) -> dict[str, Any]:
        """Those that are left beside a program that was killed, and the commands of all that were seen."""
        try:
            if self._neighbours is None:
                return {}
            found: dict[str, Any] = {}
            if killed == signal.SIGKILL:
                own = {self._sampler.pid, *self._sampler.family}
                found["neighbours"] = self._neighbours.look_once_more(own)
            return {**found, "neighbour_commands": self._neighbours.commands()}
        except Exception as error:  # looking must never end the waiting
            self.trouble = self.trouble or f"neighbours: {type(error).__name__}: {error}"
            return {}

    def _thin_out_rings(self) -> None:
        if self._rings is not None and self._seen % SAMPLES_BETWEEN_TIDYING == 0:
            from outlive.recorder.store.seal import thin_out

            thin_out(self._rings)

    def _tell_packages(self) -> None:
        """What is installed beside the program, once: two runs can be compared by it."""
        if self._packages_told:
            return
        self._packages_told = True
        try:
            from outlive.recorder.packages_beside import packages_beside

            found = packages_beside(self._rings, self._pid)
        except Exception:  # a listing that fails costs nothing but itself
            return
        if found:
            self._write({"kind": kinds.PACKAGES, "found": found})

    def still_hangs(self) -> bool:
        """Whether the program, which was just found to stand still, has not moved since."""
        return self._hang is not None and self._hang.still(self.elapsed(), self.processes())

    def processes(self) -> list[int]:
        """The program and what it has started, as far as that is seen from outside."""
        self._sampler.look_for_descendants()
        return [self._pid, *self._sampler.tree]

    def ended_by_outlive(self) -> None:
        """The program was told to end, because it could never have gone on."""
        self._event(kinds.ENDED_BY_OUTLIVE)

    def is_news(self, told: tuple[str, ...]) -> bool:
        """Whether this was not yet said of a hang."""
        news = told != self._told_of_a_hang
        self._told_of_a_hang = told
        return news

    def _look_for_a_hang(self, at: float) -> None:
        if self._hang is None:  # loaded when the program runs: its start need not wait for it
            from outlive.recorder.hang.watch import QuietWatch

            self._hang = QuietWatch(self._host, self._rings)
        # What was asked for is looked at whole. Who only takes notes makes do with the processes that the samples know of: to look for
        # more at every sample reads a file for each thread.
        asked_for = self._when_hanging is not None
        known = self.processes() if asked_for else (self._pid, *self._sampler.tree)
        found = self._hang.saw(at, known)
        if found is None:
            return
        if found["kind"] == kinds.HANG:
            found |= self._state_of_the_world(self._baseline.reading, self._reading())
        self._write(found)
        if self._when_hanging is not None:
            self._when_hanging(found["kind"] == kinds.HANG)

    def _state_of_the_world(self, before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
        """The counters that tell what happened to the program or to one of its own."""
        return {
            "before": before,
            "after": after,
            "family": sorted(self._sampler.family),
            "kernel_lines": self._kernel_log.lines(),
            "own_pid_namespace": has_own_pid_namespace(),
        }

    def _keep(self, sample: dict[str, Any]) -> None:
        self._seen += 1
        distance = 1 << (self._written // SAMPLES_PER_OCTAVE)
        if self._seen % distance == 0:
            self._write({name: value for name, value in sample.items() if name != "members"})
            self._written += 1
            sample["written"] = True
        self._recent.append(sample)

    def _reading(self) -> dict[str, Any]:
        return reading(self._host, self._sampler.groups, self._baseline.began)

    def received(self, number: int, sender: int | None, uid: int) -> None:
        """A signal reached the supervisor."""
        if number in ENDS_A_PROGRAM:
            self.end_signal = number
        self._note_signal(number, sender, uid)

    def _note_signal(
        self, number: int, sender: int | None, uid: int | None, name: str = ""
    ) -> None:
        """Note who sent it; ``name`` is what the sender was called, which may be gone."""
        command = (self._host.read(f"/proc/{sender}/cmdline", 512) or "") if sender else ""
        shown, _ = split_arguments([word for word in command.split("\0") if word] or [name])
        from outlive.recorder.signals.sender import ancestors_of, user_name

        self._event(
            kinds.SIGNAL,
            signal=number,
            sender=sender,
            uid=uid,
            user=user_name(uid) if sender and uid is not None else "",
            command=shown[:8],
            ancestors=ancestors_of(self._host, sender) if sender else [],
        )

    def stopped(self, number: int) -> None:
        """The program was stopped (Ctrl-Z)."""
        self._event(kinds.STOPPED, signal=number)

    def continued(self) -> None:
        """The program goes on."""
        self._event(kinds.CONTINUED)

    def _event(self, kind: kinds.Kind, **fields: Any) -> None:
        self._write({"kind": kind, "at": round(self.elapsed(), 3), **fields})

    def program_is_dead(self, killed: int | None) -> None:
        """The program is a zombie: read what its death changed, before anything is cleaned."""
        self.died_at = died_at = self.elapsed()
        before = self._reading_before(died_at)
        neighbours = self._neighbours_at_the_death(killed)
        after = self._reading_after(killed, before)
        last = process_stat(self._host, self._pid)
        for sample in self._recent:
            if not sample.pop("written", False):
                sample.pop("members", None)
                self._write(sample)
        self._write(
            {
                "kind": kinds.END,
                "at": round(died_at, 3),
                "killed": killed,
                "cpu": getattr(last, "cpu_seconds", None),
                **self._state_of_the_world(before, after),
                **neighbours,
                "limits": self._host.limits(self._pid),  # a program may have limited itself
            }
        )
        self._keep_stderr()
        self._note_the_killer(killed)

    def _throttled_since(self) -> list[list[Any]]:
        """How often the limits on CPU time held the program back: path, thousandths of a CPU, periods, those held back, milliseconds."""
        now = {group[0]: group for group in throttled_groups(self._host)}
        found = []
        for path, quota, *before in self._cpu_groups:
            if path in now:
                pairs = zip(before, now[path][2:], strict=True)
                found.append([path, quota, *(later - earlier for earlier, later in pairs)])
        return found

    def _look_around(self) -> None:
        """What the program left behind, where it may have met a limit."""
        try:
            from outlive.recorder.aftermath import aftermath

            groups = [[path, *self._host.read_task_group(path)] for path, *_ in self._task_groups]
            throttled = self._throttled_since()
            found = aftermath(self._host, self._rings, working_folder())
            self._write(
                {"kind": kinds.AFTERMATH, "task_groups": groups, "cpu_groups": throttled, **found}
            )
        except Exception as error:  # looking must never end the waiting
            self.trouble = (
                self.trouble or f"reading the surroundings failed: {type(error).__name__}: {error}"
            )

    def _reading_before(self, died_at: float) -> dict[str, Any]:
        """The newest reading that is certainly older than the death."""
        for sample in reversed(self._recent):
            if died_at - sample["at"] >= BEFORE_SECONDS:
                return {
                    name: sample.get(name)
                    for name in ("at", "groups", "members", "machine_oom_kills")
                }
        return self._baseline.reading

    def _reading_after(self, killed: int | None, before: dict[str, Any]) -> dict[str, Any]:
        until = time.monotonic() + (SECONDS_FOR_COUNTERS if killed == signal.SIGKILL else 0.0)
        while True:
            after = self._reading()
            if time.monotonic() >= until or _oom_kills(after) != _oom_kills(before):
                return after
            time.sleep(0.02)

    def program_ended(self, ended: Any) -> None:
        """Write how it ended, and what it used: without this nobody can judge it later."""
        usage = ended.usage
        self._write(
            {
                "kind": kinds.EXIT,
                "signal": ended.signal,
                "exit_code": ended.exit_code,
                "core": ended.core,
                "max_rss": usage.ru_maxrss * 1024 if usage else None,
                "user_seconds": usage.ru_utime if usage else None,
                "system_seconds": usage.ru_stime if usage else None,
                "trouble": self.trouble,
            }
        )

    def look_back(self, ended: Any, inspect: Inspect | None = None) -> None:
        """Write what it left behind; this reads files and folders of the user's, and may take a while."""
        if ended.exit_code != 0:
            self._look_around()
        if self._kill_trace is not None:
            self._kill_trace.remove()
        self._tell_packages()
        if ended.exit_code != 0 and self._rings is not None and inspect is not None:
            self._inspect_files(inspect)
        if self._log is not None:
            try:
                self._log.close()
            except OSError:
                self.trouble = "the record could not be written to disk"

    def _inspect_files(self, inspect: Inspect) -> None:
        """The files that an exception is about, before anybody mends them."""
        try:
            seen = inspect(self._rare, self._rings)
            if seen is not None:
                self._write({"kind": kinds.INSPECTION, **seen})
        except Exception as error:  # a look that fails must not cost the verdict
            self._write(
                {"kind": kinds.GAP, "name": "files", "why": f"{type(error).__name__}: {error}"}
            )

    def uneventful(self, ended: Any) -> bool:
        """Nothing happened that a cause could speak of: it ended well, nobody was killed, no process noted anything."""
        if (
            ended.exit_code != 0
            or self.trouble
            or any(
                payload["kind"] in (kinds.SIGNAL, kinds.GAP, kinds.HANG) for payload in self._rare
            )
        ):
            return False
        end = next(payload for payload in self._rare if payload["kind"] == kinds.END)
        start = self._baseline.reading["machine_oom_kills"]
        if start is None or end["after"]["machine_oom_kills"] != start:
            return False
        return not eventful_notes(self._rings)

    def detail(self) -> str:
        """How a healthy run is spoken of."""
        return f"finished after {self.elapsed():.1f} s"

    def _keep_stderr(self) -> None:
        """The tail of stderr, when it is a file: read back, nothing was redirected."""
        if self._baseline.stderr_start is None:
            return
        try:
            tail, whole = tail_of_stderr(self._baseline.stderr_start)
            text = mask_edges(tail, self.secrets, start=not whole)
            self._write({"kind": kinds.STDERR, "text": text})
        except OSError as error:
            why = f"could not be read back: {error.strerror}"
            self._write({"kind": kinds.GAP, "name": "stderr", "why": why})

    def _write(self, payload: dict[str, Any]) -> None:
        # Every text goes through here; but where the rings lie must be found again.
        payload = {
            name: value if name == "rings" else self._masker.data(value)
            for name, value in payload.items()
        }
        if payload.get("kind") != kinds.SAMPLE:
            self._rare.append(payload)
        if self._log is None:
            return
        try:
            self._log.append(payload)
        except OSError as error:
            self._log = None
            self.trouble = f"the record could not be written: {error.strerror}"

    def all_frames(self) -> list[dict[str, Any]]:
        """Everything that is still in memory, for a verdict when the disk took nothing."""
        return [*self._rare, *self._recent]


def _open_log(folder: str | None) -> Log | None:
    if folder is None:
        return None
    try:
        return Log(os.path.join(folder, run_folders.LOG_NAME))
    except OSError:
        return None


def _oom_kills(reading: dict[str, Any]) -> list[Any]:
    return [entry[4] for entry in reading.get("groups") or ()]
