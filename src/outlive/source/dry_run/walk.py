"""A whole file, followed from its top: then the models that were made, then the functions that nobody called."""

from __future__ import annotations

import ast
import contextlib
import re

from outlive.source.dry_run.frames import Frame, bound_in
from outlive.source.dry_run.interpreter import Interpreter
from outlive.source.dry_run.models import weigh
from outlive.source.dry_run.questions import Oracle
from outlive.source.dry_run.run import Run, TooLong, new_run
from outlive.source.dry_run.things import UNKNOWN
from outlive.source.tree import Tree

#: Names that only TensorFlow 1 has: a program with one of them is of its time.
OF_VERSION_1 = re.compile(
    r"\btf\.(?:placeholder|Session|InteractiveSession|get_variable|global_variables_initializer|layers|contrib|app)\b"
)


#: Settings by which other types and shapes fit than those that TensorFlow would be asked about.
SETTINGS = re.compile(
    r"\b(?:set_global_policy|set_dtype_policy|set_policy|set_floatx|set_image_data_format|enable_numpy_behavior|KERAS_BACKEND|set_backend|TF_USE_LEGACY_KERAS)\b"
)


def dry_run(tree: Tree, text: str, oracle: Oracle) -> Run:
    """Follow a program, and tell what it would be refused."""
    run = new_run(oracle)
    run.v1 = bool(OF_VERSION_1.search(text))
    if SETTINGS.search(text):
        return run
    walk = Interpreter(run)
    frame = Frame()
    of_module = (name for node in tree.every(ast.Global) for name in node.names)
    of_function = (name for node in tree.every(ast.Nonlocal) for name in node.names)
    frame.elsewhere = frozenset((*of_module, *of_function))
    with contextlib.suppress(TooLong, RecursionError):
        walk.block(tree.module.body, frame)
        run.branch = run.doubt = run.traced = 0
        weigh(run)
        _the_rest(tree, walk, run, frame)
    return run


def _the_rest(tree: Tree, walk: Interpreter, run: Run, frame: Frame) -> None:
    """Follow the functions that were not called, with arguments that are not known. What the module binds twice may be either."""
    seen: set[str] = set()
    twice: set[str] = set()
    for statement in tree.module.body:
        names = bound_in([statement])
        twice |= names & seen
        seen |= names
    frame.unsure |= twice
    for node in tree.functions:
        outside = isinstance(tree.scope(node), ast.Module | ast.ClassDef)
        if isinstance(node, ast.FunctionDef) and node not in walk.called and outside:
            inner = Frame(frame)
            for word in ast.walk(node.args):
                if isinstance(word, ast.arg):
                    inner.bind(word.arg, UNKNOWN)
            run.branch = run.doubt = run.traced = 0
            run.branch = 1
            walk.block(node.body, inner)
    run.branch = 0
