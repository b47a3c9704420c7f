"""Pipelines of tf.data: what one element is after each stage."""

from __future__ import annotations

from typing import Any

from outlive.source.dry_run import arrays
from outlive.source.dry_run.call import Call
from outlive.source.dry_run.things import (
    UNKNOWN,
    Const,
    Dataset,
    Function,
    Group,
    Many,
    Table,
    Tensor,
    Unknown,
    lose,
    shape_of,
    whole,
)

#: Stages that leave the elements as they are.
SAME = frozenset({"shuffle", "repeat", "prefetch", "cache", "take", "skip", "filter", "with_options", "shard", "take_while", "ignore_errors",
                  "rejection_resample", "concatenate"})  # fmt: skip


def made(walk: Any, call: Call, name: str) -> Any:
    """A pipeline as it begins."""
    word = name.rpartition(".")[2]
    if call.open:
        return Dataset()
    if word in ("from_tensor_slices", "from_tensors"):
        given = call.get(0, "tensors")
        return Dataset(_sliced(given, away=word == "from_tensor_slices"))
    if word == "range":
        return Dataset(Tensor((), "int64", "", "tensor", True))
    if word == "list_files":
        return Dataset(Tensor((), "string", "", "tensor", True))
    if word == "zip":
        parts = call.args[0] if len(call.args) == 1 else Group("tuple", list(call.args))
        return _zipped(parts)
    if name in ("tf.data.TFRecordDataset", "tf.data.TextLineDataset"):
        return Dataset(Tensor((), "string", "", "tensor", True))
    return Dataset()


def _zipped(parts: Any) -> Dataset:
    if isinstance(parts, Dataset):
        return Dataset(Group("tuple", [parts.element]))
    if (
        isinstance(parts, Group)
        and not parts.lost
        and all(isinstance(it, Dataset) for it in parts.items)
    ):
        return Dataset(Group("tuple", [it.element for it in parts.items]))
    return Dataset()


def _sliced(thing: Any, *, away: bool) -> Any:
    """An element of what is given: without its first side, as TensorFlow knows it."""
    if isinstance(thing, Group) and thing.kind == "tuple" and not thing.lost:
        return Group("tuple", [_sliced(it, away=away) for it in thing.items])
    if isinstance(thing, Table) and not thing.lost:
        return Table({name: _sliced(it, away=away) for name, it in thing.items.items()})
    if isinstance(thing, Many | Group) and _texts(thing):
        return Tensor((), "string", "", "tensor", True) if away else UNKNOWN
    array = arrays.literal(thing)
    if array is None or array.shape is None or not array.dtype or (away and not array.shape):
        return UNKNOWN
    shape = array.shape[1:] if away else array.shape
    if None in shape:
        return UNKNOWN
    dtype = (
        array.dtype
        if isinstance(thing, Tensor)
        else {"int64": "int32", "float64": "float32"}.get(array.dtype, array.dtype)
    )
    return Tensor(shape, dtype, "", "tensor", True)


def _texts(thing: Any) -> bool:
    items = [thing.element] if isinstance(thing, Many) else thing.items if not thing.lost else []
    return bool(items) and all(
        (isinstance(it, Const) and isinstance(it.value, str))
        or (isinstance(it, Tensor) and it.kind == "text")
        for it in items
    )


def stage(walk: Any, call: Call, owner: Dataset, word: str) -> Any:
    """A pipeline after one more stage."""
    element = owner.element
    if word in SAME:
        return owner
    if word == "map":
        return Dataset(_mapped(walk, call, element))
    if word in ("batch", "padded_batch"):
        return Dataset(_batched(call, element, padded=word == "padded_batch"))
    if word == "unbatch":
        return Dataset(
            _each(
                element,
                lambda it: (
                    Tensor(it.shape[1:], it.dtype, "", "tensor", True) if it.shape else UNKNOWN
                ),
            )
        )
    if word == "enumerate":
        return Dataset(Group("tuple", [Tensor((), "int64", "", "tensor", True), element]))
    if word in (
        "as_numpy_iterator",
        "make_one_shot_iterator",
        "make_initializable_iterator",
        "cardinality",
        "reduce",
    ):
        return UNKNOWN
    for thing in call.every:
        lose(thing)
    return Dataset()


def _mapped(walk: Any, call: Call, element: Any) -> Any:
    function = call.get(0, "map_func")
    if not isinstance(function, Function) or call.open:
        return UNKNOWN
    if isinstance(element, Unknown):
        count = len(function.node.args.args) - (function.owner is not None)
        args: list[Any] = [UNKNOWN] * count
    else:
        args = (
            list(element.items)
            if isinstance(element, Group) and element.kind == "tuple"
            else [element]
        )
    with walk.run.tracing():
        result = walk.invoke(function, args, {})
    return _as_element(result)


def _as_element(thing: Any) -> Any:
    if isinstance(thing, Tensor):
        if thing.kind == "text":
            return Tensor((), "string", "", "tensor", True)
        if thing.kind not in ("tensor", "array") or not (thing.traced or thing.is_whole):
            return UNKNOWN
        return Tensor(thing.shape, thing.dtype, "", "tensor", True)
    if isinstance(thing, Const):
        array = arrays.literal(thing)
        return _sliced(array, away=False) if array is not None else UNKNOWN
    if isinstance(thing, Group) and not thing.lost:
        return (
            Group("tuple", [_as_element(it) for it in thing.items])
            if thing.kind == "tuple"
            else UNKNOWN
        )
    if isinstance(thing, Table) and not thing.lost:
        return Table({name: _as_element(it) for name, it in thing.items.items()})
    return UNKNOWN


def _batched(call: Call, element: Any, *, padded: bool) -> Any:
    size = whole(call.get(0, "batch_size")) if call.given(0, "batch_size") else None
    place = 3 if padded else 1
    all_full = call.get(place, "drop_remainder") == Const(True)
    if call.open or (
        call.given(place, "drop_remainder")
        and not isinstance(call.get(place, "drop_remainder"), Const)
    ):
        return UNKNOWN
    first = size if all_full and size is not None else None

    def batch(it: Tensor) -> Any:
        if it.shape is None:
            return Tensor(None, it.dtype, "", "tensor", True)
        inner = it.shape
        if padded:
            given = call.get(1, "padded_shapes")
            told = shape_of(given) if given is not None else None
            inner = (
                told
                if told is not None and len(told) == len(inner) and not isinstance(element, Group)
                else tuple(None for _ in inner)
                if given is not None
                else inner
            )
        return Tensor((first, *inner), it.dtype, "", "tensor", True)

    return _each(element, batch)


def _each(element: Any, change: Any) -> Any:
    if isinstance(element, Tensor):
        return change(element)
    if isinstance(element, Group):
        return Group(element.kind, [_each(it, change) for it in element.items])
    if isinstance(element, Table):
        return Table({name: _each(it, change) for name, it in element.items.items()})
    return UNKNOWN


def features_and_labels(element: Any) -> tuple[Any, Any]:
    """What `fit` takes of an element."""
    if isinstance(element, Group) and element.kind == "tuple" and len(element.items) in (2, 3):
        return element.items[0], element.items[1]
    return element, None
