# needs: module mock
"""The package mock with autospec over the wrapped ones."""

import concurrent.futures
import subprocess
import mock

for target in (
    "os.kill",
    "os._exit",
    "sys.exit",
    "signal.alarm",
    "subprocess.Popen.wait",
    "concurrent.futures.Future.result",
):
    with mock.patch(target, autospec=True) as patched:
        print(target, callable(patched))
