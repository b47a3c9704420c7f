# ci
"""Methods of Popen can be mocked with autospec, as test suites do."""

import subprocess
from unittest import mock

child = subprocess.Popen(["true"])
child.wait()
for name in ("send_signal", "terminate", "wait", "poll", "communicate"):
    with mock.patch.object(subprocess.Popen, name, autospec=True) as patched:
        patched.return_value = "mocked"
        arguments = (15,) if name == "send_signal" else ()
        print(name, getattr(child, name)(*arguments), patched.call_args[0][0] is child)
