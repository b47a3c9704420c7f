# documented: stdout: PYTHONPATH and OUTLIVE_RECORD_FOLDER
"""The variables of the program."""

import os

print(sorted(name for name in os.environ if name.startswith(("PYTHON", "OUTLIVE_R"))))
