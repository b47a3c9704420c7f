"""Run by the examined Python: say what it is, where it looks for modules, and which requirements are not met.

Prints one line, the word that is its first argument and a JSON object: a sitecustomize may print as well.
"""

import json
import os
import sys


def requirements():
    """What installed packages require and do not get; ``None`` where no reader of requirements is installed."""
    for place in ("packaging", "setuptools._vendor.packaging", "pip._vendor.packaging"):
        try:
            reader = __import__(place + ".requirements", fromlist=["Requirement"])
            names = __import__(place + ".utils", fromlist=["canonicalize_name"])
            break
        except Exception:
            continue
    else:
        return None
    try:
        from importlib.metadata import distributions
    except ImportError:
        return None
    installed, asked = {}, []
    for found in distributions():
        try:
            name = names.canonicalize_name(found.metadata["Name"])
            installed.setdefault(name, found.version)
            asked.append((name, found.requires or []))
        except Exception:
            continue
    unmet = []
    for name, lines in asked:
        for line in lines:
            try:
                wanted = reader.Requirement(line)
                if wanted.marker is not None and not wanted.marker.evaluate({"extra": ""}):
                    continue
                version = installed.get(names.canonicalize_name(wanted.name))
                if version is None or not wanted.specifier.contains(version, prereleases=True):
                    unmet.append([name, line.partition(";")[0].strip(), version])
            except Exception:
                continue
    return unmet


def main():
    """Print the description of this Python as JSON."""
    about = {
        "executable": sys.executable,
        "version": list(sys.version_info[:3]),
        "machine": os.uname()[4],
        "prefix": sys.prefix,
        "path": [entry for entry in sys.path if entry],
        "suffixes": suffixes(),
        "binary": os.path.realpath("/proc/self/exe"),
        "requirements": requirements(),
    }
    sys.stdout.write("\n" + sys.argv[1] + json.dumps(about) + "\n")
    sys.stdout.flush()


def suffixes():
    """The endings of extension modules that this Python loads."""
    try:
        from importlib.machinery import EXTENSION_SUFFIXES
    except ImportError:  # Python 2: old, and still asked about
        return [".so"]
    return EXTENSION_SUFFIXES


if __name__ == "__main__":
    main()
