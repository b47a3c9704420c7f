"""The batch system takes the node for a job of higher priority: pbs_mom sends SIGTERM to this one."""
# expect: preempted
# send: SIGTERM
# sender: pbs_mom
# variables: PBS_JOBID=4411.head PBS_JOBNAME=sweep PBS_ENVIRONMENT=PBS_BATCH PBS_QUEUE=low

import csv
import os
import time

import numpy as np


class Sweep:
    def __init__(self, path):
        self.path = path
        self.job = os.environ.get("PBS_JOBID", "local")

    def trial(self, rate):
        x = np.linspace(0, 10, 200)
        for _ in range(100):
            x = x - rate * (x - 3)
            time.sleep(0.002)
        return float(np.abs(x - 3).mean())

    def run(self, rates):
        with open(self.path, "w", newline="") as f:
            out = csv.writer(f)
            for n, rate in enumerate(rates):
                out.writerow([self.job, rate, self.trial(rate)])
                if n == 2 and "VICTIM_READY" in os.environ:
                    os.write(int(os.environ["VICTIM_READY"]), str(os.getpid()).encode())


Sweep("trials.csv").run(np.linspace(0.01, 0.5, 200))
