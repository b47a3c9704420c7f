"""The parent's side of a zygote: start it, ask it for workers, hear how they ended.

No bounded command: it lives as long as the job, and is talked to over a socket that hands over file descriptors.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from outlive.errors import OutliveError
from outlive.jobs.busy_page import BYTES, Board
from outlive.jobs.pipe_messages import Reader, send
from outlive.jobs.zygote import BOOT, MESSAGE_BYTES

#: TensorFlow takes seconds to import, on a busy disk minutes.
SECONDS_TO_IMPORT = 600.0
SECONDS_TO_FORK = 60.0
SECONDS_TO_END = 30.0
STEP_SECONDS = 0.1

LOG_BYTES = 64 * 1024  #: of what a worker printed: its last words
LOG_LIMIT_BYTES = 4_000_000


class ImportFailed(OutliveError):
    """The packages that a worker needs cannot be imported."""

    def __init__(self, thrown: Mapping[str, Any]) -> None:
        super().__init__(
            f"What the worker needs cannot be imported: {thrown['type']}: {thrown['message'][:300]}",
            "Check this Python's packages:  outlive doctor",
        )
        self.thrown = thrown


class ZygoteGone(Exception):
    """The zygote died, and its worker with it."""


class Interrupted(Exception):
    """Somebody asked to stop while we waited."""


class Worker:
    """A worker as its parent sees it."""

    def __init__(self, pid: int, orders: int, results: int, board: Board, log: Any) -> None:
        self.pid = pid
        self.orders = orders
        self.reader = Reader(results)
        self.board = board
        self.status: int | None = None  #: as ``wait`` gives it, once it is dead
        self.peak_bytes = 0
        self._log = log

    def send(self, message: Any) -> None:
        """Hand something over; a worker that is gone is noticed elsewhere."""
        try:
            send(self.orders, message)
        except (BrokenPipeError, OSError):
            pass

    def kill(self, number: int = signal.SIGKILL) -> None:
        """End it, if it has not been buried yet: until then nobody else has its number."""
        if self.status is None:
            try:
                os.kill(self.pid, number)
            except ProcessLookupError:
                pass

    def log(self) -> str:
        """The end of what it printed."""
        length = os.fstat(self._log.fileno()).st_size
        data = os.pread(self._log.fileno(), LOG_BYTES, max(0, length - LOG_BYTES))
        return data.decode("utf-8", "replace")

    def trim_log(self) -> None:
        """A model that prints for each input must not fill the disk."""
        if os.fstat(self._log.fileno()).st_size > LOG_LIMIT_BYTES:
            os.ftruncate(self._log.fileno(), 0)

    def close(self) -> None:
        """Let go of its pipes."""
        for handle in (self.orders, self.reader.handle):
            os.close(handle)
        self.board.close()
        self._log.close()


class Nursery:
    """A zygote, and the workers that were forked from it."""

    def __init__(
        self,
        imports: Sequence[str],
        variables: Mapping[str, str] | None = None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        self._imports = list(imports)
        self._variables = dict(variables or {})
        self._stopped = stopped
        self._process: subprocess.Popen[bytes] | None = None
        self._channel: socket.socket | None = None
        self._is_ready = False
        self._workers: dict[int, Worker] = {}  #: by their number

    @property
    def zygote_pid(self) -> int | None:
        """The zygote's number, while there is one."""
        return self._process.pid if self._process else None

    def fileno(self) -> int:
        """For ``select``: readable when a worker ended, or the zygote."""
        return self._channel.fileno() if self._channel else -1

    def start(self) -> None:
        """Start importing; returns at once."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        environment = {"TF_CPP_MIN_LOG_LEVEL": "1", **os.environ, **self._variables}
        self._process = subprocess.Popen(
            [sys.executable, "-c", BOOT, json.dumps(sys.path), str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment,
            start_new_session=True,  # the terminal's signals are for the parent alone
        )
        theirs.close()
        self._channel = ours
        self._is_ready = False
        # The kernel tells a child of the end of the thread that made it, not of the process.
        lasting = threading.current_thread() is threading.main_thread()
        greeting = {"imports": self._imports, "parent": os.getpid() if lasting else 0}
        self._send(json.dumps(greeting).encode())

    def wait_until_ready(self) -> None:
        """Until everything is imported."""
        if self._is_ready:
            return
        answer = self._answer(SECONDS_TO_IMPORT)
        if "failed" in answer:
            raise ImportFailed(answer["failed"])
        self._is_ready = True

    def fork(self, group: str | None) -> Worker:
        """A new worker; in a cgroup, if one is given."""
        self.wait_until_ready()
        orders_read, orders_write = os.pipe()
        results_read, results_write = os.pipe()
        page = os.memfd_create("outlive", os.MFD_CLOEXEC)
        os.ftruncate(page, BYTES)
        log = tempfile.TemporaryFile(mode="ab+", buffering=0)  # noqa: SIM115  # the worker's, closed with it
        theirs = [orders_read, results_write, page, log.fileno()]
        try:
            board = Board(page)
            self._send(json.dumps({"group": group}).encode(), theirs)
            answer = self._answer(SECONDS_TO_FORK)
        except BaseException:
            os.close(orders_write)
            os.close(results_read)
            log.close()
            raise
        finally:
            for handle in (orders_read, results_write, page):
                os.close(handle)
        worker = Worker(answer["born"], orders_write, results_read, board, log)
        self._workers[worker.pid] = worker
        return worker

    def hear(self) -> None:
        """Read what the zygote tells; the status of a dead worker is then known."""
        self._note_death(self._receive())

    def bury(self, worker: Worker) -> None:
        """Wait until the end of a worker is known."""
        until = time.monotonic() + SECONDS_TO_END
        while worker.status is None:
            if not select.select([self], [], [], STEP_SECONDS)[0]:
                if time.monotonic() > until:
                    raise ZygoteGone
                worker.kill()
                continue
            self.hear()

    def dismiss(self, worker: Worker) -> None:
        """Let go of a worker that is dead."""
        del self._workers[worker.pid]
        worker.close()

    def close(self) -> None:
        """End the workers and the zygote."""
        workers = list(self._workers.values())
        for worker in workers:
            worker.kill()
        try:
            for worker in workers:
                self.bury(worker)
        except ZygoteGone:
            pass  # then they died with the zygote
        for worker in workers:
            self.dismiss(worker)
        if self._channel is not None:
            self._channel.close()
            self._channel = None
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _send(self, message: bytes, handles: Sequence[int] = ()) -> None:
        assert self._channel is not None
        try:
            socket.send_fds(self._channel, [message], list(handles))
        except OSError as error:
            raise ZygoteGone from error

    def _answer(self, seconds: float) -> dict[str, Any]:
        until = time.monotonic() + seconds
        while not select.select([self], [], [], STEP_SECONDS)[0]:
            if self._stopped():
                raise Interrupted
            if time.monotonic() > until:
                raise ZygoteGone
        message = self._receive()
        if "died" not in message:
            return message
        self._note_death(message)
        return self._answer(seconds)

    def _note_death(self, message: Mapping[str, Any]) -> None:
        worker = self._workers.get(message.get("died", 0))
        if worker is not None:
            worker.status = message["status"]
            worker.peak_bytes = message["peak"]

    def _receive(self) -> dict[str, Any]:
        assert self._channel is not None
        try:
            data = self._channel.recv(MESSAGE_BYTES)
        except OSError as error:
            raise ZygoteGone from error
        if not data:
            raise ZygoteGone
        found: dict[str, Any] = json.loads(data)
        return found
