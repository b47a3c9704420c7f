"""Where a value comes from, as far as the text tells: numbers, what made it, the stages of an input pipeline, how often a loop turns."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Collection

from outlive.model.quick_dataclass import dataclass
from outlive.source.names import Names
from outlive.source.tree import FUNCTIONS, Loop, Tree

MAX_HOPS = 12

#: What makes a tf.data pipeline; a name that ends with a dot stands for all that begin with it.
DATASETS = (
    "tf.data.Dataset", "tf.data.TFRecordDataset", "tf.data.TextLineDataset", "tf.data.FixedLengthRecordDataset",
    "tf.data.experimental.", "tensorflow_datasets.load", "keras.utils.image_dataset_from_directory",
    "keras.preprocessing.image_dataset_from_directory", "keras.utils.text_dataset_from_directory",
    "keras.utils.audio_dataset_from_directory", "keras.utils.timeseries_dataset_from_array",
)  # fmt: skip

#: Methods that nothing but a pipeline of tf.data has.
ONLY_DATASETS = frozenset(
    {
        "prefetch",
        "interleave",
        "padded_batch",
        "unbatch",
        "flat_map",
        "ignore_errors",
        "with_options",
    }
)

MODELS = (
    "keras.Model", "keras.Sequential", "keras.models.Model", "keras.models.Sequential", "keras.models.load_model",
    "keras.saving.load_model", "keras.models.clone_model", "keras.models.model_from_json", "keras.applications.",
    "keras.engine.training.Model", "tf.estimator.", "tensorflow_hub.KerasLayer",
)  # fmt: skip

#: What makes a picture of a file or of its bytes: some hundred kilobytes become many megabytes.
DECODERS = (
    "tf.io.decode_jpeg", "tf.io.decode_png", "tf.io.decode_image", "tf.io.decode_bmp", "tf.io.decode_gif",
    "tf.io.decode_and_crop_jpeg", "tf.image.decode_jpeg", "tf.image.decode_png", "tf.image.decode_image",
    "tf.image.decode_bmp", "tf.image.decode_gif", "tf.image.decode_and_crop_jpeg", "cv2.imread", "cv2.imdecode",
    "PIL.Image.open", "keras.utils.load_img", "keras.preprocessing.image.load_img", "imageio.imread",
    "imageio.v2.imread", "imageio.v3.imread", "skimage.io.imread", "matplotlib.image.imread", "matplotlib.pyplot.imread",
)  # fmt: skip
FOLDERS_OF_PICTURES = (
    "keras.utils.image_dataset_from_directory", "keras.preprocessing.image_dataset_from_directory"
)  # fmt: skip
BATCHING = frozenset({"batch", "padded_batch", "ragged_batch", "dense_to_ragged_batch"})

#: What gives a picture, whatever it was given.
RESIZERS = (
    "tf.image.resize",
    "tf.image.resize_with_pad",
    "tf.image.resize_with_crop_or_pad",
    "cv2.resize",
)

#: What makes a picture of a picture.
PICTURE_WORK = ("cv2.", "numpy.", "PIL.", "tf.image.", "tf.cast", "tf.convert_to_tensor", "keras.utils.img_to_array",
                "keras.preprocessing.image.img_to_array", "skimage.")  # fmt: skip
PICTURE_METHODS = frozenset(
    {"resize", "convert", "astype", "copy", "crop", "rotate", "reshape", "numpy", "transpose"}
)

_OPERATORS: dict[type, Callable[[float, float], float]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv,
    ast.Div: operator.truediv,
}  # fmt: skip

#: Functions that return the elements of their first argument one by one.
PASSING_ON = (
    "builtins.enumerate", "builtins.iter", "builtins.list", "builtins.sorted", "builtins.reversed", "tqdm.tqdm",
    "tqdm.auto.tqdm", "tqdm.notebook.tqdm", "tqdm.tqdm_notebook", "rich.progress.track", "builtins.zip",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Stage:
    """One step of a pipeline: a method (`map`), or what it begins with (`tf.data.Dataset.list_files`)."""

    name: str
    call: ast.Call


class Values:
    """What can be said of values without running the program."""

    def __init__(self, tree: Tree, names: Names) -> None:
        self._tree = tree
        self._names = names

    def number(self, expression: ast.expr | None, hops: int = MAX_HOPS) -> float | None:
        """The number that an expression surely is: `10_000`, `1 << 20`, `int(1e6)`, `4 * BATCH` with a constant `BATCH`."""
        if expression is None or not hops:
            return None
        if isinstance(expression, ast.Constant):
            value = expression.value
            return value if isinstance(value, int | float) and not isinstance(value, bool) else None
        if isinstance(expression, ast.UnaryOp) and isinstance(expression.op, ast.USub):
            value = self.number(expression.operand, hops - 1)
            return None if value is None else -value
        if isinstance(expression, ast.BinOp):
            return self._calculated(expression, hops - 1)
        if isinstance(expression, ast.Name):
            bound = self._names.latest(expression)
            return self.number(bound.value, hops - 1) if bound and bound.how == "assign" else None
        called = self._names.called(expression.func) if isinstance(expression, ast.Call) else ""
        if isinstance(expression, ast.Call) and called in ("builtins.int", "builtins.float"):
            return self.number(expression.args[0], hops - 1) if len(expression.args) == 1 else None
        return None

    def _calculated(self, expression: ast.BinOp, hops: int) -> float | None:
        left, right = self.number(expression.left, hops), self.number(expression.right, hops)
        if left is None or right is None:
            return None
        if isinstance(expression.op, ast.Pow | ast.LShift):
            if not (0 <= right <= 64 and abs(left) <= 1 << 20):
                return None
            return left**right if isinstance(expression.op, ast.Pow) else int(left) << int(right)
        calculate = _OPERATORS.get(type(expression.op))
        if calculate is None or (right == 0 and isinstance(expression.op, ast.Div | ast.FloorDiv)):
            return None
        return calculate(left, right)

    def made_by(self, expression: ast.expr | None, hops: int = MAX_HOPS) -> str:
        """The way in which a value came about: `cv2.VideoCapture().read`, `keras.Sequential`, `tf.data.Dataset.range().map`.

        `[]` is an element of it. Nothing when the text does not tell.
        """
        if expression is None or not hops:
            return ""
        if isinstance(expression, ast.Call):
            return self._made_by_call(expression, hops - 1)
        if isinstance(expression, ast.Name | ast.Attribute):
            return self._made_by_name(expression, hops - 1)
        if isinstance(expression, ast.Subscript):
            inner = self.made_by(expression.value, hops - 1)
            return f"{inner}[]" if inner else ""
        if isinstance(expression, ast.Await):
            return self.made_by(expression.value, hops - 1)
        if isinstance(expression, ast.ListComp | ast.GeneratorExp):
            return self.made_by(expression.generators[0].iter, hops - 1)
        return ""

    def _made_by_call(self, call: ast.Call, hops: int) -> str:
        dotted = self._names.called(call.func)
        if dotted and not dotted.startswith("builtins."):
            return dotted
        if dotted in PASSING_ON and call.args:
            return self.made_by(call.args[0], hops)
        function = self._names.definition(call.func)
        if isinstance(function, ast.FunctionDef) and not decorated(function):
            return self._returned(function, hops)
        if isinstance(call.func, ast.Name):
            made = self._class_of(call.func)
            if made or not self.is_model(call.func):
                return made
            return f"{self.made_by(call.func, hops)}().__call__"
        if isinstance(call.func, ast.Attribute):
            owner = self.made_by(call.func.value, hops)
            return f"{owner}().{call.func.attr}" if owner else ""
        return dotted

    def _made_by_name(self, name: ast.Name | ast.Attribute, hops: int) -> str:
        bound = self._names.latest(name)
        if bound is None and isinstance(name, ast.Attribute):
            every = self._names.bindings(name)
            bound = every[0] if len(every) == 1 else None
        if bound is None:
            return ""
        if bound.how in ("assign", "with"):
            return self.made_by(bound.value, hops)
        if bound.how in ("unpack", "for"):
            inner = self.made_by(bound.value, hops)
            return f"{inner}[]" if inner else ""
        if bound.how == "parameter" and bound.value is not None:
            return self._names.called(bound.value)
        return ""

    def _returned(self, function: ast.FunctionDef, hops: int) -> str:
        """What a function of this module makes, when all its ends make the same."""
        ends = [node.value for node in self._tree.returns.get(function, ())]
        made = {self.made_by(value, hops - 1) for value in ends} if 0 < len(ends) <= 3 else set()
        return made.pop() if len(made) == 1 else ""

    def _class_of(self, name: ast.Name) -> str:
        """A class of this module that is a kind of `keras.Model` makes one."""
        for binding in self._names.bindings(name):
            if isinstance(binding.node, ast.ClassDef):
                for base in binding.node.bases:
                    dotted = self._names.called(base)
                    if dotted and not dotted.startswith("builtins."):
                        return dotted
        return ""

    def is_model(self, expression: ast.expr | None) -> bool:
        """A Keras model, for all we can see."""
        return matches(self.made_by(expression), MODELS)

    def is_dataset(self, expression: ast.expr | None) -> bool:
        """A pipeline of tf.data, for all we can see."""
        made = self.made_by(expression)
        if made and "[]" not in made:
            return matches(made.partition("()")[0], DATASETS)
        return isinstance(expression, ast.expr) and self.is_pipeline(self.stages(expression))

    def stages(self, expression: ast.expr) -> list[Stage]:
        """The steps of a pipeline up to this one, the first first, followed through the names that it had on the way."""
        found: list[Stage] = []
        for _ in range(40):
            if isinstance(expression, ast.Call):
                dotted = self._names.called(expression.func)
                if dotted and not dotted.startswith("builtins."):
                    found.append(Stage(dotted, expression))
                    break
                if not isinstance(expression.func, ast.Attribute):
                    break
                found.append(self._stage(expression, expression.func.attr))
                expression = expression.func.value
            elif isinstance(expression, ast.Name | ast.Attribute):
                bound = self._names.latest(expression, through_branches=True)
                if bound is None or bound.how != "assign" or bound.value is None:
                    break
                expression = bound.value
            else:
                break
        return found[::-1]

    def _stage(self, call: ast.Call, name: str) -> Stage:
        """`apply(tf.data.experimental.ignore_errors())` is an `ignore_errors`."""
        if name == "apply" and call.args and isinstance(call.args[0], ast.Call):
            inner = self._names.called(call.args[0].func).rpartition(".")[2]
            return Stage(inner or name, call.args[0])
        return Stage(name, call)

    def is_pipeline(self, stages: list[Stage]) -> bool:
        """Whether these are the stages of tf.data."""
        if not stages:
            return False
        first = stages[0].call.func
        annotated = isinstance(first, ast.Attribute) and self.made_by(first.value) in DATASETS
        known = annotated or matches(stages[0].name, DATASETS)
        return known or any(stage.name in ONLY_DATASETS for stage in stages)

    def decodes(self, stage: Stage) -> bool:
        """Whether a stage turns files or bytes into pictures."""
        if matches(stage.name, FOLDERS_OF_PICTURES):
            return True
        if (
            stage.name not in ("map", "flat_map", "interleave", "map_and_batch")
            or not stage.call.args
        ):
            return False
        return self.reaches(self._names.definition(stage.call.args[0]), DECODERS)

    def in_batches(self, stages: list[Stage]) -> bool:
        """Whether the elements after these stages are batches."""
        batched = False
        for stage in stages:
            if stage.name in BATCHING or stage.name == "map_and_batch":
                batched = True
            elif stage.name == "unbatch":
                batched = False
            elif matches(stage.name, FOLDERS_OF_PICTURES):
                sizes = [word.value for word in stage.call.keywords if word.arg == "batch_size"]
                batched = not (
                    sizes and isinstance(sizes[0], ast.Constant) and sizes[0].value is None
                )
        return batched

    def is_picture(self, expression: ast.expr | None, hops: int = MAX_HOPS) -> bool:
        """A decoded picture, or what was made of one by a change of size or type."""
        if expression is None or not hops:
            return False
        made = self.made_by(expression)
        begins = made.partition("()")[0]
        if matches(begins, DECODERS) or begins in RESIZERS or made == "cv2.VideoCapture().read[]":
            return True
        if isinstance(expression, ast.Name | ast.Attribute):
            bound = self._names.latest(expression)
            known = bound is not None and bound.how == "assign"
            return bool(known and bound and self.is_picture(bound.value, hops - 1))
        if isinstance(expression, ast.BinOp):
            return self.is_picture(expression.left, hops - 1)
        if isinstance(expression, ast.Call):
            if matches(self._names.called(expression.func), PICTURE_WORK):
                return any(self.is_picture(word, hops - 1) for word in expression.args[:1])
            if (
                isinstance(expression.func, ast.Attribute)
                and expression.func.attr in PICTURE_METHODS
            ):
                return self.is_picture(expression.func.value, hops - 1)
        return False

    def elements(self, shape: list[ast.expr]) -> tuple[float, bool]:
        """How many elements an array of this shape has, as far as it is written, and whether that is all of them."""
        known = [self.number(size) for size in shape]
        return math.prod(size for size in known if size), None not in known

    def reaches(self, function: ast.AST | None, names: Collection[str], depth: int = 3) -> bool:
        """Whether a function of this module calls one of these, itself or through others of this module."""
        waiting = [(function, depth)] if function is not None else []
        seen = {function}
        while waiting:
            here, left = waiting.pop()
            for call in self._tree.inside(here, ast.Call):
                dotted = self._names.called(call.func)
                if matches(dotted, names):
                    return True
                further = None if dotted or left <= 1 else self._names.definition(call.func)
                if further is not None and further not in seen:
                    seen.add(further)
                    waiting.append((further, left - 1))
        return False

    def turns(self, loop: Loop) -> float:
        """How often a loop turns, when the text says so; else infinity, which stands for many."""
        if isinstance(loop, ast.While):
            return math.inf
        return min((self._length(walked) for walked in self.walked(loop)), default=math.inf)

    def walked(self, loop: ast.For | ast.AsyncFor | ast.comprehension) -> list[ast.expr]:
        """What a loop really walks over, without `enumerate`, `zip`, `tqdm` and their kin."""
        waiting, found = [loop.iter], []
        while waiting:
            expression = waiting.pop()
            if isinstance(expression, ast.Call) and expression.args:
                dotted = self._names.called(expression.func)
                if dotted in PASSING_ON:
                    every = expression.args if dotted == "builtins.zip" else expression.args[:1]
                    waiting += every
                    continue
            found.append(expression)
        return found

    def _slice_length(self, part: ast.expr) -> float:
        """`x[:10]`, `x[20:30]`, `x[np.random.choice(n, size=5)]`."""
        if isinstance(part, ast.Slice):
            stop, start = self.number(part.upper), self.number(part.lower) or 0
            return math.inf if stop is None or stop < 0 else max(0, stop - start)
        drawn = isinstance(part, ast.Call) and self._names.called(part.func).startswith(
            "numpy.random."
        )
        sizes = part.keywords if drawn and isinstance(part, ast.Call) else []
        counts = [self.number(word.value) for word in sizes if word.arg == "size"]
        return counts[0] if counts and counts[0] is not None else math.inf

    def _length(self, expression: ast.expr) -> float:
        if isinstance(expression, ast.Name):
            bound = self._names.latest(expression)
            if bound is None or bound.how != "assign" or bound.value is None:
                return math.inf
            expression = bound.value
        if isinstance(expression, ast.Tuple | ast.List | ast.Set):
            return len(expression.elts)
        if isinstance(expression, ast.Dict):
            return len(expression.keys)
        if isinstance(expression, ast.Subscript):
            return self._slice_length(expression.slice)
        if isinstance(expression, ast.Call):
            if self._names.called(expression.func) == "builtins.range":
                limits = [self.number(word) for word in expression.args]
                if len(limits) == 1 and limits[0] is not None:
                    return limits[0]
                if len(limits) >= 2 and limits[0] is not None and limits[1] is not None:
                    step = limits[2] if len(limits) == 3 else 1
                    return abs(limits[1] - limits[0]) / abs(step or 1)
            if isinstance(expression.func, ast.Attribute) and expression.func.attr == "take":
                count = self.number(expression.args[0]) if expression.args else None
                return math.inf if count is None or count < 0 else count
        return math.inf


def matches(dotted: str, names: Collection[str]) -> bool:
    """Whether a dotted name is one of these, or below one that ends with a dot."""
    if not dotted:
        return False
    return any(
        dotted == name or dotted.startswith(name if name.endswith(".") else name + ".")
        for name in names
    )


def decorated(function: ast.AST) -> bool:
    """A decorator may make something else of a function."""
    return isinstance(function, FUNCTIONS[:2]) and bool(function.decorator_list)
