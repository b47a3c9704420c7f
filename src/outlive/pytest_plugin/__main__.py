"""``python -m outlive.pytest_plugin``: what `pytest --outlive` has run after a death."""

from __future__ import annotations

import sys

from outlive.recorder.import_path import look_only_at_what_is_installed

if __name__ == "__main__":
    look_only_at_what_is_installed()  # before anything that a file in the tests' folder could shadow
    from outlive.pytest_plugin.afterwards import main

    sys.exit(main())
