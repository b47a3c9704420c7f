"""What a call gives, by what is called: a function of the program, one of a library, a method."""

from __future__ import annotations

from typing import Any

from outlive.source.dry_run import arrays, datasets, graphs, models, tensors
from outlive.source.dry_run.call import Call
from outlive.source.dry_run.things import (
    NONE,
    UNKNOWN,
    Api,
    Class,
    Const,
    Dataset,
    Function,
    Group,
    Instance,
    Made,
    Many,
    Method,
    Table,
    Tensor,
    lose,
    plain,
)
from outlive.source.names import canonical

#: What changes nothing that it is given.
READING = frozenset({"print", "len", "str", "repr", "isinstance", "type", "id", "format", "abs", "float", "int", "bool", "range", "enumerate",
                     "zip", "list", "tuple", "sorted", "reversed", "min", "max", "sum", "hasattr", "getattr", "callable", "super"})  # fmt: skip

CHANGING = frozenset(
    {
        "append",
        "extend",
        "insert",
        "remove",
        "pop",
        "clear",
        "sort",
        "reverse",
        "update",
        "setdefault",
        "add",
        "discard",
    }
)


def called_of(walk: Any, call: Call) -> Any:
    """What a call gives; what is handed to something unknown may be changed by it."""
    called = call.called
    if isinstance(called, Function):
        return walk.invoke(called, call.args, call.words) if not call.open else _unknown(call)
    if isinstance(called, Class):
        return walk.make(called, call.args, call.words)
    if isinstance(called, Instance):
        return _instance(walk, call, called)
    if isinstance(called, Made):
        return models.called(walk.run, call, called, call.args)
    if isinstance(called, Api):
        return _library(walk, call, called)
    if isinstance(called, Method):
        return _method(walk, call, called)
    return _unknown(call)


def _unknown(call: Call) -> Any:
    for thing in call.every:
        lose(thing)
    return UNKNOWN


def _instance(walk: Any, call: Call, owner: Instance) -> Any:
    own = walk.method(owner, "__call__")
    if own is not None:
        return walk.invoke(own, call.args, call.words)
    is_keras = any(canonical(name).startswith("keras.") for name in owner.of.library())
    return (
        models.instance_called(walk, call, owner) if is_keras and not call.open else _unknown(call)
    )


def _library(walk: Any, call: Call, called: Api) -> Any:
    name = canonical(called.name)
    real = called.name
    root = name.partition(".")[0]
    if root == "builtins":
        return _builtin(walk, call, name[len("builtins.") :])
    if root == "numpy":
        return arrays.function(walk.run, call, name)
    if name in ("tf.placeholder",):
        return graphs.placeholder(walk.run, call)
    if name in graphs.SESSIONS:
        return Made(name, branch=walk.run.branch)
    if name == "tf.function":
        given = call.args[0] if call.args else None
        return (
            Function(given.node, given.frame, given.owner, given.plain, True)
            if isinstance(given, Function)
            else UNKNOWN
        )
    if name.startswith("tf.data."):
        return datasets.made(walk, call, name)
    if root == "keras":
        return models.made(walk.run, call, name, real)
    if root == "tf":
        if (
            walk.run.v1
            and real.startswith("tensorflow.")
            and not real.startswith("tensorflow.compat.")
        ):
            real = "tensorflow.compat.v1." + real[len("tensorflow.") :]
        return tensors.function(walk.run, call, name, real)
    return _unknown(call)


def _builtin(walk: Any, call: Call, word: str) -> Any:
    first = call.args[0] if call.args else None
    if word == "len" and first is not None:
        return _length(first)
    if word == "range":
        return _range(call)
    if word in ("list", "tuple", "sorted") and first is not None:
        if isinstance(first, Group) and not first.lost and first.kind != "set" and word != "sorted":
            return Group(word, list(first.items), walk.run.branch)
        return first if isinstance(first, Many) else UNKNOWN
    if word in ("enumerate", "zip"):
        return _paired(walk, call, word)
    if word in ("int", "float", "str") and len(call.args) == 1:
        if (
            isinstance(first, Const)
            and isinstance(first.value, int | float)
            and not isinstance(first.value, bool)
        ):
            return Const({"int": int, "float": float, "str": str}[word](first.value))
        return tensors.TEXT if word == "str" else UNKNOWN
    if (
        word in ("min", "max")
        and call.args
        and all(isinstance(it, Const) and isinstance(it.value, int | float) for it in call.args)
        and len(call.args) > 1
    ):
        return Const((min if word == "min" else max)(it.value for it in call.args))
    return UNKNOWN if word in READING else _unknown(call)


def _length(thing: Any) -> Any:
    if isinstance(thing, Group) and not thing.lost and thing.kind != "set":
        return Const(len(thing.items))
    if isinstance(thing, Tensor) and thing.shape and thing.shape[0] is not None:
        return Const(thing.shape[0])
    if isinstance(thing, Many) and thing.count is not None:
        return Const(thing.count)
    return UNKNOWN


def _range(call: Call) -> Any:
    try:
        walked = range(*(plain(it) for it in call.args))
        count = len(walked)
    except (LookupError, TypeError, ValueError, OverflowError):
        return Many(UNKNOWN)
    return Group("list", [Const(it) for it in walked]) if count <= 64 else Many(UNKNOWN, count)


def _paired(walk: Any, call: Call, word: str) -> Any:
    given = call.args[:1] if word == "enumerate" else call.args
    if word == "enumerate" and (len(call.args) > 1 or call.words):
        return Many(Group("tuple", [UNKNOWN, walk.element(given[0])]) if given else UNKNOWN)
    lists = [walk.items(it) for it in given]
    if lists and all(it is not None for it in lists):
        if word == "enumerate":
            return Group(
                "list", [Group("tuple", [Const(at), it]) for at, it in enumerate(lists[0] or ())]
            )
        return Group(
            "list",
            [
                Group("tuple", list(parts))
                for parts in zip(*(it or () for it in lists), strict=False)
            ],
        )
    elements = [walk.element(it) for it in given]
    return Many(Group("tuple", [UNKNOWN, *elements] if word == "enumerate" else elements))


def _method(walk: Any, call: Call, called: Method) -> Any:
    owner, word = called.owner, called.word
    if isinstance(owner, Tensor):
        return tensors.method(walk.run, call, owner, word)
    if isinstance(owner, Dataset):
        return datasets.stage(walk, call, owner, word)
    if isinstance(owner, Made):
        if owner.name in graphs.SESSIONS:
            return graphs.used(walk.run, call, owner, word)
        return models.method(walk, call, owner, word)
    if isinstance(owner, Instance):
        return models.method(walk, call, owner, word)
    if isinstance(owner, Group | Table):
        return _of_list(walk, call, owner, word)
    if isinstance(owner, Const) and isinstance(owner.value, str):
        return (
            tensors.TEXT
            if word in ("format", "join", "lower", "upper", "strip", "replace")
            else UNKNOWN
        )
    return _unknown(call)


def _of_list(walk: Any, call: Call, owner: Group | Table, word: str) -> Any:
    if word in CHANGING:
        walk.change(owner)
    if isinstance(owner, Group) and owner.kind == "list" and len(call.args) == 1:
        if word == "append":
            owner.items.append(call.args[0])
            return NONE
        if word == "extend" and isinstance(call.args[0], Group) and not call.args[0].lost:
            owner.items += call.args[0].items
            return NONE
        if word == "as_list":
            return owner
    if word == "as_list" and isinstance(owner, Group):  # a shape of a tensor
        return Group("list", list(owner.items), walk.run.branch)
    if isinstance(owner, Table) and not owner.lost:
        if word == "get" and call.args and isinstance(call.args[0], Const):
            return owner.items.get(call.args[0].value, call.args[1] if len(call.args) > 1 else NONE)
        if word == "values":
            return Group("list", list(owner.items.values()))
        if word == "items" and not any(isinstance(it, Tensor) for it in owner.items):
            return Group(
                "list", [Group("tuple", [Const(key), it]) for key, it in owner.items.items()]
            )
        if word == "keys" and not any(isinstance(it, Tensor) for it in owner.items):
            return Group("list", [Const(key) for key in owner.items])
    if word in CHANGING:
        owner.lost = True
    return UNKNOWN
