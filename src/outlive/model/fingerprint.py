"""A verdict in a dozen characters that stay the same when lines move: equal ones are one fault, met again. Pure.

What goes in: the cause, the class of the exception where the cause is general, the file's own name, the function, and the words of the blamed
line without comments, spaces and numbers. What does not: line numbers, folders, measured values, hosts, process numbers. Where no line is known,
the name of the program and the sentence without its numbers and paths stand for the place.

The first part of a fingerprint is the version of these rules. Fingerprints of two versions are never compared; they are made anew from the verdicts.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

from outlive.model.findings import EndingKind
from outlive.model.patterns import bounded

VERSION = 1

#: Causes that say no more than that an exception, or an exit, ended the program: the class tells two of one line apart.
GENERAL = frozenset({"uncaught-exception", "background-error-lost", "exited-by-program"})
CLASS = bounded(r"\b([A-Z]\w*(?:Error|Exception|Interrupt|Exit|Warning|Iteration))\b")

COMMENT = bounded(r"(?:^|\s)#[^'\"]*$")
NUMBER = bounded(r"\b0[xX][0-9a-fA-F]+|(?<![\w.])\d[\d_]*(?:\.\d*)?(?:[eE][+-]?\d+)?")
#: In a sentence: what stands in quotes, folders, and numbers with a unit.
NAMED = bounded(r"`[^`]*`|'[^']*'|\"[^\"]*\"|(?:/[\w.+-]+)+")
AMOUNT = bounded(r"\d[\d.,_]*")
CELL = bounded(r"In \[\d+\]")

#: Python 3.12 has no functions of these names any more: the code belongs to the function around it.
NO_FUNCTION = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>"})


def fingerprint(verdict: Mapping[str, Any], program: str = "") -> str:
    """Of a verdict as JSON (`outlive.verdict/1`), and the name of the program; empty for one in which nothing is wrong."""
    cause, ending = verdict.get("cause"), verdict.get("ending") or {}
    if cause is None and EndingKind(ending["kind"]) is EndingKind.SUCCESS:
        return ""
    parts = _of_a_cause(cause, program) if cause is not None else _of_an_end(ending, program)
    text = "\x1f".join([str(VERSION), *parts])
    return f"{VERSION}-{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:12]}"


def _of_a_cause(cause: Mapping[str, Any], program: str) -> list[str]:
    slug, says, where = str(cause["slug"]), str(cause["says"]), cause.get("where")
    kind = CLASS.search(says) if slug in GENERAL else None
    parts = [slug, kind[1] if kind is not None else ""]
    if where is None:
        return [*parts, program, sentence(says)]
    file = CELL.sub("In []", str(where["file"]).rpartition("/")[2])
    function = str(where.get("function") or "")
    return [
        *parts,
        file,
        "" if function in NO_FUNCTION else function,
        line(str(where.get("code") or "")),
    ]


def _of_an_end(ending: Mapping[str, Any], program: str) -> list[str]:
    """Nobody knows why: then how it ended, of what program."""
    return [
        "unknown",
        str(ending.get("kind")),
        str(ending.get("signal")),
        str(ending.get("exit_code")),
        program,
    ]


def line(code: str) -> str:
    """A line of source without comment, spaces, and the numbers that people try out."""
    return re.sub(r"\s", "", NUMBER.sub("0", COMMENT.sub("", code))).replace('"', "'")


def sentence(says: str) -> str:
    """A sentence without what was measured or named."""
    return AMOUNT.sub("0", NAMED.sub("…", says))
