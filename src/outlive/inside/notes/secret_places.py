"""Secrets that a format or a command sets apart from their name: XML, blocks of YAML, .netrc, PuTTY's keys, passwords of commands, sentences.

Loaded inside the watched program too: nothing is compiled before a text has the letters without which it cannot match.
Every repetition has an end, so that a text of any length is searched in time that grows with its length.
"""

from __future__ import annotations

from .secret_names import STRONG, is_secret_value, looks_made, pattern, secrecy

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    import re

MASK = "***"

#: ``<password type="clear">value</password>``
ELEMENT = r"(<(?:[\w.-]{1,40}:)?([\w.-]{1,80})(?:\s[^<>]{0,200})?>)([^<>\s][^<>]{0,4000})(?=<)"

#: ``password: |`` and the lines below that are further to the right.
BLOCK = (
    r"(?mi)^([ \t]{0,80})(?:-[ \t]{1,8})?([\w.\"'-]{0,40}(?:pass|pwd|secret|token|key|auth|cred)[\w.\"'-]{0,40}):"
    r"[ \t]{0,8}(?:[|>][+-]?\d?[ \t]{0,8})?\n((?:\1[ \t]{1,40}\S[^\n]{0,4000}(?:\n|\Z)){1,200})"
)
#: Blocks within blocks that are looked into.
DEEPEST = 4
LINE = r"(?m)^([ \t]+)\S.*$"
#: A line of a block that is a mapping or a list of its own.
NESTED = r"[ \t]*(?:-[ \t]|[\w.\"'-]{1,80}:(?:[ \t]|$))"

#: ``machine example.org login me password value``
NETRC = r"(\blogin\s{1,8}\S{1,200}\s{1,8}password\s{1,8})(\S{1,500})"

PUTTY = r"(Private-Lines: \d{1,3}(?:\r?\n|\\n))((?:[A-Za-z0-9+/=]{4,80}(?:\r?\n|\\n|\Z)){1,200})"

#: ``the password is value``
SENTENCE = r"(?i)(\b(?:password|passphrase|secret|token|api[ _-]?key)\s{1,4}(?:is|was)\s{1,4}[\"'`]?)([^\s\"'`,;]{6,500})"

#: Between the words of a command line, also as Python shows a list of them.
GAP = r"[\"',\s]{1,6}"
#: The password is glued to ``-p`` in these, and follows it in those.
GLUED = r"(\b(?:mysql|mariadb)[\w-]{0,12}\b[^\n]{0,300}?[\s\"']-p)([^\s\"']{3,500})"
APART = (
    rf"(\b(?:sshpass|docker{GAP}login|podman{GAP}login|redis-cli|ldap(?:search|modify|add|delete))\b[^\n]{{0,200}}?[\s\"']-[paw]{GAP})"
    r"([^\s\"'-][^\s\"']{2,500})"
)


def without_placed(text: str, keep_lines: bool) -> str:
    """Hide what stands where one of these formats has a secret; ``keep_lines``: of a source, whose lines must keep their numbers."""
    lower = text.lower()
    if "</" in text and any(word in lower for word in ("pass", "pwd", "secret", "token", "key")):
        text = pattern(ELEMENT).sub(_hide_element, text)
    if ":" in text and "\n" in text and not keep_lines:
        text = _without_blocks(text)
    if "password" in lower and "login" in lower:
        text = pattern(NETRC).sub(lambda found: f"{found[1]}{MASK}", text)
    if "Private-Lines: " in text:
        text = pattern(PUTTY).sub(lambda found: found[1] + _lines(found[2]), text)
    if " is " in lower or " was " in lower:
        text = pattern(SENTENCE).sub(_hide_made, text)
    if "-p" in text and ("mysql" in text or "mariadb" in text):
        text = pattern(GLUED).sub(lambda found: f"{found[1]}{MASK}", text)
    if any(command in text for command in ("sshpass", "login", "redis-cli", "ldap")):
        text = pattern(APART).sub(lambda found: f"{found[1]}{MASK}", text)
    return text


def _lines(secret: str) -> str:
    return MASK + "\n" * secret.count("\n")


def _hide_element(found: re.Match[str]) -> str:
    return f"{found[1]}{MASK}" if is_secret_value(found[2], found[3]) else found[0]


def _hide_made(found: re.Match[str]) -> str:
    return f"{found[1]}{MASK}" if looks_made(found[2].rstrip(".!?)")) else found[0]


def _without_blocks(text: str, depth: int = 0) -> str:
    """Hide the lines of a value; of a mapping or a list below such a name each has a name or a shape of its own."""

    def hide(found: re.Match[str]) -> str:
        head, block = found[0][: -len(found[3])], found[3]
        if secrecy(found[2].strip("\"'")) == STRONG and not pattern(NESTED).match(block):
            return head + str(pattern(LINE).sub(lambda line: f"{line[1]}{MASK}", block))
        return head + (_without_blocks(block, depth + 1) if depth < DEEPEST else block)

    return str(pattern(BLOCK).sub(hide, text))
