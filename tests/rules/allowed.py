"""What is allowed, with a reason and without."""

import os

import tensorflow as tf

tf.zeros(1)
os._exit(0)  # outlive: allow exit-without-cleanup -- the parent writes the log
# outlive: allow exit-without-cleanup: a child of the launcher, which cleans up
os._exit(0)
# outlive: allow raised-recursion-limit, exit-without-cleanup (both are meant here)
os._exit(0)
os._exit(0)  # outlive: allow raised-recursion-limit because of something else  # expect: exit-without-cleanup
