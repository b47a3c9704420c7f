"""A program that comes through the input."""

import subprocess
import sys

print(
    subprocess.run(
        [sys.executable],
        input=b"import sys\nprint(sys.argv, __name__)\nraise SystemExit(4)\n",
        capture_output=True,
    )
)
