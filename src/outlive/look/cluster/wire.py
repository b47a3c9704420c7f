"""How agents talk: both sides prove that they know the token, which itself never travels; every message carries a proof.

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
from typing import Any

HELLO = b"outlive1"
NONCE_BYTES = 16
PROOF_BYTES = 32
MOST_BYTES = 1 << 16
CONNECT_SECONDS = 3.0
ANSWER_SECONDS = 10.0


class WireError(Exception):
    """The other side is not an agent, does not know the token, or stopped talking."""


class Channel:
    """A connection on which both sides have proved themselves."""

    def __init__(self, connection: socket.socket, key: bytes, asks: bool) -> None:
        self.connection = connection
        self._key = key
        self._mine, self._theirs = (b"a", b"b") if asks else (b"b", b"a")
        self._sent = self._received = 0
        self._broken = ""

    def send(self, message: dict[str, Any]) -> None:
        """One message."""
        payload = json.dumps(message).encode()
        proof = _proof(self._key, self._mine, struct.pack(">Q", self._sent), payload)
        self._sent += 1
        _send(self.connection, struct.pack(">I", len(payload)) + proof + payload)

    def receive(self) -> dict[str, Any]:
        """One message, or ``WireError``."""
        (length,) = struct.unpack(">I", _exactly(self.connection, 4))
        if length > MOST_BYTES:
            raise WireError(f"a message of {length} bytes")
        proof = _exactly(self.connection, PROOF_BYTES)
        payload = _exactly(self.connection, length)
        count = struct.pack(">Q", self._received)
        self._received += 1
        if not hmac.compare_digest(proof, _proof(self._key, self._theirs, count, payload)):
            raise WireError("a message without its proof")
        try:
            message = json.loads(payload)
        except ValueError as error:
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
        """Hang up."""
        self.connection.close()


def connect(host: str, port: int, token: bytes) -> Channel:
    """Call an agent. ``WireError`` says in a few words why it does not answer."""
    try:
        connection = socket.create_connection((host, port), CONNECT_SECONDS)
    except socket.gaierror as error:
        raise WireError(f"the name does not resolve: {error.strerror}") from error
    except TimeoutError as error:
        raise WireError(f"no answer within {CONNECT_SECONDS:g} s (a firewall drops it?)") from error
    except OSError as error:
        raise WireError(os.strerror(error.errno) if error.errno else str(error)) from error
    try:
        connection.settimeout(ANSWER_SECONDS)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        hello = _exactly(connection, len(HELLO) + NONCE_BYTES)
        if not hello.startswith(HELLO):
            raise WireError("something else than an agent of Outlive listens there")
        theirs, mine = hello[len(HELLO) :], os.urandom(NONCE_BYTES)
        _send(connection, mine + _proof(token, b"asks", theirs, mine))
        expected = _proof(token, b"answers", mine, theirs)
        if not hmac.compare_digest(_exactly(connection, PROOF_BYTES), expected):
            raise WireError("the agent has another token")
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
    answer = _exactly(connection, NONCE_BYTES + PROOF_BYTES)
    theirs, proof = answer[:NONCE_BYTES], answer[NONCE_BYTES:]
    if not hmac.compare_digest(proof, _proof(token, b"asks", mine, theirs)):
        raise WireError("the caller has another token")
    _send(connection, _proof(token, b"answers", theirs, mine))
    return Channel(connection, _proof(token, b"session", mine, theirs), asks=False)


def _proof(key: bytes, *parts: bytes) -> bytes:
    return hmac.new(key, b"".join(parts), hashlib.sha256).digest()


def _send(connection: socket.socket, data: bytes) -> None:
    try:
        connection.sendall(data)
    except OSError as error:
        raise WireError(f"the connection broke: {error}") from error


def _exactly(connection: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        try:
            part = connection.recv(count - len(data))
        except TimeoutError as error:
            raise WireError("no answer in time") from error
        except OSError as error:
            raise WireError(f"the connection broke: {error}") from error
        if not part:
            raise WireError("it hung up (another token?)")
        data += part
    return data
