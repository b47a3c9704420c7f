"""Answer for a dead kernel: bind its ports, wait until its clients have come back, tell the running cell why.

A program of its own, run by any Python that has pyzmq (the kernel's has). It reads two pieces of JSON from its input: at once, which
ports and which requests; later, what to say. It ends when it has said it, when nobody comes back, or when its input ends.
"""

from __future__ import annotations

import sys

if __name__ == "__main__":
    sys.path.pop(0)  # the folder of this file is no place to import from

import hashlib
import hmac
import json
import os
import time
import uuid
from datetime import datetime, timezone
from typing import Any

import zmq

DELIMITER = b"<IDS|MSG>"
PROTOCOL = "5.3"

#: A port is free when its last holder is gone, which may take the kernel a moment.
SECONDS_TO_BIND = 2.0

#: Clients come back within a tenth or two of a second, each in its own time.
SECONDS_FOR_OTHERS = 0.25

#: A client that only waits for its reply does not listen; it is answered when nobody else has come to listen.
SECONDS_FOR_LISTENERS = 1.0


class Voice:
    """The five sockets of a kernel, spoken through by somebody else."""

    def __init__(self, connection: dict[str, Any]) -> None:
        self._connection = connection
        self._key = str(connection.get("key", "")).encode()
        self._digest = str(connection.get("signature_scheme", "hmac-sha256")).partition("-")[2]
        self._session = uuid.uuid4().hex
        context = zmq.Context()
        self.iopub = self._bind(context.socket(zmq.XPUB), "iopub")
        self.shell = self._bind(context.socket(zmq.ROUTER), "shell")
        self.control = self._bind(context.socket(zmq.ROUTER), "control")
        self.heart = self._bind(context.socket(zmq.ROUTER), "hb")
        self._context = context

    def _bind(self, socket: Any, channel: str) -> Any:
        socket.linger = 1000
        if socket.type == zmq.XPUB:
            socket.setsockopt(zmq.XPUB_VERBOSE, 1)
        elif channel != "hb":
            socket.setsockopt(zmq.ROUTER_MANDATORY, 1)
            socket.setsockopt(zmq.ROUTER_HANDOVER, 1)
        secret = self._connection.get("curve_secretkey")
        if secret:
            socket.curve_secretkey = secret.encode()
            socket.curve_publickey = self._connection["curve_publickey"].encode()
            socket.curve_server = True
        until = time.monotonic() + SECONDS_TO_BIND
        while True:
            try:
                socket.bind(self._address(channel))
                return socket
            except zmq.ZMQError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.02)

    def _address(self, channel: str) -> str:
        ip, port = self._connection["ip"], self._connection[f"{channel}_port"]
        if self._connection.get("transport", "tcp") == "ipc":
            return f"ipc://{ip}-{port}"
        return f"tcp://{ip}:{port}"

    def send(
        self,
        socket: Any,
        kind: str,
        content: dict[str, Any],
        parent: dict[str, Any],
        idents: list[bytes],
    ) -> bool:
        """One message; whether it could be sent."""
        header = {
            "msg_id": uuid.uuid4().hex,
            "msg_type": kind,
            "username": str(parent.get("username", "")),
            "session": self._session,
            "date": datetime.now(timezone.utc).isoformat(),
            "version": PROTOCOL,
        }
        parts = [json.dumps(part).encode() for part in (header, parent, {}, content)]
        try:
            socket.send_multipart([*idents, DELIMITER, self._signed(parts), *parts], zmq.NOBLOCK)
            return True
        except zmq.ZMQError:
            return False

    def publish(self, kind: str, content: dict[str, Any], parent: dict[str, Any]) -> None:
        """To everybody who listens."""
        self.send(self.iopub, kind, content, parent, [f"kernel.{self._session}.{kind}".encode()])

    def _signed(self, parts: list[bytes]) -> bytes:
        if not self._key:
            return b""
        digest = hmac.new(self._key, digestmod=getattr(hashlib, self._digest))
        for part in parts:
            digest.update(part)
        return digest.hexdigest().encode()

    def read(self, socket: Any) -> dict[str, Any] | None:
        """A request, if its signature is right."""
        frames = socket.recv_multipart(zmq.NOBLOCK)
        if DELIMITER not in frames:
            return None
        at = frames.index(DELIMITER)
        parts = frames[at + 2 : at + 6]
        if len(parts) < 4 or not hmac.compare_digest(frames[at + 1], self._signed(parts)):
            return None
        return {
            "idents": frames[:at],
            "header": json.loads(parts[0]),
            "content": json.loads(parts[3]),
        }

    def close(self) -> None:
        """Let what was sent go out."""
        for socket in (self.iopub, self.shell, self.control, self.heart):
            socket.close()
        self._context.term()


class Speaker:
    """What is to be said, to whom, and who has come back to hear it."""

    def __init__(self, voice: Voice, order: dict[str, Any]) -> None:
        self._voice = voice
        self._requests = list(order["requests"])
        self._linger = float(order["linger"])
        self._until = time.monotonic() + float(order["seconds"])
        self._words: dict[str, Any] | None = None
        self._heard = b""
        self._last_came: float | None = None
        self._ready_at = 0.0
        self._said_at: float | None = None
        self._replied: list[int] = []
        self._asked_to_end = False

    def run(self) -> None:
        """Until it is said, or nobody is there to hear it."""
        voice = self._voice
        poller = zmq.Poller()
        for socket in (voice.iopub, voice.shell, voice.control, voice.heart):
            poller.register(socket, zmq.POLLIN)
        poller.register(0, zmq.POLLIN)
        while not self._over():
            for socket, _ in poller.poll(20):
                if socket == 0:
                    if not self._listen():
                        return
                    if self._words is not None:
                        poller.unregister(0)
                elif socket is voice.iopub:
                    if voice.iopub.recv()[:1] == b"\x01":
                        self._last_came = time.monotonic()
                elif socket is voice.heart:
                    voice.heart.send_multipart(voice.heart.recv_multipart())
                else:
                    self._answer(socket)
            self._speak_if_heard()

    def _listen(self) -> bool:
        text = os.read(0, 1 << 20)
        self._heard += text
        if self._heard.endswith(b"\n"):
            self._words = json.loads(self._heard)
            self._ready_at = time.monotonic()
            return not self._words.get("silent")
        return bool(text)

    def _over(self) -> bool:
        now = time.monotonic()
        if self._said_at is not None:
            return self._asked_to_end or now >= self._said_at + self._linger
        return now >= self._until

    def _speak_if_heard(self) -> None:
        """When the last of those who listen has been back for a moment; the reply when the one who asked is back too."""
        if self._words is None:
            return
        now = time.monotonic()
        listened = self._last_came is not None and now >= self._last_came + SECONDS_FOR_OTHERS
        if self._said_at is None and listened:
            for request in self._requests:
                self._publish(request)
            self._said_at = now
        if self._said_at is not None or now >= self._ready_at + SECONDS_FOR_LISTENERS:
            for number, request in enumerate(self._requests):
                if number not in self._replied and self._reply(request):
                    self._replied.append(number)

    def _publish(self, request: dict[str, Any]) -> None:
        parent = request["header"]
        if request.get("count") is not None:
            content = {"code": request["code"], "execution_count": request["count"]}
            self._voice.publish("execute_input", content, parent)
        shown = (self._words or {}).get("shown")
        if shown:
            self._voice.publish("display_data", {"data": shown, "metadata": {}}, parent)
        self._voice.publish("error", self._error(), parent)
        self._voice.publish("status", {"execution_state": "idle"}, parent)

    def _reply(self, request: dict[str, Any]) -> bool:
        idents = [bytes.fromhex(part) for part in request["ident"]]
        return self._voice.send(
            self._voice.shell,
            "execute_reply",
            {
                **self._error(),
                "status": "error",
                "execution_count": request.get("count"),
                "user_expressions": {},
                "payload": [],
            },
            request["header"],
            idents,
        )

    def _error(self) -> dict[str, Any]:
        words = self._words or {}
        return {name: words.get(name) for name in ("ename", "evalue", "traceback")}

    def _answer(self, socket: Any) -> None:
        """Somebody asks something new of a kernel that is no more."""
        request = self._voice.read(socket)
        if request is None:
            return
        header, idents = request["header"], request["idents"]
        kind = str(header.get("msg_type", ""))
        content: dict[str, Any] = {"status": "error", **GONE}
        if kind == "kernel_info_request":
            content = KERNEL_INFO
        elif kind == "shutdown_request":
            content = {"status": "ok", "restart": request["content"].get("restart", False)}
            self._asked_to_end = True
        elif kind == "execute_request":
            content["execution_count"] = None
        self._voice.publish("status", {"execution_state": "busy"}, header)
        if kind == "execute_request":
            self._voice.publish("error", GONE, header)
        self._voice.send(socket, kind.replace("_request", "_reply"), content, header, idents)
        self._voice.publish("status", {"execution_state": "idle"}, header)


GONE = {
    "ename": "KernelDied",
    "evalue": "Not run: the kernel died in an earlier cell (see above).",
    "traceback": ["KernelDied: Not run: the kernel died in an earlier cell (see above)."],
}
KERNEL_INFO = {
    "status": "ok",
    "protocol_version": PROTOCOL,
    "implementation": "outlive",
    "implementation_version": "",
    "banner": "The kernel died; Outlive explains why.",
    "help_links": [],
    "language_info": {
        "name": "python",
        "version": "",
        "mimetype": "text/x-python",
        "file_extension": ".py",
    },
}


def read_order() -> dict[str, Any] | None:
    """The first line: its length in eight digits, then the line; what follows stays for later."""
    wanted = exactly(8)
    text = exactly(int(wanted)) if wanted else b""
    return json.loads(text) if text else None


def exactly(count: int) -> bytes:
    """So many bytes, or none when the input ends."""
    text = b""
    while len(text) < count:
        part = os.read(0, count - len(text))
        if not part:
            return b""
        text += part
    return text


def main() -> None:
    """Read the order, take the ports of the dead kernel, and answer on them."""
    order = read_order()
    if order is None:
        return
    voice = Voice(order["connection"])
    try:
        Speaker(voice, order).run()
    finally:
        voice.close()


if __name__ == "__main__":
    main()
