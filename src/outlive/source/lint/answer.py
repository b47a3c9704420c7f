"""The child that has TensorFlow: reads questions as JSON lines and answers them by tracing on shapes and types. Nothing of the user's is run.

Started as a script by another Python, perhaps an older one, so it needs the standard library and TensorFlow only. Its first argument is the
file with what may be asked. A question comes with the steps that it rests on; each is done once, and kept.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import operator
import os
import re
import runpy
import sys
from typing import IO, Any

#: What the child may take: memory of its own, and seconds of CPU.
MOST_BYTES = 6_000_000_000
MOST_CPU_SECONDS = 300

#: An array of so many numbers is made for real, all zeros: TensorFlow treats it otherwise than a tensor.
MOST_NUMBERS = 100_000

SAME = (
    ("tensorflow.compat.v1.keras", "keras"),
    ("tensorflow.keras", "keras"),
    ("tensorflow.compat.v1", "tf"),
    ("tensorflow.compat.v2", "tf"),
    ("tensorflow", "tf"),
)


class Unanswerable(Exception):
    """A step on which the question rests cannot be done."""


class Answers:
    """TensorFlow, and the results of the steps so far."""

    def __init__(self, allowed: dict[str, Any]) -> None:
        self._allowed = allowed
        self._tf: Any = importlib.import_module("tensorflow")
        self._keras: Any = None
        with contextlib.suppress(ImportError):
            keras = importlib.import_module("keras")
            if (
                int(keras.__version__.partition(".")[0]) >= 3
                and keras.backend.backend() == "tensorflow"
            ):
                self._keras = keras
        self._steps: dict[str, Any] = {}
        self._done: dict[str, tuple[bool, Any]] = {}
        self._numpy: Any = importlib.import_module("numpy")

    def scopes(self) -> contextlib.ExitStack:
        """A graph of our own, in which nothing is computed, and a scope in which Keras makes no weights."""
        stack = contextlib.ExitStack()
        stack.enter_context(self._tf.Graph().as_default())
        if self._keras is not None:
            stack.enter_context(self._keras.StatelessScope(initialize_variables=False))
        return stack

    def forget(self) -> None:
        """Leave everything that was made."""
        self._steps.clear()
        self._done.clear()
        if self._keras is not None:
            self._keras.utils.clear_session(free_memory=False)  # names of layers begin anew

    def learn(self, steps: dict[str, Any]) -> None:
        """Take the steps of a question."""
        self._steps.update(steps)

    def answer(self, key: str) -> dict[str, Any]:
        """What a step gives: its description, or why TensorFlow refuses it."""
        try:
            return {"is": self._described(self._result(key))}
        except Unanswerable as error:
            return {"unknown": str(error)}

    def _result(self, key: str) -> Any:
        if key not in self._done:
            try:
                self._done[key] = (True, self._do(self._steps[key]))
            except (
                ValueError,
                TypeError,
                IndexError,
                self._tf.errors.InvalidArgumentError,
            ) as error:
                self._done[key] = (False, refused(error))
            except Exception as error:
                self._done[key] = (False, Unanswerable(f"{type(error).__name__}: {error}"))
        fine, result = self._done[key]
        if fine:
            return result
        raise result

    def _value(self, sent: Any) -> Any:
        if not isinstance(sent, dict):
            return sent
        ((kind, inner),) = sent.items()
        if kind == "ref":
            try:
                return self._result(inner)
            except Refused:
                raise Unanswerable("an earlier step is refused") from None
        if kind == "text":
            return inner
        if kind == "list":
            return [self._value(it) for it in inner]
        if kind == "tuple":
            return tuple(self._value(it) for it in inner)
        if kind == "dict":
            return {self._value(name): self._value(it) for name, it in inner}
        if kind == "slice":
            return slice(*(self._value(it) for it in inner))
        if kind == "ellipsis":
            return ...
        if kind == "api" and self._allowed["is_harmless_word"](canonical(inner)):
            return self._named(inner)
        raise Unanswerable(f"{kind} is not known")

    def _named(self, name: str) -> Any:
        """A public function, class or type by its dotted name."""
        if name.startswith("builtins."):
            return {"int": int, "float": float, "bool": bool}[name[9:]]
        root, *rest = name.split(".")
        if canonical(name).startswith("keras."):
            root, rest = "keras", canonical(name).split(".")[1:]
            if self._keras is None:
                raise Unanswerable("there is no Keras 3")
        found = importlib.import_module(root)
        for word in rest:
            try:
                found = getattr(found, word)
            except AttributeError:
                raise Unanswerable(f"there is no {name}") from None
        return found

    def _do(self, step: dict[str, Any]) -> Any:
        name = step["name"]
        args = [self._value(it) for it in step["args"]]
        words = {word: self._value(it) for word, it in step.get("words", {}).items()}
        if name == "spec":
            return self._tf.compat.v1.placeholder(args[1], args[0])
        if name == "array":
            return self._array(*args)
        if name == "after":
            return args[0]
        if name == "part":
            return args[0][args[1]]
        if name == "call":
            return self._call(args[0], args[1:], words)
        if name == "attribute" and args[1] in self._allowed["ATTRIBUTES"]:
            return getattr(args[0], args[1])
        if name == "get_layer":
            return args[0].get_layer(*args[1:], **words)
        if name == "loss":
            return self._loss(*args)
        if name == "weights":
            return self._weights(*args)
        if name.startswith("operator.") and name[9:] in self._allowed["OPERATORS"]:
            return getattr(operator, name[9:])(*args)
        if not self._allowed["is_allowed"](canonical(name)):
            raise Unanswerable(f"{name} is not asked")
        function = self._named(name)
        if (
            canonical(name).startswith("keras.applications.")
            and name.rpartition(".")[2][:1].isupper()
        ):
            words["weights"] = None  # else they would be downloaded
        return function(*args, **words)

    def _array(self, shape: list[int], dtype: str) -> Any:
        numbers = 1
        for side in shape:
            numbers *= side
        if numbers > MOST_NUMBERS:
            return self._tf.compat.v1.placeholder(dtype, shape)
        return self._numpy.zeros(shape, dtype)

    def _call(self, called: Any, args: list[Any], words: dict[str, Any]) -> Any:
        if not callable(called):
            raise Unanswerable("it cannot be called")
        return called(*args, **words)

    def _loss(self, loss: Any, labels: Any, results: Any) -> Any:
        found = self._keras.losses.get(loss)
        if not isinstance(
            found, self._keras.Loss
        ):  # `fit` wraps a function as the classes of losses do
            found = self._keras.losses.MeanSquaredError.__bases__[0](found)
        return found(labels, results)

    def _weights(self, model: Any) -> Known:
        found = [[list(it.shape), str(it.dtype), str(it.path)] for it in model.weights]
        return Known(found)

    def _described(self, result: Any) -> Any:
        tf = self._tf
        if isinstance(result, Known):
            return {"const": result.value}
        if self._keras is not None and isinstance(result, self._keras.KerasTensor):
            plain = not (getattr(result, "sparse", False) or getattr(result, "ragged", False))
            return (
                {"tensor": [list(result.shape), str(result.dtype)], "keras": 1} if plain else None
            )
        if isinstance(result, (tf.Tensor, tf.Variable)):
            rank = result.shape.rank
            return {
                "tensor": [
                    None if rank is None else result.shape.as_list(),
                    result.dtype.base_dtype.name,
                ]
            }
        if isinstance(result, tf.TensorShape):
            return None
        if isinstance(result, (list, tuple)) and len(result) <= 200:
            kind = "list" if isinstance(result, list) else "tuple"
            return {kind: [self._described(it) for it in result]}
        if result is None or isinstance(result, (bool, int, float, str)):
            return {"const": result}
        if self._keras is not None and isinstance(result, self._keras.Layer):
            for name in ("Sequential", "Model"):
                if isinstance(result, getattr(self._keras, name)):
                    return {"object": f"keras.{name}"}
            return {"object": f"keras.layers.{type(result).__name__}"}
        if self._keras is not None and isinstance(result, self._keras.Loss):
            return {"object": f"keras.losses.{type(result).__name__}"}
        return None


class Refused(Exception):
    """TensorFlow refuses a step."""


class Known:
    """A plain value that is an answer by itself."""

    def __init__(self, value: Any) -> None:
        self.value = value


def canonical(name: str) -> str:
    """The one name of a thing: `keras.layers.Dense`, `tf.add`."""
    for other, own in SAME:
        if name == other or name.startswith(other + "."):
            return own + name[len(other) :]
    return name


def refused(error: Exception) -> Exception:
    """Tell a refusal from what only the scope without weights brings about."""
    if "stateless scope" in str(error).lower():
        return Unanswerable("it needs weights")
    return Refused(type(error).__name__, said(error))


def said(error: Exception) -> str:
    """The sentence of an error, without colours, stacks and what was received."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    wrapped = re.match(
        r"Exception encountered when calling [^\n]*\n+(.+?)(?:\n\nArguments received|\Z)",
        text,
        re.S,
    )
    text = wrapped[1] if wrapped else text.partition("\n\nArguments received")[0]
    text = text.partition(" [Op:")[0].partition(" for '{{node ")[0]
    text = re.sub(
        r'(?:tf\.)?Tensor\((?:"[^"]*", )?shape=(\([^)]*\)), dtype=\w+\)', r"of shape \1", text
    )
    text = re.sub(r" with name '(?:None|keras_tensor\w*)'(?: and path '')?", "", text)
    return " ".join(text.split())[:400]


def bounded() -> None:
    """Bound what the child can take, where the system allows it; and stop importing from where it was started."""
    sys.path[:] = [
        folder
        for folder in sys.path
        if folder and os.path.abspath(folder) != os.path.dirname(os.path.abspath(__file__))
    ]
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (MOST_CPU_SECONDS, MOST_CPU_SECONDS))
        resource.setrlimit(resource.RLIMIT_DATA, (MOST_BYTES, MOST_BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main() -> None:
    """Answer until nobody asks any more. What libraries print goes nowhere."""
    with os.fdopen(os.dup(1), "w") as out:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        bounded()
        try:
            answers = Answers(runpy.run_path(sys.argv[1]))
        except Exception as error:
            out.write(json.dumps({"failed": f"{type(error).__name__}: {error}"[:300]}) + "\n")
            return
        out.write(json.dumps({"ready": 1}) + "\n")
        out.flush()
        while answer_one_file(answers, out):
            answers.forget()


def answer_one_file(answers: Answers, out: IO[str]) -> bool:
    """Answer until another file begins; tell whether one does."""
    with answers.scopes():
        for line in sys.stdin:
            asked = json.loads(line)
            if "key" not in asked:
                return True
            answers.learn(asked["steps"])
            try:
                told = answers.answer(asked["key"])
            except Refused as refused:
                told = {"refused": list(refused.args)}
            except Exception as error:
                told = {"unknown": type(error).__name__}
            out.write(json.dumps(told) + "\n")
            out.flush()
    return False


if __name__ == "__main__":
    main()
