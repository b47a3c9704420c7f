"""What is defined is used: no function, class, constant, method or field that nothing of the product reads."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import outlive

SOURCE = Path(outlive.__file__).parent
ROOT = Path(__file__).parent.parent.parent

#: Names that others read, and who.
READ_BY_OTHERS = {
    "IPython": "load_ipython_extension _render_traceback_ _repr_html_ guarded",
    "Jupyter's handlers of requests": "auth_resource",
    "a Jupyter server": "_jupyter_server_extension_points _load_jupyter_server_extension",
    "pytest": "pytest_addoption pytest_load_initial_conftests pytest_configure pytest_sessionstart pytest_collectstart"
    " pytest_collection_finish pytest_runtest_setup pytest_runtest_call pytest_runtest_teardown pytest_runtest_logreport"
    " pytest_runtest_logfinish pytest_sessionfinish pytest_unconfigure",
    "Keras": "on_train_begin on_train_batch_end on_epoch_end on_train_end",
    "click": "list_commands",
    "ctypes": "_fields_ _type_ _restype_ _flags_",
    "atexit": "leave_all",
    "try_import.py, which looks them up by the name of a package": "told_by_tensorflow told_by_numpy told_by_h5py",
    "users, as the manual says": "over",
    "the manual, which is built from them": "STATUSES_OF_RUN by_outlive ASK",
    "bench/detect.py, which kills a worker": "worker_pid",
    "tests, of what is written by C or stands in two files": "AT_ONCE FILE_BYTES",
}  # fmt: skip

#: A unit is found by the folder that it is in.
UNITS = re.compile(r"units/(causes|checks|fixes|rules|complaints|watches)/|heal/remedies/")

Definition = tuple[str, str]  # what it is, and its name


def definitions(tree: ast.Module) -> Iterator[Definition]:
    """What a module gives a name to, at its top and in its classes."""
    for owner in ast.walk(tree):
        if not isinstance(owner, ast.Module | ast.ClassDef):
            continue
        for node in owner.body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                yield ("method" if isinstance(owner, ast.ClassDef) else "name"), node.name
            for target in targets(node):
                if isinstance(target, ast.Name):
                    yield ("field" if isinstance(owner, ast.ClassDef) else "name"), target.id


def targets(node: ast.stmt) -> list[ast.expr]:
    if isinstance(node, ast.Assign):
        return node.targets
    return [node.target] if isinstance(node, ast.AnnAssign) else []


def readings(tree: ast.Module) -> Iterator[str]:
    """Every name that is read, as such, as an attribute, or as a text (``getattr``, C, entry points)."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Store):
            yield node.attr
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from re.findall(r"[A-Za-z_]\w*", node.value) if len(node.value) < 200 else ()


def dead(trees: dict[str, ast.Module], others: str) -> list[str]:
    read = Counter(name for tree in trees.values() for name in readings(tree))
    read.update(re.findall(r"[A-Za-z_]\w*", others))
    known = set(" ".join(READ_BY_OTHERS.values()).split())
    return [
        f"{path}: {kind} {name}"
        for path, tree in trees.items()
        for kind, name in definitions(tree)
        if not read[name]
        and name not in known
        and not (name.startswith("__") and name.endswith("__"))
        and not (
            kind != "name" and name.startswith("visit_")
        )  # ast.NodeVisitor calls them by the type of a node
        and not (kind == "name" and UNITS.search(path))
    ]


@pytest.fixture(scope="module")
def trees() -> dict[str, ast.Module]:
    files = sorted(SOURCE.rglob("*.py"))
    return {str(path.relative_to(SOURCE)): ast.parse(path.read_text()) for path in files}


@pytest.fixture(scope="module")
def others() -> str:
    """Texts of other languages that read names of ours."""
    kinds = ("*.c", "*.h")
    return "\n".join(
        [(ROOT / "pyproject.toml").read_text()]
        + [path.read_text() for kind in kinds for path in sorted(SOURCE.rglob(kind))]
    )


def test_what_is_defined_is_read(trees: dict[str, ast.Module], others: str) -> None:
    assert [] == dead(trees, others)


def test_no_exception_is_left_over(trees: dict[str, ast.Module], others: str) -> None:
    defined = {name for tree in trees.values() for _, name in definitions(tree)}

    assert set(" ".join(READ_BY_OTHERS.values()).split()) <= defined


@pytest.mark.parametrize(
    "planted",
    ["def nobody_calls(): ...", "NOBODY_READS = 1", "class Shape:\n    nobody_reads: int = 0\n\nSHAPE = Shape()\nprint(SHAPE)"],
)  # fmt: skip
def test_a_planted_name_is_found(trees: dict[str, ast.Module], others: str, planted: str) -> None:
    assert 1 == len(dead({**trees, "planted.py": ast.parse(planted)}, others))
