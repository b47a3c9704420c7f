"""Token ids are turned into one-hot rows for the whole corpus instead of for a batch."""
# expect: allocation-refused

import tensorflow as tf

VOCABULARY = 250_000


def corpus(documents, length):
    return tf.random.stateless_uniform([documents, length], [3, 4], 0, VOCABULARY, tf.int32)


def cooccurrence_loss(ids, table):
    targets = tf.one_hot(ids, VOCABULARY)  # <- here
    logits = tf.einsum("dle,ve->dlv", tf.gather(table, ids), table)
    return tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(targets, logits))


def evaluate():
    table = tf.Variable(tf.random.normal([VOCABULARY, 8]))
    ids = corpus(4000, 512)
    print("tiny", float(cooccurrence_loss(ids[:2, :4], table)))
    return float(cooccurrence_loss(ids, table))  # <- here


print("loss", evaluate())
