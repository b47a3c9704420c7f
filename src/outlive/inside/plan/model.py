"""Run in the user's Python by `outlive plan MODEL`: how much memory a model takes at small batches, each in a process of its own.

TensorFlow is imported once and the process forked before its first operation, which it survives; a fork costs milliseconds, an import
seconds. ``python -c … MODEL OUTPUT ASKED`` with ASKED as JSON: ``{"modes": […], "batches": […], "sides": […], "shape": […], "most": bytes, "batch": the one that will be asked about}``.
A model that takes only so many inputs at once is measured with inputs of growing sides instead, where it leaves these open.
"""

from __future__ import annotations

import json
import os
import sys

from ..machine.host import Host
from ..notes.describe import in_short

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Optional, Tuple

#: A dimension that the model leaves open, when nobody says what it is.
DEFAULT_SIDE = 224

#: The first call traces and allocates, the second shows what stays.
CALLS = 2


def main(model: str, output: str, asked: str) -> None:
    """Measure, and write down what was found."""
    wanted = json.loads(asked)
    kind = kind_of(model)
    prepare(kind)
    baseline = Host().table("/proc/self/status").get("VmRSS", 0)
    told = in_a_fork(lambda: {"shape": shape_of_input(model, kind)})
    shape = told.get("shape")
    points: List[Dict[str, Any]] = []
    for mode in modes_of(kind, wanted["modes"]):
        if shape is None:
            points.append({"mode": mode, **told})
        for batch, sides in trials_of(shape, wanted) if shape is not None else []:
            point = in_a_fork(lambda m=mode, b=batch, s=sides: measure(model, kind, m, b, s))  # type: ignore[misc]
            points.append({"mode": mode, "batch": batch, **point})
            if point.get("peak_bytes", 0) > wanted["most"] or "error" in point:
                break
    found = {"kind": kind, "baseline_bytes": baseline, "shape": shape, "points": points}
    with open(output, "w", encoding="utf-8") as file:
        json.dump(found, file)
    sys.stdout.flush()
    os._exit(0)


def kind_of(path: str) -> str:
    """By what lies there."""
    if os.path.isdir(path):
        return "saved_model"
    return "tflite" if path.endswith(".tflite") else "keras"


def modes_of(kind: str, asked: List[str]) -> List[str]:
    """A model that can only be called is not trained."""
    return [mode for mode in asked if mode == "predict" or kind == "keras"]


def trials_of(
    shape: List[Optional[int]], wanted: Dict[str, Any]
) -> List[Tuple[int, Optional[List[int]]]]:
    """What to measure: how many inputs, and the sides of one (None: as the model has them)."""
    if not shape or shape[0] is None:
        return [(batch, wanted["shape"]) for batch in wanted["batches"]]
    if wanted["batch"] not in (None, shape[0]):
        return []
    if not wanted["sides"] or None not in shape[1:]:
        return [(shape[0], wanted["shape"])]
    return [(shape[0], filled(shape, 1, None, side)[1:]) for side in wanted["sides"]]


def prepare(kind: str) -> None:
    """What all children share."""
    if kind == "tflite":
        try:
            __import__("ai_edge_litert.interpreter")
            return
        except ImportError:
            pass
    __import__("tensorflow")
    if kind == "keras":
        __import__("keras")


def in_a_fork(work: Callable[[], Dict[str, Any]]) -> Dict[str, Any]:
    """What it gives; or how the process ended that did it."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        told: Dict[str, Any] = {}
        try:
            first_to_go()
            told = work()
        except BaseException as error:
            told = {"error": in_short(error, 500)}
        finally:
            os.write(writer, json.dumps(told).encode())
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as answer:
        text = answer.read()
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        return {"error": f"ended by signal {os.WTERMSIG(status)}", "signal": os.WTERMSIG(status)}
    found: Dict[str, Any] = json.loads(text)
    return found


def first_to_go() -> None:
    """Where memory is short, the kernel shall take the trial and nobody else's program."""
    try:
        with open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
            file.write("1000")
    except OSError:
        pass


def measure(
    model: str, kind: str, mode: str, batch: int, shape: Optional[List[int]]
) -> Dict[str, Any]:
    """Load the model and run it; the peak is that of the whole process."""
    run = {"keras": of_keras, "saved_model": of_saved_model, "tflite": of_tflite}[kind]
    found = run(model, mode, batch, shape)
    found["peak_bytes"] = Host().table("/proc/self/status").get("VmHWM", 0)
    return found


def filled(
    shape: List[Optional[int]], batch: int, given: Optional[List[int]], default: int = DEFAULT_SIDE
) -> List[int]:
    """A shape without open sides: the batch first, then what was asked for, then a guess."""
    sides = list(given) if given and len(given) == len(shape) - 1 else list(shape[1:])
    return [batch, *[default if side is None else int(side) for side in sides]]


def shape_of_input(model: str, kind: str) -> List[Optional[int]]:
    """Of the first input, with None for what the model leaves open; the number of inputs first."""
    if kind == "keras":
        return list(load_keras(sys.modules["keras"], model).inputs[0].shape)
    if kind == "saved_model":
        loaded = sys.modules["tensorflow"].saved_model.load(model)
        specs = signature_of(loaded).structured_input_signature[1]
        return list(next(iter(specs.values())).shape.as_list())
    return open_sides(interpreter_of(model).get_input_details()[0])


def of_keras(model: str, mode: str, batch: int, shape: Optional[List[int]]) -> Dict[str, Any]:
    """A model of Keras: called, or taught one step."""
    tf: Any = sys.modules["tensorflow"]
    keras: Any = sys.modules["keras"]
    loaded = load_keras(keras, model)
    inputs = [tf.zeros(filled(list(one.shape), batch, shape), one.dtype) for one in loaded.inputs]
    weights = sum(bytes_of(one) for one in loaded.weights)
    fed = inputs[0] if len(inputs) == 1 else inputs
    found = {"weights_bytes": weights, "optimizer_bytes": 0, "input": list(inputs[0].shape)}
    if mode == "predict":
        call = tf.function(lambda one: loaded(one, training=False))
        for _ in range(CALLS):
            call(fed)
        return found
    optimizer = getattr(loaded, "optimizer", None) or keras.optimizers.Adam()
    optimizer.build(loaded.trainable_variables)

    def step(one: Any) -> None:
        with tf.GradientTape() as tape:
            results = tf.nest.flatten(loaded(one, training=True))
            loss = sum(tf.reduce_mean(tf.cast(part, tf.float32)) for part in results)
        gradients = tape.gradient(loss, loaded.trainable_variables)
        optimizer.apply_gradients(zip(gradients, loaded.trainable_variables))

    call = tf.function(step)
    for _ in range(CALLS):
        call(fed)
    found["optimizer_bytes"] = sum(bytes_of(one) for one in optimizer.variables)
    return found


def load_keras(keras: Any, model: str) -> Any:
    """With its optimizer, if that can be read: files of Keras 2 often name losses and metrics that Keras 3 does not find."""
    try:
        return keras.models.load_model(model)
    except Exception:
        return keras.models.load_model(model, compile=False)


def of_saved_model(model: str, mode: str, batch: int, shape: Optional[List[int]]) -> Dict[str, Any]:
    """A SavedModel, by its serving signature."""
    tf: Any = sys.modules["tensorflow"]
    loaded = tf.saved_model.load(model)  # its variables live as long as it does
    function = signature_of(loaded)
    inputs = {
        name: tf.zeros(filled(spec.shape.as_list(), batch, shape), spec.dtype)
        for name, spec in function.structured_input_signature[1].items()
    }
    for _ in range(CALLS):
        function(**inputs)
    weights = sum(bytes_of(one) for one in function.graph.variables)
    first = next(iter(inputs.values()))
    return {"weights_bytes": weights, "optimizer_bytes": 0, "input": list(first.shape)}


def signature_of(loaded: Any) -> Any:
    """The function that a SavedModel is called by."""
    if not loaded.signatures:
        raise ValueError("it was saved without a signature, and cannot be called from outside")
    return loaded.signatures.get("serving_default") or next(iter(loaded.signatures.values()))


def of_tflite(model: str, mode: str, batch: int, shape: Optional[List[int]]) -> Dict[str, Any]:
    """A model of LiteRT."""
    interpreter = interpreter_of(model)
    numpy: Any = __import__("numpy")
    for one in interpreter.get_input_details():
        sides = open_sides(one)
        if sides:
            interpreter.resize_tensor_input(one["index"], filled(sides, batch, shape))
    interpreter.allocate_tensors()
    details = interpreter.get_input_details()
    for one in details:
        interpreter.set_tensor(one["index"], numpy.zeros(one["shape"], one["dtype"]))
    for _ in range(CALLS):
        interpreter.invoke()
    first = [int(side) for side in details[0]["shape"]]
    return {"weights_bytes": os.path.getsize(model), "optimizer_bytes": 0, "input": first}


def interpreter_of(model: str) -> Any:
    """By the light runtime, or TensorFlow's own."""
    light: Any = sys.modules.get("ai_edge_litert.interpreter")
    return (light or sys.modules["tensorflow"].lite).Interpreter(model_path=model)


def open_sides(details: Dict[str, Any]) -> List[Optional[int]]:
    """The shape of an input: how many there are at once can always be changed."""
    sides = [None if side == -1 else int(side) for side in details["shape_signature"]]
    return [None, *sides[1:]] if sides else []


def bytes_of(variable: Any) -> int:
    """A variable by its shape; Keras gives the name of its type as a text."""
    tf: Any = sys.modules["tensorflow"]
    total = int(tf.dtypes.as_dtype(variable.dtype).size)
    for side in variable.shape:
        total *= int(side)
    return total
