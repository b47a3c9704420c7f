"""A cache in a file instead of in memory."""

from __future__ import annotations

import ast

from outlive.model.patch import Answer, Patch
from outlive.source.fix_case import FixCase
from outlive.units.unit import fix


@fix("F105", since="0.2", heals=("cache-in-memory",))
def cache_on_disk(case: FixCase) -> Answer:
    """The `cache` writes the elements to a file of the working folder instead of keeping them in memory.

    ## What it changes
    `cache()` gets the name of a new file in a folder that is made for this run of the program.

    ## When it is offered
    The call has no file yet.

    ## What becomes of the results
    They stay the same. The first pass writes the data to the disk; each run of the program makes a cache of its own, so
    no cache made from other data is ever read.
    """
    for call in case.calls("cache"):
        if call.args or call.keywords or not isinstance(call.func, ast.Attribute):
            continue
        written, imports = case.imported("tempfile.mkdtemp")
        inside = f'{written}(prefix="cache-", dir=".") + "/elements"'
        return Patch(
            "Keep the cache in a file of a new folder (cache-…) in the working folder; delete it afterwards.",
            (*imports, case.one_argument_more(call, inside)),
        )
    return "the cache has a file already, or is on another line"
