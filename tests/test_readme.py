"""The README keeps up with the product: every command, every cause, no dead link."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from outlive.commands import cli
from outlive.unit import cause, discover

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("unit", discover(cause), ids=lambda unit: unit.slug)
def test_every_cause_is_named(unit) -> None:
    assert f"`{unit.slug}`" in README


@pytest.mark.parametrize("name", sorted(cli.commands))
def test_every_command_is_shown(name: str) -> None:
    assert f"`outlive {name}" in README


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))

    assert [] == [link for link in links if not (page.parent / link).exists()]


def test_the_first_screen_says_what_it_is_and_shows_a_verdict() -> None:
    screen = README.splitlines()[:30]

    assert any("outlive run" in line for line in screen)
    assert any(line.strip().startswith("Why ") for line in screen)
    assert any(line.strip().startswith("Fix ") for line in screen)
