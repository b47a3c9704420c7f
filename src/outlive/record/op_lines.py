"""The line that asked for the operation whose kernel crashed in a thread of TensorFlow's own: looked for in the program's source code.

A kernel in a pipeline or in a traced function runs long after its line did, and Python's stack only shows who waits for it. Its native
frames name the kernel (``CropAndResizeOp``) or the stage (``InterleaveDatasetOp``); when one line alone of the program uses something
of that name, it is the one.
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
    tree = parsed(readings.lines.read(file))
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and _plain(node.attr) == name:
            line = node.end_lineno or node.lineno
            around = [f for f in functions if f.lineno <= line <= (f.end_lineno or 0)]
            yield readings.lines.place([file, line, around[-1].name if around else "<module>"])
