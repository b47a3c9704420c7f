"""Write to stderr in many ways: writes.py LIBRARY... (compiled from says.c)."""

import ctypes
import errno
import os
import subprocess
import sys

import common

shim = common.start()
libc = ctypes.CDLL(None, use_errno=True)
stream = ctypes.c_void_p.in_dll(libc, "stderr")

print("python print", file=sys.stderr, flush=True)
os.write(2, b"os write\n")
os.writev(2, [b"os ", b"writev\n"])
print("NOT THIS", flush=True)
os.write(1, b"NOT THAT\n")
libc.fprintf(stream, b"ctypes %s %d\n", b"fprintf", 42)
libc.fputs(b"ctypes fputs\n", stream)
for path in sys.argv[1:]:
    library = ctypes.CDLL(path)
    common.refresh(shim)
    assert library.say_all() == 0
    name = os.path.basename(path).encode()
    assert library.say(name) == len(name) + 10, "fprintf's result"
    library.unload = ctypes.CDLL(None).dlclose
    library.unload.argtypes = (ctypes.c_void_p,)
    library.unload(library._handle)  # the next one may come to the same address
    common.refresh(shim)
assert libc.write(2, 8, 5) == -1 and ctypes.get_errno() == errno.EFAULT
assert libc.write(2, b"x" * 3, 0) == 0
subprocess.run([sys.executable, "-c", "import os; os.write(2, b'of a child\\n')"], check=True)
os.write(2, b"x" * 100_000 + b"\n")
os.close(2)
try:
    os.write(2, b"after close\n")
    sys.exit(9)
except OSError as problem:
    sys.exit(problem.errno != errno.EBADF)
