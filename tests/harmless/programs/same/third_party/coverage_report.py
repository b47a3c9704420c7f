# needs: module coverage
"""coverage counts the program's lines alone, exit included."""

import os
import subprocess
import sys

open("covered.py", "w").write(
    "import sys\nimport threading\nthread = threading.Thread(target=lambda: None)\nthread.start()\nthread.join()\nsys.exit(0)\n"
)
open(".coveragerc", "w").write("[run]\ndata_file = .cov\n")
print(
    subprocess.run(
        [sys.executable, "-m", "coverage", "run", "--rcfile=.coveragerc", "covered.py"],
        capture_output=True,
    )
)
print(
    subprocess.run(
        [sys.executable, "-m", "coverage", "report", "--rcfile=.coveragerc"], capture_output=True
    ).stdout.decode()
)
os.remove(".cov")
