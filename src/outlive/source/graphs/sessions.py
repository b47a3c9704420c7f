"""What the sessions of TensorFlow 1 are given: what is fetched, what is fed, and what is a tensor of a graph at all."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from outlive.model.quick_dataclass import dataclass
from outlive.source.graphs.order import Step
from outlive.source.graphs.origins import Frame, Origins, Root
from outlive.source.syntax import argument_of

SESSIONS = frozenset({
    "tf.Session", "tf.InteractiveSession", "tf.train.MonitoredTrainingSession", "tf.train.MonitoredSession",
})  # fmt: skip

#: Functions directly in `tf` that make no tensor.
NO_TENSORS = frozenset({
    "add_to_collection", "add_check_numerics_ops", "as_dtype", "device", "disable_eager_execution", "enable_eager_execution", "executing_eagerly",
    "function", "get_collection", "get_default_graph", "get_default_session", "get_logger", "get_variable_scope", "global_variables", "gradients",
    "group", "import_graph_def", "init_scope", "initialize_all_variables", "global_variables_initializer", "local_variables", "make_ndarray",
    "local_variables_initializer", "make_template", "make_tensor_proto", "name_scope", "no_op", "op_scope", "py_func", "reset_default_graph",
    "set_random_seed", "tables_initializer", "trainable_variables", "variable_scope", "variables_initializer", "control_dependencies", "assert_equal",
    "all_variables", "disable_v2_behavior", "custom_gradient", "load_op_library", "meshgrid", "split", "unstack", "dynamic_partition", "map_fn",
    "enable_v2_behavior", "type_spec_from_value", "is_tensor", "get_static_value", "print", "autodiff", "nest",
})  # fmt: skip
#: Modules of functions that make tensors.
TENSOR_MODULES = (
    "tf.nn.",
    "tf.math.",
    "tf.image.",
    "tf.random.",
    "tf.linalg.",
    "tf.losses.",
    "tf.layers.",
)
NO_TENSORS_BELOW = ("tf.nn.rnn_cell.", "tf.random.set_seed", "tf.random.Generator", "tf.random.create_rng_state", "tf.losses.get_losses", "tf.nn.moments", "tf.nn.top_k", "tf.nn.dynamic_rnn", "tf.nn.fused_batch_norm")  # fmt: skip
MAKERS = frozenset(
    {"tf.Variable", "tf.placeholder", "tf.placeholder_with_default", "tf.get_variable"}
)
BATCHERS = frozenset({"tf.train.batch", "tf.train.shuffle_batch", "tf.train.slice_input_producer"})


@dataclass(frozen=True, slots=True)
class Run:
    """One `session.run(…)`, or one `tensor.eval(…)`."""

    call: ast.Call
    frame: Frame | None
    loops: tuple[ast.AST, ...]
    fetches: tuple[ast.expr, ...]
    feed: ast.expr | None


class Sessions:
    """The runs of a program."""

    def __init__(self, origins: Origins, steps: Iterable[Step], others: Iterable[ast.Call]) -> None:
        self._origins = origins
        self._tensors: dict[Root, bool] = {}
        known = [step for step in steps if _word(step.call) in ("run", "eval")]
        seen = {step.call for step in known}
        rest = (Step(call, None, (), False) for call in others if call not in seen)
        self.runs: tuple[Run, ...] = tuple(self._found((*known, *rest)))

    def _found(self, steps: Iterable[Step]) -> Iterator[Run]:
        for step in steps:
            call = step.call
            assert isinstance(call.func, ast.Attribute)
            if _word(call) == "eval":
                if any(self.is_tensor(root) for root in self._origins.roots(call.func.value, step.frame)):  # fmt: skip
                    feed = argument_of(call, 0, "feed_dict")
                    yield Run(call, step.frame, step.loops, (call.func.value,), feed)
            elif self.is_session(call.func.value, step.frame):
                fetched = argument_of(call, 0, "fetches")
                fetches = tuple(self._parts(fetched)) if fetched is not None else ()
                yield Run(call, step.frame, step.loops, fetches, argument_of(call, 1, "feed_dict"))

    def is_session(self, node: ast.expr, frame: Frame | None = None) -> bool:
        """Whether a value surely is a session."""
        made = self._origins.made_by(node, frame)
        return bool(made) and made <= SESSIONS

    def is_tensor(self, root: Root) -> bool:
        """Whether a function of TensorFlow made a tensor."""
        if root not in self._tensors:
            self._tensors[root] = False  # who asks about itself knows nothing
            self._tensors[root] = self._made_a_tensor(root)
        return self._tensors[root]

    def _made_a_tensor(self, root: Root) -> bool:
        if isinstance(root.node, ast.BinOp):
            sides = (root.node.left, root.node.right)
            return any(
                self.is_tensor(it) for side in sides for it in self._origins.roots(side, root.frame)
            )
        called = self._origins.called(root)
        if called in BATCHERS or called in MAKERS:
            return True
        if not called.startswith("tf.") or called.startswith(NO_TENSORS_BELOW):
            return False
        first, _, rest = called[3:].partition(".")
        if not rest:
            return first not in NO_TENSORS and first[:1].islower()
        return called.startswith(TENSOR_MODULES) and called.rpartition(".")[2][:1].islower()

    def fed(self, run: Run) -> Iterator[tuple[ast.expr, ast.expr]]:
        """What is fed, and with what."""
        roots = self._origins.roots(run.feed, run.frame)
        given = roots[0].node if len(roots) == 1 else None
        if isinstance(given, ast.Dict):
            yield from ((key, value) for key, value in zip(given.keys, given.values, strict=True) if key is not None)  # fmt: skip

    def _parts(self, node: ast.expr) -> Iterator[ast.expr]:
        if isinstance(node, ast.List | ast.Tuple):
            for part in node.elts:
                yield from self._parts(part)
        elif isinstance(node, ast.Dict):
            for part in node.values:
                yield from self._parts(part)
        else:
            yield node


def _word(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""
