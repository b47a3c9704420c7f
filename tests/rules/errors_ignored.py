"""Errors that are ignored, in both ways of writing it."""

import tensorflow as tf

ds = tf.data.Dataset.list_files("*.jpg")
ds = ds.apply(tf.data.experimental.ignore_errors())  # expect: errors-ignored-silently
ds = ds.apply(tf.data.experimental.ignore_errors(log_warning=True))
ds = ds.ignore_errors(log_warning=False)  # expect: errors-ignored-silently
ds = ds.ignore_errors(True)
ds = ds.ignore_errors(name="quiet")  # expect: errors-ignored-silently
