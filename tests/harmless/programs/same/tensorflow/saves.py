# needs: module tensorflow
# slow
"""A checkpoint is written and read."""

import shutil
import os

aside = os.dup(2)
os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # its log has times and numbers of threads
import tensorflow as tf

variable = tf.Variable(3.0)
path = tf.train.Checkpoint(v=variable).save("point/ck")
variable.assign(5.0)
tf.train.Checkpoint(v=variable).restore(path)
print(float(variable.numpy()), sorted(os.listdir("point")))
shutil.rmtree("point")
