"""How far loops are, read from the value stacks of running functions; the numbers that may count a `while` loop."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import outlive.inside
from outlive.inside.memory.loop_turns import numbers_in, turns_of
from outlive.inside.memory.value_stack import checked_reader
from pythons import pythons

INSIDE = Path(outlive.inside.__file__).parent


def own(file: str) -> bool:
    return file == __file__


def here() -> list[tuple[int | None, int | None]]:
    reader = checked_reader()
    assert reader is not None
    return [(done, left) for *_, done, left in turns_of(sys._getframe(1), reader, own)]


def handed_on(things):
    yield from things


def test_every_iterator_that_tells_is_read():
    for _ in range(10):
        for _ in [1, 2, 3]:
            for _ in {"a": 1, "b": 2}.items():
                for _, _ in enumerate(zip(range(7), "abcd", strict=False)):
                    for _ in handed_on((1, 2, 3, 4, 5)):
                        assert [left for _, left in here()] == [9, 2, 1, 3, 4]
                        break
                    break
                break
            break
        break


def test_turns_go_down_as_they_are_made():
    lefts = [here()[-1][1] for _ in range(5)] if sys.version_info < (3, 12) else []
    seen = []
    for _ in range(5):
        seen.append(here()[-1])

    assert [4, 3, 2, 1, 0] == [left for _, left in seen]
    assert lefts in ([], [4, 3, 2, 1, 0])


def test_a_loop_that_has_ended_is_not_there():
    for _ in range(3):
        pass

    assert [] == here()


def test_an_iterator_with_code_of_its_own_is_not_asked():
    class Asks:
        def __iter__(self):
            return self

        def __next__(self):
            return 1

        def __length_hint__(self):
            raise AssertionError("code of the program was called")

    for _ in Asks():
        assert [] == here()
        break


def counting():
    step, most, ratio, flag = 3, 100, 0.5, True
    found = numbers_in(sys._getframe(), own)
    return found[-1], (step, most, ratio, flag)


def test_whole_numbers_have_names():
    (_, _, function, pairs), _ = counting()

    assert "counting" == function
    assert [["step", 3], ["most", 100]] == pairs


READS = """
import json, sys
package = type(sys)("_outlive")
package.__path__ = [sys.argv[1]]
sys.modules["_outlive"] = package
from _outlive.memory.loop_turns import turns_of
from _outlive.memory.value_stack import checked_reader
def main():
    reader = checked_reader()
    for outer in range(20):
        for inner in ["a", "b", "c"]:
            if (outer, inner) == (4, "b"):
                found = turns_of(sys._getframe(), reader, lambda file: file == "<string>")
                print(json.dumps([left for *_, left in found]))
main()
"""


@pytest.mark.parametrize("python", pythons().values(), ids=pythons().keys())
def test_each_python_keeps_its_loops_where_they_are_looked_for(python: str) -> None:
    done = subprocess.run(
        [python, "-c", READS, str(INSIDE)], capture_output=True, text=True, check=False
    )

    assert [15, 1] == json.loads(done.stdout), done.stderr
