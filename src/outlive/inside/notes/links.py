"""Every link by which the outside tells the watched program something, named once: both sides take the name from here.

A link lies in the folder of the record that the program writes to, and leads nowhere: what is said is its target, or that it is there.
Such a message is whole at every moment and costs the reader one call. ``tests/project/test_vocabulary.py`` holds that each is
written outside and read inside. Loaded inside the watched program: standard library only, Python 3.9.
"""

from __future__ import annotations

#: The variable that leads a process to the folder.
FOLDER_VARIABLE = "OUTLIVE_RECORD_FOLDER"

#: The variable by which a rehearsal tells `outlive run` what the link of that name shall say. The program does not see it.
REHEARSE_VARIABLE = "OUTLIVE_REHEARSE"


class Link(str):
    """The name of a link; a text for everybody but the type checker, which lets no other text pass for one."""

    __slots__ = ()


LIMIT = Link("limit")  #: the memory that the program may use, and how much of it is in use
LOOK = Link("look")  #: a question: what do the threads wait for?
DEEP = Link("deep")  #: `--deep`: remember which line has made what is in memory
BRAKE = Link("brake")  #: `--brake`: stop the program before the kernel's memory killer does
FORESEE = Link(
    "foresee"
)  #: `--foresee`: the module that looks at each cell of a notebook before it runs
BOUND = Link("bound")  #: `--bound`: fit the program's pipelines to the memory there is
TRIM = Link("trim")  #: a remedy of `--heal`: give free memory back
SKIP = Link("skip")  #: a remedy of `--heal`: skip bad elements, and name them in this file
SPAWN = Link("spawn")  #: a remedy of `--heal`: start workers anew, not by a fork
REHEARSE = Link(
    "rehearse"
)  #: a rehearsal: count the program's steps into this file, for so many seconds
PYTHON = Link(
    "python"
)  #: the Python of Outlive, for a supervisor that the program's processes start
BEFORE = Link(
    "before"
)  #: where a note lies about the kernel of a notebook that died before this one

#: These have to be in place before the program's first line: with one of them the recorder is loaded at once.
AT_ONCE = (BRAKE, BOUND, TRIM, SKIP, SPAWN, REHEARSE)

#: These go for each process of a run, also for one that has a folder of its own.
FOR_ALL_PROCESSES = (BOUND, TRIM, SKIP, SPAWN)


def link_in(folder: str, link: Link) -> str:
    """Give the path of a link in the folder of a record."""
    return f"{folder}/{link}"
