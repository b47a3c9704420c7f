"""A forked child records into a file of its own; one that does not reopen records nothing."""

import os
import signal

import common

shim = common.start()
os.write(2, b"parent before\n")
child = os.fork()
if child == 0:
    os.write(2, b"child before reopen\n")
    if shim is not None:
        assert shim.reopen(os.environ["OUTLIVE_TEST_DATA"] + ".child")
    os.write(2, b"child\n")
    os.kill(os.getpid(), signal.SIGTERM)
_, status = os.waitpid(child, 0)
assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGTERM
silent = os.fork()
if silent == 0:
    if shim is not None:
        assert not shim.reopen("/nonexistent/data")
    os.write(2, b"silent child\n")
    os._exit(0)
assert os.waitpid(silent, 0)[1] == 0
os.write(2, b"parent after\n")
print(child)
