"""What is asked, of which files, how sure: the command line over `[tool.outlive.lint]` of pyproject.toml."""

from __future__ import annotations

import enum
import sys
from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import Any

from outlive.errors import UsageError, did_you_mean
from outlive.model.findings import Confidence
from outlive.model.quick_dataclass import dataclass
from outlive.source.parsed import Machine, Source
from outlive.units.unit import Unit

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

KEYS = ("select", "ignore", "exclude", "confidence")


class Answering(enum.Enum):
    """Who answers what shapes an operation or a layer takes."""

    NOBODY = "nobody"
    KEPT = "kept"  #: what TensorFlow answered before
    TENSORFLOW = "tensorflow"  #: and TensorFlow itself, in a child


@dataclass(frozen=True, slots=True)
class Settings:
    """All that decides what is found. Picklable: every worker gets it."""

    rules: tuple[str, ...] = ()  #: slugs of the rules that are asked
    exclude: tuple[str, ...] = ()
    confidence: Confidence = Confidence.LIKELY
    machine: Machine = field(default_factory=Machine)
    mend: Confidence | None = None  #: PROVEN: what is safe; POSSIBLE: also what may change results
    answers: Answering = Answering.NOBODY
    python: str = (
        ""  #: the Python whose TensorFlow is asked; empty: the one that runs us, or the user's
    )


def configured(file: Path | None, rules: Iterable[Unit[Source]]) -> Settings:
    """The settings of a project; all rules, when it has none."""
    every = tuple(rules)
    settings = Settings(tuple(unit.slug for unit in every))
    table = _table(file) if file is not None else {}
    unknown = sorted(set(table) - set(KEYS))
    if unknown:
        raise UsageError(
            f"{file}: [tool.outlive.lint] has no setting {unknown[0]!r}.",
            f"The settings are {', '.join(KEYS)}.",
        )
    settings = chosen(
        settings, every, select=_words(table, "select", file), ignore=_words(table, "ignore", file)
    )
    if "confidence" in table:
        settings = replace(settings, confidence=confidence(str(table["confidence"])))
    return replace(settings, exclude=_words(table, "exclude", file))


def chosen(
    settings: Settings,
    rules: Iterable[Unit[Source]],
    *,
    select: Iterable[str],
    ignore: Iterable[str],
) -> Settings:
    """Fewer rules: those that are selected, without those that are ignored; by slug or by code."""
    slugs = {name: unit.slug for unit in rules for name in (unit.slug, unit.code)}
    wanted, unwanted = list(select), list(ignore)
    for name in (*wanted, *unwanted):
        if name not in slugs:
            hint = did_you_mean(name, slugs, "`outlive explain` lists them.")
            raise UsageError(f"There is no rule {name!r}.", hint)
    kept = {slugs[name] for name in wanted} if wanted else set(settings.rules)
    kept -= {slugs[name] for name in unwanted}
    return replace(settings, rules=tuple(sorted(kept)))


def confidence(word: str) -> Confidence:
    """`likely` or `possible`."""
    if word not in ("likely", "possible"):
        raise UsageError(f"There is no confidence {word!r}.", "Use likely or possible.")
    return Confidence[word.upper()]


def nearest_project(folder: Path) -> Path | None:
    """The pyproject.toml of the folder or of the nearest one above it that speaks of `outlive lint`, or none."""
    for above in (folder, *folder.parents):
        file = above / "pyproject.toml"
        if file.is_file():
            return file
    return None


def _table(file: Path) -> Mapping[str, Any]:
    try:
        data: dict[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(
            f"{file} cannot be read: {error}.", "Or use another one: --config FILE."
        ) from error
    for name in ("tool", "outlive", "lint"):
        data = data.get(name, {})
        if not isinstance(data, dict):
            raise UsageError(f"{file}: [tool.outlive.lint] is not a table.")
    return data


def _words(table: Mapping[str, Any], name: str, file: Path | None) -> tuple[str, ...]:
    value = table.get(name, [])
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise UsageError(f"{file}: {name} of [tool.outlive.lint] is not a list of strings.")
    return tuple(value)
