"""What may be imported: our own and what is installed, never what lies about where the program runs."""

from __future__ import annotations

import os
import sys

#: Names of folders that hold what is installed.
INSTALLED = ("site-packages", "dist-packages")


def look_only_at_what_is_installed() -> None:
    """PYTHONPATH and the working directory are the program's: a re.py or json.py in them must not become ours."""
    theirs = {entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry}
    try:
        theirs |= {"", os.getcwd()}
    except OSError:
        theirs.add("")
    # Who stands in a folder of installed packages still needs them.
    installed = {entry for entry in theirs if os.path.basename(entry) in INSTALLED}
    theirs -= installed | {os.path.dirname(os.__file__)}
    theirs.discard(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    sys.path[:] = [entry for entry in sys.path if entry not in theirs]
