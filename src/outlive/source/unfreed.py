"""Calls into native libraries that hand something out, in a file in which nothing ever gives it back. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from outlive.source.syntax import last_name
from outlive.source.tree import Tree

#: Calls and attributes by which Python reaches the functions of a C library.
LOADING = frozenset({"CDLL", "PyDLL", "LoadLibrary", "dlopen", "load_library"})
LIBRARIES = frozenset({"pythonapi", "cdll", "pydll"})

#: As C libraries name what hands something out, and what takes it back. The first part of a name that fits decides.
PAIRS = (
    ("strdup", ("free",)),
    ("alloc", ("free", "release")),
    ("incref", ("decref",)),
    ("create", ("destroy", "delete", "free", "release", "close")),
    ("open", ("close",)),
    ("acquire", ("release",)),
    ("retain", ("release",)),
    ("mmap", ("munmap",)),
    ("new", ("free", "delete", "destroy", "unref", "release")),
)


class Unfreed(NamedTuple):
    """A call that hands something out, and the function that would take it back."""

    line: int
    function: str
    call: str  #: as the source writes it
    closer: str


def unfreed_in(tree: Tree) -> Iterator[Unfreed]:
    """Every call of a library's function that hands something out, where the file calls none that takes it back."""
    libraries = {
        target.id
        for node in tree.every(ast.Assign)
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call)
        and last_name(node.value.func) in LOADING
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    aliases = {
        target.id: node.value.attr
        for node in tree.every(ast.Assign)
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Attribute)
        and _is_library(node.value.value, libraries)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    called = [
        (node, name)
        for node in tree.every(ast.Call)
        if isinstance(node, ast.Call) and (name := _native(node.func, libraries, aliases))
    ]
    names = {name.lower() for _, name in called}
    for node, name in called:
        closers = _closers(name.lower())
        if closers and not any(closer in other for closer in closers for other in names):
            function = tree.function_name_at(node.lineno)
            yield Unfreed(node.lineno, function, ast.unparse(node.func), closers[0])


def _is_library(node: ast.AST, libraries: set[str]) -> bool:
    if isinstance(node, ast.Name):
        return node.id in libraries
    return isinstance(node, ast.Attribute) and node.attr in LIBRARIES


def _native(called: ast.expr, libraries: set[str], aliases: dict[str, str]) -> str:
    """The name of the C function that is called, or nothing."""
    if isinstance(called, ast.Name):
        return aliases.get(called.id, "")
    reached = isinstance(called, ast.Attribute) and _is_library(called.value, libraries)
    return called.attr if reached and isinstance(called, ast.Attribute) else ""


def _closers(name: str) -> tuple[str, ...]:
    return next((closers for opener, closers in PAIRS if opener in name.replace("py_", "")), ())
