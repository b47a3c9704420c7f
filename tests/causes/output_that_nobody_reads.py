"""The parent waits for the end of a program whose output it does not read: the pipe is full."""
# expect: deadlocked LIKELY
# ending: hang
# hang_after: 2

import subprocess
import sys


class Converter:
    def __init__(self, length: int) -> None:
        self.command = [sys.executable, "-c", f"print('x' * {length})"]

    def run(self) -> int:
        with subprocess.Popen(self.command, stdout=subprocess.PIPE) as process:
            return process.wait()  # <- here


def die() -> None:
    print(Converter(1_000_000).run())


def spare() -> None:
    print(Converter(1_000).run())
