"""Functions that are shared by all interpreters of a process work in each of them."""

try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters

CODE = """
import os, signal, subprocess, sys, threading, traceback
os.kill(os.getpid(), 0)
signal.alarm(0)
try:
    sys.exit(3)
except SystemExit as error:
    print(error.code, flush=True)
"""
one = interpreters.create()
run = getattr(interpreters, "run_string", None) or interpreters.exec
print(run(one, CODE))
interpreters.destroy(one)
print("after")
