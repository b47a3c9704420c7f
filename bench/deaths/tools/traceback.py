"""Bare Python: the last traceback on stderr, and otherwise what the shell says.

The last exception's type and message give the cause by the table below (rules of our own: what a search for the message
would say); the innermost frame in the victim's own file gives the line. Without a traceback a few well-known words are
looked for (glibc's complaint about the heap, `std::bad_alloc`), then the rules of `shell` decide.

Fair to a patient reader; unfair where a program prints a traceback and goes on, which a person may notice.
"""

from __future__ import annotations

import re

from tool import Answer, Ended, Tool, load

BEGIN = "Traceback (most recent call last):"
RAISED = re.compile(r"^(?P<type>[A-Za-z_][\w.]*)(?:: (?P<message>.*))?$")
FRAME = re.compile(r'^\s+File "(?P<file>[^"]+)", line (?P<line>\d+)', re.MULTILINE)

#: (the exception's type, words of its message, the cause): the first that fits.
TABLE = [
    (r"KeyboardInterrupt", r"", "interrupted"),
    (r"RecursionError", r"", "recursion-too-deep"),
    (r"DecompressionBomb\w*", r"", "decompression-bomb"),
    (r"UnidentifiedImageError", r"", "corrupt-image"),
    (r"", r"No space left on device|Disk quota exceeded", "disk-full"),
    (r"", r"Too many open files", "too-many-open-files"),
    (
        r"",
        r"can't start new thread|pthread_create|Resource temporarily unavailable",
        "too-many-threads",
    ),
    (r"", r"Session has been closed|closed Session", "session-closed"),
    (r"MemoryError|_ArrayMemoryError|ResourceExhaustedError", r"", "allocation-refused"),
    (r"BrokenProcessPool", r"", "worker-out-of-memory"),
    (r"CancelledError", r"", "operation-cancelled"),
    (r"FileNotFoundError|NotFoundError", r"", "missing-file"),
    (
        r"ImportError|OSError",
        r"cannot open shared object|undefined symbol",
        "shared-library-missing",
    ),
    (
        r"",
        r"compiled using NumPy|numpy\.core\.multiarray failed|numpy\.dtype size changed|_ARRAY_API",
        "numpy-abi-mismatch",
    ),
    (
        r"",
        r"Descriptors cannot be created directly|[Pp]rotobuf.*(version|incompatible)|gencode",
        "protobuf-mismatch",
    ),
    (r"", r"\b(NaN|nan|Inf|inf)\b", "not-finite"),
    (r"", r"decode|JPEG|PNG|GIF|BMP|image (file|data)", "corrupt-image"),
    (r"DataLossError", r"checkpoint|\.data-|\.index", "corrupt-weights"),
    (r"DataLossError", r"", "corrupt-record"),
    (r"", r"Key: |[Ff]eature", "record-schema-mismatch"),
    (r"", r"\.h5|\.keras|weights|file signature", "corrupt-weights"),
    (r"", r"[Ss]hape|dimension|[Rr]ank|broadcast", "shape-mismatch"),
    (r"", r"dtype|data type|\b(float|double|int\d*|uint8) tensor", "dtype-mismatch"),
    (r"", r"", "uncaught-exception"),
]

#: Words of native libraries, when there is no traceback.
WORDS = [
    (
        r"double free|free\(\): invalid|malloc\(\): |corrupted size|munmap_chunk\(\)",
        "heap-corrupted",
    ),
    (r"std::bad_alloc", "allocation-refused"),
    (r"Check failed: ", "tf-check-failed"),
]


class Adapter(Tool):
    def answer(self, ended: Ended) -> Answer:
        beside = load("shell").answer(ended)
        if ended.status == 0 and not ended.hung:
            return (
                Answer("background-error-lost") if "Exception in thread" in ended.stderr else beside
            )
        raised = last_exception(ended.stderr)
        if ended.status > 0 and ended.signal is None and raised is not None:
            return Answer(cause_of(*raised), innermost(ended.stderr, ended.script))
        if ended.signal is not None and not ended.hung:
            for words, cause in WORDS:
                if re.search(words, ended.stderr):
                    return Answer(cause)
        if ended.status == 1 and raised is None and not ended.hung:
            return Answer(
                "exited-by-program"
            )  # Python prints one for every exception that nobody caught
        if beside.cause == "interrupted" and raised is not None:
            return Answer(beside.cause, innermost(ended.stderr, ended.script))
        return beside


def last_exception(stderr: str) -> tuple[str, str] | None:
    """The type and the message (all its lines) that end the last traceback."""
    _, found, tail = stderr.rpartition(BEGIN)
    if not found:
        return None
    lines = tail.splitlines()
    for number, line in enumerate(lines):
        if number and (match := RAISED.match(line)):
            rest = [match["message"] or "", *lines[number + 1 :]]
            return match["type"].rpartition(".")[2], "\n".join(rest)
    return None


def cause_of(kind: str, message: str) -> str:
    for kinds, words, cause in TABLE:
        if (not kinds or re.fullmatch(kinds, kind)) and re.search(words, message):
            return cause
    raise AssertionError("the last row fits all")


def innermost(stderr: str, script: str) -> int | None:
    """The last frame of the last traceback that is in the victim's file."""
    frames = FRAME.finditer(stderr.rpartition(BEGIN)[2])
    own = [int(frame["line"]) for frame in frames if frame["file"].rpartition("/")[2] == script]
    return own[-1] if own else None
