"""Handlers put over the shim's, one after the other, each run exactly once per signal."""

import faulthandler
import os
import signal

import common

shim = common.start()
got = []
expected = []


def handler(name):
    return lambda number, frame: got.append(name)


for round_ in range(10):
    for name in ("one", "two"):
        signal.signal(signal.SIGTERM, handler(name))
        common.refresh(shim)
        common.refresh(shim)
        os.kill(os.getpid(), signal.SIGTERM)
        expected.append(name)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    common.refresh(shim)
    os.kill(os.getpid(), signal.SIGTERM)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    common.refresh(shim)
    signal.siginterrupt(signal.SIGUSR1, round_ % 2 == 0)
    common.refresh(shim)
    faulthandler.register(signal.SIGUSR2, file=os.open(os.devnull, os.O_WRONLY), chain=True)
    common.refresh(shim)
    faulthandler.unregister(signal.SIGUSR2)
    faulthandler.enable()
    common.refresh(shim)
    faulthandler.disable()
    common.refresh(shim)
assert got == expected, got
print("same", len(got))
