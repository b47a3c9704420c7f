"""A function is traced for three shapes and then no more; a wrong call is caught."""
# expect: nothing

import tensorflow as tf


@tf.function
def mean_square(x, power):
    return tf.reduce_mean(x**power)


results = [float(mean_square(tf.ones([2 + n % 3, 4]), tf.constant(2.0))) for n in range(200)]
try:
    mean_square(tf.ones([2, 4], tf.int32), tf.constant(2.0))
except (TypeError, ValueError, tf.errors.InvalidArgumentError) as error:
    print("not for integers:", type(error).__name__)
print(sum(results))
