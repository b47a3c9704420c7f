"""A wrapper hands every unknown attribute to its model, also while copy() has not given it a model yet."""
# expect: recursion-too-deep

import copy

import keras
import numpy as np


class Frozen:
    def __init__(self, model, name):
        self.inner = model
        self.label = name

    def __getattr__(self, name):
        return getattr(self.inner, name)  # <- here


def ensemble(base, members):
    result = []
    for number in range(members):
        member = copy.copy(base)  # <- here
        member.label = f"member {number}"
        result.append(member)
    return result


net = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
for member in ensemble(Frozen(net, "base"), 3):
    print(member.label, member.predict(np.ones((1, 3)), verbose=0))
