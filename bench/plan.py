"""What is measured, how often and in which order. Pure: the same settings give the same list, so a run can be resumed."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from results import WARM_UP, Task
from subjects import BARE, CONTROL, OUTLIVE

SEED = 20_240_229

WORKLOADS = ("keras_training", "tf_data_loop", "eager_small_ops", "python_loop")
NEED_TENSORFLOW = frozenset(WORKLOADS) - {"python_loop"}
WAYS_TO_DIE = ("SIGKILL", "SIGSEGV", "exception")
WITH_TENSORFLOW = " in TensorFlow"
FIRST_LINE = "first line of a program"
NOTHING = "python -c pass, whole"
JUDGING = "judging a death"
OUTPUT = "200 MB through a pipe"


@dataclass(frozen=True)
class Section:
    """One question of the bench."""

    name: str
    cases: tuple[str, ...]
    rounds: int
    quick_rounds: int
    companions: tuple[
        str, ...
    ]  #: measured beside each bare run; without any, Outlive is measured alone
    says: str


SECTIONS = {
    section.name: section
    for section in (
        Section(
            "workloads",
            WORKLOADS,
            10,
            1,
            (CONTROL, OUTLIVE),
            "what the recorder costs while a program runs, beside its peers",
        ),
        Section(
            "own-time",
            WORKLOADS,
            5,
            1,
            (),
            "what the recorder itself uses of the CPU, counted by the kernel",
        ),
        Section(
            "start-up",
            (FIRST_LINE, NOTHING),
            40,
            5,
            (OUTLIVE,),
            "what it adds before the program's first line",
        ),
        Section(
            "memory",
            ("python_loop", "keras_training", JUDGING),
            3,
            1,
            (),
            "how large the supervisor becomes",
        ),
        Section(
            "verdict",
            tuple(way + where for where in ("", WITH_TENSORFLOW) for way in WAYS_TO_DIE),
            20,
            2,
            (OUTLIVE,),
            "how long after the death `outlive run` has told why and ended",
        ),
        Section("output", (OUTPUT,), 10, 2, (OUTLIVE,), "how fast output passes through"),
    )
}

#: A peer's cost is tens of per cent and more: fewer rounds show it, and they are the longest.
PEER_ROUNDS = 3


@dataclass(frozen=True)
class Settings:
    """What was asked for; kept with the results."""

    sections: tuple[str, ...]
    peers: tuple[str, ...]
    quick: bool
    repeat: int | None

    def rounds(self, section: Section) -> int:
        """How many rounds count."""
        if self.repeat is not None:
            return self.repeat
        return section.quick_rounds if self.quick else section.rounds


def needs_tensorflow(case: str) -> bool:
    """Whether a case can run without TensorFlow."""
    return case in NEED_TENSORFLOW or case.endswith(WITH_TENSORFLOW)


def tasks(settings: Settings) -> Iterator[Task]:
    """Every task of a run, section by section, each with its warm-up round first (a quick run has none)."""
    chance = random.Random(SEED)
    first = WARM_UP + 1 if settings.quick else WARM_UP
    for name in settings.sections:
        section = SECTIONS[name]
        for number in range(first, settings.rounds(section) + 1):
            yield from _round(section, settings.peers, number, chance)


def _round(
    section: Section, peers: Sequence[str], number: int, chance: random.Random
) -> Iterator[Task]:
    groups = [section.companions]
    if section.name == "workloads" and number <= PEER_ROUNDS:
        groups += [(peer,) for peer in peers]
    blocks = [(case, group) for case in section.cases for group in groups]
    chance.shuffle(blocks)
    for case, group in blocks:
        # Those that are compared run one after the other: what else the machine does changes least between them.
        members = [BARE, *group] if group else [OUTLIVE]
        chance.shuffle(members)
        block = group[-1] if group else OUTLIVE
        for subject in members:
            yield Task(section.name, case, subject, block, number)
