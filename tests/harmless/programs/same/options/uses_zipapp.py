"""A program in a zip file."""

import os
import subprocess
import sys
import zipfile

with zipfile.ZipFile("app.pyz", "w") as archive:
    archive.writestr("__main__.py", "import sys\nprint(sys.argv[1:], __name__)\nsys.exit(5)\n")
done = subprocess.run([sys.executable, "app.pyz", "x"], capture_output=True)
os.remove("app.pyz")
print(done.returncode, done.stdout)
