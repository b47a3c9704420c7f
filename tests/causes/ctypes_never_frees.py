"""A buffer of the C library's for every frame, and nobody frees it; called from a thread."""
# expect: native-leak LIKELY
# ending: SIGKILL
# memory: 300

import ctypes
import threading

native = ctypes.CDLL("libc.so.6")
native.malloc.restype = ctypes.c_void_p
native.malloc.argtypes = [ctypes.c_size_t]
native.memset.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]
native.free.argtypes = [ctypes.c_void_p]

FRAME_BYTES = 400_000


def decode(number: int) -> int:
    buffer = native.malloc(FRAME_BYTES)  # <- here
    native.memset(buffer, number % 251, FRAME_BYTES)  # <- here
    return int(buffer)


def play(frames: int, free: bool) -> None:
    for number in range(frames):
        buffer = decode(number)  # <- here
        if free:
            native.free(buffer)


def run(frames: int, free: bool) -> None:
    player = threading.Thread(target=play, args=(frames, free))
    player.start()
    player.join()


def die() -> None:
    run(100_000, False)


def spare() -> None:
    run(1000, True)
