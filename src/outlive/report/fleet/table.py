"""The rows of a fleet as an Arrow table, and the file that keeps them: of runs that have ended, each is read once in its life."""

from __future__ import annotations

import hashlib
import importlib
import os
from collections.abc import Iterable, Sequence
from typing import Any

from outlive.errors import OutliveError
from outlive.model.fingerprint import VERSION
from outlive.recorder.store import run_folders
from outlive.report.fleet.places import place_at
from outlive.report.fleet.rows import COLUMNS, row_of

#: The folder of what was read before, one file for each place; it may be deleted at any time.
INDEX_FOLDER = "fleet"

#: Of the columns, those that are no texts.
TYPES = {"time": "float64", "line": "int32", "sealed": "bool_"}

#: Goes up when a column changes; an index of another form is made anew.
FORM = 1


class ArrowMissing(OutliveError):
    """Runs are grouped with Arrow, an extra."""


def arrow(module: str = "pyarrow") -> Any:
    """Load a part of Arrow, or say how to install it."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise ArrowMissing("Runs are grouped with pyarrow, which is not installed.", "pip install 'outlive[fleet]'") from None  # fmt: skip


def fleet(places: Sequence[str]) -> Any:
    """The table of all runs below these places."""
    arrow("pyarrow.compute")
    tables = [_below(name) for name in places]
    return arrow().concat_tables(tables) if tables else _table(())


def _below(name: str) -> Any:
    """The runs below one place: those that were read before from the index, the others from their files."""
    place = place_at(name)
    index = _index_of(name)
    known = _read_index(index)
    paths = list(place.runs())
    there = arrow().array(paths, arrow().string())
    compute = arrow("pyarrow.compute")
    kept = known.filter(compute.is_in(known["path"], value_set=there))
    seen = set(kept["path"].to_pylist())
    new = _table(row_of(place, path) for path in paths if path not in seen)
    if new.num_rows:
        _write_index(index, arrow().concat_tables([kept, new.filter(new["sealed"])]))
    return arrow().concat_tables([kept, new])


def _schema() -> Any:
    module = arrow()
    return module.schema([(name, getattr(module, TYPES.get(name, "string"))()) for name in COLUMNS])


def _table(rows: Iterable[dict[str, Any]]) -> Any:
    return arrow().Table.from_pylist(list(rows), schema=_schema())


def _index_of(name: str) -> str:
    full = name if "://" in name else os.path.abspath(name)
    number = hashlib.sha256(os.fsencode(full)).hexdigest()[:16]
    return os.path.join(run_folders.home(), INDEX_FOLDER, f"{number}-{VERSION}.{FORM}.parquet")


def _read_index(path: str) -> Any:
    try:
        found = arrow("pyarrow.parquet").read_table(path)
        return found if found.schema.equals(_schema()) else _table(())
    except (OSError, ValueError):  # Arrow's own errors are among these
        return _table(())


def _write_index(path: str, table: Any) -> None:
    """Keep what was read; a disk that takes nothing only costs time."""
    try:
        run_folders.make_private_folder(os.path.dirname(path))
        new = f"{path}.{os.getpid()}"
        write_parquet(table, new)
        os.replace(new, path)
    except OSError:
        pass


def write_parquet(table: Any, path: str) -> None:
    """Write the table for DuckDB, pandas and the like; for this user alone."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)  # fmt: skip
    with os.fdopen(handle, "wb") as file:
        arrow("pyarrow.parquet").write_table(table, file)


def places_or_home(places: Sequence[str]) -> Sequence[str]:
    """The places that were given, or this user's own runs."""
    return places or [run_folders.home()]
