# needs: module pytest
# slow
"""pytest on a file with a pass, a failure and a skip."""

import re
import subprocess
import sys

open("test_it.py", "w").write(
    "import pytest\n\ndef test_a():\n    assert True\n\ndef test_b():\n    assert [1] == [2]\n\ndef test_c():\n    pytest.skip('why')\n\ndef test_d(capfd):\n    import os\n    os.system('echo x')\n    assert capfd.readouterr().out == 'x\\n'\n"
)
done = subprocess.run(
    [
        sys.executable,
        "-B",
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "-p",
        "no:anyio",
        "test_it.py",
    ],
    capture_output=True,
    text=True,
)
print(done.returncode, re.sub(r"in [\d.]+s", "", done.stdout), done.stderr)
