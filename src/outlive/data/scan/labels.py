"""Label maps: ``.pbtxt`` of the Object Detection API, a plain list of names, or names by number."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from outlive.errors import UsageError

#: How lists name a number that no class has, as TensorFlow Lite's do.
NOBODY = "???"
BACKGROUND = (NOBODY, "background")

#: An item begins so; the white space is taken in one way only, so that no text makes this slow.
ITEM = re.compile(r"\bitem\s*(?::\s*)?\{")
#: A comment, a text in quotes (one that never ends is one, too), a bracket, a colon, a word: in one way through the file.
TOKEN = re.compile(
    r"""#[^\n]*|"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|[{}:]|[^\s{}:"'#]+""", re.DOTALL
)
NAMES = ("name", "display_name")
#: No detector has more classes than this has digits.
LONGEST_NUMBER = 9


def read_label_map(path: str) -> Mapping[int, frozenset[str]]:
    """Numbers and the names that go with each. A plain list is counted from 1, as TensorFlow's detectors do; its background is 0."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read(10_000_000)
    except OSError as error:
        raise UsageError(f"The label map {path} cannot be read: {error.strerror}.") from error
    found = _pbtxt(text, path) if ITEM.search(text) else _json(text, path) or _lines(text)
    if not found:
        raise UsageError(
            f"The label map {path} contains no label.",
            "Give a .pbtxt with items, a JSON object, or one name per line.",
        )
    return found


def _pbtxt(text: str, path: str) -> Mapping[int, frozenset[str]]:
    found = {}
    for fields in _items(text):
        if "id" in fields:
            names = {value for key in NAMES for value in fields.get(key, ())}
            found[_number(fields["id"][0], path)] = frozenset(names)
    return found


def _items(text: str) -> Iterator[dict[str, list[str]]]:
    """The fields of each item, by name; those of messages within it are not its own."""
    fields: dict[str, list[str]] = {}
    depth, words = 0, ["", ""]
    for token in (found[0] for found in TOKEN.finditer(text)):
        if token.startswith("#") or token == ":":
            continue
        if token == "{":
            depth = depth + 1 if depth else int(words[-1] == "item")
            fields = {} if depth == 1 else fields
        elif token == "}" and depth:
            depth -= 1
            if not depth:
                yield fields
        elif depth == 1 and words[-1] in ("id", *NAMES):
            fields.setdefault(words[-1], []).append(_unquoted(token))
            token = ""
        words = [words[-1], token]


def _unquoted(token: str) -> str:
    """The text between quotes, with what is escaped in it left as it is."""
    quoted = len(token) > 1 and token[0] in "\"'" and token[0] == token[-1]
    return token[1:-1] if quoted else token


def _number(text: str, path: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= LONGEST_NUMBER):
        raise UsageError(
            f"The label map {path} has a label whose number is {text[:40]!r}.",
            f"Numbers of labels have at most {LONGEST_NUMBER} digits, 0 to 9.",
        )
    return int(text)


def _json(text: str, path: str) -> Mapping[int, frozenset[str]]:
    """A list or an object; nothing for a text that is meant as neither."""
    if not text.lstrip().startswith(("[", "{")):
        return {}
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(
            f"The label map {path} is not valid JSON: {str(error)[:100]}.",
            "Give a .pbtxt with items, a JSON object, or one name per line.",
        ) from error
    if isinstance(data, list):
        return _counted([str(name) for name in data])
    return {
        _number(number, path): frozenset({str(name)})
        for number, name in data.items()
        if number.isdigit()
    }


def _lines(text: str) -> Mapping[int, frozenset[str]]:
    return _counted([line.strip() for line in text.splitlines() if line.strip()])


def _counted(names: list[str]) -> Mapping[int, frozenset[str]]:
    """From 1; a list that begins with the background gives it its place, 0, and would move all others by one otherwise."""
    first = 0 if names and names[0].strip("_").lower() in BACKGROUND else 1
    return {
        number: frozenset({name})
        for number, name in enumerate(names, first)
        if number > 0 and name != NOBODY
    }
