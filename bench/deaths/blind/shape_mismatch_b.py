"""Sentences of different length are batched without padding."""
# expect: shape-mismatch

import tensorflow as tf

TEXTS = ["a red fox", "it rained all night", "go", "the ship left the harbour at dawn"]
VOCABULARY = {word: n for n, word in enumerate(sorted(set(" ".join(TEXTS).split())))}


def sentences():
    for text in TEXTS:
        yield [VOCABULARY[word] for word in text.split()]


def make_dataset():
    spec = tf.TensorSpec([None], tf.int32)
    data = tf.data.Dataset.from_generator(sentences, output_signature=spec)
    return data.batch(2)  # <- here


def train(data):
    table = tf.Variable(tf.random.normal([len(VOCABULARY), 4]))
    for step, ids in enumerate(data):  # <- here
        print(step, tf.nn.embedding_lookup(table, ids).shape)


train(make_dataset())
