"""A home-made supervisor sends SIGTERM to the service when its heartbeat file is older than two seconds."""
# expect: terminated-by-process

import os
import pathlib
import subprocess
import sys
import time

import numpy as np

SUPERVISOR = """
import os, signal, sys, time
pid, path = int(sys.argv[1]), sys.argv[2]
while time.time() - os.path.getmtime(path) < 2:
    time.sleep(0.2)
os.kill(pid, signal.SIGTERM)
"""


class Service:
    def __init__(self, heartbeat):
        self.heartbeat = pathlib.Path(heartbeat)
        self.heartbeat.touch()
        self.weights = np.random.default_rng(0).random((64, 8))

    def watch(self):
        command = [sys.executable, "-c", SUPERVISOR, str(os.getpid()), str(self.heartbeat)]
        self.supervisor = subprocess.Popen(command)

    def answer(self, seconds):
        self.heartbeat.touch()
        time.sleep(seconds)
        return (np.ones(64) @ self.weights).round(2)


service = Service("heartbeat")
service.watch()
for seconds in (0.1, 0.3, 0.5, 8.0, 0.1):
    print(seconds, service.answer(seconds), flush=True)
service.supervisor.kill()
