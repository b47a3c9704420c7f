"""Run ``sh`` with each ending, bare or watched, in forks of one process that has loaded everything: cheap enough for all of them.

Prints a line for each: what ``sh`` did, and the status that the parent of Outlive sees.
"""

import os
import signal
import sys

import outlive.cli.command_line  # what a run imports late, once for all forks
import outlive.recorder.flight  # noqa: F401
from outlive.cli.run_program.run import run


def status_of(script, switches):
    child = os.fork()
    if child == 0:
        if sys.argv[1] == "bare":
            for ignored_by_python in (signal.SIGPIPE, signal.SIGXFSZ):
                signal.signal(ignored_by_python, signal.SIG_DFL)
            os.execvp("sh", ["sh", "-c", script])
        run(["--quiet", *switches, "--", "sh", "-c", script])
        os._exit(99)
    return os.waitpid(child, 0)[1]


if __name__ == "__main__":
    scripts = sys.stdin.read().splitlines()
    for number, script in enumerate(scripts):
        switches = (
            ["--no-record"] if number % 8 else []
        )  # a verdict takes its time; one in eight is made
        print(script, status_of(script, switches), flush=True)
