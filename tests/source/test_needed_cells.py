"""Which cells to run again before the one that died."""

from __future__ import annotations

import pytest

from outlive.source.needed_cells import needed_cells

CASES = {
    "what defines a name": (["a = 1", "b = 2"], "print(b)", [1]),
    "and what that uses": (["a = 1", "b = a", "c = 3"], "print(b)", [0, 1]),
    "imports": (["import numpy as np", "x = np.ones(3)", "y = 1"], "x.sum()", [0, 1]),
    "the newest definition alone": (["a = 1", "a = 2"], "a", [1]),
    "a definition that uses the one before": (["a = 1", "a = a + 1"], "a", [0, 1]),
    "changes": (["a = []", "b = 1", "a.append(b)", "a[0] = 2", "a += [1]"], "a", [0, 1, 2, 3, 4]),
    "what only shows": (["a = []", "a.describe()", "print(a)"], "a", [0]),
    "a module is not changed by its functions": (["import os", "os.chdir('/')"], "os.getcwd()", [0]),
    "what a function uses when it is called": (["k = 1", "def f(x):\n    return x + k"], "f(2)", [0, 1]),
    "what a function calls its own": (["x = 1", "def f(x):\n    y = x\n    return y"], "f(2)", [1]),
    "a function that binds a global": (["n = 0", "def up():\n    global n\n    n = n + 1"], "up()", [0, 1]),
    "a later cell of a function": (["def f():\n    return k", "k = 1"], "f()", [0, 1]),
    "a name that is bound again before a call": (["k = 1", "def f():\n    return k", "k = 2"], "f()", [1, 2]),
    "a text nested too deeply": (["a = " + "(" * 5000], "a", []),
    "names of comprehensions": (["i = 1", "n = 3"], "[i for i in range(n)]", [1]),
    "names of loops": (["i = 1", "n = 3"], "for i in range(n):\n    print(i)", [1]),
    "what the cell binds first": (["x = 1"], "x = 0\nprint(x)", []),
    "what the cell binds too late": (["x = 1"], "print(x)\nx = 0", [0]),
    "classes": (["b = 1", "class A:\n    n = b\n    def f(self):\n        return self.n"], "A()", [0, 1]),
    "a star import": (["from math import *", "x = 1"], "print(sqrt(4))", [0]),
    "nothing from a star import": (["from math import *", "x = 1"], "print(x)", [1]),
    "a cell that cannot be read": (["a = 1", "a ="], "a", [0]),
    "names that nobody defines": (["a = 1"], "print(b)", []),
    "a text that is not Python": (["a = 1"], "a =", []),
    "errors and patterns": (["e = n = 1", "p = 2"], "try:\n    p\nexcept OSError as e:\n    e", [1]),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_cells_that_define_what_is_used(name: str) -> None:
    earlier, text, wanted = CASES[name]

    assert wanted == needed_cells(earlier, text)
