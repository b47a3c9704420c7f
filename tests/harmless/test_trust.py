"""The page of figures is what the generator makes of the committed figures; a part that was not run says so."""

from __future__ import annotations

import importlib.util
import json
from collections import Counter

import pytest

from harmless.comparing import ROOT
from harmless.figures import figures
from harmless.parts import Parts


@pytest.fixture
def trust():
    spec = importlib.util.spec_from_file_location("trust", ROOT / "docs" / "trust.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SEEN = [
    ["exits/a", "3.11", "same", 0.1, 0.4, ""],
    ["exits/b", "3.11", "differs", 0.1, 0.4, "stdout\n  bare: 1\n  watched: 2"],
    ["exits/a", "3.13t", "documented", 0.1, 0.4, "stdout"],
    ["measured/time_loop", "3.11", "same", 2.0, 3.0, ""],
    ["measured/memory_idle", "3.13t", "same", 10.0, 15.0, ""],
]


def test_the_page_is_made_of_the_committed_figures(trust):
    page = trust.PAGE.read_text(encoding="utf-8")

    assert page == trust.written(page, trust.committed())


def test_what_differed_is_named_and_counted(trust):
    made = trust.tables(
        {"programs": trust.shortened(figures(SEEN, {"3.11": Counter({"no gevent": 2})}))}
    )

    assert "| 3.11 | 3 | 2 | 0 | 1: `exits/b` | no gevent: 2 |" in made["programs"]
    assert "| 3.13t | 2 | 1 | 1 | 0 |  |" in made["programs"]
    assert "| loop | 2.00 s | 1.50 |" in made["time"]
    assert "| idle | 10 MB | 5 MB |" in made["memory"]


def test_a_part_that_was_not_run_says_so(trust, tmp_path):
    counts = {"tried": 10_000, "tracebacks": 0}
    told = {"date": "2026-01-02", "version": "1.0", "python": "3.11", "counts": counts}
    (tmp_path / "archives.json").write_text(json.dumps(told))

    made = trust.tables(trust.collected(tmp_path, {}))

    assert "Not run." == made["programs"]
    assert "| tried: 10000, tracebacks: 0 | 2026-01-02, 1.0, 3.11 |" in made["parts"]
    assert len(trust.PARTS) - 1 == made["parts"].count("| not run |")


def test_counts_of_a_part_are_summed_and_the_worst_is_kept(trust, tmp_path):
    parts = Parts(tmp_path)
    for seconds in (0.5, 1.5, 1.0):
        parts.add("messages", {"tried": 1, "most seconds": seconds})
    parts.pytest_sessionfinish()

    made = trust.tables(trust.collected(tmp_path, {}))

    assert "| tried: 3, most seconds: 1.5 |" in made["parts"]


def test_figures_of_a_part_that_did_not_run_again_stay(trust, tmp_path):
    before = {"secrets": {"counts": {"shown": 0}}}

    assert before == trust.collected(tmp_path, before)


def test_a_python_that_did_not_run_again_keeps_its_figures(trust):
    def run(*rows):
        return trust.shortened(figures(list(rows), {}))

    before = trust.merged({}, run(*SEEN))
    again = trust.merged(before, run(["exits/a", "3.11", "same", 0.1, 0.4, ""]))

    assert before["pythons"]["3.13t"] == again["pythons"]["3.13t"]
    assert (1, 0) == (again["pythons"]["3.11"]["tried"], len(again["pythons"]["3.11"]["differs"]))
    assert [2.0, 3.0] == again["measured"]["measured/time_loop"]["3.11"]


def test_a_python_that_cannot_be_had_is_named(trust):
    made = trust.tables({"programs": trust.shortened(figures(SEEN, {})) | {"absent": ["3.14"]}})

    assert "Not to be had here: 3.14." in made["programs"]
