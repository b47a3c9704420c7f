"""Names in sys, os, signal, threading."""

import os
import signal
import sys
import threading

for module in (sys, os, signal, threading):
    print(
        module.__name__,
        sorted(name for name in vars(module) if "outlive" in name.lower()),
        len(vars(module)),
    )
