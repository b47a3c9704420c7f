"""The words in which single operations, of TensorFlow's and of NumPy's, complain about shapes."""

from __future__ import annotations

from outlive.units.complaints.shape_notation import SHAPE, A, B
from outlive.units.complaints.wording import says

INVALID = ("InvalidArgumentError", "ValueError")

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
        r"\b(?P<name>\w+): Input operand \d+ has a mismatch in its core dimension[^\n]*?"
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
    says(SHAPE, r"'images?' contains no shape\.?", "ValueError", variant="no shape"),
    says(SHAPE, r"\b\w+ must be (at least )?\d+-?(D|dimensional)[^\n]*", *INVALID),
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
