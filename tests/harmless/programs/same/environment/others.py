# ci
"""All other variables, with their values."""

import os

print(
    sorted(
        (name, value)
        for name, value in os.environ.items()
        if not name.startswith(("PYTHONPATH", "OUTLIVE"))
    )
)
