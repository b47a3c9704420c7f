"""A worker of TensorFlow in another process is killed, and the next operation that is placed on it fails."""
# expect: peer-lost LIKELY
# example: yes
# ending: 1
# needs: tensorflow
# alone: its twin connects to a cluster, which a process does once

import subprocess
import sys

import tensorflow as tf

SERVER = """
import sys
import tensorflow as tf
server = tf.distribute.Server({"worker": ["127.0.0.1:0"]}, job_name="worker", task_index=0)
print(server.target, flush=True)
sys.stdin.read()
"""


def train(lose: bool) -> None:
    worker = subprocess.Popen(
        [sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        tf.config.experimental_connect_to_host(worker.stdout.readline().decode().strip())
        with tf.device("/job:worker/replica:0/task:0"):
            weights = tf.Variable(tf.zeros([10]))
            if lose:
                worker.kill()
                worker.wait()
            print(weights.assign_add(tf.ones([10])).numpy())  # <- here
    finally:
        worker.kill()
        worker.communicate()


def die() -> None:
    train(True)


def spare() -> None:
    train(False)
