"""A program that is started without any variable."""

import subprocess
import sys

print(
    subprocess.run(
        [sys.executable, "-c", "import os; print(sorted(os.environ))"], env={}, capture_output=True
    ).stdout
)
