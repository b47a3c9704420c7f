"""The words in which pipelines and models complain about shapes: signatures, batches, labels, layers."""

from __future__ import annotations

import re

from outlive.units.complaints.dtypes import DTYPE
from outlive.units.complaints.shape_notation import SHAPE, A, B
from outlive.units.complaints.wording import says

SIGNATURES = (
    # The same dtype on both sides: then it is the shape that differs.
    says(
        SHAPE,
        r"Can not cast TensorSpec\(shape=(?P<first>\([^)]*\)), dtype=(?P<same>tf\.\w+)[^`\n]*?\) to "
        r"TensorSpec\(shape=(?P<second>\([^)]*\)|<unknown>), dtype=(?P=same)\b",
        variant="signature",
    ),
    says(
        DTYPE,
        r"Can not cast TensorSpec\(shape=\([^)]*\), dtype=tf\.(?P<first>\w+)[^`\n]*?\) to "
        r"TensorSpec\(shape=(\([^)]*\)|<unknown>), dtype=tf\.(?P<second>\w+)",
        variant="signature",
    ),
    says(
        SHAPE,
        r"Could not find matching concrete function to call loaded from the SavedModel[\s\S]{0,1500}",
        "ValueError",
        variant="signature",
    ),
    says(
        SHAPE,
        r"Python inputs incompatible with input_signature[\s\S]{0,800}",
        "ValueError",
        "TypeError",
        variant="signature",
    ),
)

BATCHES = (
    says(
        SHAPE,
        rf"Cannot batch tensors with different shapes in component \d+\. First element had shape {B} "
        rf"and element (?P<name>\d+) had shape {A}",
        variant="batch",
    ),
    says(
        SHAPE,
        rf"Cannot add tensor to the batch: number of elements does not match\.? ?"
        rf"(Shapes are: \[tensor\]: {A}, \[batch\]: {B})?",
        variant="batch",
    ),
    says(SHAPE, r"Attempted to pad to a smaller size than the input element", variant="batch"),
    says(
        SHAPE,
        rf"`?[Gg]enerator`? yielded an element of shape {A} where an element of shape {B} was expected",
        variant="generator",
    ),
)

LABELS = (
    says(
        SHAPE,
        r"Received a label value of (?P<first>-?\d+) which is outside the valid range of (?P<second>\[[^)\n]*\))",
        variant="labels",
    ),
    says(
        SHAPE,
        r"indices\[[^\]]*\] = (?P<first>-?\d+) is not in (?P<second>\[[^)\n]*\))",
        variant="index",
    ),
    says(
        SHAPE,
        r"Arguments? `?target`? and `?output`? must have the same (shape|rank \(ndim\))\. "
        rf"Received: target\.shape={A}, output\.shape={B}",
        variant="loss",
    ),
    says(
        SHAPE,
        rf"Argument `output` must have rank \(ndim\) `target\.ndim - 1`\. Received: target\.shape={A}, "
        rf"output\.shape={B}",
        variant="loss",
    ),
    says(
        SHAPE,
        rf"logits and labels must (be broadcastable|have the same first dimension)[^\n]*?"
        rf"logits[ _](size|shape)[= ]{B},? (and )?labels[ _](size|shape)[= ]{A}",
        variant="loss",
    ),
    says(
        SHAPE,
        rf"`logits` and `labels` must have the same shape, received \({B} vs {A}\)",
        variant="loss",
    ),
    says(
        SHAPE,
        r"Data cardinality is ambiguous[\s\S]*?'?x'? sizes: (?P<first>[\d, ]+)[\s\S]*?'?y'? sizes: "
        r"(?P<second>[\d, ]+)",
        variant="samples",
    ),
    says(SHAPE, r"Data cardinality is ambiguous[^\n]*", variant="samples"),
)

LAYERS = (
    says(
        SHAPE,
        r"Input (?P<input>\d+)[^\n]*? of layer ['\"](?P<name>[^'\"]+)['\"] is incompatible with the layer: "
        r"expected (?P<second>axis -?\d+ of input shape to have value [\d{}, ]+), but received input with "
        rf"shape {A}",
        variant="layer",
    ),
    says(
        SHAPE,
        r"Input (?P<input>\d+)[^\n]*? of layer ['\"](?P<name>[^'\"]+)['\"] is incompatible with the layer: "
        rf"expected (?P<second>(min_|max_)?ndim=\d+), found ndim=\d+\. Full shape received: {A}",
        variant="layer",
    ),
    says(
        SHAPE,
        r"Input (?P<input>\d+)[^\n]*? of layer ['\"](?P<name>[^'\"]+)['\"] is incompatible with the layer: "
        rf"expected shape={B}, found shape={A}",
        variant="layer",
    ),
    says(
        SHAPE,
        r"Invalid input shape for input [\s\S]*? with name '(?P<name>[^']*)'[\s\S]*?Expected shape "
        rf"{B}, but input has incompatible shape {A}",
        variant="layer",
    ),
    says(
        SHAPE,
        r"of layer ['\"](?P<name>[^'\"]+)['\"] is incompatible with the layer: [^\n]*",
        variant="layer",
    ),
    says(
        SHAPE,
        r"Computed output size would be (zero or )?negative\. Received `inputs shape="
        r"(?P<first>\([^)]*\))`, `kernel shape=(?P<second>\([^)]*\))`",
        variant="too small",
    ),
    says(
        SHAPE,
        r"Negative dimension size caused by subtracting (?P<second>\d+) from (?P<first>\d+) for[^\n]*",
        variant="too small",
    ),
    says(
        SHAPE,
        r"input depth must be evenly divisible by filter depth: (?P<first>\d+) vs (?P<second>\d+)",
        variant="channels",
    ),
    says(
        SHAPE,
        r"Depth of input \((?P<first>\d+)\) is not a multiple of[^\n]*?filter \((?P<second>\d+)\)",
        variant="channels",
    ),
    says(
        SHAPE,
        r"Dimension mismatch\. Got (?P<first>\d+) but expected (?P<second>\d+) for (dimension \d+ of )?input (?P<name>\d+)",
        variant="lite",
    ),
    says(
        SHAPE,
        rf"variable\.shape={B}, Received: value\.shape={A}",
        variant="weights",
    ),
    says(
        SHAPE,
        rf"Received incompatible tensor with shape {A} when attempting to restore variable with shape {B} "
        r"and name (?P<name>\S+?)\.?$",
        variant="weights",
        flags=re.MULTILINE,
    ),
    says(
        SHAPE,
        r"Layer '(?P<name>[^']+)' expected (?P<second>\d+) variables, but received (?P<first>\d+) variables",
        variant="weights",
    ),
    says(
        SHAPE,
        r"Layer count mismatch when loading weights[^\n]*?expected (?P<second>\d+) layers, found (?P<first>\d+)",
        variant="weights",
    ),
    says(
        SHAPE,
        rf"[Ww]eight expects shape {B}\. Received saved weight with shape {A}",
        variant="weights",
    ),
    says(
        SHAPE,
        rf"variable shape {B}, and the assigned value shape {A} are incompatible",
        variant="assign",
    ),
)

MERGED = (
    says(SHAPE, rf"Inputs have incompatible shapes\. Received shapes {A} and {B}", "ValueError"),
    says(
        SHAPE,
        r"requires inputs with matching shapes except for the concatenation axis\. "
        r"Received: input_shape=\[(?P<first>\([^)]*\)), (?P<second>\([^)]*\))",
        "ValueError",
        variant="joined",
    ),
    says(SHAPE, r"Cannot merge tensors with different batch sizes[^\n]*", "ValueError"),
    says(SHAPE, r"Cannot do batch_dot on inputs[^\n]*", "ValueError"),
    says(
        SHAPE,
        rf"total size of the tensor must be unchanged\. Received: input_shape={A}, target_shape={B}",
        "ValueError",
        variant="reshape",
    ),
    says(SHAPE, r"the arrays must be at least rank 1[^\n]*", "ValueError"),
    says(SHAPE, r"arrays in each batch must have the same rank[^\n]*", "ValueError"),
    says(
        SHAPE,
        rf"'images?' \(shape {A}\) ?must (?P<second>(be|have) [^\n.]*)",
        "ValueError",
        variant="picture",
    ),
    says(
        SHAPE,
        r"Bad number of channels[\s\S]{0,2000}?'scn' is (?P<first>\d+)(?P<second>)",
        "error",
        variant="converted",
    ),
    says(SHAPE, r"Last dimension of a grayscale image should be size 1", "ValueError"),
    says(
        SHAPE, r"(height|width) must be >= target \+ offset", "ValueError", "InvalidArgumentError"
    ),
    says(SHAPE, r"Need value\.shape >= size, got [^\n]*", "ValueError", "InvalidArgumentError"),
    says(
        SHAPE,
        r"Found input variables with inconsistent numbers of samples: [^\n]*",
        "ValueError",
        variant="samples",
    ),
    says(
        SHAPE,
        r"X has (?P<first>\d+) features, but \w+ is expecting (?P<second>\d+) features",
        "ValueError",
    ),
    says(SHAPE, r"Expected \dD array, got \dD array instead", "ValueError"),
)
