# needs: module tensorflow
# slow
"""What the wrapped methods look like to inspect."""

import inspect
import os

aside = os.dup(2)
os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # its log has times and numbers of threads
import tensorflow as tf

for method in (
    tf.data.Dataset.map,
    tf.data.Dataset.__init__,
    tf.keras.Model.save_weights,
    tf.keras.Model.load_weights,
):
    print(method.__qualname__, inspect.signature(method))
