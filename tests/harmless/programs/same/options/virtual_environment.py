# slow
"""A fresh virtual environment."""

import subprocess
import sys

subprocess.run([sys.executable, "-m", "venv", "--without-pip", "env"], check=True)
code = "import sys; print(sys.prefix != sys.base_prefix, sys.prefix.rpartition('/')[2])"
subprocess.run(["env/bin/python", "-c", code], check=True)
import shutil

shutil.rmtree("env")
