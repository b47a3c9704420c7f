"""The error is caught and logged, the main function returns 1, and its caller hands that to sys.exit."""
# expect: missing-file LIKELY
# ending: 1
# names: labels.json

import json
import logging
import sys
from pathlib import Path


class Labels:
    def __init__(self, folder: Path) -> None:
        self.names = json.loads((folder / "labels.json").read_text())  # <- here


def main(folder: Path) -> int:
    try:
        print(Labels(folder).names)
    except OSError:
        logging.exception("no labels")
        return 1
    return 0


def die() -> None:
    sys.exit(main(Path("models")))


def spare() -> None:
    Path("labels.json").write_text('["cat"]')
    try:
        main(Path("models"))  # logged just the same
    finally:
        sys.exit(main(Path()))
