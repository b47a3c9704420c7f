# python: -W always
"""A child that was not waited for is warned of."""

import subprocess

child = subprocess.Popen(["sleep", "0"])
child.stdout = None
returncode = child.wait()
print(returncode)
other = subprocess.Popen(["true"])
other._child_created = True
other.wait()
del other
print("done")
