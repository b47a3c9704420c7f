"""Whoever looks at what fills the memory must not fill it."""

import functools
import sys

import pytest
from limited import enter

#: MB that a watched program may be larger than a bare one: the recorder's own modules and buffers take 5.
OURS = 20

#: The bare programs take about half to two thirds of it, so they are looked at several times on the way.
LIMIT = 300

SHAPES = ["tuples", "dictionary", "dictionaries", "set", "one tuple", "linked", "lists of tuples"]


@pytest.mark.memory(LIMIT)
@pytest.mark.parametrize("shape", SHAPES)
def test_looking_at_many_small_objects_takes_little_memory(runner, program, group, shape):
    command = (sys.executable, program("many_small_objects.py"), shape)
    entered = functools.partial(enter, group)

    bare = runner.bare(*command)
    watched = runner.watched(*command, preexec_fn=entered)

    assert (0, 0) == (bare.status, watched.status), watched.stderr
    assert int(bare.stdout) > 0.4 * LIMIT, "it was not looked at"
    assert int(watched.stdout) <= int(bare.stdout) + OURS
