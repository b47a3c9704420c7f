"""Secrets that nobody ever had, each of the shape that a service or a file gives to its own, made anew from a number.

``SHAPES`` has for every shape a text as it stands in programs, logs and configurations, and what in it is secret.
"""

from __future__ import annotations

import base64
import json
import random
import string
import zlib
from collections.abc import Callable
from dataclasses import dataclass

LETTERS = string.ascii_letters + string.digits
WIDE = LETTERS + "_-"
HEX = "0123456789abcdef"
BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase


#: A stretch of a secret that is this long must not be found.
PIECE = 12


@dataclass(frozen=True)
class Fake:
    """One secret: the text that it stands in, and what in that text nobody may read."""

    shape: str
    text: str
    secret: str

    @property
    def pieces(self) -> list[str]:
        """What must not be found: the secret, and every twelve characters of it."""
        lines = [line for line in self.secret.split("\n") if line and "PRIVATE KEY" not in line]
        return [
            line[start : start + PIECE]
            for line in lines
            for start in range(max(1, len(line) - PIECE + 1))
        ]


class Maker:
    """Makes secrets; the same number makes the same ones."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def some(self, count: int, letters: str = LETTERS) -> str:
        """So many characters; at least a digit, a small letter and a capital where the alphabet has them."""
        while True:
            made = "".join(self._random.choices(letters, k=count))
            kinds = [set(string.digits), set(string.ascii_lowercase), set(string.ascii_uppercase)]
            needed = [kind for kind in kinds if kind & set(letters)]
            if count < 12 or all(kind & set(made) for kind in needed):
                return made

    def password(self) -> str:
        """As a person or a manager makes it."""
        return self.some(3) + self.some(1, "!%^*+~") + self.some(12)

    def github(self, prefix: str) -> str:
        """With GitHub's checksum: the last six characters are the CRC32 of the others in base 62."""
        body = self.some(30)
        number, check = zlib.crc32(body.encode()), ""
        while number:
            number, digit = divmod(number, 62)
            check = BASE62[digit] + check
        return f"{prefix}{body}{check.rjust(6, '0')}"

    def jwt(self) -> str:
        """A token of three parts."""

        def part(value: dict[str, str]) -> str:
            return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

        return f"{part({'alg': 'HS256', 'typ': 'JWT'})}.{part({'sub': self.some(12)})}.{self.some(43, WIDE)}"

    def pem(self, kind: str = "RSA ", lines: int = 14) -> str:
        """A private key as a file has it."""
        body = "\n".join(self.some(64, LETTERS + "+/") for _ in range(lines))
        return f"-----BEGIN {kind}PRIVATE KEY-----\n{body}\n-----END {kind}PRIVATE KEY-----"


def _bare(make: Callable[[Maker], str]) -> Callable[[Maker], tuple[str, str]]:
    """A secret that is known by its shape wherever it stands."""

    def both(maker: Maker) -> tuple[str, str]:
        secret = make(maker)
        return secret, secret

    return both


def _within(template: str, make: Callable[[Maker], str] = Maker.password) -> Callable[[Maker], tuple[str, str]]:  # fmt: skip
    """A secret that is known by what surrounds it: ``@`` stands for it."""

    def both(maker: Maker) -> tuple[str, str]:
        secret = make(maker)
        return template.replace("§", secret), secret

    return both


#: What well-known services give out.
SERVICES: dict[str, Callable[[Maker], tuple[str, str]]] = {
    "aws-id": _bare(lambda m: "AKIA" + m.some(16, string.ascii_uppercase + "234567")),
    "aws-session-id": _bare(lambda m: "ASIA" + m.some(16, string.ascii_uppercase + "234567")),
    "aws-secret-named": _within("aws_secret_access_key = §", lambda m: m.some(40, LETTERS + "+/")),
    "aws-secret-alone": _bare(lambda m: m.some(19) + "/" + m.some(20)),
    "github-pat": _bare(lambda m: m.github("ghp_")),
    "github-oauth": _bare(lambda m: m.github("gho_")),
    "github-server": _bare(lambda m: m.github("ghs_")),
    "github-fine": _bare(lambda m: f"github_pat_{m.some(22)}_{m.some(59)}"),
    "gitlab": _bare(lambda m: "glpat-" + m.some(20, WIDE)),
    "huggingface": _bare(lambda m: "hf_" + m.some(34, string.ascii_letters)),
    "openai": _bare(lambda m: f"sk-{m.some(20)}T3BlbkFJ{m.some(20)}"),
    "openai-project": _bare(lambda m: f"sk-proj-{m.some(74, WIDE)}"),
    "anthropic": _bare(lambda m: f"sk-ant-api03-{m.some(93, WIDE)}AA"),
    "slack-bot": _bare(lambda m: f"xoxb-{m.some(12, string.digits)}-{m.some(13, string.digits)}-{m.some(24)}"),
    "slack-webhook": _within("https://hooks.slack.com/services/§", lambda m: f"T{m.some(10)}/B{m.some(10)}/{m.some(24)}"),
    "discord-webhook": _within("https://discord.com/api/webhooks/§", lambda m: f"{m.some(18, string.digits)}/{m.some(68, WIDE)}"),
    "discord-bot": _bare(lambda m: f"MTA{m.some(21)}.{m.some(6)}.{m.some(38, WIDE)}"),
    "jwt": _bare(Maker.jwt),
    "stripe": _bare(lambda m: "sk_live_" + m.some(24)),
    "stripe-restricted": _bare(lambda m: "rk_live_" + m.some(24)),
    "google-api": _bare(lambda m: "AIza" + m.some(35, WIDE)),
    "google-oauth": _bare(lambda m: "ya29." + m.some(68, WIDE)),
    "google-client": _bare(lambda m: "GOCSPX-" + m.some(28, WIDE)),
    "npm": _bare(lambda m: "npm_" + m.some(36)),
    "pypi": _bare(lambda m: "pypi-AgEIcHlwaS5vcmc" + m.some(60, WIDE)),
    "pem-rsa": _bare(Maker.pem),
    "pem-openssh": _bare(lambda m: m.pem("OPENSSH ")),
    "pem-plain": _bare(lambda m: m.pem("")),
    "age": _bare(lambda m: "AGE-SECRET-KEY-1" + m.some(58, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L")),
    "sendgrid": _bare(lambda m: f"SG.{m.some(22, WIDE)}.{m.some(43, WIDE)}"),
    "telegram": _bare(lambda m: f"{m.some(10, '123456789')}:AA{m.some(33, WIDE)}"),
    "telegram-url": _within("https://api.telegram.org/bot§/getMe", lambda m: f"{m.some(10, '123456789')}:AA{m.some(33, WIDE)}"),
    "twilio-key": _bare(lambda m: "SK" + m.some(32, HEX)),
    "twilio-token": _within("TWILIO_AUTH_TOKEN=§", lambda m: m.some(32, HEX)),
    "databricks": _bare(lambda m: "dapi" + m.some(32, HEX)),
    "digitalocean": _bare(lambda m: "dop_v1_" + m.some(64, HEX)),
    "vault": _bare(lambda m: "hvs." + m.some(90, WIDE)),
    "docker": _bare(lambda m: "dckr_pat_" + m.some(27, WIDE)),
    "shopify": _bare(lambda m: "shpat_" + m.some(32, HEX)),
    "linear": _bare(lambda m: "lin_api_" + m.some(40)),
    "azure-account": _within("DefaultEndpointsProtocol=https;AccountName=me;AccountKey=§;EndpointSuffix=core.windows.net", lambda m: m.some(86, LETTERS + "+/") + "=="),
    "azure-sas": _within("https://me.blob.core.windows.net/c/b?sv=2022-11-02&sig=§&se=2030", lambda m: m.some(43) + "%3D"),
    "wandb-variable": _within("WANDB_API_KEY=§", lambda m: m.some(40, HEX)),
    "wandb-login": _within("wandb login §", lambda m: m.some(40, HEX)),
}  # fmt: skip

#: What people write beside a name.
NAMED: dict[str, Callable[[Maker], tuple[str, str]]] = {
    "url-login": _within("postgres://admin:§@db.example.org:5432/prod"),
    "url-login-slash": _within("postgres://admin:§@db.example.org/prod", lambda m: f"{m.some(9)}/{m.some(9)}"),
    "url-login-at": _within("mysql://admin:§@db.example.org/prod", lambda m: f"{m.some(9)}@{m.some(9)}"),
    "url-token": _within("https://§@git.example.org/me/it.git", lambda m: m.some(32)),
    "curl-user": _within("curl -u admin:§ https://example.org"),
    "password-code": _within("password = '§'"),
    "password-call": _within('connect(host="db", password="§", port=5432)'),
    "password-annotated": _within("password: str = '§'"),
    "password-json": _within('{"user": "me", "password": "§"}'),
    "password-json-escaped": _within('{\\"user\\": \\"me\\", \\"password\\": \\"§\\"}'),
    "password-yaml": _within("password: §"),
    "password-ini": _within("password = §"),
    "password-option": _within("tool --password § --epochs 3"),
    "password-item": _within("config['password'] = '§'"),
    "pass-query": _within("https://example.org/x?user=me&pass=§&page=2", lambda m: m.some(16)),
    "db-pass": _within("db_pass = '§'"),
    "pwd-dsn": _within("Server=db;Uid=me;Pwd=§;Database=x"),
    "key-code": _within("key='§'", lambda m: m.some(32)),
    "key-json": _within('{"username": "me", "key": "§"}', lambda m: m.some(32, HEX)),
    "auth-pair": _within("requests.get(url, auth=('me', '§'))"),
    "auth-query": _within("https://example.org/x?auth=§", lambda m: m.some(20)),
    "token-code": _within("token = '§'", lambda m: m.some(24)),
    "token-yaml": _within("token: §", lambda m: m.some(24)),
    "secret-call": _within("App(client_secret='§')"),
    "dsn": _within("dsn = '§'", lambda m: f"me:{m.some(14)}@tcp(db:3306)/x"),
    "header-bearer": _within("Authorization: Bearer §", lambda m: m.some(32)),
    "header-basic": _within("Authorization: Basic §", lambda m: base64.b64encode(m.some(21).encode()).decode()),
    "header-json": _within("{'Authorization': 'Bearer §', 'Accept': '*/*'}", lambda m: m.some(32)),
    "header-key": _within("X-Api-Key: §", lambda m: m.some(32)),
    "cookie": _within("Cookie: sid=§; theme=dark", lambda m: m.some(32)),
}  # fmt: skip

SHAPES = {**SERVICES, **NAMED}


def fakes(seed: int, names: list[str] | None = None) -> list[Fake]:
    """One of each shape."""
    maker = Maker(seed)
    made = {name: make(maker) for name, make in SHAPES.items()}
    return [Fake(name, *made[name]) for name in names or SHAPES]


def found_in(text: str, secrets: list[Fake]) -> list[str]:
    """The shapes of which any piece stands in a text."""
    stretches = {text[start : start + PIECE] for start in range(len(text))}
    return [
        fake.shape
        for fake in secrets
        if any(
            piece in stretches if len(piece) == PIECE else piece in text for piece in fake.pieces
        )
    ]
