"""Built-in functions can be pickled and copied, and are found again."""

import copy
import os
import pickle
import signal
import sys

for function in (sys.exit, os._exit, os.kill, signal.alarm):
    print(
        pickle.loads(pickle.dumps(function)) is function,
        copy.deepcopy(function) is function,
        len(pickle.dumps(function)),
    )
