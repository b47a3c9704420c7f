# documented: stdout: PYTHONPATH has one folder more
"""PYTHONPATH as a program sees it."""

import os

print(os.environ.get("PYTHONPATH", "").count("outlive"))
