"""The messages of the labelling service were generated with an old protoc; the installed protobuf refuses them."""
# expect: protobuf-mismatch

import pathlib
import sys

import numpy as np

GENERATED = '''
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from google.protobuf import reflection as _reflection

DESCRIPTOR = _descriptor.FileDescriptor(
    name="box.proto", package="labels", syntax="proto3", serialized_pb=
    b'\\n\\tbox.proto\\x12\\x06labels"\\x10\\n\\x03Box\\x12\\t\\n\\x01x\\x18\\x01 \\x01(\\x02b\\x06proto3',
)
_BOX = _descriptor.Descriptor(
    name="Box", full_name="labels.Box", filename=None, file=DESCRIPTOR, containing_type=None,
    fields=[
        _descriptor.FieldDescriptor(
            name="x", full_name="labels.Box.x", index=0, number=1, type=2, cpp_type=6, label=1,
            has_default_value=False, default_value=float(0), message_type=None, enum_type=None,
            containing_type=None, is_extension=False, extension_scope=None, file=DESCRIPTOR),
    ],
    extensions=[], nested_types=[], enum_types=[], is_extendable=False, extension_ranges=[], oneofs=[],
)
Box = _reflection.GeneratedProtocolMessageType("Box", (_message.Message,), {"DESCRIPTOR": _BOX})
'''


def read_boxes(rows):
    from labels import box_pb2  # <- here

    return [box_pb2.Box(x=float(row)) for row in rows]


folder = pathlib.Path("generated/labels")
folder.mkdir(parents=True, exist_ok=True)
(folder / "__init__.py").touch()
(folder / "box_pb2.py").write_text(GENERATED)
sys.path.insert(0, "generated")
print(read_boxes(np.linspace(0, 1, 5)))  # <- here
