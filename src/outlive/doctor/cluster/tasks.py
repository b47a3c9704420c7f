"""Who is in the cluster, and which of them am I: from TF_CONFIG, a list, or Slurm."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from outlive.model.quick_dataclass import dataclass

#: What TensorFlow's own Slurm resolver begins with.
SLURM_PORT = 8888
RANGE = re.compile(r"(?<![^,])([^,\[]{1,255})(?:\[([^\]]{0,4000})\])?([^,\[]{0,255})(?:,|$)")


class NoCluster(Exception):
    """The tasks cannot be told; the message says why."""


@dataclass(frozen=True, slots=True)
class Task:
    """One task: a host and the port that TensorFlow will use there."""

    host: str
    port: int

    @property
    def name(self) -> str:
        """As it is written in a configuration."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Tasks:
    """All tasks, where they are named, and whether this process is the first of them."""

    source: str
    tasks: tuple[Task, ...]
    first: bool = True


def find_tasks(hosts: str | None, variables: Mapping[str, str]) -> Tasks:
    """The list that was given goes before TF_CONFIG, that before Slurm."""
    if hosts:
        return Tasks("--hosts", tuple(_task(word) for word in re.split(r"[\s,]+", hosts) if word))
    if variables.get("TF_CONFIG"):
        return _from_tf_config(variables["TF_CONFIG"])
    if variables.get("SLURM_JOB_NODELIST"):
        names = expand(variables["SLURM_JOB_NODELIST"])
        tasks = tuple(Task(name, SLURM_PORT) for name in names)
        return Tasks("SLURM_JOB_NODELIST", tasks, variables.get("SLURM_PROCID", "0") == "0")
    raise NoCluster("neither --hosts, TF_CONFIG nor SLURM_JOB_NODELIST names the hosts")


def _from_tf_config(text: str) -> Tasks:
    try:
        config = json.loads(text)
        named = [
            (kind, index, str(word))
            for kind, words in config["cluster"].items()
            for index, word in enumerate(words)
        ]
        named.sort(key=lambda item: (item[0] != "chief", item[0] != "worker", item[0], item[1]))
        own = config.get("task") or {}
        first = not own or (own.get("type"), int(own.get("index", 0))) == named[0][:2]
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise NoCluster(f"TF_CONFIG cannot be read: {type(error).__name__}: {error}") from error
    return Tasks("TF_CONFIG", tuple(_task(word) for _, _, word in named), first)


def _task(word: str) -> Task:
    host, colon, number = word.strip().rpartition(":")
    if not colon or not number.isdigit() or not 0 < int(number) < 65536:
        raise NoCluster(f"{word!r} is not HOST:PORT")
    return Task(host.strip("[]"), int(number))


def expand(listing: str) -> list[str]:
    """Slurm's short form: ``gpu[01-03,7],login`` is gpu01, gpu02, gpu03, gpu7, login."""
    found = []
    for match in RANGE.finditer(listing):
        front, inside, back = match.groups()
        if inside is None:
            found.append(front + back)
            continue
        for part in inside.split(","):
            first, dash, last = part.partition("-")
            if not first.isdigit() or (dash and not last.isdigit()):
                raise NoCluster(f"{listing!r} is not a list of nodes")
            numbers = range(int(first), int(last if dash else first) + 1)
            found += [f"{front}{number:0{len(first)}d}{back}" for number in numbers]
    return found
