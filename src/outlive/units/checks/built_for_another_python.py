"""Compiled for another interpreter or processor."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.fact_names import ARCHITECTURE, PYTHON, SIMILAR_FILES
from outlive.model.findings import Fact, Finding, Remedy
from outlive.model.surroundings import Surroundings
from outlive.units.unit import check


@check("H509", since="0.2", needs=("python",), prevents=("uncaught-exception",))
def built_for_another_python(here: Surroundings) -> Iterator[Finding]:
    """A compiled module is made for another Python or another CPU, and there is none for this one.

    ## Why it matters
    A folder of packages that was copied, or reached through PYTHONPATH, contains modules that this Python cannot load:
    "No module named 'numpy._core._multiarray_umath'", "Importing the numpy C-extensions failed", although the package
    is there.

    ## What to do
    Install the package with this Python; do not share a folder of packages between Pythons.
    """
    if here.python is None:
        yield here.unknown(PYTHON)
        return
    version = ".".join(map(str, here.python.version[:2]))
    for package in dict.fromkeys(item.package for item in here.python.misfits):
        mine = [item for item in here.python.misfits if item.package == package]
        yield here.will_fail(
            f"{package} is compiled for {mine[0].made_for}, but this is Python {version}.",
            Fact("compiled file", mine[0].file, "site-packages"),
            Fact(SIMILAR_FILES, len(mine), "site-packages"),
            ARCHITECTURE,
            remedies=(
                Remedy(
                    "Install it with this Python.",
                    (here.python.install(package, again=True),),
                ),
            ),
        )
    if not here.python.misfits:
        yield here.fine(
            f"Compiled files are for Python {version} ({here.python.compiled_files} checked).",
            PYTHON,
        )
