"""Have the last words spoken: start the program that binds the dead kernel's ports while the verdict is still being made.

No bounded command: it is started before there is anything to say, and told later over its stdin.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from outlive.coroner.readings.notebook import Request

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "last_words.py")

#: After the words are said: time for a client that asks once more before it believes them.
LINGER_SECONDS = 1.0

#: When nobody comes back to hear them.
PATIENCE_SECONDS = 8.0


class LastWords:
    """The program that speaks for a dead kernel."""

    def __init__(
        self,
        connection: Mapping[str, Any],
        requests: Sequence[Request],
        command: Sequence[str],
        environment: Mapping[str, str],
    ) -> None:
        python = sys.executable if importlib.util.find_spec("zmq") else command[0]
        self._process = subprocess.Popen(
            [python, PROGRAM],
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        order = {
            "connection": dict(connection),
            "requests": [
                {
                    "header": request.header,
                    "ident": request.ident,
                    "count": None if request.silent else request.count,
                    "code": request.code,
                }
                for request in requests
            ],
            "linger": LINGER_SECONDS,
            "seconds": PATIENCE_SECONDS,
        }
        text = json.dumps(order).encode()
        self._write(b"%08d" % len(text) + text)

    def say(
        self,
        name: str,
        message: str,
        traceback: Sequence[str],
        shown: Mapping[str, str] | None = None,
    ) -> None:
        """To the running cell, with what is to be displayed above its error (by MIME type); returns when it is said."""
        words = {"ename": name, "evalue": message, "traceback": list(traceback), "shown": shown}
        self._write(json.dumps(words).encode() + b"\n")
        try:
            self._process.wait(PATIENCE_SECONDS + LINGER_SECONDS + 2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def keep_silent(self) -> None:
        """It was no death that anybody needs to hear of."""
        self._process.kill()
        self._process.wait()

    def _write(self, data: bytes) -> None:
        if self._process.stdin is None:
            return
        try:
            self._process.stdin.write(data)
            self._process.stdin.flush()
        except OSError:
            pass  # it could not bind, or was ended: nobody hears it
