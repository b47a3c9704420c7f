"""The line that asked for what crashed in native code while no line of Python's was at work: looked for in the program's source code.

A kernel in a pipeline or in a traced function runs long after its line did, and Python's stack only shows who waits for it. Its native
frames name the kernel (``CropAndResizeOp``) or the stage (``InterleaveDatasetOp``); when one line alone of the program uses something
of that name, it is the one. The same holds for the library in which a program crashes after its last line.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from outlive.coroner.lines.own_files import own_files
from outlive.coroner.readings.readings import Readings
from outlive.model.crash import Site
from outlive.model.findings import Place
from outlive.source.syntax import last_name

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
    found = {place for file in own_files(readings) for place in _loads(readings, file, name)}
    return found.pop() if len(found) == 1 else None


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
    for node in readings.lines.tree(file).every(ast.Attribute):
        if _plain(node.attr) == name:
            yield _place(readings, file, node)


def _loads(readings: Readings, file: str, library: str) -> Iterator[Place]:
    """Where a file loads a library of this name."""
    for call in readings.lines.tree(file).every(ast.Call):
        if last_name(call.func) in LOADERS and any(
            isinstance(part, ast.Constant) and library in str(part.value) for part in ast.walk(call)
        ):
            yield _place(readings, file, call.func)


def _place(readings: Readings, file: str, named: ast.expr) -> Place:
    """The line that a name ends on."""
    line = named.end_lineno or named.lineno
    function = readings.lines.tree(file).function_name_at(line)
    return readings.lines.place([file, line, function])
