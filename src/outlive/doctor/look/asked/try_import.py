"""Run by the examined Python: import one library and say what it tells of itself. It may crash here, that is what this is for.

Arguments: the word that begins the answer, and the name of the module.
"""

import importlib
import json
import os
import sys


def told_by_tensorflow(module):
    """How it was built, and the cards it sees where it was built for them."""
    answers = {}
    build = module.sysconfig.get_build_info() if hasattr(module, "sysconfig") else {}
    answers.update({"build " + name: plain(value) for name, value in build.items()})
    if build.get("is_cuda_build"):
        answers["gpus seen"] = len(module.config.list_physical_devices("GPU"))
    return answers


def told_by_numpy(module):
    """The instruction sets without which it refuses to start."""
    core = importlib.import_module(
        "numpy._core._multiarray_umath"
        if int(module.__version__.split(".")[0]) > 1
        else "numpy.core._multiarray_umath"
    )
    return {
        "version": module.__version__,
        "cpu baseline": " ".join(getattr(core, "__cpu_baseline__", [])),
    }


def told_by_h5py(module):
    """The HDF5 that it was built with, and the one that it got."""
    version = module.version
    return {
        "version": version.version,
        "hdf5": version.hdf5_version,
        "hdf5 built": ".".join(
            str(part) for part in getattr(version, "hdf5_built_version_tuple", ())
        ),
    }


def used():
    """What this process has of its own, and what it has mapped at most, in bytes."""
    found = {}
    with open("/proc/self/status") as file:
        for line in file:
            words = line.split()
            if (
                words[0] == "RssAnon:"
            ):  # pages of files are the kernel's, which takes them back under pressure
                found["own memory"] = int(words[1]) * 1024
            elif words[0] == "VmPeak:":
                found["peak address space"] = int(words[1]) * 1024
    return found


def plain(value):
    """A value that JSON can write in one word."""
    return value if isinstance(value, (str, int, float, bool)) or value is None else repr(value)


def told(name, module):
    """What the library says of itself; an old or odd one may not be able to."""
    tell = globals().get("told_by_" + name)
    answer = {"version": plain(getattr(module, "__version__", None))}
    try:
        answer.update(tell(module) if tell else {})
    except Exception as error:
        answer["silent"] = type(error).__name__ + ": " + str(error)
    answer["file"] = getattr(module, "__file__", None)
    return answer


def main():
    """Import the module that was named, ask it for its facts, and print them as JSON."""
    mark, name = sys.argv[1], sys.argv[2]
    out = os.dup(1)  # whatever the library does to stdout
    try:
        answer = told(name, importlib.import_module(name))
        answer.update(used())
        status = 0
    except BaseException as error:
        import traceback

        traceback.print_exc()
        answer = {"error": type(error).__name__ + ": " + str(error)}
        status = 1
    os.write(out, ("\n" + mark + json.dumps(answer) + "\n").encode())
    # Not through the interpreter's end: what a library does there is not what was asked.
    os._exit(status)


if __name__ == "__main__":
    main()
