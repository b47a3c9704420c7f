"""What Popen has, and what its class looks like."""

import inspect
import subprocess

child = subprocess.Popen(["true"])
child.wait()
print(
    sorted(name for name in vars(child) if not name.startswith("__")), child.args, child.returncode
)
print(
    [name for name in vars(subprocess.Popen) if not name.startswith("_")],
    inspect.signature(subprocess.Popen.wait),
)
