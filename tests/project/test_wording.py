"""The product speaks technical English: words that readers did not understand are in no text that a user meets."""

from __future__ import annotations

import ast
import functools
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import outlive
from conftest import ROOT

SOURCE = Path(outlive.__file__).parent

#: A pattern, and what to say instead.
FORBIDDEN = {
    # "There is no run X", "it is no longer" and "is no more than" are good English; "X is no file" is not.
    r"(?<!here )(?<!here, )\b(?:is|are|was|were) no (?!longer\b|more\b|less\b|different\b|doubt\b)[a-zA-Z`]": "is not a …",
    r"\b[Mm]end(?:s|ed|ing)?\b": "fix",
    r"\b[Tt]he (?:program|process|worker) ended by\b": "was killed by …, ended with …",
    r"\bis none of (?:this|it)\b": "is a different …",
    r"\bthe program goes on\b": "the program continues",
    r"\bfor want of\b": "out of …, no … left",
    r"\b(?:at most|[Ww]ait|for|lives?|takes?) so long\b(?! as\b)": "for this long",
    r"\bcensus\b": "heap scan",
    r"\bmemory killer\b": "OOM killer",
    r"\b(?:is|are|be) let through\b|\(let through": "tolerance",
    r"\bat the (?:first|last) look\b": "first sample, last sample",
    r"\bUnread\b": "Not available",
    r"\b[Gg]o(?:es|ing)? on with\b": "resume, continue with",
    r"\bfit for an issue\b": "safe to paste into a bug report",
    r"\b(?:that|which) is known\b": "known …",
    r"\b(?:is|are) told (?:as|on|by)\b": "is reported as",
    r"\bsupervisor's clock\b": "measured by Outlive",
    r"\bgetrusage of the program\b": "getrusage",
    r"\belse what there is\b|\bas \d+[GM]B; else\b": "e.g. 2GB (default: what is available)",
    r"\bspoils it silently\b": "silently corrupts training",
    r"\bis only said what\b": "only show what",
    r"\brun is like that\b": "no run matches",
    r"\bended well, healed\b": "succeeded on attempt …",
    r"\bnothing that is done is done again\b": "finished … are skipped",
    r"\bfiles are data\b|\bwith flaws\b": "Checked … files; … have problems",
    r"\bmixes within\b": "buffer reduced from … to …",
    r"\bcontrol groups?\b": "cgroup",
    r"\b(?:to be )?switched on\b": "enabled",
    r"\bcould not be asked\b": "the check for … failed",
    r"\bnothing that was recorded decides it\b": "nothing recorded is conclusive",
    r"\bmemory (?:that )?there is\b": "the available memory",
    r"\bgraphics cards?\b": "GPU",
    r"\b(?:each|one|next|another|every|look after) look\b": "sample, heap scan",
    r"\bmemory (?:is|was) in danger\b": "memory is high",
    r"\blikely only\b|\blikely and not proven\b": "only likely",
    r"\b(?:anew|afresh)\b": "again",
    r"\bfor ever\b": "forever",
    r"\bwithout a word\b": "silently",
    r"\bin the night\b": "overnight",
    r"\bturns? of the loop\b|\bfrom turn to turn\b": "iteration",
    r"\b(?:needs? no|without a) switch\b": "nothing to enable",
    r"\bkernel goes on\b|\bgoing on without\b": "continues",
    r"\bno whole number\b|\bneither yes nor no\b": "not an integer, not true or false",
}  # fmt: skip
PATTERN = {re.compile(pattern): better for pattern, better in FORBIDDEN.items()}

#: Texts of earlier versions, by which their verdicts are read: nobody is shown them as ours.
OLD_TEXTS = frozenset({"model/fact_names.py:FORMER_NAMES", "inside/notes/kinds.py"})

#: Functions with one of these decorators have a docstring that a user reads: a manual page, or the help of a command.
PAGES = frozenset({"cause", "check", "rule", "remedy", "command", "group"})


def wrong_in(text: str) -> list[str]:
    """Find what is not said so any more."""
    flat = " ".join(text.split())
    return [
        f"{found[0]!r} in {flat[max(0, found.start() - 40) : found.end() + 40]!r}: say {better!r}"
        for pattern, better in PATTERN.items()
        for found in pattern.finditer(flat)
    ]


def texts_in(module: str, source: str) -> Iterator[tuple[int, str]]:
    """Give the texts of a module: its constants, and the docstrings that are pages of the manual."""
    tree = ast.parse(source)
    hidden: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            hidden.add(id(node.value))
        if isinstance(node, ast.Assign) and any(
            f"{module}:{getattr(target, 'id', '')}" in OLD_TEXTS for target in node.targets
        ):
            hidden |= {id(inner) for inner in ast.walk(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and any(map(_is_page, node.decorator_list)):
            yield node.lineno, ast.get_docstring(node) or ""
        if isinstance(node, ast.JoinedStr):
            hidden |= {id(part) for part in node.values}
            yield (
                node.lineno,
                "".join(
                    str(part.value) if isinstance(part, ast.Constant) else "…"
                    for part in node.values
                ),
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            shown = id(node) not in hidden and " " in node.value  # one word may be a key
            yield from [(node.lineno, node.value)] if shown else []


def _is_page(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
    return name in PAGES


@functools.cache
def modules() -> dict[str, str]:
    return {
        path.relative_to(SOURCE).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(SOURCE.rglob("*.py"))
        if path.relative_to(SOURCE).as_posix() not in OLD_TEXTS
    }


def wrong_in_modules(sources: dict[str, str]) -> list[str]:
    """Find the words in the texts of modules, each with its place."""
    return [
        f"{module}:{line}: {wrong}"
        for module, source in sources.items()
        for line, text in texts_in(module, source)
        for wrong in wrong_in(text)
    ]


def documents() -> list[Path]:
    """Give the manual, without the decisions: those are for whoever changes the code."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs" / "tutorials").glob("*.md"))]  # fmt: skip


def without_code(text: str) -> str:
    """Leave out code and names in backticks: they are not ours to choose."""
    return re.sub(r"```python.*?```|`[^`\n]*`", "…", text, flags=re.DOTALL)


def test_no_text_of_the_product_has_a_word_that_users_did_not_understand() -> None:
    assert [] == wrong_in_modules(modules())


@pytest.mark.parametrize("page", documents(), ids=lambda page: page.stem)
def test_no_page_of_the_manual_has_one(page: Path) -> None:
    assert [] == wrong_in(without_code(page.read_text(encoding="utf-8")))


def test_no_kept_verdict_has_one() -> None:
    for path in sorted((ROOT / "docs" / "verdicts").glob("*.json")):
        text = json.dumps(json.loads(path.read_text(encoding="utf-8")), ensure_ascii=False)
        assert [] == wrong_in(text), path.name


@pytest.mark.parametrize(
    ("planted", "word"),
    [
        ('print(f"{name} is no model that is known")', "is no m"),
        ('click.option("--fix", help="Mend what can be mended.")', "mended"),
        ('Fact("elements", 3, "census in the program")', "census"),
        ('raise OutliveError("A write failed for want of room.")', "for want of"),
        ('click.option("--wait", help="Wait so long for agents.")', "Wait so long"),
        ('@cause("D1")\ndef made_up():\n    """The memory killer ends it."""', "memory killer"),
        ('say("elements at the " "first look")', "at the first look"),
        ('say("the count was higher at each look")', "each look"),
        (
            '@check("H1")\ndef made_up():\n    """Is sized by the memory there is."""',
            "memory there is",
        ),
    ],
)
def test_a_planted_text_is_found(planted: str, word: str) -> None:
    found = wrong_in_modules({"report/made_up.py": planted})

    assert any(word.lower() in it.lower() for it in found), found


@pytest.mark.parametrize(
    "text",
    [
        "There is no run named x.",
        "There is no cause, check, rule, remedy or watch x.",
        "The name is no longer used.",
        "It was killed after 6.6 s.",
        "as so long as needed",
        "Linux killed the program when its cgroup reached the memory limit of 2 GB.",
    ],
)
def test_good_english_is_let_be(text: str) -> None:
    assert [] == wrong_in(text)
