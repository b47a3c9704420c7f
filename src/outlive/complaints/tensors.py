"""The words in which libraries complain about tensors: shapes, dtypes, numbers that are not finite.

Taken from the messages of TensorFlow 2.21, Keras 3 and NumPy 2 as they were seen to fail, and for older releases and LiteRT from their
sources. ``first`` is what came, ``second`` what was expected or the other of the two. Order matters: the first row that fits decides.
"""

from __future__ import annotations

import re

from outlive.complaints.wording import says

SHAPE, DTYPE, NOT_FINITE = "shape-mismatch", "dtype-mismatch", "not-finite"

#: TensorFlow writes ``[2,3]``, NumPy and Keras ``(2, 3)``.
A = r"(?P<first>[\[(][^\])\n]*[\])])"
B = r"(?P<second>[\[(][^\])\n]*[\])])"
INVALID = ("InvalidArgumentError", "ValueError")

NUMBERS = (
    says(
        NOT_FINITE,
        r"Detected Infinity or NaN in output \d+ of [\w-]+(ly-executing)? op \"(?P<name>[^\"]+)\"",
        variant="operation",
    ),
    says(NOT_FINITE, r"[^\n}]*: Tensor had [^\n\[]*?(NaN|Inf)[^\n\[]*", "InvalidArgumentError"),
    says(
        NOT_FINITE, r"cannot convert float (NaN|infinity) to integer", "ValueError", "OverflowError"
    ),
    says(
        NOT_FINITE,
        r"(invalid value|divide by zero|overflow) encountered in (?P<name>\w+)",
        "FloatingPointError",
        variant="operation",
    ),
    says(
        NOT_FINITE,
        r"Numerical result out of range|math range error|math domain error",
        "OverflowError",
        "ValueError",
        variant="own",
    ),
    says(NOT_FINITE, r"Input (\w+ )?contains (NaN|infinity)[^\n]*", "ValueError"),
    says(NOT_FINITE, r"array must not contain infs or NaNs", "ValueError"),
    says(NOT_FINITE, r"[Cc]annot convert (non-finite values|NA)[^\n]*", "ValueError"),
    says(NOT_FINITE, r"(SVD|Eigenvalues) did not converge", "LinAlgError"),
)

#: What programs say of themselves: after everything that libraries say.
OWN_CHECKS = (
    says(
        NOT_FINITE,
        r"[^\n]*\b(nan|NaN|NAN|inf|[Nn]on-?finite|[Nn]ot finite)\b[^\n]*",
        variant="own",
        raised=True,
    ),
    says(
        NOT_FINITE,
        r"[^\n]*",
        "AssertionError",
        variant="own",
        raised=True,
        line=r"isnan|isfinite|isinf|is_nan|is_inf|is_finite",
    ),
    says(
        SHAPE,
        r"[^\n]*",
        "AssertionError",
        variant="own",
        raised=True,
        line=r"^assert\b.*(\.shape\b|\.ndim\b|\bshape\()",
    ),
)

DTYPES = (
    says(
        DTYPE,
        r"cannot compute (?P<name>\S+) as input #\d+\(zero-based\) was expected to be an? (?P<second>\w+) "
        r"tensor but is an? (?P<first>\w+) tensor",
    ),
    says(
        DTYPE,
        r"Input '\w+' of '(?P<name>\w+)' Op has type (?P<first>\w+) that does not match (expected )?type "
        r"(of )?(?P<second>\w+)",
    ),
    says(
        DTYPE,
        r"Value (for attr '\w+' of|passed to parameter '\w+' has DataType) (?P<first>\w+) (is )?not in "
        r"(the )?list of allowed values: (?P<second>[^\n;]+)",
    ),
    says(
        DTYPE,
        r"Tensor conversion requested dtype (?P<second>\w+) for Tensor with dtype (?P<first>\w+)",
    ),
    says(DTYPE, r"Cannot convert (?P<first>[^\n]{1,80}?) to EagerTensor of dtype (?P<second>\w+)"),
    says(DTYPE, r"Expected (?P<second>\w+), (but )?got (?P<first>[^\n]{1,80}) of type '\w+'"),
    says(
        DTYPE,
        r"Failed to convert a NumPy array to a Tensor \(Unsupported object type (?P<first>\w+)\)",
    ),
    says(DTYPE, r"Can't convert Python sequence with mixed types to Tensor"),
    says(
        DTYPE,
        r"Attempt to convert a value \((?P<first>[^\n]{1,80})\) with an unsupported type[^\n]*",
    ),
    says(DTYPE, r"Cast (?P<first>\w+) to (?P<second>\w+) is not supported", "UnimplementedError"),
    says(DTYPE, r"Invalid dtype: (?P<first>\w+)", "ValueError"),
    says(
        DTYPE,
        r"Got value of type (?P<first>\w+) but expected type (?P<second>\w+) for input (?P<name>\d+)",
        "ValueError",
    ),
    says(
        DTYPE,
        r"TensorArray dtype is (?P<second>\w+) but Op is trying to write dtype (?P<first>\w+)",
    ),
    says(
        DTYPE,
        r"enters the loop with type <dtype: '(?P<first>\w+)'> but has type <dtype: '(?P<second>\w+)'>",
        "TypeError",
    ),
    says(
        DTYPE,
        r"true_fn and false_fn [^\n]*must have the same[\s\S]*?have different types",
        "TypeError",
    ),
    says(
        DTYPE,
        r"must have the same (d)?type[^\n]*?(?P<first>(tf\.)?\w+) != (?P<second>(tf\.)?\w+)",
        "TypeError",
        "ValueError",
    ),
    says(
        DTYPE,
        r"`generator` yielded an element that could not be converted to the expected type\. "
        r"The expected type was (?P<second>\w+), but the yielded element was (?P<first>[^\n]{1,80})",
        variant="generator",
    ),
    says(
        DTYPE,
        r"Cannot cast ufunc '(?P<name>\w+)' (in|out)put( \d+)? from dtype\('(?P<first>[^']+)'\) "
        r"to dtype\('(?P<second>[^']+)'\)",
        "TypeError",
    ),
    says(
        DTYPE,
        r"ufunc '(?P<name>\w+)' did not contain a loop with signature matching types[^\n]*?"
        r"dtype\('(?P<first>[^']+)'\)[^\n]*?dtype\('(?P<second>[^']+)'\)",
        "TypeError",
    ),
    says(DTYPE, r"ufunc '(?P<name>\w+)' not supported for the input types[^\n]*", "TypeError"),
    says(DTYPE, r"arrays used as indices must be of integer \(or boolean\) type", "IndexError"),
    says(DTYPE, r"could not convert string to float: np\.str_\((?P<first>[^\n]*?)\)", "ValueError"),
    says(
        DTYPE,
        r"could not convert string to float: (?P<first>[^\n]*)",
        "ValueError",
        inside="/numpy/",
    ),
    says(
        DTYPE,
        r"could not convert string to float: (?P<first>[^\n]*)",
        "ValueError",
        inside="/keras/",
    ),
    says(
        DTYPE,
        r"could not convert string to float: (?P<first>[^\n]*)",
        "ValueError",
        line=r"\bnp\.|numpy|\bastype\b|\basarray\b|\btf\.",
    ),
    says(DTYPE, r"can't convert np\.ndarray of type numpy\.(?P<first>\w+)", "TypeError"),
    says(DTYPE, r"Image data of dtype (?P<first>\S+) cannot be converted to float", "TypeError"),
    says(DTYPE, r"Cannot handle this data type: (?P<first>[^\n]*)", "TypeError"),
    says(
        DTYPE,
        r"Could not find device for node: [^\n]*?= (?P<name>\w+)\[[^\n]*?=DT_(?P<first>\w+)[^\n]*",
        "NotFoundError",
        "InvalidArgumentError",
    ),
    says(
        DTYPE,
        r"No OpKernel was registered to support Op '(?P<name>\w+)'[^\n]*?DT_(?P<first>\w+)[^\n]*",
        "InvalidArgumentError",
    ),
)

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

OPERATIONS = (
    says(
        SHAPE,
        rf"Dimensions must be equal, but are \d+ and \d+ for '\{{\{{node [^}}]*\}}\}} = (?P<name>\w+)[^\n]*?"
        rf"with input shapes: {A}, {B}",
    ),
    says(SHAPE, rf"Incompatible shapes: {A} vs\.? {B}"),
    says(SHAPE, rf"Matrix size-incompatible: In\[0\]: {A}, In\[1\]: {B}"),
    says(SHAPE, rf"shape\[0\] = {A} vs\. shape\[(?P<name>\d+)\] = {B}", variant="joined"),
    says(
        SHAPE,
        rf"Shapes of all inputs must match: values\[0\]\.shape = {A} != values\[(?P<name>\d+)\]\.shape = {B}",
        variant="joined",
    ),
    says(
        SHAPE, rf"Dimension \d+ in both shapes must be equal, but are [^\n]*?Shapes are {A} and {B}"
    ),
    says(SHAPE, rf"Shapes must be equal rank[^\n]*?Shapes are {A} and {B}"),
    says(SHAPE, r"Shapes? must (be equal rank|be rank|have rank)[^\n]*"),
    says(SHAPE, rf"Shapes {A} and {B} are (in|not )compatible"),
    says(SHAPE, rf"Tensor's shape {A} is not compatible with supplied shape {B}"),
    says(SHAPE, rf"Shape of tensor \S+ {A} is not compatible with expected shape {B}"),
    says(
        SHAPE,
        r"Input to reshape is a tensor with (?P<first>\d+) values, but the requested shape "
        r"(has|requires a multiple of) (?P<second>\d+)",
        variant="reshape",
    ),
    says(
        SHAPE,
        r"Cannot reshape a tensor with (?P<first>\d+) elements to shape (?P<second>\[[^\]]*\])",
        variant="reshape",
    ),
    says(
        SHAPE,
        r"cannot reshape array of size (?P<first>\d+) into shape (?P<second>\([^)]*\))",
        "ValueError",
        variant="reshape",
    ),
    says(SHAPE, r"total size of new array must be unchanged[^\n]*", variant="reshape"),
    says(
        SHAPE,
        rf"operands could not be broadcast together with (remapped )?shapes {A} {B}",
        "ValueError",
    ),
    says(SHAPE, rf"shapes {A} and {B} not aligned", "ValueError"),
    says(
        SHAPE,
        r"(?P<name>\w+): Input operand \d+ has a mismatch in its core dimension[^\n]*?"
        r"\(size (?P<first>\d+) is different from (?P<second>\d+)\)",
        "ValueError",
    ),
    says(
        SHAPE,
        r"too many indices for array: array is (?P<first>\d+)-dimensional, but (?P<second>\d+) were indexed",
        "IndexError",
        variant="dimensions",
    ),
    says(SHAPE, r"axis -?\d+ is out of bounds for array of dimension (?P<first>\d+)", "AxisError"),
    says(SHAPE, r"axes don't match array", "ValueError"),
    says(
        SHAPE,
        r"boolean index did not match indexed array along axis \d+; size of axis is (?P<first>\d+) but size "
        r"of corresponding boolean axis is (?P<second>\d+)",
        "IndexError",
    ),
    says(
        SHAPE,
        rf"with unsupported shape\. Tensor [\s\S]{{1,400}}? has shape {A} \(\d+ elements\), but got `shape` {B}",
        "TypeError",
        "ValueError",
    ),
    says(SHAPE, r"all input arrays must have the same shape", "ValueError", variant="joined"),
    says(
        SHAPE,
        r"all the input array dimensions [^\n]*must match exactly, but along dimension \d+, the array at "
        r"index \d+ has size (?P<first>\d+) and the array at index (?P<name>\d+) has size (?P<second>\d+)",
        "ValueError",
        variant="joined",
    ),
    says(
        SHAPE,
        r"all the input arrays must have same number of dimensions[^\n]*",
        "ValueError",
        variant="joined",
    ),
    says(
        SHAPE,
        r"inhomogeneous shape after \d+ dimensions\. The detected shape was (?P<first>\([^)]*\))",
        "ValueError",
        variant="joined",
    ),
    says(SHAPE, rf"could not broadcast input array from shape {A} into shape {B}", "ValueError"),
    says(
        SHAPE,
        r"Can't convert non-rectangular Python sequence to Tensor",
        "ValueError",
        variant="joined",
    ),
    says(SHAPE, r"Dimensions (?P<first>\d+) and (?P<second>\d+) are not compatible", "ValueError"),
    says(
        SHAPE,
        r"Expected dimension (?P<second>\d+) at axis \d+ of the input shaped (?P<input>\[[^\]]*\]) but got "
        r"dimension (?P<first>\d+)",
    ),
    says(SHAPE, r"(required |must be )broadcastable( shapes)?[^\n\[]*", *INVALID),
    says(
        SHAPE,
        r"transpose expects a vector of size (?P<second>\d+)\. But input\(1\) is a vector of size (?P<first>\d+)",
    ),
    says(
        SHAPE,
        r"Can not squeeze dim\[\d+\], expected a dimension of (?P<second>1), got (?P<first>\d+)",
    ),
    says(SHAPE, r"slice index -?\d+ of dimension \d+ out of bounds", "InvalidArgumentError"),
    says(
        SHAPE,
        r"(Specified|defined) by tensor [^\n]*must have size \d+\.\s+Received size \d+[^\n]*",
        "ValueError",
    ),
    says(SHAPE, r"'images' must have either 3 or 4 dimensions", "ValueError"),
    says(SHAPE, r"\w+ must be (at least )?\d+-?(D|dimensional)[^\n]*", *INVALID),
    says(
        SHAPE,
        r"(input|filter|tensor|In\[\d\]) (must|should) (be|have) (at least )?(rank |\d+-?[dD])[^\n]*",
        *INVALID,
    ),
    says(SHAPE, r"In\[0\](, In\[1\])? [^\n]*(ndims|rank)[^\n\[]*", "InvalidArgumentError"),
    says(
        SHAPE,
        r"(not enough|too many) values to unpack \(expected (?P<second>\d+)(, got (?P<first>\d+))?\)",
        "ValueError",
        variant="unpacked",
        line=r"shape|\.size\b",
    ),
)

TENSORS = (
    *SIGNATURES,
    *NUMBERS,
    *DTYPES,
    *BATCHES,
    *LABELS,
    *LAYERS,
    *MERGED,
    *OPERATIONS,
    *OWN_CHECKS,
)
