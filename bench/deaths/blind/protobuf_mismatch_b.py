"""A colleague's generated code is newer than the protobuf that is installed here."""
# expect: protobuf-mismatch

import importlib
import os
import sys

import tensorflow as tf

PB2 = '''
from google.protobuf import runtime_version as _runtime_version
_runtime_version.ValidateProtobufRuntimeVersion(
    _runtime_version.Domain.PUBLIC, 9, 31, 0, "", "telemetry.proto"
)
from google.protobuf import descriptor_pool as _descriptor_pool
DESCRIPTOR = _descriptor_pool.Default().AddSerializedFile(b"\\n\\x0ftelemetry.proto")
'''


class Telemetry:
    def __init__(self, module):
        self.messages = importlib.import_module(module)  # <- here

    def send(self, step, loss):
        return self.messages.Point(step=step, loss=loss).SerializeToString()


def train(steps):
    telemetry = Telemetry("telemetry_pb2")  # <- here
    w = tf.Variable(2.0)
    for step in range(steps):
        w.assign_sub(0.1 * 2 * w)
        telemetry.send(step, float(w))


with open("telemetry_pb2.py", "w") as f:
    f.write(PB2)
sys.path.insert(0, os.getcwd())
train(10)
