"""A fingerprint is the same when lines move, and another one when the fault is."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from outlive.model.fingerprint import VERSION, fingerprint, line, sentence

KEPT = sorted((Path(__file__).parents[2] / "docs" / "verdicts").glob("*.json"))


def verdict(slug: str = "kept-in-container", says: str = "The list holds 3 arrays.", **where: Any) -> dict[str, Any]:  # fmt: skip
    place = {
        "file": "train.py",
        "line": 7,
        "function": "load",
        "code": "kept.append(read(3))",
    } | where
    return {"ending": {"kind": "signal"}, "cause": {"slug": slug, "says": says, "where": place}}


def test_no_two_verdicts_of_the_manual_have_the_same() -> None:
    seen = defaultdict(list)
    for path in KEPT:
        kept = json.loads(path.read_text())
        seen[fingerprint(kept["verdict"], str(kept.get("program")))].append(path.stem)

    assert len(KEPT) > 50
    assert [] == [names for names in seen.values() if len(names) > 1]


@pytest.mark.parametrize(
    "where",
    [
        {"line": 700},
        {"file": "/home/somebody/else/train.py"},
        {"code": "kept.append( read(300) )  # the new reader"},
        {"code": "    kept.append(read(3))"},
    ],
)
def test_it_survives_moved_lines_other_folders_numbers_spaces_and_comments(
    where: dict[str, Any],
) -> None:
    assert fingerprint(verdict()) == fingerprint(verdict(**where))


@pytest.mark.parametrize(
    "other",
    [
        verdict(function="store"),
        verdict(code="kept.append(write(3))"),
        verdict(file="predict.py"),
        verdict(slug="native-leak"),
    ],
)
def test_another_function_line_file_or_cause_is_another_fault(other: dict[str, Any]) -> None:
    assert fingerprint(verdict()) != fingerprint(other)


def test_two_exceptions_at_one_line_are_two_faults() -> None:
    one, other = (
        verdict("uncaught-exception", f"{kind}: no 3") for kind in ("KeyError", "ValueError")
    )

    assert fingerprint(one) != fingerprint(other)


def test_measured_values_do_not_count_where_no_line_is_known() -> None:
    one, other = (
        {
            "ending": {"kind": "signal"},
            "cause": {"slug": "killed-by-process", "says": says, "where": None},
        }
        for says in ("It used 426 MB of 1.5 GB in `/a/b`.", "It used 1.1 GB of 2 GB in `/c`.")
    )

    assert fingerprint(one, "train.py").partition("-")[0] == str(VERSION)
    assert fingerprint(one, "train.py") != fingerprint(one, "other.py")
    assert "It used 0 MB of 0 GB in …." == sentence(one["cause"]["says"])
    assert "It used 0 GB of 0 GB in …." == sentence(other["cause"]["says"])


def test_a_number_in_a_name_or_a_text_counts() -> None:
    assert line("load(part1)") != line("load(part2)")
    assert line("x[2]") == line("x[3]")


def test_a_run_in_which_nothing_is_wrong_has_none() -> None:
    assert "" == fingerprint({"ending": {"kind": "success"}, "cause": None})
    assert fingerprint({"ending": {"kind": "exit", "exit_code": 3}, "cause": None}, "a.py")
