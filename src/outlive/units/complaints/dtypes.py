"""The words in which libraries complain about the types of tensors."""

from __future__ import annotations

from outlive.units.complaints.kernels import refused_dtype
from outlive.units.complaints.wording import says

DTYPE = "dtype-mismatch"

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
        variant="input",
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
        r"must have the same (d)?type[^\n]*?\b(?P<first>(tf\.)?\w+) != (?P<second>(tf\.)?\w+)",
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
        r"Could not find device for node: [^\n]*",
        "NotFoundError",
        "InvalidArgumentError",
        read=refused_dtype,
    ),
    says(
        DTYPE,
        r"No OpKernel was registered to support Op [^\n]*",
        "InvalidArgumentError",
        read=refused_dtype,
    ),
)
