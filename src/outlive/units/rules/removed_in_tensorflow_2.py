"""A name of TensorFlow 1 that TensorFlow 2 does not have."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

#: Where TensorFlow 2 keeps them: in `tf.compat.v1`, below the same name.
KEPT = frozenset({
    "ConfigProto", "Session", "InteractiveSession", "placeholder", "sparse_placeholder", "placeholder_with_default", "app", "flags",
    "gfile", "logging", "layers", "get_variable", "variable_scope", "global_variables_initializer",
    "local_variables_initializer", "set_random_seed", "reset_default_graph", "get_default_graph", "random_uniform",
    "random_normal", "truncated_normal", "to_float", "to_int32", "to_int64", "div", "log", "ceil", "python_io",
    "parse_single_example", "FixedLenFeature", "VarLenFeature", "decode_raw", "read_file", "matrix_inverse", "trainable_variables",
    "global_variables", "assign", "assign_add", "summary.FileWriter", "summary.merge_all",
    "train.AdamOptimizer", "train.GradientDescentOptimizer", "train.Saver", "train.RMSPropOptimizer", "train.MomentumOptimizer",
})  # fmt: skip
#: Whoever asks for the version, or whether there is such a name, has thought of both.
ASKING = ("tf.__version__", "tf.VERSION", "tensorflow.__version__", "hasattr(tf", "getattr(tf")


@rule("R607", since="0.2", prevents=("uncaught-exception",))
def removed_in_tensorflow_2(source: Source) -> Iterator[Finding]:
    """A name of TensorFlow 1 is used that TensorFlow 2 does not have.

    ## Why it is bad
    The line ends with `AttributeError: module 'tensorflow' has no attribute …`, or, for `tf.contrib`, with `ModuleNotFoundError`. Most such names
    live on in `tf.compat.v1`; `tf.contrib` is gone.

    ## Bad
        with tf.Session() as session:
            print(session.run(tf.constant(1.0)))

    ## Good
        print(tf.constant(1.0).numpy())
    """
    if any(word in source.text for word in ASKING):
        return
    told = set()
    for node in source.every(ast.Attribute):
        root, _, name = source.names.written(node).partition(".")
        if root != "tensorflow" or name in told or source.is_caught(node):
            continue
        if name in KEPT:
            text = f"Write `tf.compat.v1.{name}`, or what TensorFlow 2 has instead."
        elif name == "contrib":
            text = "Use what took its place: tf.keras, tf.image, tf.data or the package tensorflow_addons."
        else:
            continue
        told.add(name)
        yield Finding(
            f"TensorFlow 2 has no `tf.{name}`: this line ends with AttributeError.",
            remedies=(Remedy(text),),
            where=source.place(node),
        )
