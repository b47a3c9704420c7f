"""Change HOME and clear the environment, then start others."""

import os
import subprocess
import sys

os.environ["HOME"] = "/nonexistent"
print(
    subprocess.run(
        [sys.executable, "-c", "import os; print(os.path.expanduser('~'))"], check=False
    ).returncode
)
os.environ.clear()
print(
    subprocess.run(
        [sys.executable, "-c", "import os; print(sorted(os.environ))"], check=False
    ).returncode
)
