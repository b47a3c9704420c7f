"""The words in which libraries complain about tensors: shapes, dtypes, numbers that are not finite.

Taken from the messages of TensorFlow 2.21, Keras 3 and NumPy 2 as they were seen to fail, and for older releases and LiteRT from their
sources. ``first`` is what came, ``second`` what was expected or the other of the two. Order matters: the first row that fits decides.
"""

from __future__ import annotations

import re

from outlive.units.complaints.dtypes import DTYPES
from outlive.units.complaints.models import BATCHES, LABELS, LAYERS, MERGED, SIGNATURES
from outlive.units.complaints.numbers import NOT_FINITE, NUMBERS
from outlive.units.complaints.operations import OPERATIONS
from outlive.units.complaints.shape_notation import SHAPE
from outlive.units.complaints.wording import says

#: What programs say of themselves: after everything that libraries say.
OWN_CHECKS = (
    says(
        NOT_FINITE,
        r"^[^\n]{0,8000}\b(nan|NaN|NAN|inf|[Nn]on-?finite|[Nn]ot finite)\b[^\n]*",
        variant="own",
        raised=True,
        flags=re.MULTILINE,
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
