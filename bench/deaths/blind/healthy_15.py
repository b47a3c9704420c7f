"""Timeouts by alarm are set, handled and switched off; SIGTERM and SIGHUP arrive and are only noted."""
# expect: nothing

import contextlib
import os
import signal
import time

import tensorflow as tf


class TooSlow(Exception):
    pass


@contextlib.contextmanager
def limit(seconds):
    def late(number, frame):
        raise TooSlow(f"more than {seconds} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


asked = []
for number in (signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, lambda n, frame: asked.append(n))
for pause in (0.01, 0.8, 0.02):
    try:
        with limit(0.3):
            time.sleep(pause)
            print("in time", float(tf.reduce_sum(tf.ones([10]))))
    except TooSlow as error:
        print("skipped:", error)
os.kill(os.getpid(), signal.SIGTERM)
os.kill(os.getpid(), signal.SIGHUP)
print("asked to end by", [signal.Signals(n).name for n in asked], "but the work was done anyway")
