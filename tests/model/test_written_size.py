"""Sizes as people and programs write them: one reader for the whole product."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import outlive
from conftest import Outlive
from outlive.errors import UsageError
from outlive.model.memory import Refusal
from outlive.model.sizes import MOST_BYTES, bytes_in

SOURCE = Path(outlive.__file__).parent
UNITS = {f"{step}{rest}" for step in "kmgtpe" for rest in ("", "b", "ib", "i")}


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("1GB", 10**9),
        ("1GiB", 2**30),
        ("1gib", 2**30),
        ("1Gi", 2**30),
        ("1g", 10**9),
        ("1.5 GB", 1_500_000_000),
        ("1.5 GiB", 3 * 2**29),
        (".5GB", 500_000_000),
        ("0.1GB", 100_000_000),
        ("  64   kib  ", 65_536),
        ("800MB", 800_000_000),
        ("3k", 3000),
        ("2TB", 2 * 10**12),
        ("2 TiB", 2**41),
        ("1PiB", 2**50),
        ("1 EiB", 2**60),
        ("7", 7),
        (7, 7),
        (1e9, 10**9),
        ("7 bytes", 7),
        ("7B", 7),
        ("1e9", 10**9),
        ("1_000_000", 10**6),
        ("9007199254740993", 9007199254740993),
        ("1.9", 1),
    ],
)  # fmt: skip
def test_a_size_is_read_exactly(written: int | float | str, expected: int) -> None:
    assert expected == bytes_in(written)


@pytest.mark.parametrize(
    "written",
    ["", " ", "much", "-3MB", "0", "0GB", "0.2", "nan", "nanGB", "inf", "-inf", "1e400", "99EiB", "1e19", "9" * 400, "1GX", "GB", "1 000",
     "1,5GB", "1.2.3GB", "0x10", "1GiBB", "1GB 2", "一GB", "١GB", float("nan"), float("inf"), -1, True, None],
)  # fmt: skip
def test_what_is_not_a_size_is_refused_with_its_words(written: object) -> None:
    with pytest.raises(UsageError) as error:
        bytes_in(written)  # type: ignore[arg-type]

    assert str(written)[:60] in error.value.message
    assert len(error.value.message) < 200
    assert "GiB" in error.value.help


@given(st.integers(1, MOST_BYTES))
def test_a_number_of_bytes_is_itself(number: int) -> None:
    assert number == bytes_in(number) == bytes_in(str(number)) == bytes_in(f" {number} B ")


@given(st.text(max_size=40))
def test_any_text_is_a_size_or_refused(text: str) -> None:
    try:
        assert 0 < bytes_in(text) <= MOST_BYTES
    except UsageError:
        pass


def test_numpys_words_are_read_by_the_same_reader() -> None:
    text = "Unable to allocate 1.50 GiB for an array with shape (402653184,) and data type float32"

    assert 3 * 2**29 == Refusal.in_text(text, "", None).bytes
    assert 512 == Refusal.in_text(text.replace("1.50 GiB", "512. bytes"), "", None).bytes


@pytest.mark.parametrize(
    "command",
    [
        ("plan", "--memory"),
        ("scan", ".", "--budget"),
        ("detect", "m", "i", "--out", "o", "--memory"),
        ("runs", "prune", "--max-size"),
    ],
)
def test_every_option_refuses_nonsense_in_the_same_words(
    outlive: Outlive, command: tuple[str, ...]
) -> None:
    done = outlive(*command, "1GX")

    assert 2 == done.status
    assert "'1GX' is not a size." in done.stderr and "2GiB" in done.stderr


def test_all_runs_may_go_and_so_a_size_of_nothing_is_one_there(outlive: Outlive) -> None:
    assert 0 == outlive("runs", "prune", "--max-size", "0").status
    assert 2 == outlive("scan", ".", "--budget", "0").status


def test_nothing_else_knows_the_units_of_a_size() -> None:
    """A table of units, or letters of units that are cut off a text, is a second reader."""
    found = {
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        if reads_sizes(ast.parse(path.read_text()))
    }

    assert {"model/sizes.py"} == found


@pytest.mark.parametrize(
    "code",
    [
        'BYTES = {"": 1, "b": 1, "kb": 1e3, "mb": 1e6}',
        'UNITS = {"KiB": 1 << 10, "MiB": 1 << 20}',
        'digits = text.rstrip("KMGT")',
        'text.removesuffix("GiB")',
        'dict(K=1, M=2)',
    ],
)  # fmt: skip
def test_the_law_knows_a_second_reader(code: str) -> None:
    assert reads_sizes(ast.parse(code))


def reads_sizes(tree: ast.Module) -> bool:
    return any(len(UNITS & set(_words(node))) >= 2 for node in ast.walk(tree))


def _words(node: ast.AST) -> list[str]:
    """What could be units in one node: the keys of a table, the letters that a method cuts off."""
    if isinstance(node, ast.Dict):
        return [str(it.value).lower() for it in node.keys if isinstance(it, ast.Constant)]
    if not isinstance(node, ast.Call):
        return []
    name = getattr(node.func, "attr", "")
    texts = [str(it.value).lower() for it in node.args if isinstance(it, ast.Constant)]
    if name in ("rstrip", "strip"):
        return [letter for text in texts for letter in text]
    if name in ("removesuffix", "endswith") and any(text in UNITS - set("kmgtpe") for text in texts):  # fmt: skip
        return ["kb", "mb"]
    return [word.arg.lower() for word in node.keywords if word.arg]
