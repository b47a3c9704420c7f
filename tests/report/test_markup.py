"""HTML that escapes by construction: no text of a program becomes markup, and mypy refuses who forgets it."""

from __future__ import annotations

import ast
import functools
import re
import subprocess
import sys
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

import outlive
from outlive.report.markup import Html, data, escaped, joined, lines, markup, prose

SOURCE = Path(outlive.__file__).parent
HOSTILE = "</script><img src=x onerror=alert(1)>\"'&`<b>` {} {0} {x} %s\x1b[31m\x00\u202e"


@functools.cache
def trees() -> dict[Path, ast.Module]:
    """Every module of Outlive, parsed when a test asks."""
    return {path.relative_to(SOURCE): ast.parse(path.read_text()) for path in SOURCE.rglob("*.py")}


def test_a_text_is_escaped_and_markup_is_not() -> None:
    inner = markup("<b>{}</b>", "1 < 2")

    assert "<p><b>1 &lt; 2</b> &amp; 3.5 &#x27;</p>" == markup(
        "<p>{} {} {:.1f} {}</p>", inner, "&", 3.49, "'"
    )
    assert "<b>1 &lt; 2</b>&lt;<b>1 &lt; 2</b>" == joined([inner, inner], "<")
    assert "<code>a&lt;b</code> &lt;c&gt;" == prose("`a<b` <c>")


@given(st.text())
def test_no_text_becomes_a_tag_or_ends_an_attribute(text: str) -> None:
    for made in (escaped(text), lines(text), markup("{}", text)):
        assert isinstance(made, Html)
        assert not set("<>\"'") & set(made)
    assert "<" not in data(text)
    assert "<" not in prose(text).replace("<code>", "").replace("</code>", "")


def test_any_other_value_is_told_as_text() -> None:
    class Sly:
        def __str__(self) -> str:
            return "<script>"

        def __format__(self, spec: str) -> str:
            return "<script>"

    class SlyText(str):
        __slots__ = ()

        def __format__(self, spec: str) -> str:
            return "<script>"

    assert "&lt;script&gt; None a" == markup("{} {} {}", Sly(), None, SlyText("a"))


def test_a_template_stands_in_the_source() -> None:
    """One that is put together holds whatever it was put together of."""
    made = [
        f"{path}:{node.lineno}"
        for path, tree in trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and getattr(node.func, "id", getattr(node.func, "attr", "")) == "markup"
        and not (node.args and isinstance(node.args[0], ast.Constant))
    ]

    assert [] == made


def test_markup_is_made_in_one_module_alone() -> None:
    makers = {
        str(path)
        for path, tree in trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Html"
    }
    tags = {
        str(path)
        for path, tree in trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        and any(isinstance(it, ast.Constant) and "</" in str(it.value) for it in node.values)
    }

    assert {"report/markup.py"} == makers
    # The summary of a GitHub workflow is Markdown, which has an escape of its own (tests/report/test_workflow.py).
    assert {"report/hooks/github.py"} == {name for name in tags if name.startswith("report/")}


REFUSED = ("'<b>' + text", "text", "f'<b>{text}</b>'", "markup('<b>') + text")
ACCEPTED = ("markup('<b>{}</b>', text)", "joined([escaped(text)])", "prose(text)")


def test_mypy_refuses_a_text_where_markup_is_expected(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    head = "from outlive.report.markup import Html, escaped, joined, markup, prose\n"
    uses = [f"    part({one})\n" for one in (*REFUSED, *ACCEPTED)]
    program.write_text(
        f"{head}def part(one: Html) -> None: ...\ndef use(text: str) -> None:\n{''.join(uses)}"
    )

    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", str(program)],
        cwd=SOURCE.parent,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )

    found = re.findall(r"program\.py:(\d+): error: .*\[arg-type\]", done.stdout)
    assert [4 + number for number in range(len(REFUSED))] == [int(line) for line in found]
