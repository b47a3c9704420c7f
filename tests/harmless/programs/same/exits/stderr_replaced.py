# status: 1
"""The traceback goes to whatever sys.stderr is."""

import sys


class Stream:
    def write(self, text):
        print("stream got", repr(text), flush=True)

    def flush(self):
        print("flushed", flush=True)


sys.stderr = Stream()
raise ValueError("for the stream")
