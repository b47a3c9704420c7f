"""View: a script or a notebook, parsed once; names resolved through imports and aliases; lines of cells mapped back."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from outlive.model.findings import Confidence, Edit, Place
from outlive.model.quick_dataclass import dataclass
from outlive.source.cells import Cells, read_cells
from outlive.source.graphs.networks import Layer, Network, Networks
from outlive.source.graphs.order import Order, Step
from outlive.source.graphs.origins import Frame, Origins, Root
from outlive.source.graphs.sessions import Sessions
from outlive.source.names import Binding, Names, key_of
from outlive.source.specs import Specs
from outlive.source.syntax import Function, argument_of, last_name
from outlive.source.tree import Loop, Node, Tree, begin, new_tree
from outlive.source.undefined import GIVEN, IN_NOTEBOOKS, Undefined, undefined_names
from outlive.source.values import Stage, Values, matches

if TYPE_CHECKING:  # a file without a tensor needs none of it
    from outlive.source.dry_run.questions import Oracle
    from outlive.source.dry_run.run import Run, Trouble

__all__ = ["Allowance", "Binding", "Frame", "Layer", "Loop", "Machine", "Network", "Root", "Source", "Stage", "Step", "key_of", "matches"]  # fmt: skip

#: What makes a file one of ours: without any of these in it, nothing in it can be about TensorFlow.
OURS = re.compile(r"\b(?:tensorflow|keras|tf_keras|tflite_runtime|ai_edge_litert)\b")
ROOTS = (
    "tf",
    "keras",
    "tensorflow_datasets",
    "tensorflow_hub",
    "tflite_runtime",
    "ai_edge_litert",
    "object_detection",
)

GRAPHS = re.compile(
    r"\b(?:disable_eager_execution|disable_v2_behavior|as_default|wrap_function|Graph|import_graph_def|import_meta_graph|Estimator)\b"
)

#: What makes something of a shape that the text may tell: without a call of one of these there is nothing to follow.
WITH_SHAPES = re.compile(
    r"\b(?:zeros|ones|empty|full|eye|array|asarray|constant|Variable|convert_to_tensor|placeholder|rand|randn|randint|random|normal|uniform"
    r"|truncated_normal|random_normal|random_uniform|arange|linspace|one_hot|to_categorical|Input|Sequential|load_data|from_tensor_slices|from_tensors"
    r"|decode_\w+|get_variable|fill|applications\.\w+)\("
)

ALLOW = re.compile(r"#\s*outlive:\s*allow\s+(?P<slugs>[\w-]+(?:\s*,\s*[\w-]+)*)(?P<reason>.*)$")
#: Between the slugs and the reason: `-- because`, `: because`, `(because)`.
DIVIDER = " \t-–—:(),."  # dashes as people type them


@dataclass(frozen=True, slots=True)
class Machine:
    """What a rule may know of the machine on which the program is going to run."""

    limit_bytes: int | None = None  #: the smallest memory limit of a cgroup around us
    free_bytes: int | None = None  #: what libraries believe to be free: the host's
    memory_bytes: int | None = (
        None  #: all there is for a program: asked for with --memory, or the limit, or the RAM
    )


@dataclass(frozen=True, slots=True)
class Allowance:
    """`# outlive: allow SLUG reason` in the text."""

    line: int
    slugs: tuple[str, ...]
    reason: str
    alone: bool  #: on a line of its own, and so about the next one


class Source:
    """One file. Rules ask it; it never changes."""

    def __init__(
        self,
        path: str,
        text: str,
        machine: Machine | None = None,
        tree_of: Callable[[str], Tree] = new_tree,  # one file after the other: none is kept
        oracle: Oracle | None = None,
    ) -> None:
        self.path = path
        self._oracle = oracle
        self.unasked = 0  #: questions about shapes and types to which nobody knew the answer
        self.machine = machine or Machine()
        self.cells: Cells | None = read_cells(text) if path.endswith(".ipynb") else None
        self.text = self.cells.text if self.cells else text
        self.tree = tree_of(self.text)
        self.names = Names(self.tree)
        self.values = Values(self.tree, self.names)
        self.specs = Specs(self.names, self.values, self.calls_ending_in)

    @cached_property
    def origins(self) -> Origins:
        """What made the values of the file."""
        return Origins(self.tree, self.names)

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The calls of the program in the order in which they run; none when it is too long to be followed whole."""
        order = Order(self.tree.module, self.names, self.origins)
        return order.steps if order.whole else ()

    @cached_property
    def sessions(self) -> Sessions:
        """What the sessions of TensorFlow 1 run and are fed."""
        return Sessions(self.origins, self.steps, (*self.methods("run"), *self.methods("eval")))

    @cached_property
    def networks(self) -> tuple[Network, ...]:
        """The Keras models whose layers are written down one after the other."""
        return Networks(self.tree, self.names, self.origins, self.calls_ending_in).every

    @cached_property
    def dry_run(self) -> Run | None:
        """The program followed with shapes and types: what is refused, and what the weights of its models take. None where nothing has a shape."""
        if not WITH_SHAPES.search(self.text):
            return None
        from outlive.source.dry_run.questions import Nobody
        from outlive.source.dry_run.walk import dry_run

        run = dry_run(self.tree, self.text, self._oracle or Nobody())
        self.unasked = run.questions.unasked
        return run

    def refused(self, kind: str) -> Iterator[Trouble]:
        """The calls that are refused, of one kind."""
        troubles = self.dry_run.troubles if self.dry_run is not None else ()
        return (trouble for trouble in troubles if trouble.kind == kind)

    def heavy_models(self) -> Iterator[tuple[ast.AST, int, str]]:
        """The models that are made: the bytes of all their weights, and which is the largest."""
        yield from self.dry_run.weights if self.dry_run is not None else ()

    def surely(self, trouble: Trouble) -> Confidence:
        """How sure it is that a refused call ends the program."""
        if self.is_caught(trouble.node) or not trouble.sure:
            return Confidence.POSSIBLE
        return Confidence.PROVEN if trouble.by.startswith("TensorFlow") else Confidence.LIKELY

    @cached_property
    def lines(self) -> list[str]:
        """The text, line by line, as Python counts them."""
        return re.split(r"\r\n|\r|\n", self.text)

    @cached_property
    def uses_tensorflow(self) -> bool:
        """Whether TensorFlow, Keras or a sibling is imported, not only mentioned."""
        return any(name.partition(".")[0] in ROOTS for name in self.names.imported())

    @cached_property
    def allowances(self) -> tuple[Allowance, ...]:
        """What the author has allowed, and why."""
        found = []
        for number, line in enumerate(self.lines, 1) if "outlive:" in self.text else ():
            match = ALLOW.search(line)
            if match:
                slugs = tuple(slug.strip() for slug in match["slugs"].split(","))
                alone = line.lstrip().startswith("#")
                found.append(Allowance(number, slugs, match["reason"].strip(DIVIDER), alone))
        return tuple(found)

    def allows(self, slug: str, place: Place | None) -> bool:
        """Whether the author has allowed something at a place: by a comment on the line, or alone on the line above it; and with a reason."""
        for allowance in self.allowances:
            if not allowance.reason or slug not in allowance.slugs or place is None:
                continue
            at = self.place_of_line(allowance.line)
            if at.cell == place.cell and at.line + (1 if allowance.alone else 0) == place.line:
                return True
        return False

    @cached_property
    def undefined(self) -> tuple[Undefined, ...]:
        """The names that are read and bound nowhere."""
        if self.cells is None:
            return undefined_names(self.tree)
        if self.cells.unread:
            return ()  # what cannot be read may bind them
        return undefined_names(self.tree, notebook=True, magics=self.cells.magics)

    def is_missing(self, name: str) -> bool:
        """Whether a file or folder is neither beside this file nor in the working folder, which is where a program looks for it."""
        if not name or name.startswith(("~", "$")) or "://" in name or os.path.isabs(name):
            return False  # another machine's, or a place that is not looked at
        folders = (os.path.dirname(self.path) or ".", ".")
        return not any(os.path.exists(os.path.join(folder, name)) for folder in folders)

    def is_given(self, name: str) -> bool:
        """Whether Python or the notebook gives every program this name."""
        return name in GIVEN or name in IN_NOTEBOOKS

    @cached_property
    def _calls(self) -> dict[str, list[ast.Call]]:
        """Every call, by the last word of what is called."""
        found: dict[str, list[ast.Call]] = {}
        for call in self.tree.every(ast.Call):
            word = last_name(call.func)
            if word:
                found.setdefault(self._imported_as(word, call.func), []).append(call)
        return found

    def _imported_as(self, word: str, function: ast.expr) -> str:
        """`from os import _exit as leave`: the word is `_exit`."""
        if isinstance(function, ast.Name):
            return self.names.called(function).rpartition(".")[2] or word
        return word

    def calls(self, *names: str) -> Iterator[ast.Call]:
        """The calls of these functions, by their canonical names, in whatever way they were imported."""
        for name in names:
            for call in self._calls.get(name.rpartition(".")[2], ()):
                if self.names.called(call.func) == name:
                    yield call

    def calls_ending_in(self, word: str) -> list[ast.Call]:
        """The calls of whatever has this last word, a function of a module or a method."""
        return self._calls.get(word, [])

    def methods(self, *words: str) -> Iterator[ast.Call]:
        """The calls of a method of some object, never those of a module's function."""
        for word in words:
            for call in self._calls.get(word, ()):
                if isinstance(call.func, ast.Attribute) and not self.names.called(call.func):
                    yield call

    def every(self, *kinds: type[Node]) -> Iterator[Node]:
        """All nodes of these types."""
        return self.tree.every(*kinds)

    def called(self, expression: ast.expr | None) -> str:
        """The canonical name of an expression, if it is one."""
        return self.names.called(expression)

    def number(self, expression: ast.expr | None) -> float | None:
        """The number that an expression surely is."""
        return self.values.number(expression)

    def argument(self, call: ast.Call, place: int | None, *words: str) -> ast.expr | None:
        """An argument by its place or one of its names."""
        return argument_of(call, place, *words)

    def is_true(self, expression: ast.expr | None) -> bool:
        """Whether an argument is written `True`."""
        return isinstance(expression, ast.Constant) and expression.value is True

    def loops(self, node: ast.AST) -> list[Loop]:
        """The loops that repeat a node, the innermost first; those that turn only once or never are none."""
        return [loop for loop in self.tree.loops(node) if self.values.turns(loop) > 1]

    def loops_of_uses(self, node: ast.AST) -> list[Loop]:
        """The loops of this module in which the function around a node is called."""
        function = self.tree.function(node)
        if not isinstance(function, ast.FunctionDef):
            return []
        uses = self.calls_ending_in(function.name)
        mine = [use for use in uses if self.names.definition(use.func) is function]
        return [loop for use in mine for loop in self.loops(use)]

    def turns_of(self, loop: ast.AST) -> float:
        """How often one loop turns; infinity stands for many."""
        return self.values.turns(loop) if isinstance(loop, Loop) else 1.0

    def turns(self, node: ast.AST) -> float:
        """How often all the loops around a node turn together; infinity stands for many."""
        product = 1.0
        for loop in self.loops(node):
            product *= self.values.turns(loop)
        return product

    @cached_property
    def traced_functions(self) -> tuple[ast.FunctionDef, ...]:
        """The functions with `@tf.function`, and those that are given to it."""
        every = self.tree.every(ast.FunctionDef)
        found = [function for function in every if self.traced_decorator(function) is not None]
        for call in self.calls("tf.function"):
            given = call.args[0] if call.args else None
            named = self.names.bindings(given) if isinstance(given, ast.Name) else []
            nodes = [self.names.definition(given), *(binding.node for binding in named)]
            found += [node for node in nodes if isinstance(node, ast.FunctionDef)]
        return tuple(dict.fromkeys(found))

    def tracing(self, called: ast.expr) -> ast.expr | None:
        """What makes the function that is called a traced one: its `@tf.function`, or `tf.function(…)` that was bound to the name."""
        bound = self.names.latest(called) if key_of(called) else None
        made = bound.value if bound is not None and bound.how == "assign" else None
        if isinstance(made, ast.Call) and self.called(made.func) == "tf.function":
            return made
        return self.traced_decorator(self.names.definition(called))

    def traced(self, node: ast.AST) -> bool:
        """Whether the node stands in a function that TensorFlow traces: its loops are not Python's."""
        traced = self.traced_functions
        return bool(traced) and any(above in traced for above in self.tree.ancestors(node))

    @cached_property
    def handed_to_tensorflow(self) -> tuple[ast.FunctionDef | ast.Lambda, ...]:
        """The functions that TensorFlow calls once, to trace them: with `@tf.function`, or given to a stage of a pipeline."""
        found: list[ast.FunctionDef | ast.Lambda] = list(self.traced_functions)
        for call in self.methods("map", "filter", "flat_map", "interleave"):
            given = self.names.definition(call.args[0]) if call.args else None
            owner = call.func.value if isinstance(call.func, ast.Attribute) else None
            if isinstance(given, ast.FunctionDef | ast.Lambda) and self.values.is_dataset(owner):
                found.append(given)
        return tuple(dict.fromkeys(found))

    @cached_property
    def makes_graphs(self) -> bool:
        """Whether the file works with graphs of its own, or turns eager execution off: then nobody can tell by the text what is eager."""
        return bool(GRAPHS.search(self.text))

    def is_caught(self, node: ast.AST) -> bool:
        """Whether an error of this line would be caught where it stands."""
        below = node
        for above in self.tree.ancestors(node):
            if isinstance(above, ast.Try) and below in above.body and above.handlers:
                return True
            if isinstance(above, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                return False
            below = above
        return False

    def traced_decorator(self, function: Function | ast.Lambda | None) -> ast.expr | None:
        """The `@tf.function` of a function."""
        for decorator in getattr(function, "decorator_list", ()):
            bare = decorator.func if isinstance(decorator, ast.Call) else decorator
            if self.called(bare) == "tf.function":
                return decorator  # type: ignore[no-any-return]  # of an untyped attribute
        return None

    def place(self, node: ast.AST) -> Place:
        """Where a node stands, as its author counts."""
        line, column = _where_it_is_called(node)
        function = self.tree.function(node)
        name = getattr(function, "name", "") if function else ""
        code = self.lines[line - 1] if 0 < line <= len(self.lines) else ""
        at = len(code.encode()[:column].decode("utf-8", "replace")) + 1
        if self.cells is None:
            return Place(self.path, line, name, code.strip(), column=at)
        there = self.cells.places[line - 1]
        column = at + there.indent
        return Place(self.path, there.line, name, code.strip(), column=column, cell=there.cell)

    def place_of_line(self, line: int) -> Place:
        """Where a line of the text stands."""
        code = self.lines[line - 1].strip()
        if self.cells is None:
            return Place(self.path, line, "", code, column=1)
        there = self.cells.places[line - 1]
        return Place(self.path, there.line, "", code, column=1, cell=there.cell)

    def replacement(self, node: ast.expr, text: str) -> Edit:
        """The edit that writes something else in the place of an expression."""
        return Edit(
            node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0, text
        )

    def insertion(self, line: int, column: int, text: str) -> Edit:
        """The edit that puts something in between."""
        return Edit(line, column, line, column, text)

    def segment(self, node: ast.AST) -> str:
        """The text of a node."""
        return ast.get_source_segment(self.text, node) or ""


def _where_it_is_called(node: ast.AST) -> tuple[int, int]:
    """A chain of methods over many lines begins with its first; what is meant is the word that is called."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        word = node.func
        return word.end_lineno or 0, (word.end_col_offset or 0) - len(word.attr.encode())
    return begin(node)
