"""The program in the pictures of the page: a shuffle buffer of decoded pictures, in too little memory."""

import tensorflow as tf


def picture(number):
    """One picture, decoded."""
    return tf.fill([512, 512, 3], tf.cast(number, tf.float32))


def pipeline():
    """Pictures in no order."""
    pictures = tf.data.Dataset.range(5000).map(picture, num_parallel_calls=2)
    return pictures.shuffle(5000).batch(8)


def main():
    """Look at each once."""
    total = 0.0
    for batch in pipeline():
        total += float(tf.reduce_sum(batch))
    print(total)


main()
