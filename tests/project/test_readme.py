"""The README keeps up with the product: every command, no cause that does not exist, no dead link."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from outlive.cli.command_line import cli
from outlive.units.unit import cause, discover

ROOT = Path(__file__).parent.parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = (ROOT / "docs/commands.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def test_the_causes_that_are_named_exist() -> None:
    _, _, table = COMMANDS.partition("## What it can tell apart\n")
    named = re.findall(r"`([a-z]+(?:-[a-z]+)+)`", table)

    assert len(named) >= 20
    assert set(named) <= {unit.slug for unit in discover(cause)}


@pytest.mark.parametrize("name", sorted(cli.commands))
def test_every_command_is_shown(name: str) -> None:
    assert f"`outlive {name}" in README
    assert f"`outlive {name}" in COMMANDS


def test_it_is_short() -> None:
    assert len(README.splitlines()) <= 100
    assert len(README.split()) <= 900


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))

    assert [] == [link for link in links if not (page.parent / link).exists()]


def test_the_first_screen_says_what_it_is_and_shows_a_verdict() -> None:
    screen = README.splitlines()[:30]

    assert any("outlive run" in line for line in screen)
    assert any(line.strip().startswith("Why ") for line in screen)
    assert any(line.strip().startswith("Fix ") for line in screen)
