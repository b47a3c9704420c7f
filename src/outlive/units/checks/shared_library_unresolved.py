"""A library that is not there."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.fact_names import COMPILED_FILES, FILES_THAT_NEED_IT, PYTHON
from outlive.model.findings import Fact, Finding, Remedy
from outlive.model.installation import Environment
from outlive.model.surroundings import Surroundings
from outlive.units.unit import check

#: What TensorFlow itself imports: without it nothing works.
VITAL = ("tensorflow", "tensorflow-cpu", "numpy", "h5py", "protobuf", "keras", "ml-dtypes", "grpcio", "wrapt", "optree")  # fmt: skip

#: The packages of Debian and Ubuntu for what is missing most often.
SYSTEM_PACKAGES = {
    "libGL.so.1": "libgl1",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libSM.so.6": "libsm6",
    "libXext.so.6": "libxext6",
    "libXrender.so.1": "libxrender1",
    "libgomp.so.1": "libgomp1",
    "libstdc++.so.6": "libstdc++6",
    "libgfortran.so.5": "libgfortran5",
    "libopenblas.so.0": "libopenblas0",
}


@check("H508", since="0.2", needs=("python",), prevents=("shared-library-missing",))
def shared_library_unresolved(here: Surroundings) -> Iterator[Finding]:
    """A compiled module needs a shared library, or a version of one, that is not on this system.

    ## Why it matters
    The import fails with "cannot open shared object file: No such file or directory" or "version `GLIBCXX_3.4.32' not found". What each
    module needs is read out of its file and looked up as the dynamic loader would (RPATH, LD_LIBRARY_PATH, RUNPATH, the loader's
    cache, the system's folders); nothing is loaded. A library that another installed package brings may be loaded by that package
    first and is not reported.

    ## What to do
    Install the system's package that provides the library, or a build of the module that bundles its own.
    """
    if here.python is None:
        yield here.unknown(PYTHON)
        return
    missing: dict[tuple[str, str], list[str]] = {}
    why: dict[tuple[str, str], str] = {}
    for item in here.python.unresolved:
        missing.setdefault((item.package, item.needs), []).append(item.file)
        why[item.package, item.needs] = item.why
    for (package, needs), files in sorted(missing.items()):
        answer = here.will_fail if package in VITAL else here.warning
        yield answer(
            f"{package} needs {needs}, which is missing.",
            Fact("needed by", files[0], "its dynamic section"),
            Fact(FILES_THAT_NEED_IT, len(files), "site-packages"),
            Fact("why", why[package, needs], "the rules of the dynamic loader"),
            remedies=_remedies(package, needs, here.python),
        )
    if not missing:
        yield here.fine(
            f"All libraries needed by compiled files are there ({here.python.compiled_files} checked).",
            Fact(COMPILED_FILES, here.python.compiled_files, "site-packages"),
        )


def _remedies(package: str, needs: str, python: Environment) -> tuple[Remedy, ...]:
    name = needs.partition(" ")[0]
    again = Remedy(
        "Install a build that bundles what it needs.",
        (python.install(package, again=True),),
    )
    if name in SYSTEM_PACKAGES:
        brings = SYSTEM_PACKAGES[name]
        return (Remedy("Install the library.", (f"sudo apt-get install {brings}",)), again)
    return (
        Remedy(f"Install the system package that provides {name}.", (f"apt-file search {name}",)),
        again,
    )
