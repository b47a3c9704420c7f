# needs: module cloudpickle
"""cloudpickle, likewise."""

import os
import pickle
import sys
import cloudpickle


def leave(status):
    return sys.exit, os.kill, status


made = pickle.loads(cloudpickle.dumps(leave))
print(made(3)[0] is sys.exit, made(3)[1] is os.kill)
