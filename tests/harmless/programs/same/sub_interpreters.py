"""Second interpreters in this process, some of them in threads, with modules that hold native memory."""

import threading

try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters

run = getattr(interpreters, "run_string", None) or interpreters.exec
CODE = "import sys, json, zlib; print(json.dumps(sorted(n for n in sys.modules if 'outlive' in n)), zlib.crc32(b'x'), flush=True)"


def one() -> None:
    made = interpreters.create()
    run(made, CODE)
    run(made, "import threading; print(threading.active_count(), flush=True)")
    interpreters.destroy(made)


for _ in range(3):
    one()
for _ in range(3):
    thread = threading.Thread(target=one)
    thread.start()
    thread.join()
print("after")
