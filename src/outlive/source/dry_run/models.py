"""Keras: layers, models, losses, and what is handed to `fit`."""

from __future__ import annotations

import ast
import math
from dataclasses import replace
from typing import Any

from outlive.source.dry_run import arrays
from outlive.source.dry_run.allowed import ATTRIBUTES, WITHOUT_EFFECT, is_allowed
from outlive.source.dry_run.call import Call
from outlive.source.dry_run.datasets import features_and_labels
from outlive.source.dry_run.dtypes import dtype_of
from outlive.source.dry_run.questions import Refusal, Unaskable
from outlive.source.dry_run.run import Run, kind_of
from outlive.source.dry_run.tensors import sendable
from outlive.source.dry_run.things import (
    NONE,
    UNKNOWN,
    Api,
    Const,
    Dataset,
    Group,
    Instance,
    Made,
    Method,
    Ref,
    Table,
    Tensor,
    Unknown,
    shape_of,
)
from outlive.source.names import canonical
from outlive.source.specs import WIDTHS

SEQUENTIAL = frozenset({"keras.Sequential", "keras.models.Sequential"})
MODELS = frozenset({"keras.Model", "keras.models.Model", *SEQUENTIAL})
INPUTS = frozenset({"keras.Input", "keras.layers.Input", "keras.layers.InputLayer"})

#: What Keras brings along: the shape of an element, whether labels stand in a column, how many for training and for testing, the number of classes.
BROUGHT = {
    "mnist": ((28, 28), False, 60000, 10000, 10), "fashion_mnist": ((28, 28), False, 60000, 10000, 10),
    "cifar10": ((32, 32, 3), True, 50000, 10000, 10), "cifar100": ((32, 32, 3), True, 50000, 10000, 100),
}  # fmt: skip

#: Classes of Keras of which a program makes its own, and what Keras hands to their `call` is known.
LAYERS = frozenset({"keras.Model", "keras.models.Model", "keras.layers.Layer", "keras.Layer"})
LOSSES = frozenset({"keras.losses.Loss", "keras.Loss"})

CHECK, LOSS, BUILT = "(checked)", "(loss)", "(built)"


def made(run: Run, call: Call, name: str, real: str) -> Any:
    """What a class or function of Keras makes."""
    if name.startswith("keras.datasets.") and name.endswith(".load_data"):
        return _brought(name)
    if name in ("keras.utils.to_categorical", "keras.utils.np_utils.to_categorical"):
        return arrays.one_hot(call)
    if name in SEQUENTIAL:
        return _sequential(run, call)
    if call.open or not is_allowed(name):
        return (
            Made(name, branch=run.branch, node=call.node)
            if not call.open and name[len("keras.") :][:1].isupper()
            else UNKNOWN
        )
    words = _words(call)
    args = [sendable(it) for it in call.args]
    if any(isinstance(it, Unknown) for it in (*args, *words.values())):
        return Made(name, node=call.node, branch=run.branch)
    if name in INPUTS and name != "keras.layers.InputLayer":
        return run.call(call.node, real, args, words, serial=True, kind="model-input")
    if name.startswith(("keras.ops.", "keras.activations.")):
        return run.call(call.node, real, args, words)
    try:
        key = run.questions.step(real, *args, serial=True, words=words)
    except Unaskable:
        key = ""
    kind = "keras.Model" if name in MODELS or name.startswith("keras.applications.") else name
    thing = Made(kind, key, node=call.node, branch=run.branch)
    if key and kind == "keras.Model":
        run.models.append((thing, run.doubt))
    return thing


def _words(call: Call) -> dict[str, Any]:
    words = {}
    for word, thing in call.words.items():
        told = sendable(thing)
        if isinstance(told, Unknown | Made | Table) and word in WITHOUT_EFFECT:
            continue
        if word == "activation" and isinstance(told, Unknown) and isinstance(thing, Api):
            continue
        words[word] = told
    return words


def _brought(name: str) -> Any:
    found = BROUGHT.get(name.split(".")[2])
    if found is None:
        return UNKNOWN
    sides, column, training, testing, classes = found

    def part(count: int) -> Group:
        labels = Tensor((count, 1) if column else (count,), "uint8", "", "array", False, classes)
        return Group("tuple", [Tensor((count, *sides), "uint8", "", "array"), labels])

    return Group("tuple", [part(training), part(testing)])


def _sequential(run: Run, call: Call) -> Made:
    given = call.get(0, "layers")
    model = Made("keras.Sequential", layers=[], node=call.node, branch=run.branch)
    if isinstance(given, Group) and not given.lost:
        model.layers = list(given.items)
    elif given is not None and given != NONE:
        model.lost = True
    run.models.append((model, run.doubt))
    return model


def reference(run: Run, model: Made) -> str:
    """The question that stands for a model or a layer; nothing when it is not known, or is refused."""
    if model.lost:
        return ""
    if model.layers is None:
        return model.key
    keys = [
        reference(run, it) if isinstance(it, Made) else it.key if isinstance(it, Tensor) else ""
        for it in model.layers
    ]
    if not keys or not all(keys):
        return ""
    parts = [Ref(it) for it in keys]
    key = run.questions.step("keras.Sequential", Group("list", list(parts)))
    if model.attributes.get(CHECK) == key:
        return model.key
    model.attributes[CHECK], model.key = key, key
    try:
        run.questions.ask(key, traced=True)
    except Refusal as refusal:
        model.key = ""
        at, told = _first_refused(run, parts, refusal)
        kind = kind_of(told, "model-input")
        blamed = model.layers[at]
        node = blamed.node if isinstance(blamed, Made) and blamed.node is not None else model.node
        if kind and node is not None:
            run.trouble(node, kind, told.says, f"TensorFlow {run.questions.version}")
    return model.key


def _first_refused(run: Run, parts: list[Ref], refusal: Refusal) -> tuple[int, Refusal]:
    """Which layer is the first that cannot follow those before it."""
    for count in range(1, len(parts)):
        try:
            run.questions.ask(
                run.questions.step("keras.Sequential", Group("list", list(parts[:count]))),
                traced=True,
            )
        except Refusal as earlier:
            return count - 1, earlier
    return len(parts) - 1, refusal


def called(run: Run, call: Call, owner: Made, things: list[Any], kind: str = "model-input") -> Any:
    """What a layer, a model or a loss gives for some tensors."""
    key = reference(run, owner)
    if not key or call.open:
        return UNKNOWN
    inputs = [sendable(it) for it in things]
    words = {
        word: sendable(it)
        for word, it in call.words.items()
        if word
        in ("training", "initial_state", "return_attention_scores", "y_true", "y_pred", "inputs")
    }
    words = {
        word: it for word, it in words.items() if not isinstance(it, Unknown) or word != "training"
    }
    if any(isinstance(it, Unknown) for it in (*inputs, *words.values())) or set(call.words) - {
        "training",
        "mask",
        *words,
    }:
        return UNKNOWN
    if owner.name.startswith("keras.losses."):
        kind = "labels"
    result = run.call(call.node, "call", [Ref(key), *inputs], words, kind=kind)
    if isinstance(result, Tensor) and result.key and not owner.attributes.get(BUILT):
        # the first call gives a layer its weights, and so decides which ones can follow
        owner.attributes[BUILT] = True
        owner.key = run.questions.step("after", Ref(key), Ref(result.key))
    return result


def attribute(run: Run, node: ast.AST, owner: Made, word: str) -> Any:
    """An attribute of a model: its inputs and outputs; else a method."""
    if word in ATTRIBUTES:
        key = reference(run, owner)
        return run.call(node, "attribute", [Ref(key), Const(word)]) if key else UNKNOWN
    return Method(owner, word)


def method(walk: Any, call: Call, owner: Made | Instance, word: str) -> Any:
    """A method of a model."""
    run: Run = walk.run
    if isinstance(owner, Made) and owner.layers is not None and word in ("add", "pop"):
        return _added(run, call, owner, word)
    if word == "compile":
        loss = call.get(1, "loss") if "loss" in call.words or len(call.args) > 1 else None
        shallower = owner.branch < run.branch and LOSS in owner.attributes
        owner.attributes[LOSS] = UNKNOWN if shallower else loss
        return NONE
    if word in ("fit", "evaluate", "train_on_batch", "test_on_batch"):
        _trained(walk, call, owner, call.get(0, "x"), call.get(1, "y"))
        extra = call.get(None, "validation_data")
        if isinstance(extra, Group) and not extra.lost and len(extra.items) in (2, 3):
            _trained(walk, call, owner, extra.items[0], extra.items[1])
        elif isinstance(extra, Dataset):
            _trained(walk, call, owner, extra, None)
        return UNKNOWN
    if word in ("predict", "predict_on_batch", "predict_step"):
        return _predicted(walk, call, owner)
    if word == "get_layer" and isinstance(owner, Made):
        key = reference(run, owner)
        return (
            run.call(call.node, "get_layer", [Ref(key), *call.args], call.words) if key else UNKNOWN
        )
    if word in ("add_weight",) and isinstance(owner, Instance):
        return _weight(call)
    if word == "summary" and isinstance(owner, Made):
        reference(run, owner)
        return NONE
    return UNKNOWN


def _added(run: Run, call: Call, owner: Made, word: str) -> Any:
    if owner.branch < run.branch:
        owner.lost = True
    layer = call.get(0, "layer")
    if word == "add" and isinstance(layer, Made | Tensor) and owner.layers is not None:
        owner.layers.append(layer)
    else:
        owner.lost = True
    return NONE


def _weight(call: Call) -> Any:
    given = call.get(0, "shape")
    shape = shape_of(given) if given is not None else None
    dtype = dtype_of(call.get(2, "dtype"), "float32")
    return Tensor(shape, dtype) if shape is not None and dtype and None not in shape else UNKNOWN


def in_batches(thing: Any) -> Any:
    """What a model gets of an array: as many rows as a batch has, as 32-bit floats."""
    if (
        isinstance(thing, Tensor)
        and thing.kind in ("array", "tensor")
        and thing.shape
        and thing.is_whole
    ):
        dtype = "float32" if thing.dtype == "float64" else thing.dtype
        return Tensor((None, *thing.shape[1:]), dtype, "", "tensor", True, thing.below)
    if (
        isinstance(thing, Group)
        and not thing.lost
        and thing.items
        and all(isinstance(it, Tensor) for it in thing.items)
    ):
        parts = [in_batches(it) for it in thing.items]
        return UNKNOWN if any(isinstance(it, Unknown) for it in parts) else Group(thing.kind, parts)
    return UNKNOWN


def concrete(thing: Any) -> Any:
    """What a model gets of an element: Keras builds it with the first one, whose sizes are known then, though not to us."""
    if isinstance(thing, Tensor):
        rest = thing.shape[1:] if thing.shape is not None else (None,)
        return replace(thing, traced=thing.traced and None not in rest)
    if isinstance(thing, Group):
        return Group(thing.kind, [concrete(it) for it in thing.items])
    return thing


def _trained(walk: Any, call: Call, owner: Made | Instance, x: Any, y: Any) -> None:
    run: Run = walk.run
    if isinstance(x, Dataset):
        features, labels = (concrete(it) for it in features_and_labels(x.element))
    else:
        features, labels = in_batches(x), in_batches(y) if y is not None and y != NONE else None
        if _rows_differ(x, y):
            says = f"Data cardinality is ambiguous: x has {x.shape[0]} rows, y has {y.shape[0]}"
            run.trouble(call.node, "labels", says, "Keras")
    results = _results(walk, call, owner, features)
    loss = owner.attributes.get(LOSS)
    if (
        labels is None
        or isinstance(labels, Unknown)
        or not isinstance(results, Tensor)
        or owner.lost
    ):
        return
    if isinstance(loss, Const) and not isinstance(loss.value, str):
        return
    if isinstance(loss, Api):
        loss = sendable(loss)
    if (isinstance(loss, Made) and not loss.key) or not isinstance(loss, Const | Made | Api):
        return
    run.call(call.node, "loss", [loss, labels, results], kind="labels")
    _classes(run, call, loss, labels, results)


def _rows_differ(x: Any, y: Any) -> bool:
    arrays_ = [it for it in (x, y) if isinstance(it, Tensor) and it.shape and it.is_whole]
    return len(arrays_) == 2 and x.shape[0] != y.shape[0]


def _classes(run: Run, call: Call, loss: Any, labels: Any, results: Tensor) -> None:
    """A class number that the model has no output for."""
    word = loss.value if isinstance(loss, Const) else loss.name
    sparse = "sparsecategoricalcrossentropy" in str(word).replace("_", "").lower()
    classes = results.shape[-1] if results.shape else None
    if (
        sparse
        and isinstance(labels, Tensor)
        and labels.below is not None
        and classes is not None
        and labels.below > classes
    ):
        says = f"the labels go up to {labels.below - 1}, and the model has outputs for 0 to {classes - 1}"
        run.trouble(call.node, "labels", says, "TensorFlow")


def _results(walk: Any, call: Call, owner: Made | Instance, features: Any) -> Any:
    if isinstance(features, Unknown):
        if isinstance(owner, Made):
            reference(walk.run, owner)
        return UNKNOWN
    bare = Call(call.node, owner, [features])
    with walk.run.tracing():
        if isinstance(owner, Made):
            return called(walk.run, bare, owner, [features])
        return instance_called(walk, bare, owner)


def _predicted(walk: Any, call: Call, owner: Made | Instance) -> Any:
    x = call.get(0, "x")
    if isinstance(x, Dataset):
        features = concrete(features_and_labels(x.element)[0])
    else:
        features = in_batches(x)
    result = _results(walk, call, owner, features)
    rows = x.shape[0] if isinstance(x, Tensor) and x.shape else None
    if isinstance(result, Tensor) and result.shape and rows is not None:
        return Tensor((rows, *result.shape[1:]), result.dtype, "", "array")
    return UNKNOWN


def instance_called(walk: Any, call: Call, owner: Instance) -> Any:
    """What a model or layer of the program's own class gives: its `build`, then its `call`."""
    run = walk.method(owner, "call")
    kinds = {canonical(name) for name in owner.of.library()}
    loss = bool(kinds) and kinds <= LOSSES
    if run is None or owner.lost or not (loss or (kinds and kinds <= LAYERS)):
        return UNKNOWN
    args = [_inner(it, of_loss=loss) for it in call.args]
    first = args[0] if args else UNKNOWN
    build = walk.method(owner, "build")
    with walk.run.tracing():
        if build is not None and not owner.built:
            known = isinstance(first, Tensor) and first.shape is not None
            shape = (
                Group("tuple", [Const(it) for it in first.shape])
                if known and isinstance(first, Tensor) and first.shape is not None
                else UNKNOWN
            )
            walk.invoke(build, [shape], {})
        owner.built = True
        words = {word: _inner(it, of_loss=loss) for word, it in call.words.items()}
        words.setdefault("training", UNKNOWN)  # handed over only where `call` takes it
        result = walk.invoke(run, args, words)
    symbolic = any(isinstance(it, Tensor) and it.kind == "keras" for it in call.args)
    if symbolic and isinstance(result, Tensor):
        return Tensor(result.shape, result.dtype, "", "keras", True)
    return result


def _inner(thing: Any, *, of_loss: bool = False) -> Any:
    """What `call` gets: Keras turns arrays into tensors, and floats into its own type; a loss gets nothing else."""
    if isinstance(thing, Tensor) and thing.kind != "text":
        floats = of_loss or thing.dtype.startswith("float")
        dtype = "float32" if floats and thing.dtype else thing.dtype
        kept = thing.key if thing.kind == "tensor" and dtype == thing.dtype else ""
        return Tensor(thing.shape, dtype, kept, "tensor", thing.traced, thing.below)
    if isinstance(thing, Group):
        return Group(thing.kind, [_inner(it, of_loss=of_loss) for it in thing.items])
    return thing


def weigh(run: Run) -> None:
    """Build the models that nobody used, and ask what their weights take."""
    for model, doubt in run.models:
        run.doubt = doubt
        key = reference(run, model)
        if not key or model.node is None:
            continue
        try:
            told = run.questions.ask(run.questions.step("weights", Ref(key)), traced=True)
        except Refusal:
            continue
        found = told.value if isinstance(told, Const) and isinstance(told.value, list) else []
        sizes = [
            (math.prod(shape) * WIDTHS.get(dtype, 4), shape, path) for shape, dtype, path in found
        ]
        if sizes:
            largest = max(sizes, key=lambda it: it[0])
            run.weights.append(
                (
                    model.node,
                    sum(it[0] for it in sizes),
                    f"{largest[2]} of {'×'.join(map(str, largest[1]))}",
                )
            )
