"""A compiled module does not fit the installed NumPy."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.evidence import Evidence
from outlive.model.findings import Confidence, Fact, Finding, Remedy
from outlive.model.patterns import bounded
from outlive.units.unit import cause

#: Words that NumPy and Cython have for nothing else.
CERTAIN = bounded(
    r"numpy\.\w+ size changed, may indicate binary incompatibility"
    r"|module (?:was )?compiled against (?:ABI|API|NumPy C-API) version"
    r"|compiled using NumPy 1\.x cannot be run in"
    r"|numpy\.(?:_?core)\.(?:multiarray|umath) failed to import"
    r"|_ARRAY_API not found"
)

#: NumPy's own compiled parts were not found, or are for another Python.
BROKEN = bounded(r"Importing the numpy C-extensions failed|numpy\._?core\._multiarray_umath")

#: NumPy prints these before the import fails in another way, or the program crashes.
PRINTED = bounded(r"A module that was compiled using NumPy 1\.x cannot be run in\s+NumPy (\S+)")

#: What happens to a module that goes on all the same.
CRASHES = ("SIGSEGV", "SIGBUS", "SIGABRT", "SIGILL")

BUILT_FOR_1 = bounded(
    r"compiled using NumPy 1\.x|ABI version 0x1|_ARRAY_API|Expected 96 from C header"
)
#: The version that a module was built for, and the one that runs.
API = bounded(
    r"version (0x[0-9a-fA-F]+)(?: \(NumPy [\d.]+\))? but (?:this version of numpy is|the running NumPy has C-API version)"
    r" (0x[0-9a-fA-F]+)"
)
SIZES = bounded(r"Expected (\d+) from C header, got (\d+) from PyObject")


@cause(
    "D601",
    since="0.2",
    behind=(
        "uncaught-exception",
        "exited-by-program",
        "crashed-at-exit",
        "user-native-crashed",
        "native-op-crashed",
    ),
    searched=(
        "numpy.dtype size changed, may indicate binary incompatibility",
        "A module that was compiled using NumPy 1.x cannot be run in NumPy 2",
        "numpy.core.multiarray failed to import",
        "module was compiled against NumPy C-API version",
    ),
)
def numpy_abi_mismatch(evidence: Evidence) -> Iterator[Finding]:
    """A compiled module was built for another NumPy than the installed one.

    ## What happened
    Modules in C see NumPy's memory layout directly. One that was built for NumPy 1 cannot be used with NumPy 2, and one that was
    built for a newer NumPy cannot be used with an older one: "numpy.core.multiarray failed to import", "numpy.dtype size changed",
    "_ARRAY_API not found", or a crash.

    ## How we know
    NumPy checks at import and says so; its words are in the exception that ended the program, or in what it printed before.

    ## What to do
    Upgrade the module that the verdict names: nearly all have builds for NumPy 2. Where there is none, install the older NumPy
    (`numpy<2`), and see that TensorFlow accepts it (2.18 and later want NumPy 1.26 or 2).
    """
    printed = PRINTED.search(evidence.run.log)
    found = evidence.errors.like(CERTAIN)
    broken = None if found else evidence.errors.like(BROKEN)
    if found is None and broken is None and printed is not None and evidence.run.failed:
        # NumPy has warned, and the import failed in words of the module's own, or crashed.
        first = next(iter(evidence.errors.last), None)
        if first is not None and first[0].is_a("ImportError", "SystemError", "AttributeError"):
            found = first[0], Confidence.LIKELY
    if printed is not None and evidence.run.fatal_signal in CRASHES:
        yield from _crashed(evidence, printed[1])
        return
    installation = evidence.circumstances.installation
    version = installation.version("numpy") or (printed[1] if printed else "")
    having = f"NumPy {version}" if version else "the installed NumPy"
    if broken is not None:
        error, sure = broken
        yield Finding(
            f"The compiled parts of {having} do not match this Python: they are missing, or built for another version.",
            (Fact("exception", f"{error.type}: {error.message.strip()[-300:]}", "the program"),),
            min(sure, Confidence.LIKELY),
            (
                Remedy(
                    "Reinstall NumPy with the Python that runs the program.",
                    (installation.install("numpy", again=True),),
                ),
            ),
            where=evidence.errors.line_of(error),
        )
        return
    if found is None:
        return
    error, sure = found
    module = evidence.errors.importing(error, but=("numpy",))
    named = module or "A compiled module"
    text = f"{error.message}\n{evidence.run.log}"
    older = BUILT_FOR_1.search(text) is not None
    api = API.search(text)
    if api is not None and not older:
        newer = int(api[1], 16) > int(api[2], 16)
    else:
        newer = not older and version.startswith("1.")
    built = "an older NumPy (1.x)" if older else "a newer NumPy" if newer else "another NumPy"
    sizes = SIZES.search(error.message)
    facts = [Fact("exception", error.words, "the program")]
    if version:
        facts.append(Fact("numpy installed", version, "its dist-info directory"))
    if sizes:
        facts.append(
            Fact("size of a dtype", f"{sizes[1]} when it was built, {sizes[2]} now", "Cython")
        )
    update = Remedy(
        f"Upgrade {module or 'the module'} to a build for this NumPy.",
        (installation.install(module, upgrade=True),) if module and "." not in module else (),
    )
    numpy = Remedy("Or install the NumPy it was built for.", (installation.install("numpy<2"),))
    if newer:
        numpy = Remedy("Install a newer NumPy.", (installation.install("numpy", upgrade=True),))
    yield Finding(
        f"{named} was compiled for {built} than {having}, which is installed.",
        tuple(facts),
        sure,
        (numpy, update) if newer else (update, numpy),
        where=evidence.errors.line_of(error),
    )


def _crashed(evidence: Evidence, version: str) -> Iterator[Finding]:
    """NumPy had warned that it may crash, and it did; while a module was being imported it hardly was anything else."""
    stack = (
        evidence.crash.report.stacks[0]
        if evidence.crash.report and evidence.crash.report.stacks
        else None
    )
    frames = stack.frames if stack else ()
    importing = any(frame.file.startswith("<frozen importlib") for frame in frames)
    installation = evidence.circumstances.installation
    yield Finding(
        f"NumPy {version} had warned of a module that was compiled for NumPy 1, and the program crashed ({evidence.run.fatal_signal}).",
        (
            Fact(
                "printed before",
                "A module that was compiled using NumPy 1.x cannot be run",
                "stderr",
            ),
        ),
        Confidence.LIKELY if importing else Confidence.POSSIBLE,
        (
            Remedy("Upgrade the module that the warning's traceback names."),
            Remedy("Or install the older NumPy.", (installation.install("numpy<2"),)),
        ),
        where=evidence.crash.line or evidence.run.busy,
    )
