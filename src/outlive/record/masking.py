"""Keep secrets out of the record: mask by the name of an option or variable, by the shape of a value, and by known values.

Loaded inside the watched program too: standard library only, Python 3.9. Masking errs on the side of hiding.
"""

from __future__ import annotations

import os
import re

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Iterable, List, Mapping, Sequence, Tuple

MASK = "***"

SECRET_NAME = re.compile(
    r"pass(word|wd|phrase)?$|pass_?word|secret|token|api_?key|apikey|access_?key|private_?key|"
    r"credential|auth(orization)?$|bearer|session_?id|cookie|signature|(^|_)sas(_|$)|"
    r"(^|_)pwd$|(^|[_-])key$|dsn$|connection_?string",
    re.IGNORECASE,
)

#: Shapes that are secrets wherever they stand.
SECRET_SHAPE = re.compile(
    r"(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{15,}|xox[abprs]-[\w-]{10,}"
    r"|(?:sk|pk|rk)[-_](?:live|test|proj|ant)?[-_]?[\w-]{16,}|AKIA[0-9A-Z]{12,}|ASIA[0-9A-Z]{12,}"
    r"|AIza[\w-]{30,}|hf_[A-Za-z0-9]{20,}|npm_[A-Za-z0-9]{20,}|pypi-[\w-]{20,}"
    r"|(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z))"
)
URL_LOGIN = re.compile(r"(\b[a-zA-Z][a-zA-Z0-9+.-]{0,20}://)[^/\s@:]*:[^/\s@]+@")
URL_QUERY = re.compile(
    r"([?&](?:[\w-]{0,40}(?:token|key|secret|signature|sig|password|auth)[\w-]{0,40})=)[^&\s#]+",
    re.I,
)
ASSIGNMENT = re.compile(r"^(-{0,2}[\w.-]*?)([=:])(.+)$", re.DOTALL)
HEADER = re.compile(
    r"(?i)\b(authorization|proxy-authorization|x-api-key|cookie)\s*[:=]\s*(?:bearer\s+|basic\s+)?\S+"
)

#: ``password=…`` and ``'api_key': '…'`` in a message. After a colon or a space only what stands in quotes is a value, so that
#: "unexpected token: }" stays readable. Every part is bounded: a message can be long.
NAMED = re.compile(
    r"(?<![\w.-])([\"']?[\w.-]{0,60}(?:passw(?:or)?d|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|"
    r"private[_-]?key|credential|authorization|cookie)[\w-]{0,40}[\"']?)"
    r"(?:(\s{0,4}[=:]\s{0,4})([\"'])[^\"'\n]+\3|(=)(?!\*{3}|[\d.]+\b|None\b|True\b|False\b)[^\s,;)&}\]\"']+)",
    re.IGNORECASE,
)

#: A value shorter than this is no secret worth hiding by value: masking "1" would garble every message.
SHORTEST_KNOWN = 6


def looks_secret(name: str) -> bool:
    """Whether a variable or option of this name holds a secret."""
    return SECRET_NAME.search(name.strip("-").replace("-", "_")) is not None


def mask_text(text: str, known: Sequence[str] = ()) -> str:
    """Hide secrets in free text: known values, then shapes."""
    for value in known:
        if value in text:
            text = text.replace(value, MASK)
    # Functions, not templates: for a template the pattern imports ``re`` by name, and may find the program's own re.py.
    text = URL_LOGIN.sub(lambda found: f"{found[1]}{MASK}@", text)
    text = URL_QUERY.sub(lambda found: f"{found[1]}{MASK}", text)
    text = HEADER.sub(lambda found: f"{found[1]}: {MASK}", text)
    text = NAMED.sub(_hide_value, text)
    return SECRET_SHAPE.sub(MASK, text)


def _hide_value(found: re.Match[str]) -> str:
    name, between, quote, equals = found.groups()
    return f"{name}{between}{quote}{MASK}{quote}" if quote else f"{name}{equals}{MASK}"


def split_arguments(arguments: Sequence[str]) -> Tuple[List[str], List[str]]:
    """The arguments as they may be recorded, and the secrets that were taken out of them."""
    shown: List[str] = []
    secrets: List[str] = []
    expect_secret = False
    for argument in arguments:
        if expect_secret and not argument.startswith("--"):
            secrets.append(argument)
            shown.append(MASK)
            expect_secret = False
            continue
        expect_secret = False
        pair = ASSIGNMENT.match(argument)
        if pair and looks_secret(pair.group(1)):
            secrets.append(pair.group(3))
            shown.append(pair.group(1) + pair.group(2) + MASK)
        else:
            expect_secret = argument.startswith("-") and looks_secret(argument)
            shown.append(mask_text(argument))
    return shown, known_values(secrets)


def secrets_of(environment: Mapping[str, str]) -> List[str]:
    """The values of the variables whose names promise a secret. An existing path is none: it stands in every traceback."""
    return known_values(
        value
        for name, value in environment.items()
        if looks_secret(name) and not (value.startswith("/") and os.path.exists(value))
    )


def known_values(values: Iterable[str]) -> List[str]:
    """Values that are worth hiding wherever they turn up, longest first."""
    return sorted(
        {value for value in values if len(value) >= SHORTEST_KNOWN}, key=len, reverse=True
    )
