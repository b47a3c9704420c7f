"""Compiled for another NumPy."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.fact_names import PYTHON, SIMILAR_FILES
from outlive.model.findings import Fact, Finding, Remedy
from outlive.model.surroundings import Surroundings
from outlive.units.unit import check


@check("H505", since="0.2", needs=("python",), prevents=("numpy-abi-mismatch",))
def numpy_abi_mixed(here: Surroundings) -> Iterator[Finding]:
    """A compiled package was built for NumPy 1 and NumPy 2 is installed.

    ## Why it matters
    NumPy 2 changed how its arrays lie in memory. Code compiled with the headers of NumPy 1 cannot use them: "A module that was compiled
    using NumPy 1.x cannot be run in NumPy 2", "numpy.dtype size changed", or a crash. The other way round works: what is compiled with
    the headers of NumPy 2 runs with both.

    ## What to do
    Install a newer version of that package, or keep NumPy below 2.
    """
    if here.python is None:
        yield here.unknown(PYTHON)
        return
    numpy = here.python.package("numpy")
    if numpy is None:
        yield here.fine("NumPy is not installed.")
        return
    installed = Fact("numpy", numpy.version, numpy.folder)
    old = [user for user in here.python.numpy_users if user.headers == 1]
    if numpy.numbers[:1] >= (2,) and old:
        for package in dict.fromkeys(user.package for user in old):
            files = [user.file for user in old if user.package == package]
            yield here.will_fail(
                f"{package} is compiled for NumPy 1, but NumPy {numpy.version} is installed.",
                installed,
                Fact("compiled with the headers of NumPy 1", files[0], "its code"),
                Fact(SIMILAR_FILES, len(files), "site-packages"),
                remedies=(
                    Remedy(
                        "Install a build for NumPy 2.",
                        (here.python.install(package, upgrade=True),),
                    ),
                    Remedy("Or keep NumPy below 2.", (here.python.install("numpy<2"),)),
                ),
            )
        return
    users = len({user.package for user in here.python.numpy_users})
    yield here.fine(
        f"NumPy {numpy.version} fits the {users} packages that are compiled against it.", installed
    )
