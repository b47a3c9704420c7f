"""``outlive.bound``: a pipeline that fits the memory there is."""

from __future__ import annotations

import tempfile
from typing import TypeVar

from outlive.errors import UsageError
from outlive.inside.tfdata.interpose import Switch, say_on_stderr
from outlive.inside.tfdata.tf_private import is_dataset
from outlive.model.sizes import bytes_in

Dataset = TypeVar("Dataset")


def bound(dataset: Dataset, memory: int | str | None = None) -> Dataset:
    """The same dataset within so much memory: prefetch, shuffle, cache, parallel calls and AUTOTUNE's budgets fitted to it.

    The elements and their order stay the same, but for the window of a `shuffle`; each change is said once on stderr. A dataset that
    cannot be fitted is given back as it came, and that is said too. ``memory`` is in bytes or as ``"800MB"``; without it, a share of
    what :func:`outlive.limit` says is left.

    >>> dataset = outlive.bound(dataset)                # what there is
    >>> dataset = outlive.bound(dataset, "500MB")
    """
    if not is_dataset(dataset):
        raise UsageError(
            f"outlive.bound takes a tf.data.Dataset, not {type(dataset).__name__}.",
            "For example:  dataset = outlive.bound(dataset.shuffle(1000).batch(32))",
        )
    fitted: Dataset = _SWITCH.lasting(dataset, bytes_in(memory) if memory is not None else None)
    return fitted


_SWITCH = Switch(say_on_stderr, lambda stage: None, [tempfile.gettempdir(), "/var/tmp"])
