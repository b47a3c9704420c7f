"""A thread cannot load its file, logs that at a level that nobody sees, and the main thread takes the first of no rows."""
# expect: background-error-lost LIKELY
# ending: 1

import logging
import threading
from pathlib import Path

log = logging.getLogger(__name__)
rows: list[str] = []


def load(path: str) -> None:
    try:
        rows.extend(Path(path).read_text().splitlines())  # <- here
    except OSError as error:
        log.debug("could not load %s: %s", path, error)


def run(path: str) -> None:
    loader = threading.Thread(target=load, args=(path,), name="loader")
    loader.start()
    loader.join()
    print(rows[0])


def die() -> None:
    run("rows.csv")


def spare() -> None:
    Path("rows.csv").write_text("1,2")
    run("rows.csv")
