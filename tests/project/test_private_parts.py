"""Only two modules touch private parts of TensorFlow or Keras: ``tf_private`` of the recorder, and that of ``keep``."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import outlive

SOURCE = Path(outlive.__file__).parent
ADAPTER = "tf_private.py"
MODULES = sorted(path for path in SOURCE.rglob("*.py") if path.name != ADAPTER)
ADAPTERS = sorted(SOURCE.rglob(ADAPTER))

#: Private attributes of others than TensorFlow, as they are written, and whose they are.
ATTRIBUTES = {
    "CPython's functions": "os._exit sys._getframe sys._current_frames _tracemalloc._get_traces"
    " _ctypes._SimpleCData ctypes.pythonapi._PyObject_DebugMallocStats",
    "multiprocessing and subprocess, which say nowhere else how a child ended": "process._popen one._popen known._children"
    " module.BaseProcess._check_closed module.Popen._handle_exitstatus names['_semlock']._is_mine names['_semlock']._get_value"
    " module._default_context module._default_context._default_context module._concrete_contexts",
    "futures and event loops, whose errors nobody may have asked for": "future._invoke_callbacks future._state loop._exception_handler",
    "ctypes' libraries, and a function of the C++ library": "library._name library._handle library.__cxa_demangle",
    "Pillow's images: ``size`` may be the program's own property": "value._size",
    "the documented method of named tuples": "rise._replace",
    "our own ring and finder, for their nearest neighbours": "ring._memory ring._start ring._end self._finder._act",
}  # fmt: skip

#: Texts that look like private names and are not TensorFlow's, and whose they are.
TEXTS = {
    "CPython's modules": "_asyncio _interpreters _xxsubinterpreters _frozen_importlib _frozen_importlib_external _io _signal _initializing",
    "CPython's functions and classes": "_exit _excepthook _is_gil_enabled _lru_cache_wrapper _find_and_load_unlocked _FuncPtr _fields_ _fields"
    " _ExceptionWithTraceback _RemoteTraceback _str _seen _exceptions",
    "threads and what they wait for": "_active _main_thread _ident _native_id _daemonic _name _target _thread _lock _waiters _flag _value"
    " _count _parties _semlock _queue _buffer _work_queue _popen",
    "futures, pools and event loops": "_exception _success _error_callback _state _all_tasks _scheduled_tasks _selector _ready _scheduled _fd_to_key",
    "functions of the standard library in stacks": "_bootstrap _run_module_as_main _wait_for_tstate_lock _shutdown _python_exit _worker"
    " _process_worker _handle_workers _handle_tasks _handle_results _feed _serve",
    "loggers, which read it before anything is logged": "_cache",
    "Pillow's images": "_size _mode",
    "loggers, which ask it at every call whether the level is on": "_cache",
    "attributes of nodes in the protocol buffer of a graph": "_output_shapes",
    "NumPy's error": "_ArrayMemoryError",
    "functions of the interpreter in C stacks": "_ctypes_callproc _PyEval_EvalFrameDefault _PyEval_EvalFrame _PyEval_Vector _Z",
    "operations, functions and shapes in graphs and messages": "_output_shapes _Retval _Mkl __inference _eager_fallback __autograph_generated_file",
    "variables of the environment": "_CONDOR_SCRATCH_DIR _OUTLIVE_COMPLETE",
    "ends of names": "_port _request _reply _file _data _async _on_batch",
    "modules of our own that sitecustomize puts away": "_library _signals",
}  # fmt: skip

#: Of these names TensorFlow has one too: where they are somebody else's.
SHARED = {
    ("waits", "_count"): "threading.Barrier",
    ("scene", "_size"): "Pillow",
    ("logged", "_cache"): "logging.Logger",
}

#: Names of private modules that are compared with the names of classes and imports; nothing is reached through them.
COMPARED = {"keras.src", "keras.src.", "keras.src.utils"}

#: Lists modules by name, so that a young process sees that one is imported without loading the adapter.
LISTS = "sitecustomize"

PRIVATE_MODULE = re.compile(r"^(tensorflow\.)?(python|core|lite\.python)\.[a-z]|^keras\.src")
PRIVATE_NAME = re.compile(r"^_[A-Za-z]\w*$|^__[a-z]\w*(?<!__)$")
OUR_MARK = "_outlive"

Touch = tuple[int, str, str]


def is_private(name: str) -> bool:
    return bool(PRIVATE_NAME.match(name)) and not (name.startswith("__") and name.endswith("__"))


def touches(tree: ast.Module) -> Iterator[Touch]:
    """Every private attribute of another object than ``self``, and every text that could be the name of one or of a private module."""
    own = {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)} | {"self", "cls"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and is_private(node.attr):
            if not (isinstance(node.value, ast.Name) and node.value.id in own):
                yield node.lineno, "attribute", ast.unparse(node)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if is_private(node.value) and not node.value.startswith(OUR_MARK):
                yield node.lineno, "text", node.value
            elif PRIVATE_MODULE.match(node.value):
                yield node.lineno, "module", node.value
        elif isinstance(node, ast.JoinedStr) and begins_with_an_underscore(node):
            yield node.lineno, "text", ast.unparse(node)


def begins_with_an_underscore(text: ast.JoinedStr) -> bool:
    first = text.values[0] if text.values else None
    return isinstance(first, ast.Constant) and str(first.value).startswith("_")


def words(groups: dict[str, str]) -> set[str]:
    return {word for group in groups.values() for word in group.split()}


@functools.cache
def tensorflows_names() -> set[str]:
    """The private names that the adapters know: elsewhere they are allowed only where ``SHARED`` says so."""
    from outlive.inside.tfdata.tf_private import PARAMETERS

    found = {f"_{name}" for name in PARAMETERS}
    for path in ADAPTERS:
        for _, kind, what in touches(ast.parse(path.read_text())):
            if kind != "module":
                found.add(what.rpartition(".")[2])
    return found


def unlawful(tree: ast.Module, stem: str) -> list[Touch]:
    attributes, texts, tensorflows = words(ATTRIBUTES), words(TEXTS), tensorflows_names()

    def is_lawful(kind: str, what: str) -> bool:
        if kind == "module":
            return what in COMPARED or stem == LISTS
        if kind == "attribute":
            return what in attributes
        return what in texts and (what not in tensorflows or (stem, what) in SHARED)

    return [touch for touch in touches(tree) if not is_lawful(*touch[1:])]


def test_nothing_private_is_touched_outside_the_adapters() -> None:
    found = {
        str(path.relative_to(SOURCE)): unlawful(ast.parse(path.read_text()), path.stem)
        for path in MODULES
    }

    assert len(found) > 300
    assert {} == {name: touched for name, touched in found.items() if touched}


def test_there_is_one_adapter_for_each_world() -> None:
    assert 2 == len(ADAPTERS), ADAPTERS
    assert {
        "_inputs",
        "_input_dataset",
        "_function_cache",
        "_variant_tensor",
    } <= tensorflows_names()


@pytest.mark.parametrize(
    "line",
    [
        "dataset._input_dataset",
        "self.dataset._inputs()",
        "getattr(dataset, '_inputs')()",
        "hasattr(model, '_is_graph_network')",
        "vars(dataset)['_tensors']",
        "getattr(stage, f'_{name}')",
        "[getattr(stage, name) for name in ('_map_func', '_predicate')]",
        "stage._count",
        "getattr(stage, '_count')",
        "dataset._variant_tensor.numpy()",
        "module.DatasetV2._apply_debug_options",
        "library('python.data.util.nest')",
        "sys.modules['tensorflow.python.eager.context']",
        "__import__('keras.src.saving.saving_api')",
    ],
)
def test_a_planted_line_breaks_the_law(line: str) -> None:
    """In a real module, which is lawful without it."""
    for name in ("inside/tfdata/bound.py", "report/text.py"):
        known = next(path for path in MODULES if path.as_posix().endswith(name.rpartition("/")[2]))
        planted = f"{known.read_text()}\n\ndef planted(dataset, stage, model, name, module, self):\n    return {line}\n"

        found = unlawful(ast.parse(planted), known.stem)

        assert found, line
        assert {planted.count("\n")} == {at for at, _, _ in found}


@pytest.mark.parametrize(
    "code",
    [
        "self._count",
        "cls._made",
        "os._exit(0)",
        "sys._getframe(1)",
        "value.__class__",
        "vars(dataset)['_outlive_mark']",
        "text.startswith('_')",
        "class Own:\n    pass\nOwn._method",
    ],
)
def test_what_is_not_tensorflows_is_lawful(code: str) -> None:
    assert [] == unlawful(ast.parse(code), "anywhere")


def test_no_exception_is_left_over() -> None:
    used = {
        (kind, what) for path in MODULES for _, kind, what in touches(ast.parse(path.read_text()))
    }

    assert {("attribute", what) for what in words(ATTRIBUTES)} <= used
    assert {("text", what) for what in words(TEXTS)} <= used
    assert {("module", what) for what in COMPARED} <= used
    assert all(("text", what) in used for _, what in SHARED)


def test_every_parameter_that_is_asked_for_is_listed() -> None:
    """A name that is not listed raises ``KeyError``, which would be a mistake of ours."""
    from outlive.inside.tfdata.stage_table import STAGES
    from outlive.inside.tfdata.tf_private import PARAMETERS

    asked = {name for row in STAGES.values() for name in row.parameters}
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text())):
            called = node.func if isinstance(node, ast.Call) else None
            name = getattr(called, "id", getattr(called, "attr", ""))
            if name in ("parameter", "parameter_or", "whole") and len(node.args) > 1:
                asked |= {node.args[1].value} if isinstance(node.args[1], ast.Constant) else set()
            elif name == "set_parameters":
                asked |= {keyword.arg for keyword in node.keywords}

    assert {"buffer_size", "count", "padded_shapes", "filename"} <= asked
    assert set() == asked - PARAMETERS


#: Functions that are about no part in particular.
GENERAL = {"class_of", "part", "library", "imported", "kept_as", "parameter", "parameter_or", "set_parameters"}  # fmt: skip


@pytest.mark.parametrize("path", ADAPTERS, ids=lambda path: str(path.relative_to(SOURCE)))
def test_every_function_of_an_adapter_says_which_versions_have_its_part(path: Path) -> None:
    functions = [
        node for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef)
    ]

    silent = [
        node.name
        for node in functions
        if not re.search(r"All versions|From 2\.\d+ on", ast.get_docstring(node) or "")
    ]

    assert len(functions) > 20
    assert set(silent) <= GENERAL
