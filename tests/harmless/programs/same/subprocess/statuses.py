"""Exit codes and signals of started programs."""

import subprocess
import sys

for code in (
    "import sys; sys.exit(7)",
    "import os; os.abort()",
    "import os; os._exit(9)",
    "1/0",
    "pass",
):
    print(subprocess.run([sys.executable, "-c", code], stderr=subprocess.DEVNULL).returncode)
