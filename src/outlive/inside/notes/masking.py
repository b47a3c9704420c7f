"""Keep secrets out of the record: mask by the name of an option or variable, by the shape of a value, and by known values.

Loaded inside the watched program too: standard library only, Python 3.9. Masking errs on the side of hiding. Always mask first
and cut then (``mask_and_cut``): half a secret has no shape any more. No pattern is compiled, and none is searched for, before the few
letters were found without which it cannot fit.
"""

from __future__ import annotations

import binascii
import os
import re
import sys

from .secret_names import (
    STRONG,
    is_secret_value,
    looks_made,
    looks_secret,
    pattern,
    secrecy,
)
from .secret_places import without_placed
from .secret_shapes import SHAPES, shape_of

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Dict, Iterable, List, Mapping, Sequence, Tuple

__all__ = ["looks_secret"]

MASK = "***"

#: A value shorter than this is no secret worth hiding by value: masking "1" would garble every message.
SHORTEST_KNOWN = 6

#: Of a known secret so many characters from its beginning or its end are hidden too: programs cut texts as well.
PIECE = 12

#: Characters that are searched beyond the kept ends of a long text, so that a secret at the cut is seen whole: the longest are private keys.
MARGIN = 32 * 1024
LONGEST_WORD = 4096

#: A value that is not secret is searched for further names and values, this deep, so that the time grows with the length alone.
DEEPEST_NAMED = 4

#: Texts that are remembered with what was made of them.
MOST_SEEN = 4000
LONGEST_SEEN = 400

BEGIN_KEY = "-----BEGIN "
END_KEY = "-----END "
KEY_MARK = r"-----(BEGIN|END) (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
#: What follows is a key, and no sentence about one.
KEY_BODY = r"\s{0,4}(?:\n|\\{1,4}[nr])|[^A-Za-z0-9+/=]{0,60}(?:[A-Za-z0-9+/=]{12,}|(?:Proc-Type|Version|Comment|DEK-Info):)"

#: A line of a key, or something that no key has.
KEY_LINE = r"([A-Za-z0-9+/=]{16,})|[^\sA-Za-z0-9+/=\\\"',]{1,60}|[A-Za-z0-9+/=]{1,15}[ .:;]"

#: The password may hold ``/`` and ``@``; what begins with a number and ``/`` is a port and a path. Whoever takes an address for a path
#: makes one slash of two.
URL_LOGIN = r"(\b[a-zA-Z][a-zA-Z0-9+.-]{1,20}:/{1,3})(?![^\s/@:\"'<>]{0,255}:\d{1,5}/)[^\s/@:\"'<>]{0,255}:[^\s\"'<>]{1,500}@"
URL_NAME = r"(\b[a-zA-Z][a-zA-Z0-9+.-]{1,20}:/{1,3})([^\s/@:\"'<>?#]{6,500})@"
URL_PASSWORD = r"\b[a-zA-Z][a-zA-Z0-9+.-]{1,20}:/{1,3}(?![^\s/@:\"'<>]{0,255}:\d{1,5}/)[^\s/@:\"'<>]{0,255}:([^\s\"'<>]{1,500})@"

URL_QUERY = r"([?&]([\w.-]{1,80})=)([^&\s#\"'<>]+)"
HEADER = (
    r"(?i)\b((?:proxy-)?authorization|x-api-key|x-auth-token|private-token|(?:set-)?cookie)(\s{0,4}[:=]\s{0,4})"
    r"(?![\"'(\[{\\\s])(?:(?:bearer|basic|token|digest|negotiate|apikey)\s{1,4})?(\S+)([^\n\"']*)"
)
SCHEME = r"\b(Bearer|Basic|bearer|basic|BEARER)(\s{1,4})([\w.~+/=-]{8,})"

ROOT = r"(?:pass|pwd|pw\b|secret|token|key|auth|cred|cookie|dsn|bearer|sig|sas\b|session|conn)"
NAME = rf"(?<![\w.-])(?P<name>[\w.-]{{0,60}}?{ROOT}[\w.-]{{0,40}})(?P<close>\\{{0,3}}[\"'`]?\]?)"
QUOTED = r"[rbufRBUF]{0,2}(?P<quote>\\{0,3}(?:\"{3}|'{3}|[\"'`]))(?P<text>(?:(?!(?P=quote))(?:\\.|[^\n]))*)"
#: Without quotes: to the next space or the next sign that separates, unless it looks like a part of the value.
BARE = (
    r"(?P<bare>(?:[^\s\"'<>&;,()\[\]{}`]|\((?!\))|[\[{](?=\w)|,(?!\s|[\w.-]{1,40}[=:]|$)"
    r"|[)\]}](?![\s,;.:)\]}\"'`]|$))+)"
)
#: ``name=value``, ``'name': 'value'``, ``name: str = "value"``, ``("name", "value")``, ``name = ("user", "value")``, ``name: value``.
NAMED = (
    rf"(?i){NAME}(?P<between>\s{{0,4}}:\s{{0,4}}[A-Za-z][\w\[\], .|]{{0,40}}=\s{{0,4}}(?=[rbuf]{{0,2}}[\"'])"
    rf"|\s{{0,4}}(?:=>|:=|[=!]=|=|:)\s{{0,4}}|,\s{{0,4}}(?=[rbuf]{{0,2}}\\{{0,3}}[\"']))"
    rf"(?:{QUOTED}|(?P<group>[(\[{{](?=\s{{0,4}}[rbuf]{{0,2}}\\{{0,3}}[\"'])[^()\[\]{{}}\n]{{1,400}})|{BARE})"
)
IN_GROUP = r"([rbufRBUF]{0,2})(\\{0,3}[\"'])((?:(?!\2)[^\n])*)(?:\2)?"
#: A call, an attribute, an element: code that gets a secret, and holds none.
CODE = r"[A-Za-z_]\w{0,60}(?:\.[A-Za-z_]\w{0,60}){0,8}[(\[].*|[A-Za-z_]\w{0,60}(?:\.[A-Za-z_]\w{0,60}){1,8}"

#: ``--password value``, and ``-u user:value`` as curl has it.
OPTION = rf"(?i)(?<![\w-])(--?[\w-]{{0,60}}?{ROOT}[\w-]{{0,40}}\s{{1,4}})([^\s\"'-][^\s\"']*)"
USER = r"(?<![\w-])((?:-u|--user|--proxy-user)[ =]{1,3}[\"']?[^\s:\"'/]{1,100}:)([^\s\"']{3,})"
LOGIN = r"(\bwandb(?:\.login|\s+login)(?:\s|\(|key=|[\"']|--\w+){1,8})([0-9a-fA-F]{40})"

#: Amazon's secret keys have no letters of their own: forty signs that go from small to large to digits all the time.
FORTY = r"(?<![A-Za-z0-9+=_.-])[A-Za-z0-9/+]{40}(?![A-Za-z0-9+=_-])"
FORTY_CHANGES = 17
#: Discord's, of three parts, of which the first is a number in base64.
BOT = r"(?<![\w.-])[MNO][\w-]{22,28}\.[\w-]{6,7}\.[\w-]{27,40}(?![\w.-])"
LONG_WORD = r"[\w/+.-]{40}"

ASSIGNMENT = r"(?s)(-{0,2}[\w.-]{0,200})([=:])(.+)"
USER_OPTIONS = ("-u", "--user", "--proxy-user")

_forms: Dict[str, Tuple[str, ...]] = {}
_here: Dict[str, Any] = {}


def mask_text(text: str, known: Sequence[str] = (), keep_lines: bool = False) -> str:
    """Hide secrets in free text: known values in every form, then shapes, then what stands beside a telling name.

    ``keep_lines``: of a source, whose lines must keep their numbers.
    """
    if len(text) < SHORTEST_KNOWN:
        return text
    if BEGIN_KEY in text or END_KEY in text:
        text = _without_keys(text, keep_lines)
    for value in known:
        text = _without_known(text, value)
    # Functions, not templates: for a template the pattern imports ``re`` by name, and may find the program's own re.py.
    if ":/" in text and "@" in text:
        text = pattern(URL_LOGIN).sub(lambda found: f"{found[1]}{MASK}@", text)
        text = pattern(URL_NAME).sub(_hide_url_name, text)
    return _without_shapes(_without_named(without_placed(text, keep_lines)))


def _without_named(text: str, depth: int = 0) -> str:
    """Without the values beside names: these need a sign between them, or are options."""
    if depth > DEEPEST_NAMED:
        return text
    lower = text.lower()
    if not any(root in lower for root in ("pass", "pwd", "pw", "secret", "token", "key", "auth", "cred", "cookie", "dsn", "bearer", "basic", "sig", "sas", "session", "conn", "-u", "wandb")):  # fmt: skip
        return text
    if ("=" in text or ":" in text) and any(
        word in lower for word in ("auth", "key", "cookie", "token")
    ):
        text = pattern(HEADER).sub(_hide_header, text)
    if "bearer " in lower or "basic " in lower:
        text = pattern(SCHEME).sub(_hide_scheme, text)
    if "=" in text and ("?" in text or "&" in text):
        text = pattern(URL_QUERY).sub(_hide_query, text)
    if "=" in text or ":" in text or "," in text:
        text = pattern(NAMED).sub(lambda found: _hide_named(found, depth), text)
    if " " in text and "-" in text:
        text = pattern(OPTION).sub(_hide_option, text)
        if "-u" in text or "-user" in text:
            text = pattern(USER).sub(lambda found: f"{found[1]}{MASK}", text)
    if "wandb" in lower:
        text = pattern(LOGIN).sub(lambda found: f"{found[1]}{MASK}", text)
    return text


def _hide_header(found: re.Match[str]) -> str:
    """Hide the value of a header; a cookie's reaches to the end of the line."""
    if found[3].startswith(MASK) and not found[4]:
        return found[0]
    rest = "" if found[1].lower().endswith("cookie") and found[4] else found[4]
    return f"{found[1]}{found[2]}{MASK}{rest}"


def _hide_scheme(found: re.Match[str]) -> str:
    return f"{found[1]}{found[2]}{MASK}" if looks_made(found[3]) else found[0]


def _hide_query(found: re.Match[str]) -> str:
    """In an address nothing is code: any value beside such a name, but a number."""
    secret = looks_secret(found[2]) and not found[3].isdigit()
    return f"{found[1]}{MASK}" if secret else found[0]


def _hide_url_name(found: re.Match[str]) -> str:
    secret = len(found[2]) >= 20 or looks_made(found[2])
    return f"{found[1]}{MASK}@" if secret else found[0]


def _hide_option(found: re.Match[str]) -> str:
    name, value = found[1].strip(), found[2]
    if value.rstrip("])},.;").replace("_", "").isalpha() and value.isupper():
        return found[0]  # "--token TOKEN  the token to use"
    return f"{found[1]}{MASK}" if is_secret_value(name, value) else found[0]


def _hide_named(found: re.Match[str], depth: int) -> str:
    """Hide a value beside a telling name. A value that is not secret by this name may contain one by another: ``KeyError: 'password=…'``."""
    name, between = found["name"], found["between"]
    head = f"{name}{found['close']}{between}"
    if found["quote"] is not None:
        return _hide_quoted(found, head, depth)
    if between.strip() == ",":
        return found[0]
    if found["group"] is not None:
        return head + _hide_group(name, found["group"], depth)
    value = found["bare"]
    secret = _is_bare_secret(name, between, value, found)
    return f"{head}{MASK if secret else _without_named(value, depth + 1)}"


def _hide_quoted(found: re.Match[str], head: str, depth: int) -> str:
    name, quote, value = found["name"], found["quote"], found["text"]
    before = found[0][len(head) : found[0].index(quote, len(head))]
    pair = found["between"].strip() == ","
    secret = is_secret_value(name, value) and not (
        pair and not (found["close"] and looks_made(value))
    )
    return f"{head}{before}{quote}{MASK if secret else _without_named(value, depth + 1)}"


def _hide_group(name: str, group: str, depth: int) -> str:
    """``auth=('user', 'value')``: the last one; of a list of secrets all."""
    if not looks_secret(name):
        return _without_named(group, depth + 1)
    if group.startswith("{"):
        return _hide_values(name, group, depth)
    texts = list(pattern(IN_GROUP).finditer(group))
    hidden = [
        one for one in texts if is_secret_value(name, one[3]) or one is texts[-1] is not texts[0]
    ]
    for one in reversed(hidden):
        group = group[: one.start(3)] + MASK + group[one.end(3) :]
    return group


def _hide_values(name: str, group: str, depth: int) -> str:
    """``'password': {'value': 'one'}``: what stands behind a colon."""
    group = _without_named(group, depth + 1)
    for one in reversed(list(pattern(IN_GROUP).finditer(group))) if secrecy(name) == STRONG else ():
        behind = group[: one.start()].rstrip().endswith(":")
        if behind and is_secret_value(name, one[3]):
            group = group[: one.start(3)] + MASK + group[one.end(3) :]
    return group


def _is_bare_secret(name: str, between: str, value: str, found: re.Match[str]) -> bool:
    """Without quotes many things stand beside a name: code, types, the rest of a sentence."""
    if not is_secret_value(name, value):
        return False
    if value.startswith(MASK) and len(value) < len(MASK) + PIECE:
        return False  # hidden already: "access_token=***#part"
    tight = between == "="
    if pattern(CODE).fullmatch(value) and not (tight and looks_made(value)):
        return False
    if between.strip() in (":", "==", "!="):
        if secrecy(name) != STRONG:
            return looks_made(value) and len(value) >= 8
        rest = found.string[found.end() : found.end() + 2]
        sentence = value.isalpha() and len(rest) == 2 and rest[0] == " " and rest[1].isalpha()
        return not sentence
    if not tight:
        return looks_made(value) or (secrecy(name) == STRONG and not value.isidentifier())
    return value.lower().strip("_") != name.lower().rpartition(".")[2].strip("_-")


def _without_shapes(text: str) -> str:
    """Without what is a secret wherever it stands."""
    for letters, shape in SHAPES:
        if letters in text:
            text = pattern(shape_of(letters, shape)).sub(_mask, text)
    if len(text) >= 40 and pattern(LONG_WORD).search(text):
        text = pattern(FORTY).sub(_hide_forty, text)
        text = pattern(BOT).sub(_mask, text)
    return text


def _mask(_: re.Match[str]) -> str:
    return MASK


def _hide_forty(found: re.Match[str]) -> str:
    kinds = [_kind(sign) for sign in found[0]]
    changes = sum(kinds[at] != kinds[at - 1] for at in range(1, len(kinds)))
    return MASK if changes >= FORTY_CHANGES and len(set(kinds)) >= 3 else found[0]


def _kind(sign: str) -> int:
    return 0 if sign.islower() else 1 if sign.isupper() else 2 if sign.isdigit() else 3


def _without_keys(text: str, keep_lines: bool) -> str:
    """Without private keys; of one whose beginning was cut off, the lines before its end."""
    parts: List[str] = []
    at, last, begun = 0, 0, -1
    for mark in pattern(KEY_MARK).finditer(text):
        if mark[1] == "BEGIN":
            if begun < 0 and pattern(KEY_BODY).match(text, mark.end()):
                begun = mark.start()
            continue
        start = begun if begun >= 0 else _start_of_lines(text, last, mark.start())
        last = mark.end()
        if start < mark.start():
            parts += [text[at:start], _hidden(text[start : mark.end()], keep_lines)]
            at, begun = mark.end(), -1
    if begun >= 0:
        parts += [text[at:begun], _hidden(text[begun:], keep_lines)]
        at = len(text)
    return "".join(parts) + text[at:]


def _start_of_lines(text: str, first: int, end: int) -> int:
    """Where the lines of base64 before this place begin; the place itself if there are none."""
    start = end
    runs = list(pattern(KEY_LINE).finditer(text, first, end))
    for run in reversed(runs):
        if not run[1]:
            break
        start = run.start()
    return start


def _hidden(secret: str, keep_lines: bool) -> str:
    return MASK + "\n" * secret.count("\n") if keep_lines else MASK


def _without_known(text: str, value: str) -> str:
    """Without a known value: as it is, as other languages and addresses write it, and in long pieces."""
    for form in forms_of(value):
        if form in text:
            text = text.replace(form, MASK)
    if len(value) >= PIECE + 4:
        for piece, step in ((value[:PIECE], 1), (value[-PIECE:], -1)):
            if piece in text and looks_made(piece):  # "https://exam" is in many texts
                text = _without_piece(text, value, piece, step)
    return text


def _without_piece(text: str, value: str, piece: str, step: int) -> str:
    """Hide what begins (or ends) as the known value does, as far as the two agree."""
    at = text.find(piece)
    while at >= 0:
        start, end = at, at + len(piece)
        if step > 0:
            while end < len(text) and end - start < len(value) and text[end] == value[end - start]:
                end += 1
        else:
            while (
                start > 0
                and end - start < len(value)
                and text[start - 1] == value[-1 - (end - start)]
            ):
                start -= 1
        text = text[:start] + MASK + text[end:]
        at = text.find(piece, start + len(MASK))
    return text


def forms_of(value: str) -> Tuple[str, ...]:
    """A value as it may be written, longest first: in Python, JSON, HTML, an address, a shell, base64, hexadecimal."""
    found = _forms.get(value)
    if found is None:
        if len(_forms) > 500:
            _forms.clear()
        found = _forms[value] = _all_forms(value)
    return found


def _all_forms(value: str) -> Tuple[str, ...]:
    data = value.encode("utf-8", "surrogateescape")
    forms = {value, value.strip(), repr(value)[1:-1], ascii(value)[1:-1], repr(data)[2:-1]}
    forms |= {form.replace("'", "\\'") for form in (value, repr(value + '"')[1:-2])}
    forms |= {in_json(value, False), in_json(value, True), value.replace("'", "'\"'\"'")}
    forms |= {"".join(sign if sign.isalnum() or sign == "_" else "\\" + sign for sign in value)}
    forms |= {form.replace("/", "\\/") for form in set(forms)}
    forms |= {in_json(form, True) for form in set(forms) if "\\" in form or '"' in form}
    forms |= {_html(value, "&#x27;"), _html(value, "&#39;"), _html(value, "'")}
    for safe in (b"", b"/", b"/:"):
        quoted = _quoted(data, safe)
        forms |= {quoted, quoted.lower(), quoted.replace("%20", "+")}
    forms |= {*_base64(data), data.hex(), data.hex().upper()}
    return tuple(known_values(forms))


def in_json(value: str, plain: bool) -> str:
    """As in JSON; ``plain``: in ASCII alone."""
    short = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return "".join(
        short.get(sign) or (sign if " " <= sign <= "~" or not plain else _escaped(sign))
        for sign in value
    )


def _escaped(sign: str) -> str:
    units = sign.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def _html(value: str, apostrophe: str) -> str:
    plain = value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return plain.replace('"', "&quot;").replace("'", apostrophe)


def _quoted(data: bytes, safe: bytes) -> str:
    """As in an address; ``urllib`` would take too long to load in the program."""
    plain = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-~" + safe
    return "".join(chr(byte) if byte in plain else f"%{byte:02X}" for byte in data)


def _base64(data: bytes) -> Iterable[str]:
    """In base64, alone or within something longer: those signs that come from the value alone."""
    for shift in range(3):
        text = binascii.b2a_base64(b"\0" * shift + data, newline=False).decode("ascii")
        whole = text[(0, 2, 3)[shift] : len(text) - (0, 3, 2)[(len(data) + shift) % 3]]
        if len(whole) >= SHORTEST_KNOWN + 2:
            yield whole
            yield whole.replace("+", "-").replace("/", "_")


def mask_and_cut(text: str, most: int, known: Sequence[str] = ()) -> str:
    """Hide secrets, then shorten a long text to its two ends."""
    if len(text) <= most + 2 * MARGIN:
        return cut(mask_text(text, known), most)
    half = most // 2
    head = mask_edges(text[: half + MARGIN], known, end=True)
    tail = mask_edges(text[-half - MARGIN :], known, start=True)
    return f"{head[:half]} … {tail[-half:]}"


def cut(text: str, most: int) -> str:
    """The two ends of a text that is too long to keep; of one that is to be short, its beginning."""
    if len(text) <= most:
        return text
    if most < 2000:
        return text[:most]
    half = most // 2
    return f"{text[:half]} … {text[-half:]}"


def mask_edges(text: str, known: Sequence[str] = (), start: bool = False, end: bool = False) -> str:
    """Hide secrets in a text that begins or ends anywhere: half a secret has no shape, so half a word is left out."""
    text = mask_text(text, known)
    if start:
        found = pattern(r"\s").search(text, 0, LONGEST_WORD)
        text = text[found.start() if found else LONGEST_WORD :]
    if end:
        words = text[-LONGEST_WORD:].rstrip().split()
        text = text[: len(text.rstrip()) - len(words[-1])] if words else text
    return text


class Masker:
    """Masks texts and plain data; remembers what it was asked, since the names of files and threads come again and again."""

    def __init__(self, known: Sequence[str] = ()) -> None:
        self._known = tuple(known)
        self._seen: Dict[str, str] = {}

    def learn(self, known: Sequence[str]) -> None:
        """From now on these values are known, too."""
        if tuple(known) != self._known:
            self._known = tuple(known)
            self._seen = {}

    def text(self, text: str) -> str:
        """Mask the secrets in one text; texts that were seen before are looked up."""
        found = self._seen.get(text)
        if found is None:
            found = mask_text(text, self._known)
            if len(self._seen) > MOST_SEEN:
                self._seen = {}
            if len(text) <= LONGEST_SEEN:
                self._seen[text] = found
        return found

    def data(self, value: Any) -> Any:
        """Plain data of any depth, with every text masked, names included."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, (list, tuple)):
            return [self.data(item) for item in value]
        if isinstance(value, dict):
            return {self.data(name): self._beside(name, item) for name, item in value.items()}
        return value

    def _beside(self, name: Any, value: Any) -> Any:
        """A value that may stand beside a telling name."""
        secret = isinstance(name, str) and isinstance(value, str) and is_secret_value(name, value)
        return MASK if secret else self.data(value)


def split_arguments(arguments: Sequence[str]) -> Tuple[List[str], List[str]]:
    """The arguments as they may be recorded, and the secrets that were taken out of them."""
    shown: List[str] = []
    secrets: List[str] = []
    before = ""
    for argument in arguments:
        option, before = before, ""
        signed = "=" in argument or ":" in argument
        pair = pattern(ASSIGNMENT).fullmatch(argument) if signed else None
        if option and not argument.startswith("--"):
            shown.append(_take(option, argument, secrets))
        elif pair and looks_secret(pair.group(1)):
            shown.append(
                pair.group(1) + pair.group(2) + _take(pair.group(1), pair.group(3), secrets)
            )
        else:
            before = argument if _wants_secret(argument) else ""
            secrets += passwords_in(argument)
            shown.append(mask_text(argument))
    return shown, known_values(secrets)


def _wants_secret(argument: str) -> bool:
    return argument.startswith("-") and (argument in USER_OPTIONS or looks_secret(argument))


def _take(name: str, value: str, secrets: List[str]) -> str:
    """What is shown of an option's value; what was hidden is remembered."""
    if name in USER_OPTIONS:
        user, colon, password = value.partition(":")
        if not colon or not password:
            return mask_text(value)
        secrets.append(password)
        return f"{user}:{MASK}"
    secrets += [value, value.rpartition(" ")[2]]  # "Authorization: Bearer …"
    return MASK


def passwords_in(text: str) -> List[str]:
    """The passwords in the addresses of a text: a program takes them apart and speaks of them alone."""
    if ":/" not in text or "@" not in text:
        return []
    return [str(found) for found in pattern(URL_PASSWORD).findall(text)]


def secrets_of(environment: Mapping[str, str]) -> List[str]:
    """The values of the variables whose names promise a secret. An existing path is none: it stands in every traceback."""
    found = [value for name, value in environment.items() if _is_kept_secret(name, value)]
    for value in environment.values():
        found += passwords_in(value)
    return known_values(found)


def _is_kept_secret(name: str, value: str) -> bool:
    if len(value) < SHORTEST_KNOWN or not is_secret_value(name, value):
        return False
    return not (value.startswith("/") and os.path.exists(value))


def secrets_here() -> List[str]:
    """The secrets that this process was given, in its environment and its arguments."""
    given = (_environment(), tuple(getattr(sys, "orig_argv", None) or sys.argv))
    if _here.get("given") != given:
        environment = {os.fsdecode(name): os.fsdecode(value) for name, value in given[0].items()}
        secrets = secrets_of(environment) + split_arguments([str(word) for word in given[1]])[1]
        _here.update(given=given, secrets=secrets)
    found: List[str] = _here["secrets"]
    return found


def _environment() -> Dict[Any, Any]:
    """As it is now, copied in one step: another thread may change it meanwhile."""
    data = getattr(os.environ, "_data", None)
    return data.copy() if isinstance(data, dict) else dict(os.environ)


def known_values(values: Iterable[str]) -> List[str]:
    """Values that are worth hiding wherever they turn up, longest first."""
    return sorted(
        {value for value in values if len(value) >= SHORTEST_KNOWN}, key=len, reverse=True
    )
