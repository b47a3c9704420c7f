"""os._exit in a helper: nothing is flushed, nothing is said."""
# expect: exited-without-cleanup PROVEN
# example: yes
# ending: 9

import os


class Guard:
    def verify(self, ok: bool) -> None:
        if not ok:
            os._exit(9)  # <- here


def die() -> None:
    Guard().verify(False)


def spare() -> None:
    Guard().verify(True)
    if (child := os.fork()) == 0:
        os._exit(0)
    os.waitpid(child, 0)
