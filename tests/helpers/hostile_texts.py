"""Every pattern of Outlive, and texts that are made to keep a pattern busy."""

from __future__ import annotations

import ast
import functools
import importlib
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import outlive

try:
    import re._parser as parser  # type: ignore[import-not-found,unused-ignore]  # Python 3.11 and later
except ImportError:
    import sre_parse as parser  # type: ignore[import-not-found,no-redef,unused-ignore]

#: What stands for a repeated character class: one that most of them take.
SAMPLES = ("x", "1", " ", "/", ".", "(", "'", '"', "\n", "=", ",", "[", "{", "<", ":", "-")


def modules() -> Iterator[ModuleType]:
    """Import every module of Outlive that can be imported here."""
    for found in pkgutil.walk_packages(outlive.__path__, "outlive."):
        if found.name.endswith("__main__") or ".inside." in found.name:
            continue
        try:
            yield importlib.import_module(found.name)
        except ImportError:
            continue  # needs what is not installed here


@functools.cache
def patterns() -> dict[tuple[str, str | bytes, int], re.Pattern[Any]]:
    """Every compiled pattern in a module, a class, a table or a row of one, by the module that holds it first."""
    found: dict[Any, re.Pattern[Any]] = {}
    seen: set[int] = set()
    known: set[tuple[Any, int]] = set()
    for module in modules():
        for value in vars(module).values():
            for pattern in _within(value, seen, 0):
                if (pattern.pattern, pattern.flags) not in known:
                    known.add((pattern.pattern, pattern.flags))
                    found[module.__name__, pattern.pattern, pattern.flags] = pattern
    return found


def _within(value: Any, seen: set[int], depth: int) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
        return
    if depth > 6 or id(value) in seen or isinstance(value, (str, bytes, int, ModuleType)):
        return
    seen.add(id(value))
    if isinstance(value, dict):
        parts = [*value.keys(), *value.values()]
    elif isinstance(value, (list, tuple, set, frozenset)):
        parts = list(value)
    elif type(value).__module__.startswith("outlive.") or isinstance(value, type):
        owner = value if isinstance(value, type) else type(value)
        if not owner.__module__.startswith("outlive."):
            return
        names = [*getattr(owner, "__slots__", ()), *getattr(value, "__dict__", ())]
        parts = [getattr(value, name, None) for name in names]
    else:
        return
    for part in parts:
        yield from _within(part, seen, depth + 1)


def inline_patterns(source: Path) -> dict[tuple[str, str | bytes, int], re.Pattern[Any]]:
    """Patterns that a function gives to ``re`` where it needs them, and those that the recorder keeps as text."""
    found: dict[Any, re.Pattern[Any]] = {}
    for path in source.rglob("*.py"):
        module = "outlive." + ".".join(path.relative_to(source).with_suffix("").parts)
        tree = ast.parse(path.read_text())
        kept = {
            target.id: node.value
            for node in tree.body
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for call in ast.walk(tree):
            if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)):
                continue
            if not (
                isinstance(call.func.value, ast.Name) and call.func.value.id == "re" and call.args
            ):
                continue
            text = call.args[0]
            text = kept.get(text.id, text) if isinstance(text, ast.Name) else text
            if isinstance(text, ast.Constant) and isinstance(text.value, (str, bytes)):
                flags = re.MULTILINE if "MULTILINE" in ast.unparse(call) else 0
                found[module, text.value, flags] = re.compile(text.value, flags)
    return found


#: Long texts as programs print them: a list of numbers, a rule, a dump, a token, a path, code, blank lines.
KINDS = {
    "one letter": "x",
    "rule": "=",
    "hashes": "#",
    "numbers": "0.14285714285714285, ",
    "digits": "1",
    "base64": "iVBORw0KGgoAAAANSUhEUgAA/+8=",
    "hexadecimal": "deadbeef00ff",
    "brackets": "[(",
    "blank": " ",
    "blank lines": " \n\t\n",
    "dotted words": "a.b.c.",
    "path": "/data/set one/x.jpg",
    "unicode": "ñ∑日本 ",
    "words": "must be with of the shape ",
    "quotes": "'a\" `b` ",
    "frames": '  File "a.py", line 1, in f\n',
}


def kinds(size: int) -> dict[str, str]:
    """A text of this size of each kind."""
    return {name: (part * (size // len(part) + 1))[:size] for name, part in KINDS.items()}


def made_from(pattern: re.Pattern[Any], size: int) -> list[str]:
    """Texts from a pattern's own structure: what each unbounded repeat is preceded by, over and over, and what it takes, over and over."""
    source = (
        pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin1")
    )
    tree = parser.parse(
        source,
        pattern.flags & ~re.DEBUG & ~re.UNICODE
        if isinstance(pattern.pattern, bytes)
        else pattern.flags,
    )
    parts = list(_stems(list(tree), ""))
    texts = []
    for before, inside in parts:
        stem = before[-60:]
        texts += [(stem or inside) * (size // len(stem or inside) + 1)]
        texts += [stem + inside * (size // len(inside) + 1)]
        half = size // 2
        texts += [
            (stem or inside) * (half // len(stem or inside) + 1)
            + inside * (half // len(inside) + 1)
        ]
    return [text[:size] for text in dict.fromkeys(texts) if text]


def _stems(tree: list[Any], before: str) -> Iterator[tuple[str, str]]:
    """Each repeat of a pattern: a text that leads to it, and one that it takes."""
    for operation, argument in tree:
        name = str(operation)
        if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            _, most, within = argument
            inside = _sample(list(within)) or "x"
            yield from _stems(list(within), before)
            if most is parser.MAXREPEAT or most > 100:
                yield before, inside
            before += inside
        elif name == "SUBPATTERN":
            yield from _stems(list(argument[-1]), before)
            before += _sample(list(argument[-1]))
        elif name == "BRANCH":
            for branch in argument[1]:
                yield from _stems(list(branch), before)
            before += _sample(list(argument[1][0]))
        else:
            before += _sample([(operation, argument)])


def _sample(tree: list[Any]) -> str:
    text = ""
    for operation, argument in tree:
        name = str(operation)
        if name == "LITERAL":
            text += chr(argument)
        elif name in ("IN", "NOT_LITERAL", "ANY", "CATEGORY", "RANGE"):
            single = re.compile(_of_one(operation, argument), re.DOTALL)
            text += next((c for c in SAMPLES if single.fullmatch(c)), "x")
        elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            least, _, within = argument
            text += _sample(list(within)) * max(least, 1 if least else 0)
        elif name in ("SUBPATTERN", "ATOMIC_GROUP"):
            text += _sample(list(argument[-1] if name == "SUBPATTERN" else argument))
        elif name == "BRANCH":
            text += _sample(list(argument[1][0]))
    return text


def _of_one(operation: Any, argument: Any) -> str:
    name = str(operation)
    if name == "ANY":
        return "."
    if name == "NOT_LITERAL":
        return f"[^{re.escape(chr(argument))}]"
    items = argument if name == "IN" else [(operation, argument)]
    text = ""
    for kind, value in items:
        if str(kind) == "NEGATE":
            text += "^"
        elif str(kind) == "LITERAL":
            text += re.escape(chr(value))
        elif str(kind) == "RANGE":
            text += f"{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}"
        elif str(kind) == "CATEGORY":
            text += {
                "CATEGORY_DIGIT": r"\d",
                "CATEGORY_NOT_DIGIT": r"\D",
                "CATEGORY_SPACE": r"\s",
                "CATEGORY_NOT_SPACE": r"\S",
                "CATEGORY_WORD": r"\w",
                "CATEGORY_NOT_WORD": r"\W",
            }[str(value)]
    return f"[{text}]"
