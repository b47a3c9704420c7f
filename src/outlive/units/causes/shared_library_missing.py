"""A shared library is missing, or does not fit."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from outlive.model.evidence import Circumstances, Evidence
from outlive.model.fact_names import ADDRESS_SPACE_LIMIT
from outlive.model.findings import Confidence, Fact, Finding, Remedy
from outlive.model.patterns import bounded
from outlive.units.unit import cause

MISSING = bounded(r"(?<![^\s:'\"(])([^\s:'\"(]+\.so[\w.]*): cannot open shared object file")
VERSION = bounded(r"(?<!\S)(\S+?): version [`']([\w.]+)' not found(?: \(required by ([^)\s]+)\))?")
SYMBOL = bounded(r"(?<!\S)(\S+\.so[\w.]*): undefined symbol: (\w+)")
UNUSABLE = bounded(
    r"(?<!\S)(\S+\.so[\w.]*): (cannot allocate memory in static TLS block|wrong ELF class: \w+|invalid ELF header|file too short"
    r"|cannot enable executable stack[^\n]*|failed to map segment from shared object|ELF load command[^\n]*)"
)
#: Whose function a symbol is, by a part of its name: C++ writes namespaces with their length.
OWNERS = (
    ("10tensorflow", "TensorFlow"),
    ("3tsl", "TensorFlow"),
    ("TF_", "TensorFlow"),
    ("4absl", "abseil (TensorFlow's)"),
    ("3c10", "PyTorch"),
    ("2at", "PyTorch"),
    ("PyArray", "NumPy"),
    ("Py", "Python"),
    ("cudnn", "cuDNN"),
    ("cublas", "cuBLAS"),
    ("cuda", "CUDA"),
    ("GLIBC", "the system's C library"),
    ("google8protobuf", "protobuf"),
)
PATTERNS = (MISSING, VERSION, SYMBOL, UNUSABLE)
ANY = bounded("|".join(pattern.pattern for pattern in PATTERNS))

#: The loader of programs, not of Python's: the shell's status for "cannot be run".
LOADER = bounded(r"error while loading shared libraries: ")
NOT_STARTED = 127

#: Who provides the libraries that are missing most often: a pip requirement, or a package of the system.
FROM_PIP = (
    (bounded(r"libcudart\.so\.(\d+)"), "nvidia-cuda-runtime-cu{}"),
    (bounded(r"libcublas(?:Lt)?\.so\.(\d+)"), "nvidia-cublas-cu{}"),
    (bounded(r"libcufft\.so"), "nvidia-cufft-cu12"),
    (bounded(r"libcurand\.so"), "nvidia-curand-cu12"),
    (bounded(r"libcusolver\.so"), "nvidia-cusolver-cu12"),
    (bounded(r"libcusparse\.so"), "nvidia-cusparse-cu12"),
    (bounded(r"libcudnn\w*\.so"), "nvidia-cudnn-cu12"),
    (bounded(r"libnccl\.so"), "nvidia-nccl-cu12"),
    (bounded(r"libnvinfer\w*\.so"), "tensorrt"),
)
FROM_SYSTEM = (
    (bounded(r"libGL\.so"), "libgl1"),
    (bounded(r"lib(?:gthread|glib)-2\.0\.so"), "libglib2.0-0"),
    (bounded(r"libSM\.so"), "libsm6"),
    (bounded(r"libXext\.so"), "libxext6"),
    (bounded(r"libXrender\.so"), "libxrender1"),
    (bounded(r"libgomp\.so"), "libgomp1"),
    (bounded(r"libsndfile\.so"), "libsndfile1"),
    (bounded(r"libgfortran\.so"), "libgfortran5"),
    (bounded(r"libstdc\+\+\.so"), "libstdc++6"),
)


NOT_MAPPED = "failed to map segment"


@cause(
    "D603",
    since="0.2",
    behind=("uncaught-exception", "exited-by-program", "crashed-at-exit"),
    searched=(
        "cannot open shared object file: No such file or directory",
        "ImportError: libGL.so.1",
        "version `GLIBCXX_3.4.29' not found",
        "undefined symbol tensorflow",
    ),
)
def shared_library_missing(evidence: Evidence) -> Iterator[Finding]:
    """A shared library that the program loads is missing, or does not fit the others.

    ## What happened
    Python packages with native code, CUDA and your own `.so` files need other libraries at the moment they are loaded. One of
    them is not where the loader looks, is too old (`GLIBCXX_… not found`), was built for another release (`undefined symbol`), or comes
    too late (`static TLS`).

    ## How we know
    The loader's own words are in the exception that ended the program. The dependencies of the library that was being
    loaded were read from its file, and the usual folders were searched for the missing one.

    ## What to do
    Install what provides it, with the command in the verdict. If the library is there but not found, put its folder into
    `LD_LIBRARY_PATH` before the program starts: changing it from inside is too late.
    """
    found = evidence.errors.like(ANY)
    if found is not None:
        error, sure = found
        text, where, source = error.message, evidence.errors.line_of(error), "exception"
    else:
        lines = [line for line in evidence.run.log.splitlines() if LOADER.search(line)]
        if not lines or evidence.run.ending.exit_code != NOT_STARTED:
            return
        text, where, source = lines[-1], None, "stderr"
        # Where a Python was seen, the loader had done its work: these are words of the program's, or of a child of it.
        sure = Confidence.POSSIBLE if evidence.run.program.python else Confidence.PROVEN
    around = evidence.circumstances
    told = next(line for line in text.splitlines() if ANY.search(line)).strip()
    facts = [Fact("the loader said", told[:300], source)]
    if missing := MISSING.search(text):
        says, remedies = _missing(missing[1], around)
        facts += [
            Fact(
                "asks for it",
                f"{library.file}: {', '.join(library.needs)}"[:300],
                "its dynamic section",
            )
            for library in around.asking_for(missing[1])
        ]
    elif version := VERSION.search(text):
        file, wanted, user = version[1], version[2], version[3] or "a library"
        says = f"{_name(file)} is too old: {_name(user)} needs {wanted}, which it does not have."
        remedies = _newer(wanted, around)
    elif symbol := SYMBOL.search(text):
        owner = next((owner for part, owner in OWNERS if part in symbol[2]), "a library")
        says = f"{_name(symbol[1])} was built for another release of {owner}: it needs {symbol[2]}, which no loaded library has."
        remedies = (
            Remedy(
                "Rebuild it with what is installed here, or install the release it was built for."
            ),
        )
    else:
        broken = UNUSABLE.search(text)
        assert broken is not None
        says = f"{_name(broken[1])} cannot be loaded: {broken[2]}."
        remedies = (_usable(_name(broken[1]), broken[2]),)
        if NOT_MAPPED in broken[2] and evidence.run.fact(ADDRESS_SPACE_LIMIT) is not None:
            sure = Confidence.POSSIBLE  # for want of room the loader uses the same words
    yield Finding(says, tuple(facts), sure, remedies, where=where)


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _missing(path: str, around: Circumstances) -> tuple[str, tuple[Remedy, ...]]:
    name = _name(path)
    asking = [_name(library.file) for library in around.asking_for(path)]
    who = f"{asking[0]} needs {name}" if asking else f"{name} is needed"
    lies = around.found.get(name)
    if lies:
        folder = lies.rpartition("/")[0]
        return (
            f"{who}, which is in {folder}, where the loader does not search.",
            (
                Remedy(
                    "Tell the loader where it is before starting the program.",
                    (f'export LD_LIBRARY_PATH="{folder}:$LD_LIBRARY_PATH"',),
                ),
            ),
        )
    says = f"{who}, which the loader cannot find."
    for pattern, package in FROM_PIP:
        if match := pattern.match(name):
            wanted = package.format(*match.groups())
            return says, (
                Remedy("Install it beside TensorFlow.", (around.installation.install(wanted),)),
                Remedy(
                    "Or let TensorFlow install all of CUDA.",
                    (around.installation.install("tensorflow[and-cuda]"),),
                ),
            )
    if name.startswith("libcuda.so"):
        return says, (
            Remedy(
                "Install the GPU driver, or start the container with access to it.",
                ("nvidia-smi", "docker run --gpus all …"),
            ),
        )
    for pattern, package in FROM_SYSTEM:
        if pattern.match(name):
            return says, (
                Remedy(
                    "Install it with the system's packages.", (f"apt-get install -y {package}",)
                ),
            )
    return says, (
        Remedy("Install the package that provides it.", (f"apt-file search {shlex.quote(name)}",)),
        Remedy(
            "If it is installed somewhere, add its folder to LD_LIBRARY_PATH before starting the program.",
            (f"find / -name {shlex.quote(name + '*')} 2>/dev/null",),
        ),
    )


def _newer(wanted: str, around: Circumstances) -> tuple[Remedy, ...]:
    if wanted.startswith(("GLIBCXX", "CXXABI")):
        if around.installation.maker == "conda":
            return (
                Remedy(
                    "Install a newer C++ runtime into this environment.",
                    (
                        f"conda install -p {shlex.quote(around.installation.prefix)} -c conda-forge libstdcxx-ng",
                    ),
                ),
            )
        return (
            Remedy("Install a newer C++ runtime.", ("apt-get install -y libstdc++6",)),
            Remedy(
                "See which versions it has.",
                ("strings $(ldconfig -p | awk '/libstdc/{print $NF; exit}') | grep GLIBCXX",),
            ),
        )
    if wanted.startswith("GLIBC_"):
        return (
            Remedy(
                "Use a build for this system (this one needs a newer system: glibc cannot be replaced).",
                ("ldd --version",),
            ),
        )
    return (Remedy("Install the release it was built for."),)


def _usable(name: str, problem: str) -> Remedy:
    if "static TLS" in problem:
        return Remedy(
            "Load it first: import its package before TensorFlow, or preload it.",
            (f"export LD_PRELOAD={shlex.quote(name)}",),
        )
    if NOT_MAPPED in problem:
        return Remedy(
            "Its folder is mounted `noexec`: move it, or set TMPDIR to a folder that is not."
        )
    return Remedy("The file is damaged or built for another machine: reinstall it.")
