"""Wait for a signal: wait_for_signal.py SIGNAL default|handler|ignored before|after (the shim)."""

import signal
import sys

import common

number, mode, when = int(sys.argv[1]), sys.argv[2], sys.argv[3]
handled = []


def install():
    dispositions = {
        "default": signal.SIG_DFL,
        "handler": lambda got, frame: handled.append(got),
        "ignored": signal.SIG_IGN,
    }
    signal.signal(number, dispositions[mode])


if when == "before":
    install()
    shim = common.start()
else:
    shim = common.start()
    install()
    common.refresh(shim)
common.ready()
common.wait_for_test()
print("handled", handled)
sys.exit(5)
