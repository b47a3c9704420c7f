"""A child program fails and is killed, deep recursion is caught, and the parent carries on and exits with 0."""
# expect: nothing

import subprocess
import sys

import tensorflow as tf


def depth(node):
    return 1 + depth(node["next"]) if node["next"] else 1


ring = {"next": None}
ring["next"] = ring
try:
    print(depth(ring))
except RecursionError:
    print("a ring")
failed = subprocess.run([sys.executable, "-c", "import os; os.abort()"], stderr=subprocess.DEVNULL)
slow = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
slow.kill()
print("children", failed.returncode, slow.wait(), int(tf.reduce_sum([1, 2, 3])))
sys.exit(0)
