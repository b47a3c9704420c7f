"""What the program sets, its children see."""

import os
import subprocess
import sys

os.environ["MINE"] = "value"
os.putenv("PUT", "past os.environ")
code = "import os; print(os.environ.get('MINE'), os.environ.get('PUT'), 'MINE' in os.environ)"
subprocess.run([sys.executable, "-c", code], check=True)
