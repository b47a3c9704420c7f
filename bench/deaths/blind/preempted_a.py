"""The Slurm job has reached its time limit; slurmstepd ends it."""
# expect: preempted
# send: SIGTERM
# sender: slurmstepd
# variables: SLURM_JOB_ID=81235 SLURM_JOB_NAME=train SLURM_PROCID=0 SLURM_JOB_PARTITION=gpu

import os

import tensorflow as tf


def ready():
    if "VICTIM_READY" in os.environ:
        os.write(int(os.environ["VICTIM_READY"]), str(os.getpid()).encode())


@tf.function
def step(w, x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(x @ w - tf.reduce_sum(x, 1, keepdims=True)))
    w.assign_sub(0.01 * tape.gradient(loss, w))
    return loss


def main():
    print("job", os.environ.get("SLURM_JOB_ID"), "rank", os.environ.get("SLURM_PROCID"))
    w = tf.Variable(tf.zeros([64, 1]))
    for number in range(1_000_000):
        loss = step(w, tf.random.normal([256, 64]))
        if number == 50:
            ready()
        if number % 1000 == 0:
            print(number, float(loss), flush=True)


main()
