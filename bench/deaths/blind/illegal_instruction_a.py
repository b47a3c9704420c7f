"""The native tokenizer traps on purpose when a character is outside its table."""
# expect: illegal-instruction

import ctypes
import pathlib
import subprocess

import tensorflow as tf

SOURCE = r"""
static int table[128];
int char_id(int c) { if (c < 0 || c >= 128) __builtin_trap(); return table[c] + c; }
"""


def build():
    pathlib.Path("charid.c").write_text(SOURCE)
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-o", "charid.so", "charid.c"], check=True)
    return ctypes.CDLL("./charid.so")


class CharTokenizer:
    def __init__(self):
        self.native = build()

    def encode(self, text):
        return [self.native.char_id(ord(c)) for c in text]  # <- here


def dataset(texts):
    tokenizer = CharTokenizer()
    for text in texts:
        yield tokenizer.encode(text)  # <- here


spec = tf.TensorSpec([None], tf.int32)
texts = ["hello", "good morning", "caf\u00e9", "bye"]
for ids in tf.data.Dataset.from_generator(lambda: dataset(texts), output_signature=spec):
    print(ids.numpy())
