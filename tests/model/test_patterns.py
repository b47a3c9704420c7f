"""What a program prints must not decide how long it takes to judge it: every pattern is held to it."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from hostile_texts import inline_patterns, kinds, made_from, patterns
from outlive.model.patterns import LONGEST_MESSAGE, bounded, excerpt, has_word

SOURCE = Path(__file__).parent.parent.parent / "src" / "outlive"

#: CPU seconds for one text. A pattern that works with the square of 64,000 characters takes ten and more.
MOST_SECONDS = 0.6
MOST_CHARACTERS = 64_000

#: Who meets no text from outside, or meets it under another law.
EXEMPT = {
    "outlive.model.patterns",  # compiles the patterns of Outlive itself
    "outlive.data.scan.labels",  # label maps have tests of their own
}

#: Who may search for what is known only when it runs: a name of the user's, a constant that the recorder compiles late.
LATE = {"model/patterns.py", "report/share.py", "units/unit.py"}


def _all_patterns() -> list[Any]:
    found = {**patterns(), **inline_patterns(SOURCE)}
    return [
        pytest.param(
            pattern,
            LONGEST_MESSAGE if module.startswith("outlive.units.complaints") else MOST_CHARACTERS,
            id=f"{module.removeprefix('outlive.')}: {str(text)[:40]}",
        )
        for (module, text, _), pattern in found.items()
        if module not in EXEMPT
    ]


def test_the_patterns_are_found() -> None:
    found = {module for module, _, _ in patterns()}
    assert {
        "outlive.units.complaints",
        "outlive.units.causes.disk_full",
        "outlive.coroner.readings.source_lines",
    } <= found
    assert len(patterns()) > 300


def test_every_pattern_is_done_soon_with_any_text() -> None:
    slow = {}
    for given in _all_patterns():
        pattern, longest = given.values
        for size in (longest // 16, longest):  # one that is much too slow is found early
            texts = {**kinds(size), **{text[:60]: text for text in made_from(pattern, size)}}
            for name, text in texts.items():
                spent = _seconds(pattern, text)
                if spent > MOST_SECONDS:
                    slow[given.id, name, size] = round(spent, 1)
            if slow and next(reversed(slow))[0] == given.id:
                break
    assert not slow


def _seconds(pattern: re.Pattern[Any], text: str) -> float:
    began = time.thread_time()
    pattern.search(text.encode() if isinstance(pattern.pattern, bytes) else text)
    return time.thread_time() - began


def test_no_pattern_is_made_of_what_comes_from_outside() -> None:
    """Then nobody could have measured it."""
    found = []
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        if name in LATE or name.startswith("inside/"):
            continue
        for call in ast.walk(ast.parse(path.read_text())):
            if _uses_re(call) and not isinstance(call.args[0], ast.Constant):  # type: ignore[attr-defined]
                found.append(f"{name}:{call.lineno}")  # type: ignore[attr-defined]
    assert not found


def _uses_re(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "re"
        and node.func.attr
        in ("search", "match", "fullmatch", "sub", "findall", "finditer", "split")
    )


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"a+b", "aaab"),
        (r"[+*]\+\*", "++*"),
        (r"[]*]x*", "*xx"),
        (r"[^]+]*\\*", "abc\\"),
        (r"(?P<a>\w+?) \1*", "b  "),
    ],
)
def test_a_bounded_pattern_means_the_same(pattern: str, text: str) -> None:
    ours, theirs = bounded(pattern).search(text), re.search(pattern, text)
    assert ours is not None and theirs is not None
    assert ours.span() == theirs.span()


def test_a_long_text_keeps_its_beginning_and_its_end() -> None:
    text = "begin" + "x" * 100_000 + "end"
    cut = excerpt(text, 1000)
    assert len(cut) <= 1010
    assert cut.startswith("beginx")
    assert cut.endswith("xend")
    assert excerpt("short") == "short"


def test_a_word_is_found_by_itself() -> None:
    assert has_word("x = load(a)", "a")
    assert not has_word("x = load(ab)", "a")
    assert has_word("load(a)", "load", "(")
    assert not has_word("load [a]", "load", "(")


#: What people print: 1 MB of each, as the message and on stderr.
HOSTILE = (
    "one letter",
    "rule",
    "hashes",
    "numbers",
    "base64",
    "hexadecimal",
    "brackets",
    "blank lines",
)
JUDGED_AGAIN = ("rule", "numbers", "brackets")
PRINTS = """
import sys
text = open(sys.argv[1]).read()
sys.stderr.write(text + "\\n")
raise ValueError(text)
"""

#: CPU seconds; a short message takes 0.5 to 0.7 with the start of Python, of which a busy machine takes a multiple.
MOST_CPU_SECONDS = 3.0


def _cpu_seconds_of(command: list[str], environment: dict[str, str]) -> tuple[float, int]:
    before = os.times()
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    after = os.times()
    spent = after.children_user + after.children_system
    return spent - before.children_user - before.children_system, done.returncode


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_megabyte_is_judged_in_a_moment(kind: str, tmp_path: Path) -> None:
    (tmp_path / "text").write_text(kinds(1_000_000)[kind])
    (tmp_path / "program.py").write_text(PRINTS)
    outlive = [sys.executable, "-m", "outlive"]
    program = [sys.executable, str(tmp_path / "program.py"), str(tmp_path / "text")]
    environment = {**os.environ, "OUTLIVE_HOME": str(tmp_path / "home")}
    later = [
        [*outlive, "why", "--again"],
        [*outlive, "why", "--html", str(tmp_path / "page.html"), "--share"],
    ]
    for command in [[*outlive, "run", "--", *program], *(later if kind in JUDGED_AGAIN else ())]:
        spent, status = _cpu_seconds_of(command, environment)
        assert status == 1
        assert spent < MOST_CPU_SECONDS, command


#: Of the bar: a message of 1 MB is judged within this, by the clock too, on a machine that does nothing else.
BAR_SECONDS = 2.0


@pytest.mark.harmless
@pytest.mark.parametrize("kind", HOSTILE)
def test_how_long_a_megabyte_takes(kind: str, tmp_path: Path, record_property: Any) -> None:
    """Measures, and asserts nothing of the clock: other programs run beside it."""
    (tmp_path / "text").write_text(kinds(1_000_000)[kind])
    (tmp_path / "program.py").write_text(PRINTS)
    program = [sys.executable, str(tmp_path / "program.py"), str(tmp_path / "text")]
    environment = {**os.environ, "OUTLIVE_HOME": str(tmp_path / "home")}
    began = time.monotonic()
    spent, status = _cpu_seconds_of(
        [sys.executable, "-m", "outlive", "run", "--", *program], environment
    )
    seconds = time.monotonic() - began

    over = {"over 2 s of CPU": int(spent > BAR_SECONDS), "over 2 s": int(seconds > BAR_SECONDS)}
    most = {"most seconds of CPU": round(spent, 2), "most seconds": round(seconds, 2)}
    record_property("part", ["messages", {"tried": 1} | most | over])
    assert status == 1
    assert spent <= BAR_SECONDS
