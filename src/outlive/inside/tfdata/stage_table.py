"""The stages of tf.data that are known by name: what each is, and how it is built again.

There are three ways of building again, and a reason for each (docs/adr/0024). This is the one list for all of them: a class that is not
in it is read as ``other``, is built again through the graph of its dataset (``regraph``) and is left alone by ``skip_bad``.
"""

from __future__ import annotations

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Dict, Optional, Tuple

#: How ``skip_bad`` builds a stage again (``keep/skip/rebuild.py`` has one method for each).
SOURCE = "source"  #: not at all: elements begin here, and none fails
SAME = "same"  #: by the same method on another input: elements pass as they are
MAP = "map"  #: as a part of a stretch of maps, whose failures are dropped and named
FILTER = "filter"
ZIP = "zip"
CONCATENATE = "concatenate"
BATCH = "batch"
PADDED_BATCH = "padded batch"
UNBATCH = "unbatch"
INTERLEAVE = "interleave"  #: its function is traced once more, and what that builds is built again
FLAT_MAP = "flat_map"  #: likewise
RECORDS = "records"  #: by a reader that finds its way on behind damage
FILES = "files"  #: by the readers, one for each file, that it is made of
FILE = "file"  #: if the file opens


class Known:
    """What is known of one class of stages."""

    __slots__ = ("kind", "method", "operation", "parameters", "skipping")

    def __init__(
        self,
        kind: str,
        method: str,
        operation: Optional[str] = None,
        parameters: Tuple[str, ...] = (),
        skipping: Optional[str] = None,
    ) -> None:
        self.kind = kind  #: what it does with elements, see ``stage``
        self.method = method  #: the name by which its author knows it
        self.operation = operation  #: the raw operation that builds it again (``rebuilding``); without one, only ``regraph`` does
        self.parameters = (
            parameters  #: that the operation takes under the names that the stage has for them
        )
        self.skipping = (
            skipping  #: how ``skip_bad`` builds it again; without, it leaves it alone and says so
        )


#: By the name of the class, without the underscore that most of them have.
STAGES: Dict[str, Known] = {
    "ShuffleDataset": Known("shuffle", "shuffle", "ShuffleDatasetV3", (), SAME),
    "PrefetchDataset": Known("prefetch", "prefetch", "PrefetchDataset", (), SAME),
    "CacheDataset": Known("cache", "cache", "CacheDatasetV2", (), SAME),
    "MapDataset": Known("map", "map", "MapDataset", (), MAP),
    "ParallelMapDataset": Known("map", "map", "ParallelMapDatasetV2", (), MAP),
    "InterleaveDataset": Known("interleave", "interleave", "InterleaveDataset", (), INTERLEAVE),
    "ParallelInterleaveDataset": Known(
        "interleave", "interleave", "ParallelInterleaveDatasetV4", (), INTERLEAVE
    ),
    "FlatMapDataset": Known("flat_map", "flat_map", "FlatMapDataset", (), FLAT_MAP),
    "FilterDataset": Known("pass", "filter", "FilterDataset", (), FILTER),
    "BatchDataset": Known(
        "batch", "batch", "BatchDatasetV2", ("batch_size", "drop_remainder"), BATCH
    ),
    "ParallelBatchDataset": Known(
        "batch",
        "batch",
        "ParallelBatchDataset",
        ("batch_size", "num_parallel_calls", "drop_remainder", "deterministic"),
        BATCH,
    ),
    "PaddedBatchDataset": Known("batch", "padded_batch", "PaddedBatchDatasetV2", (), PADDED_BATCH),
    "UnbatchDataset": Known("unbatch", "unbatch", "UnbatchDataset", (), UNBATCH),
    "WindowDataset": Known(
        "window", "window", "WindowDataset", ("size", "shift", "stride", "drop_remainder")
    ),
    "RepeatDataset": Known("pass", "repeat", "RepeatDataset", ("count",), SAME),
    "TakeDataset": Known("pass", "take", "TakeDataset", ("count",), SAME),
    "SkipDataset": Known("pass", "skip", "SkipDataset", ("count",), SAME),
    "ShardDataset": Known("pass", "shard", "ShardDataset", ("num_shards", "index"), SAME),
    "OptionsDataset": Known("pass", "with_options", "OptionsDataset", (), SAME),
    "IgnoreErrorsDataset": Known("pass", "ignore_errors"),
    "ZipDataset": Known("zip", "zip", "ZipDataset", (), ZIP),
    "ConcatenateDataset": Known(
        "concatenate", "concatenate", "ConcatenateDataset", (), CONCATENATE
    ),
    "TensorSliceDataset": Known("slices", "from_tensor_slices", skipping=SOURCE),
    "TensorDataset": Known("source", "from_tensors", skipping=SOURCE),
    "RangeDataset": Known("source", "range", skipping=SOURCE),
    "RandomDataset": Known("other", "RandomDataset", skipping=SOURCE),
    "TFRecordDatasetV2": Known("source", "TFRecordDataset", skipping=RECORDS),
    "TextLineDatasetV2": Known("source", "TextLineDataset", skipping=FILES),
    "FixedLengthRecordDatasetV2": Known("source", "FixedLengthRecordDataset", skipping=FILES),
    "TextLineDataset": Known("other", "TextLineDataset", skipping=FILE),
    "FixedLengthRecordDataset": Known("other", "FixedLengthRecordDataset", skipping=FILE),
}


def known(name: str) -> Known:
    """Give what is known of a class; of one that is not listed, that it is another stage."""
    return STAGES.get(name) or Known("other", name)
