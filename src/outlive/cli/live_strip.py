"""`outlive run --live`: a few rows at the bottom of the terminal, below the program's own output.

The terminal keeps the two apart: the rows above become its scrolling region, so the program goes on writing to the terminal that it was
given, and nothing is redirected or copied (docs/adr/0013). The rows are drawn by a process of its own, which reads the record as `outlive top` does;
it has all signals blocked, and when the supervisor is gone, however that came, it puts the terminal back and ends.
"""

from __future__ import annotations

import os
import select
import signal
import time

from outlive.recorder.oom_score import be_as_given
from outlive.recorder.signals.witness import let_go_of_all_but

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from collections.abc import Sequence

    from outlive.recorder.supervisor import Watcher

#: The program keeps at least so many rows for itself.
ROWS_FOR_THE_PROGRAM = 10
SECONDS_BETWEEN = 1.0

#: A look takes at most this part of one core: a long record is read less often.
SHARE_OF_A_CORE = 0.05
SECONDS_TO_ANSWER = 2.0

SAVE, RESTORE = "\x1b7", "\x1b8"
#: One row down, scrolling at the end as a line feed does, in the same column: the program may have asked for input.
INDEX = "\x1bD"
HIDE, SHOW = b"h", b"s"


def terminal_of_the_program() -> int | None:
    """The terminal that the program writes its errors to, if that is one whose cursor can be moved."""
    able = os.environ.get("TERM", "dumb") not in ("", "dumb", "unknown")
    return 2 if able and os.isatty(2) else None


class Strip:
    """The drawing process, as the supervisor sees it."""

    def __init__(self, terminal: int, folder: str) -> None:
        """After the program was started: it inherits none of this."""
        self._terminal = terminal
        orders, self._orders = os.pipe()
        self._answers, answers = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            try:
                let_go_of_all_but(orders, answers, terminal)
                be_as_given()
                _draw_until_told(orders, answers, Painter(terminal), folder)
            finally:
                os._exit(0)
        os.close(orders)
        os.close(answers)

    def hide(self) -> None:
        """Give the whole terminal back, and wait until that is done: the shell is about to use it."""
        self._order(HIDE)

    def show(self) -> None:
        """Draw the rows again, after the shell has handed the terminal back."""
        self._order(SHOW)

    def _order(self, order: bytes) -> None:
        try:
            os.write(self._orders, order)
            if select.select([self._answers], [], [], SECONDS_TO_ANSWER)[0]:
                os.read(self._answers, 1)
        except OSError:
            pass  # it is gone, and has put the terminal back

    def end(self) -> None:
        """The program has ended: put the terminal back before anything else is written."""
        os.close(self._orders)
        until = time.monotonic() + SECONDS_TO_ANSWER
        while not self._is_gone():
            if time.monotonic() > until:
                os.kill(self._pid, signal.SIGKILL)
                os.waitpid(self._pid, 0)
                Painter(self._terminal, shown=True).hide()
                return
            time.sleep(0.005)

    def _is_gone(self) -> bool:
        try:
            return os.waitpid(self._pid, os.WNOHANG)[0] == self._pid
        except ChildProcessError:
            return True


class Watched:
    """Hands on to the recorder what the supervisor sees, and takes the strip away in time."""

    def __init__(self, flight: Watcher, strip: Strip) -> None:
        self._flight = flight
        self._strip = strip
        self.sample_if_due = flight.sample_if_due
        self.seconds_to_next = flight.seconds_to_next
        self.received = flight.received

    def stopped(self, number: int) -> None:
        """Ctrl-Z: the shell gets a terminal as it knows it."""
        self._strip.hide()
        self._flight.stopped(number)

    def continued(self) -> None:
        """The program goes on."""
        self._flight.continued()
        self._strip.show()

    def program_is_dead(self, killed: int | None) -> None:
        """First what cannot wait, then the terminal."""
        self._flight.program_is_dead(killed)
        self._strip.end()


class Painter:
    """Writes rows at the bottom. Every step is one write, which the terminal does not mix with the program's."""

    def __init__(self, terminal: int, shown: bool = False) -> None:
        self._terminal = terminal
        self._size = self.measured() if shown else None  #: of the screen as it is divided now

    def paint(self, rows: Sequence[str]) -> None:
        """Draw these rows, on a screen that may have changed its size."""
        size = self.measured()
        if size is None or size[1] < ROWS_FOR_THE_PROGRAM + _height():
            self.hide()
            return
        if size != self._size:
            self.hide()
            self._divide(size)
        first = size[1] - _height() + 1
        drawn = [
            f"\x1b[{first + number};1H\x1b[2K{rows[number] if number < len(rows) else ''}"
            for number in range(_height())
        ]
        self._write(f"{SAVE}{''.join(drawn)}\x1b[0m{RESTORE}")

    def hide(self) -> None:
        """The whole screen scrolls again, and the rows are empty."""
        if self._size is None:
            return
        first = self._size[1] - _height() + 1
        self._write(f"{SAVE}\x1b[r\x1b[{first};1H\x1b[0J{RESTORE}")
        self._size = None

    def _divide(self, size: tuple[int, int]) -> None:
        """Scroll what stands at the bottom out of the way, and let only the rest scroll from now on."""
        height = _height()
        self._write(INDEX * height + f"\x1b[{height}A{SAVE}\x1b[1;{size[1] - height}r{RESTORE}")
        self._size = size

    def measured(self) -> tuple[int, int] | None:
        """Columns and rows of the terminal now."""
        try:
            size = os.get_terminal_size(self._terminal)
            return size.columns, size.lines
        except OSError:
            return None

    def _write(self, text: str) -> None:
        data = text.encode("utf-8", "replace")
        try:
            while data:
                data = data[os.write(self._terminal, data) :]
        except OSError:
            pass  # the terminal is gone


def _height() -> int:
    from outlive.report.live import STRIP_ROWS

    return STRIP_ROWS


def _draw_until_told(orders: int, answers: int, painter: Painter, folder: str) -> None:
    """The life of the drawing process."""
    shown, pause = True, 0.0
    try:
        while True:
            if select.select([orders], [], [], pause)[0]:
                order = os.read(orders, 1)
                if not order:
                    return
                shown = order == SHOW
                if not shown:
                    painter.hide()
                os.write(answers, b".")
            began = time.thread_time()
            if shown:
                painter.paint(_rows(folder, painter))
            pause = max(SECONDS_BETWEEN, (time.thread_time() - began) / SHARE_OF_A_CORE)
    finally:
        painter.hide()


def _rows(folder: str, painter: Painter) -> Sequence[str]:
    """The run as rows of text with colours."""
    import io

    from rich.console import Console

    from outlive.cli.live import living
    from outlive.report.live import WIDEST_STRIP, strip

    size = painter.measured()
    width = min(WIDEST_STRIP, size[0] if size else WIDEST_STRIP)
    plain = bool(os.environ.get("NO_COLOR"))
    rows = []
    for text in [row for alive in living(folder) for row in strip(alive, width)]:
        console = Console(
            file=io.StringIO(),
            width=width,
            force_terminal=True,
            no_color=plain,
            color_system="standard",
            highlight=False,
            markup=False,
            emoji=False,
            legacy_windows=False,
        )
        text.truncate(width - 1, overflow="ellipsis")
        console.print(text, end="", soft_wrap=True)
        rows.append(console.file.getvalue())  # type: ignore[attr-defined]  # it is the one above
    return rows
