"""`make trust`: take over the figures of the last runs from `.harmless/*.json` and write the tables of trust.md anew.

The figures that are taken over are committed (trust.json, trust-parts.json), so that the page can be made again without running anything. A part that was
not run since keeps its last figures, with their date and version; of the compared programs, so does each Python. Every other file
holds `part` (else its name), `date`, `version`, `python` and `counts`: name -> number.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from statistics import median
from typing import Any

HERE = Path(__file__).resolve().parent
FIGURES = HERE / "trust.json"
#: Of everything but the compared programs: a file of its own, so that two who have measured do not write into one.
OF_PARTS = HERE / "trust-parts.json"
PAGE = HERE / "trust.md"
FRESH = HERE.parent / ".harmless"

#: Part -> what is tried, what is promised.
PARTS = {
    "forged-records": (
        "forged records given to `outlive why`",
        "no traceback, at most 2 s and 200 MB each",
    ),
    "archives": (
        "hostile archives given to `outlive why`",
        "no traceback, nothing written outside",
    ),
    "secrets": ("secrets of every shape in every place", "none in any output with `--share`"),
    "forks": ("1,000 × `os.fork` and 150 × `python -c`", "at most 1.2 times the CPU time"),
    "messages": ("hostile messages of 1 MB", "judged within 2 s each"),
    "detect": ("kills of `outlive detect` at any moment", "every result exactly once"),
}

Figures = dict[str, Any]


def collected(fresh: Path, before: Figures) -> Figures:
    """The figures that were committed, those of the parts that have run since in their place."""
    found = dict(before)
    for path in sorted(fresh.glob("*.json")):
        figures = json.loads(path.read_text(encoding="utf-8"))
        part = figures.pop("part", path.stem)
        known = part == "programs" and found.get(part, {})
        found[part] = merged(known, shortened(figures)) if part == "programs" else figures
    return found


def merged(before: Figures, programs: Figures) -> Figures:
    """The Pythons that have run now, beside those that ran before."""
    measured = dict(before.get("measured", {}))
    for name, pairs in programs["measured"].items():
        measured[name] = measured.get(name, {}) | pairs
    pythons = before.get("pythons", {}) | programs["pythons"]
    absent = [version for version in programs["absent"] if version not in pythons]
    return {"pythons": pythons, "absent": absent, "measured": measured}


def shortened(programs: Figures) -> Figures:
    """Names alone of what differed: how it differed is for those who look into it."""
    pythons = {
        version: row | {"differs": sorted(row["differs"]), "noise": sorted(row["noise"])}
        for version, row in programs["pythons"].items()
    }
    return programs | {"pythons": pythons}


def tables(figures: Figures) -> dict[str, str]:
    """Name -> Markdown of each table of the page."""
    programs = figures.get("programs")
    return {
        "programs": _programs(programs) if programs else "Not run.",
        "time": _measured(programs, "measured/time_", "x") if programs else "Not run.",
        "memory": _measured(programs, "measured/memory_", "MB") if programs else "Not run.",
        "parts": _parts(figures),
    }


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _programs(programs: Figures) -> str:
    head = ["Python", "programs run", "the same", "differ as documented", "differ otherwise"]
    head += ["could not run here", "when"]
    pythons = sorted(programs["pythons"].items(), key=lambda one: _number(one[0]))
    rows = [_row(version, row) for version, row in pythons]
    absent = ", ".join(programs["absent"])
    return _table(head, rows) + (f"\n\nNot to be had here: {absent}." if absent else "")


def _row(version: str, row: Figures) -> list[str]:
    counts = [str(row[name]) for name in ("tried", "same", "documented")]
    skipped = "; ".join(f"{reason}: {n}" for reason, n in row["skipped"].items())
    return [version, *counts, _named(row), skipped, f"{row['date']}, {row['version']}"]


def _number(version: str) -> tuple[int, str]:
    return int(version.strip("t")[2:]), version


def _named(row: Figures) -> str:
    names = [*row["differs"], *(f"{name} (two bare runs differ)" for name in row["noise"])]
    return str(len(names)) + (": " + ", ".join(f"`{name}`" for name in names) if names else "")


def _measured(programs: Figures, prefix: str, unit: str) -> str:
    """Bare and watched of every program that measures itself, the median over all Pythons."""
    rows = []
    for name, pairs in programs["measured"].items():
        if name.startswith(prefix):
            bare = median(pair[0] for pair in pairs.values())
            more = median(_more(pair, unit) for pair in pairs.values())
            what = name.removeprefix(prefix).replace("_", " ")
            rows.append(
                [what, f"{bare:.2f} s" if unit == "x" else f"{bare:.0f} MB", _said(more, unit)]
            )
    head = ["program", "bare", "times as long" if unit == "x" else "more when watched"]
    return _table(head, rows)


def _more(pair: list[float], unit: str) -> float:
    return pair[1] / pair[0] if unit == "x" else pair[1] - pair[0]


def _said(value: float, unit: str) -> str:
    return f"{value:.2f}" if unit == "x" else f"{value:.0f} MB"


def _parts(figures: Figures) -> str:
    head = ["tried", "promised", "result", "when"]
    rows = [
        [what, promised, *_result(figures.get(part))] for part, (what, promised) in PARTS.items()
    ]
    rest = sorted(set(figures) - {*PARTS, "programs"})
    rows += [[part, "", *_result(figures[part])] for part in rest]
    return _table(head, rows)


def _result(figures: Figures | None) -> list[str]:
    if figures is None:
        return ["not run", ""]
    counts = ", ".join(f"{name}: {value}" for name, value in figures.get("counts", {}).items())
    told = (figures.get("date"), figures.get("version"), figures.get("python"))
    return [counts or "run", ", ".join(str(one) for one in told if one)]


def written(page: str, figures: Figures) -> str:
    """The page with its tables made anew; the words between them stay."""
    for name, table in tables(figures).items():
        place = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
        page = place.sub(lambda found, table=table: f"{found[1]}\n{table}\n\n{found[2]}", page)
    return page


def committed() -> Figures:
    """The figures that were taken over before."""
    known = [path for path in (FIGURES, OF_PARTS) if path.exists()]
    return {
        part: figures
        for path in known
        for part, figures in json.loads(path.read_text(encoding="utf-8")).items()
    }


def main() -> int:
    """Collect, keep, write."""
    figures = collected(FRESH, committed())
    programs = {name: figures[name] for name in figures if name == "programs"}
    rest = {name: figures[name] for name in figures if name != "programs"}
    for path, part in ((FIGURES, programs), (OF_PARTS, rest)):
        path.write_text(json.dumps(part, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), committed()), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
