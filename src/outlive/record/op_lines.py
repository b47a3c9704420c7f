"""The line that asked for what crashed in native code while no line of Python's was at work: looked for in the program's source code.

A kernel in a pipeline or in a traced function runs long after its line did, and Python's stack only shows who waits for it. Its native
frames name the kernel (``CropAndResizeOp``) or the stage (``InterleaveDatasetOp``); when one line alone of the program uses something
of that name, it is the one. The same holds for the library in which a program crashes after its last line.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from outlive.crash_site import Site
from outlive.model import Place
from outlive.record.own_files import own_files, parsed
from outlive.record.readings import Readings

#: ``tensorflow::data::ParallelInterleaveDatasetOp::Dataset::…``
STAGE = re.compile(r"^tensorflow::data::(?:[\w{}()]+::)*?(?:Parallel)?(\w+?)DatasetOp(?:V\d)?::")

#: What the classes of kernels have at their ends beside the operation's name.
ENDS = re.compile(r"(?:Op|Kernel|CPU|GPU|V\d|Base|Common)+$")

#: What loads a library: of ``ctypes``, CFFI and TensorFlow.
LOADERS = frozenset({"CDLL", "PyDLL", "LoadLibrary", "load_library", "dlopen", "load_op_library"})


def line_of_operation(readings: Readings, sites: Iterable[Site | None]) -> Place | None:
    """The only line of the program that calls what crashed, by the names in the native frames, innermost first."""
    names = [name for site in sites if site is not None for name in _names(site)]
    if not names:
        return None
    files = own_files(readings)
    for name in names:
        found = {place for file in files for place in _uses(readings, file, name)}
        if len(found) == 1:
            return found.pop()
    return None


def line_of_library(readings: Readings, sites: Iterable[Site | None]) -> Place | None:
    """The only line of the program that loads the library in which it crashed."""
    tops = [site.top for site in sites if site is not None and site.top is not None]
    names = {frame.library for frame in tops if not frame.plumbing and not frame.interpreter}
    if len(names) != 1:
        return None
    (name,) = names
    found = {
        place
        for file in own_files(readings)
        for node, place in _placed(readings, file, ast.Call)
        if isinstance(node, ast.Call)
        and _last_name(node.func) in LOADERS
        and any(isinstance(n, ast.Constant) and name in str(n.value) for n in ast.walk(node))
    }
    return found.pop() if len(found) == 1 else None


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _names(site: Site) -> Iterator[str]:
    """The kernel, then the stage of a pipeline that it worked for."""
    if site.kernel:
        yield _plain(ENDS.sub("", site.kernel))
    for frame in site.frames:
        stage = STAGE.match(frame.function)
        if stage:
            yield _plain(stage[1])
            return


def _plain(name: str) -> str:
    return name.replace("_", "").lower()


def _uses(readings: Readings, file: str, name: str) -> Iterator[Place]:
    """Where a file calls or hands on something of this name: ``tf.image.crop_and_resize(…)``, ``files.map(tf.io.encode_png)``."""
    for node, place in _placed(readings, file, ast.Attribute):
        if isinstance(node, ast.Attribute) and _plain(node.attr) == name:
            yield place


def _placed(
    readings: Readings, file: str, kind: type[ast.expr]
) -> Iterator[tuple[ast.expr, Place]]:
    """Every expression of a kind in a file, with its place: the line that its name ends on."""
    tree = parsed(readings.lines.read(file))
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    for node in ast.walk(tree):
        if isinstance(node, kind):
            named = node.func if isinstance(node, ast.Call) else node
            line = named.end_lineno or named.lineno
            around = [f for f in functions if f.lineno <= line <= (f.end_lineno or 0)]
            name = around[-1].name if around else "<module>"
            yield node, readings.lines.place([file, line, name])
