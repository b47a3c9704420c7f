"""A sitecustomize of the user's is loaded once, by a child."""

import os
import subprocess
import sys

os.mkdir("custom")
open("custom/sitecustomize.py", "w").write("import os\nos.write(1, b'customised\\n')\n")
path = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), os.path.abspath("custom")]))
subprocess.run(
    [
        sys.executable,
        "-B",
        "-c",
        "import sitecustomize; print(sitecustomize.__file__.rpartition('/')[2])",
    ],
    env={**os.environ, "PYTHONPATH": path},
)
