"""How agents talk: both sides prove that they know the token, which itself never travels; every message carries a proof.

The first eight bytes of an agent are "outlive" and one digit, the version of this protocol, whatever comes after them in another version.
Why not ``multiprocessing.connection``, TLS or CURVE: docs/adr/0025.

agent                         the one who asks
"outlive1" + nonce       ──▶
                         ◀──  nonce + proof of the token over both nonces
proof of the token       ──▶
length, proof, JSON      ◀─▶  length, proof, JSON
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import socket
import struct
import time
from typing import Any

NAME, VERSION = b"outlive", b"1"
HELLO = NAME + VERSION
NONCE_BYTES = 16
PROOF_BYTES = 32
MOST_BYTES = 1 << 16
CONNECT_SECONDS = 3.0
ANSWER_SECONDS = 10.0
#: From the first byte of a message to its last, however slowly they come.
MESSAGE_SECONDS = 10.0
#: Who calls has this long to prove himself.
PROOF_SECONDS = 5.0


class WireError(Exception):
    """The other side is not an agent, does not know the token, or stopped talking."""


class Mismatch(WireError):
    """Another token or another version of the protocol: calling again does not help."""


class Channel:
    """A connection on which both sides have proved themselves."""

    def __init__(self, connection: socket.socket, key: bytes, asks: bool) -> None:
        self.connection = connection
        self._key = key
        self._mine, self._theirs = (b"a", b"b") if asks else (b"b", b"a")
        self._sent = self._received = 0
        self._broken = ""

    def send(self, message: dict[str, Any]) -> None:
        """Send one message with its proof."""
        payload = json.dumps(message).encode()
        proof = _proof(self._key, self._mine, struct.pack(">Q", self._sent), payload)
        self._sent += 1
        _send(self.connection, struct.pack(">I", len(payload)) + proof + payload)

    def receive(self) -> dict[str, Any]:
        """Wait for one message and check its proof; ``WireError`` for anything else."""
        first = _exactly(self.connection, 1)  # between two messages there may be a pause
        until = time.monotonic() + MESSAGE_SECONDS
        (length,) = struct.unpack(">I", first + _exactly(self.connection, 3, until))
        if length > MOST_BYTES:
            raise WireError(f"a message of {length} bytes")
        proof = _exactly(self.connection, PROOF_BYTES, until)
        payload = _exactly(self.connection, length, until)
        count = struct.pack(">Q", self._received)
        self._received += 1
        if not hmac.compare_digest(proof, _proof(self._key, self._theirs, count, payload)):
            raise WireError("a message without its proof")
        try:
            message = json.loads(payload)
        except (ValueError, RecursionError) as error:
            raise WireError("a message that is not JSON") from error
        if not isinstance(message, dict):
            raise WireError("a message that is not an object")
        return message

    def ask(self, **question: Any) -> dict[str, Any]:
        """Send a question and wait for its answer. After a silence nothing more is asked: a late answer would be taken for the next."""
        if self._broken:
            raise WireError(self._broken)
        try:
            self.send(question)
            answer = self.receive()
        except WireError as error:
            self._broken = f"it stopped answering: {error}"
            self.close()
            raise
        if "error" in answer:
            raise WireError(str(answer["error"]))
        return answer

    def close(self) -> None:
        """Close the connection; the other side sees its end."""
        self.connection.close()


def connect(host: str, port: int, token: bytes) -> Channel:
    """Call an agent. ``WireError`` says in a few words why it does not answer."""
    try:
        connection = socket.create_connection((host, port), CONNECT_SECONDS)
    except socket.gaierror as error:
        raise WireError(f"the name does not resolve: {error.strerror}") from error
    except TimeoutError as error:
        raise WireError(
            f"no answer within {CONNECT_SECONDS:g} s (blocked by a firewall?)"
        ) from error
    except OSError as error:
        raise WireError(os.strerror(error.errno) if error.errno else str(error)) from error
    try:
        connection.settimeout(ANSWER_SECONDS)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        hello = _exactly(connection, len(HELLO) + NONCE_BYTES)
        if not hello.startswith(HELLO):
            raise _unlike(hello)
        theirs, mine = hello[len(HELLO) :], os.urandom(NONCE_BYTES)
        _send(connection, mine + _proof(token, b"asks", theirs, mine))
        expected = _proof(token, b"answers", mine, theirs)
        if not hmac.compare_digest(_exactly(connection, PROOF_BYTES), expected):
            raise Mismatch("the agent has a different token")
        return Channel(connection, _proof(token, b"session", theirs, mine), asks=True)
    except WireError:
        connection.close()
        raise


def accept(connection: socket.socket, token: bytes) -> Channel:
    """Answer a call; ``WireError`` when the caller does not know the token."""
    connection.settimeout(ANSWER_SECONDS)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    mine = os.urandom(NONCE_BYTES)
    _send(connection, HELLO + mine)
    answer = _exactly(connection, NONCE_BYTES + PROOF_BYTES, time.monotonic() + PROOF_SECONDS)
    theirs, proof = answer[:NONCE_BYTES], answer[NONCE_BYTES:]
    if not hmac.compare_digest(proof, _proof(token, b"asks", mine, theirs)):
        raise Mismatch("the caller has a different token")
    _send(connection, _proof(token, b"answers", theirs, mine))
    return Channel(connection, _proof(token, b"session", mine, theirs), asks=False)


def _unlike(hello: bytes) -> WireError:
    """Say what listens there instead of an agent that this Outlive understands."""
    version = hello[len(NAME) : len(HELLO)]
    if not hello.startswith(NAME) or not version.isdigit():
        return WireError("another program listens there, not an Outlive agent")
    return Mismatch(
        f"it uses version {version.decode()} of the agent protocol, this Outlive uses {VERSION.decode()}; "
        "install the same Outlive on all hosts"
    )


def _proof(key: bytes, *parts: bytes) -> bytes:
    return hmac.new(key, b"".join(parts), hashlib.sha256).digest()


def _send(connection: socket.socket, data: bytes) -> None:
    try:
        connection.sendall(data)
    except OSError as error:
        raise WireError(f"the connection broke: {error}") from error


def _exactly(connection: socket.socket, count: int, until: float | None = None) -> bytes:
    """So many bytes: each within the connection's time limit, and all of them before ``until``."""
    patience = connection.gettimeout()
    try:
        return _received(connection, count, until)
    finally:
        connection.settimeout(patience)


def _received(connection: socket.socket, count: int, until: float | None) -> bytes:
    data = b""
    while len(data) < count:
        try:
            if until is not None:
                connection.settimeout(max(0.001, until - time.monotonic()))
            part = connection.recv(count - len(data))
        except TimeoutError as error:
            raise WireError("no answer in time") from error
        except OSError as error:
            raise WireError(f"the connection broke: {error}") from error
        if not part:
            raise Mismatch("it closed the connection (a different token?)")
        data += part
    return data
