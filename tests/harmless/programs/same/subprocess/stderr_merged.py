"""Both streams in one pipe, in their order."""

import subprocess
import sys

code = "import sys; print('out', flush=True); print('err', file=sys.stderr, flush=True); print('out again')"
print(
    subprocess.run(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ).stdout
)
