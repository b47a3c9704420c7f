"""Names that promise a secret, and values that are none: one knowledge for variables, options, headers, keys and assignments.

Loaded inside the watched program too: standard library only, Python 3.9; nothing is compiled before it is wanted.
"""

from __future__ import annotations

import re

#: How sure a name makes it: of a WEAK one (``key``, ``token``) only a value that looks made by a machine is a secret.
NONE, WEAK, STRONG = 0, 1, 2

#: Within any word of a name.
ROOTS = (
    *("password", "passwd", "passphrase", "passwort", "secret", "apikey", "accesskey", "privatekey"),
    *("credential", "connectionstring", "connstr", "authorization", "accountkey", "authtoken", "accesstoken"),
)  # fmt: skip
NO_ROOTS = ("secretar",)

#: As the last word, or before a number.
LAST = frozenset({"pass", "pwd", "pw", "passcode", "dsn", "bearer", "cookie", "cookies"})
LAST_WEAK = frozenset({"auth", "key", "token", "signature", "sig", "sas"})
ENDINGS = ("pass", "pwd", "dsn")
OF_ENDINGS = (
    "db",
    "my",
    "pg",
    "sql",
    "user",
    "root",
    "admin",
    "smtp",
    "ftp",
    "mail",
    "login",
    "ssh",
    "sentry",
)

#: Two words beside each other.
PAIRS = frozenset(
    {
        *(("api", "key"), ("api", "keys"), ("access", "key"), ("private", "key"), ("secret", "key")),
        *(("account", "key"), ("encryption", "key"), ("signing", "key"), ("master", "key"), ("license", "key")),
        *(("connection", "string"), ("session", "id"), ("pass", "word"), ("pass", "phrase")),
        *((word, token) for token in ("token", "tokens") for word in (
            "access", "auth", "refresh", "bearer", "api", "session", "id", "hub", "bot", "oauth", "user", "github", "gitlab", "hf",
            "slack", "personal", "security", "csrf", "sas", "deploy", "my", "service", "registry", "npm", "pypi", "vault", "admin",
        )),
    }
)  # fmt: skip

#: Words of machine learning and of parsers: ``token`` or ``key`` beside one of them does not name a secret.
PLAIN_BEFORE_TOKEN = frozenset(
    [
        "pad",
        "eos",
        "bos",
        "unk",
        "sep",
        "cls",
        "mask",
        "sos",
        "oov",
        "start",
        "end",
        "stop",
        "special",
        "image",
        "video",
        "audio",
        "num",
        "max",
        "min",
        "n",
        "new",
        "per",
        "total",
        "forced",
        "decoder",
        "first",
        "last",
        "next",
        "prev",
        "previous",
        "current",
        "unexpected",
        "boi",
        "eoi",
        "space",
        "blank",
        "word",
        "sub",
    ]
)
PLAIN_BEFORE_KEY = frozenset(
    [
        "sort",
        "group",
        "dict",
        "primary",
        "foreign",
        "partition",
        "cache",
        "random",
        "rng",
        "prng",
        "model",
        "data",
        "feature",
        "image",
        "label",
        "input",
        "output",
        "query",
        "next",
        "sub",
        "missing",
        "unexpected",
        "unknown",
        "hot",
        "public",
        "row",
        "column",
        "col",
        "map",
        "state",
        "param",
        "config",
        "metric",
        "loss",
        "target",
        "split",
        "step",
        "batch",
        "json",
        "yaml",
        "attribute",
        "field",
        "lookup",
        "hash",
        "index",
        "merge",
        "join",
        "on",
        "by",
        "str",
        "int",
    ]
)

#: Without any of these a name promises nothing: most names are done with here.
LETTERS = (
    "pass",
    "pw",
    "secret",
    "token",
    "key",
    "auth",
    "cred",
    "cookie",
    "dsn",
    "bearer",
    "sig",
    "sas",
    "session",
    "conn",
)

WORDS = r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+"

#: What is written in the place of a value.
PLACEHOLDERS = frozenset(
    [
        "none",
        "null",
        "nil",
        "true",
        "false",
        "yes",
        "no",
        "on",
        "off",
        "str",
        "int",
        "float",
        "bool",
        "bytes",
        "bytearray",
        "object",
        "any",
        "optional",
        "dict",
        "list",
        "tuple",
        "set",
        "union",
        "sequence",
        "mapping",
        "callable",
        "type",
        "self",
        "cls",
        "lambda",
        "not",
        "required",
        "missing",
        "invalid",
        "empty",
        "unset",
        "undefined",
        "default",
        "auto",
        "disabled",
        "enabled",
        "redacted",
        "hidden",
        "masked",
        "xxx",
        "todo",
        "changeme",
        "example",
        "string",
        "text",
        "number",
        "field",
        "password",
        "token",
        "secret",
        "key",
    ]
)

#: One part of an ordinary name: a word with a small number (``resnet50``, ``conv2d``), or a number.
PLAIN_PART = r"[A-Za-z]{1,24}\d{0,4}[dD]?|\d{1,8}"

_known: dict[str, int] = {}
_patterns: dict[str, re.Pattern[str]] = {}

#: Names come from the program, so there may be any number of them.
MOST_KNOWN = 2000


def pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """A pattern, compiled when it is first wanted: all of them together would take a tenth of what a start may cost."""
    found = _patterns.get(text)
    if found is None:
        found = _patterns[text] = re.compile(text, flags)
    return found


def secrecy(name: str) -> int:
    """How sure a name promises a secret."""
    found = _known.get(name)
    if found is None:
        if len(_known) > MOST_KNOWN:
            _known.clear()
        found = _known[name] = _secrecy(name[-120:])
    return found


def _secrecy(name: str) -> int:
    lower = name.lower()
    if not any(letters in lower for letters in LETTERS):
        return NONE
    words = [word.lower() for word in pattern(WORDS).findall(name)]
    while words and words[-1].isdigit():
        words.pop()
    if not words:
        return NONE
    if any(root in word and not word.startswith(NO_ROOTS) for word in words for root in ROOTS):
        return STRONG
    if any((words[at - 1], words[at]) in PAIRS for at in range(1, len(words))):
        return STRONG
    last, before = words[-1], words[-2] if len(words) > 1 else ""
    if last in LAST or any(last == start + end for end in ENDINGS for start in OF_ENDINGS):
        return STRONG
    if last == "sas" or (last == "id" and before == "sas"):
        return WEAK
    return WEAK if _is_weak(last, before) else NONE


def _is_weak(last: str, before: str) -> bool:
    if last == "token" or last.endswith("token"):
        return before not in PLAIN_BEFORE_TOKEN
    if last == "key":
        return before not in PLAIN_BEFORE_KEY
    return last in LAST_WEAK


def looks_secret(name: str) -> bool:
    """Whether a variable or option of this name holds a secret."""
    return secrecy(name) > NONE


def looks_made(value: str) -> bool:
    """Whether a value looks made by a machine, or by a person who wanted nobody to guess it: no word, no name, no number."""
    if len(value) < 6:
        return False
    parts = [part for part in pattern(r"[^A-Za-z0-9]+").split(value) if part]
    if len(value) - value.count(" ") - sum(map(len, parts)) > len(parts) + 2:
        return True  # more signs than names have
    return not all(map(_is_plain, parts))


def _is_plain(part: str) -> bool:
    if not pattern(PLAIN_PART).fullmatch(part):
        return False
    humps: list[str] = pattern(r"[A-Z]+[a-z]*|[a-z]+").findall(part)
    return 4 * len(humps) <= len(part) + 3 or len(humps) == 1


def is_secret_value(name: str, value: str) -> bool:
    """Whether this value, written beside this name, is to be hidden."""
    sure = secrecy(name)
    if sure == NONE or not value.strip() or _is_placeholder(value):
        return False
    return sure == STRONG or looks_made(value)


def _is_placeholder(value: str) -> bool:
    """``None``, ``str``, ``512``, ``{password}``, ``%s``, ``$TOKEN``, a path: what stands in the place of a value."""
    if value.lower() in PLACEHOLDERS:
        return True
    if value.startswith(("/", "~/", "./")) and value.count("/") > 1 and not looks_made(value):
        return True
    return pattern(r"[-+]?\d[\d._]{0,15}(?:e[-+]?\d{1,3})?|\{\w*[^{}]{0,40}\}?|%\(?\w{0,40}\)?[sdr]?|\$\{?\w{1,60}\}?|<[\w -]{0,60}>").fullmatch(value) is not None  # fmt: skip
