"""Popen and run are mocked as a whole."""

import subprocess
from unittest import mock

with mock.patch("subprocess.Popen", autospec=True) as patched:
    patched.return_value.wait.return_value = 5
    print(subprocess.Popen(["x"]).wait(), patched.call_count)
with mock.patch("subprocess.run", autospec=True) as patched:
    patched.return_value.returncode = 3
    print(subprocess.run(["x"], check=False).returncode)
with mock.patch("os.kill", autospec=True) as patched:
    import os

    os.kill(1, 2)
    print(patched.call_args)
