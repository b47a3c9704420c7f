"""A skip connection makes the tree of blocks a ring; counting its parameters never ends."""
# expect: recursion-too-deep

import tensorflow as tf


class Block:
    def __init__(self, width):
        self.kernel = tf.Variable(tf.zeros([width, width]))
        self.children = []

    def add(self, child):
        self.children.append(child)
        return child


def count_parameters(block):
    own = int(tf.size(block.kernel))
    return own + sum(count_parameters(child) for child in block.children)  # <- here


def build():
    stem = Block(8)
    middle = stem.add(Block(16))
    head = middle.add(Block(4))
    head.add(stem)  # <- here
    return stem


print("parameters", count_parameters(build()))
