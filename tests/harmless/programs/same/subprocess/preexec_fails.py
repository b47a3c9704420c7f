"""A function before the start that fails."""

import subprocess


def fail():
    raise ValueError("before")


try:
    subprocess.run(["true"], preexec_fn=fail)
except subprocess.SubprocessError as error:
    print(error)
