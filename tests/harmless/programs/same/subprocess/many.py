"""Ten programs at once."""

import subprocess
import sys

children = [
    subprocess.Popen([sys.executable, "-c", f"import sys; sys.exit({n})"]) for n in range(10)
]
print([child.wait() for child in children])
