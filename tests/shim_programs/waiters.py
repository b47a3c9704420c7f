"""Other ways to receive signals: waiters.py sigwait|signalfd|wakeup|asyncio|interrupt."""

import asyncio
import ctypes
import os
import signal
import socket
import struct
import sys

import common

NUMBER = signal.SIGTERM
mode = sys.argv[1]
shim = common.start()

if mode == "sigwait":
    signal.pthread_sigmask(signal.SIG_BLOCK, [NUMBER])
    common.refresh(shim)
    common.ready()
    info = signal.sigwaitinfo([NUMBER])
    print("got", info.si_signo == NUMBER, info.si_pid == int(sys.stdin.readline()))
elif mode == "signalfd":
    signal.pthread_sigmask(signal.SIG_BLOCK, [NUMBER])
    common.refresh(shim)
    mask = struct.pack("128s", (1 << (NUMBER - 1)).to_bytes(128, "little"))
    handle = ctypes.CDLL(None).signalfd(-1, mask, 0)
    common.ready()
    number, _, _, sender = struct.unpack("IiiI", os.read(handle, 128)[:16])
    print("got", number == NUMBER, sender == int(sys.stdin.readline()))
elif mode == "wakeup":
    near, far = socket.socketpair()
    far.setblocking(False)
    signal.signal(NUMBER, lambda number, frame: None)
    signal.set_wakeup_fd(far.fileno())
    common.refresh(shim)
    common.ready()
    print("got", near.recv(10) == bytes([NUMBER]), int(sys.stdin.readline()) > 0)
elif mode == "asyncio":

    async def main():
        event = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(NUMBER, event.set)
        common.refresh(shim)
        common.ready()
        await event.wait()

    asyncio.run(main())
    print("got", True, int(sys.stdin.readline()) > 0)
elif mode == "interrupt":

    class Told(Exception):
        pass

    def tell(number, frame):
        raise Told

    signal.signal(NUMBER, tell)
    common.refresh(shim)
    try:
        common.ready()
        sys.stdin.readline()
        print("got", False, False)
    except Told:
        common.ready("told")  # only now the line is sent: a read under way would lose it
        print("got", True, int(sys.stdin.readline()) > 0)
