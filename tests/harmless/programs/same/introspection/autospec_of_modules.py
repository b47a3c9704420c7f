# ci
"""Whole modules can be mocked with a spec."""

import os
import signal
import subprocess
import sys
from unittest import mock

for module in (os, signal, subprocess, sys):
    made = mock.create_autospec(module)
    print(
        module.__name__,
        [
            type(getattr(made, name)).__name__
            for name in ("kill", "alarm", "Popen", "exit")
            if hasattr(made, name)
        ],
    )
made = mock.create_autospec(os.kill)
try:
    made()
except TypeError as error:
    print(error)
