# needs: module coverage
"""coverage of a program that forks counts its own files alone."""

import os
import subprocess
import sys

with open("forks.py", "w") as file:
    file.write(
        "import os\nfor n in range(3):\n    child = os.fork()\n    if child == 0:\n        os._exit(0)\n    os.waitpid(child, 0)\nprint('done')\n"
    )
with open(".coveragerc", "w") as file:
    file.write("[run]\ndata_file = .cov\n")
print(
    subprocess.run(
        [sys.executable, "-m", "coverage", "run", "--rcfile=.coveragerc", "forks.py"],
        capture_output=True,
    )
)
print(
    subprocess.run(
        [sys.executable, "-m", "coverage", "report", "--rcfile=.coveragerc"], capture_output=True
    ).stdout.decode()
)
os.remove(".cov")
