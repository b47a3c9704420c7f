"""Names, encodings, buffering of the streams."""

import sys

for stream in (sys.stdin, sys.stdout, sys.stderr):
    print(
        stream.name,
        stream.mode,
        stream.encoding,
        stream.errors,
        stream.line_buffering,
        stream.isatty(),
        stream.fileno(),
        type(stream.buffer).__name__,
        stream.write_through,
    )
print(sys.__stdout__ is sys.stdout)
