"""``outlive.skip_bad``: a dataset goes on without its bad elements, and says which they were."""

from __future__ import annotations

import os
from typing import Any

from outlive.errors import OutliveError, UsageError
from outlive.inside.tfdata.tf_private import is_dataset
from outlive.keep.skip.quarantine import Quarantine
from outlive.keep.skip.rebuild import Builder


def skip_bad(
    dataset: Any, log: str | os.PathLike[str] = "quarantine.jsonl", at_most: int = 1000
) -> Any:
    """The dataset without the elements that fail, each of which is named in ``log`` (a line of JSON each) with its error.

    A picture that cannot be decoded, a record that cannot be parsed, a TFRecord whose checksum is wrong, a file that is not there: it is
    skipped, alone, and training goes on. After more than ``at_most`` of them the run ends with an error: then it is not the data.

    Call it on the whole pipeline: what happens before a ``batch`` is skipped before the batch is made. A stage that it does not
    know is left as it is, and a warning (``SkipsLess``) says so. The number of elements of the result is not known beforehand.
    """
    if at_most < 0:
        raise UsageError(
            f"at_most must not be negative: {at_most}.", "0 ends the run at the first bad element."
        )
    if not is_dataset(dataset):
        raise UsageError(
            f"skip_bad needs a tf.data.Dataset, not {type(dataset).__name__}.",
            "For example:  train = outlive.skip_bad(train, log='bad.jsonl')",
        )
    quarantine = Quarantine(log, at_most)
    try:
        return Builder(quarantine).build(dataset)
    except (AttributeError, TypeError, ValueError) as error:
        raise OutliveError(
            f"skip_bad does not know this TensorFlow's pipelines: {type(error).__name__}: {error}",
            "The dataset itself is unchanged. Please report it with the version of TensorFlow.",
        ) from error
