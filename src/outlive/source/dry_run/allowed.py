"""What TensorFlow may be asked: operations and layers that only compute. Read by the child, too, which has nothing else of Outlive: standard library only."""

from __future__ import annotations

#: Functions of `tf` itself. Nothing that reads or writes a file, calls Python, or changes a setting.
OPERATIONS = frozenset(
    """
    abs add add_n argmax argmin argsort batch_to_space bitcast boolean_mask broadcast_dynamic_shape broadcast_static_shape broadcast_to cast
    clip_by_global_norm clip_by_norm clip_by_value complex concat constant convert_to_tensor cos cosh cumsum divide div dynamic_partition
    dynamic_stitch edit_distance einsum ensure_shape equal exp expand_dims extract_volume_patches eye fill fingerprint floor gather gather_nd
    greater greater_equal identity less less_equal linspace log log1p logical_and logical_not logical_or matmul maximum meshgrid minimum
    multiply negative norm not_equal one_hot ones ones_like pad parallel_stack pow range rank realdiv reduce_all reduce_any reduce_logsumexp
    reduce_max reduce_mean reduce_min reduce_prod reduce_sum repeat reshape reverse reverse_sequence roll round scalar_mul scatter_nd
    searchsorted sequence_mask shape sigmoid sign sin sinh size slice sort space_to_batch split sqrt square squeeze stack stop_gradient
    strided_slice subtract tan tanh tensordot tensor_scatter_nd_add tensor_scatter_nd_update tile to_float to_int32 to_int64 transpose
    truediv truncatediv unique unique_with_counts unravel_index unsorted_segment_sum unstack Variable where zeros zeros_like get_variable
    placeholder placeholder_with_default to_double tile matrix_inverse matrix_transpose trace mod floordiv squared_difference rsqrt
    random_normal random_uniform truncated_normal cumprod depth_to_space space_to_depth segment_sum segment_mean
    """.split()  # noqa: SIM905  # a table is easier to read
)

#: Modules of `tf` of which every function only computes.
MODULES = (
    "math",
    "nn",
    "linalg",
    "image",
    "strings",
    "signal",
    "bitwise",
    "layers",
    "dtypes",
    "sparse",
)

#: Of a module that also does other things, these.
SINGLE = frozenset(
    """
    random.normal random.uniform random.truncated_normal random.gamma random.poisson random.shuffle random.categorical
    random.stateless_normal random.stateless_uniform random.stateless_truncated_normal
    io.decode_jpeg io.decode_png io.decode_image io.decode_gif io.decode_bmp io.decode_and_crop_jpeg io.decode_raw io.decode_base64
    losses.softmax_cross_entropy losses.sparse_softmax_cross_entropy losses.sigmoid_cross_entropy losses.mean_squared_error
    io.read_file io.encode_jpeg io.encode_png io.parse_tensor io.decode_compressed
    """.split()  # noqa: SIM905  # a table is easier to read
)

KERAS = (
    "layers",
    "losses",
    "activations",
    "initializers",
    "regularizers",
    "constraints",
    "applications",
    "ops",
)
KERAS_SINGLE = frozenset(
    {"Input", "Model", "Sequential", "models.Model", "models.Sequential", "layers.Input"}
)

#: These run Python, load files or make the result depend on more than shapes.
REFUSED = frozenset({"Lambda", "TFSMLayer", "TorchModuleWrapper", "JaxLayer", "FlaxLayer", "HashedCrossing", "StringLookup", "IntegerLookup",
                     "TextVectorization", "Hashing", "decode_predictions", "get", "deserialize", "serialize", "get_source_inputs"})  # fmt: skip

#: What may be asked of a model or a layer.
ATTRIBUTES = frozenset({"input", "output", "inputs", "outputs", "input_shape", "output_shape"})

OPERATORS = frozenset({"add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "neg", "getitem", "lt", "le", "gt", "ge", "eq", "ne",
                       "and_", "or_", "invert"})  # fmt: skip

#: Words that only name a thing or begin it with other numbers: left out of a question.
WITHOUT_EFFECT = frozenset({"name", "seed", "kernel_initializer", "bias_initializer", "kernel_regularizer", "bias_regularizer",
                            "activity_regularizer", "embeddings_initializer", "recurrent_initializer", "initializer", "collections"})  # fmt: skip


def is_allowed(name: str) -> bool:
    """Tell whether a function or class of TensorFlow or Keras, by its canonical name, may be asked about."""
    root, _, rest = name.partition(".")
    module, _, word = rest.rpartition(".")
    if any(part.startswith("_") or not part.isidentifier() for part in name.split(".")):
        return False
    if (word or rest) in REFUSED:
        return False
    if root == "tf":
        return (
            (rest in OPERATIONS)
            or (module.partition(".")[0] in MODULES and bool(module))
            or rest in SINGLE
        )
    if root == "keras":
        return rest in KERAS_SINGLE or (module.partition(".")[0] in KERAS and bool(module))
    return False


def is_harmless_word(name: str) -> bool:
    """Tell whether something that is only named, such as a type or an activation, may be sent along."""
    if name.startswith("numpy.") and name.count(".") == 1:
        return name[6:] in (
            "float16",
            "float32",
            "float64",
            "int8",
            "int16",
            "int32",
            "int64",
            "uint8",
            "uint16",
            "uint32",
            "uint64",
            "bool_",
        )
    root, _, rest = name.partition(".")
    if root == "tf" and rest in ("float16", "bfloat16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
                                 "uint64", "bool", "string", "complex64", "complex128", "half", "double"):  # fmt: skip
        return True
    return (
        name in ("builtins.int", "builtins.float", "builtins.bool")
        or is_allowed(name)
        or ".ResizeMethod." in name
    )
