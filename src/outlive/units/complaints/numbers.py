"""The words in which libraries complain about numbers that are not finite."""

from __future__ import annotations

from outlive.units.complaints.wording import says

NOT_FINITE = "not-finite"

NUMBERS = (
    says(
        NOT_FINITE,
        r"Detected Infinity or NaN in output \d+ of [\w-]+(ly-executing)? op \"(?P<name>[^\"]+)\"",
        variant="operation",
    ),
    says(
        NOT_FINITE,
        r"(?<![^\n}])[^\n}]*: Tensor had [^\n\[]*?(NaN|Inf)[^\n\[]*",
        "InvalidArgumentError",
    ),
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
