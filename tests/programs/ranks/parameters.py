"""A job of TensorFlow: a chief that hands out steps, workers, and a server that keeps the parameters."""

import json
import os
import sys

import faults
import tensorflow as tf

task = json.loads(os.environ["TF_CONFIG"])["task"]
me = f"{task['type']}/{task['index']}"
resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
if task["type"] in ("worker", "ps"):
    server = tf.distribute.Server(
        resolver.cluster_spec(), job_name=task["type"], task_index=task["index"], protocol="grpc"
    )
    faults.strike(me, 5)
    server.join()
    sys.exit(0)

strategy = tf.distribute.ParameterServerStrategy(resolver)
coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
with strategy.scope():
    weights = tf.Variable(tf.zeros([10]))


@tf.function
def train() -> None:
    weights.assign_add(tf.ones([10]))


for step in range(10):
    faults.strike(me, step)
    coordinator.schedule(train)
    coordinator.join()  # <- step
