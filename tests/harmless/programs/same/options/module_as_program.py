"""Modules that are run with -m."""

import subprocess
import sys

for words in (
    ["json.tool", "--compact"],
    ["this"],
    ["timeit", "-n1", "-r1", "-q" if False else "-u", "sec", "pass"][:0]
    or ["calendar", "2020", "1"],
):
    print(
        subprocess.run([sys.executable, "-m", *words], input=b"[1, 2]", capture_output=True).stdout[
            :200
        ]
    )
