# ci
"""Temporary files and folders; nothing of anybody else's is there."""

import os
import tempfile

print(os.listdir(tempfile.gettempdir()), os.listdir(os.path.expanduser("~")), os.listdir())
with tempfile.NamedTemporaryFile() as file, tempfile.TemporaryDirectory() as folder:
    print(os.path.exists(file.name), os.path.exists(folder))
print(os.listdir(tempfile.gettempdir()))
