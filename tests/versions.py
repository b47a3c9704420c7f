"""The tests that rest on TensorFlow's private parts, with other versions of it, each in an environment of its own outside the tree.

    python tests/versions.py 2.16 2.18 2.20        or:  make versions VERSIONS="2.16 2.18 2.20"

The environments are kept (OUTLIVE_VERSIONS names the folder, else the temporary one) and used again. Not a test itself, and not part of
continuous integration: every version is half a gigabyte to fetch.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

#: What Outlive itself and these tests need beside TensorFlow.
LIGHT = ("click", "rich", "tomli", "hatchling", "editables", "hypothesis", "pytest>=8.2", "pytest-timeout", "pillow", "google-crc32c", "simplejpeg")  # fmt: skip

#: Whatever reads or rebuilds a pipeline, and the deaths in one.
TESTS = ("tests/test_bound.py", "tests/test_skip_bad.py", "tests/test_heal.py", "tests/test_causes.py")  # fmt: skip
SLUGS = "prefetch-too-deep|shuffle-buffer-too-large|cache-in-memory|parallel-map-too-wide"


def environment(version: str) -> Path:
    """Its Python. Made if it is not there."""
    home = Path(os.environ.get("OUTLIVE_VERSIONS") or tempfile.gettempdir())
    folder = home / f"outlive-tensorflow-{version}"
    python = folder / "bin" / "python"
    whole = folder / "whole"
    if not whole.exists() or whole.read_text() != str(ROOT):
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, f"tensorflow-cpu=={version}.*", *LIGHT], check=True)
        subprocess.run(
            [*pip, "--no-deps", "--no-build-isolation", "--editable", str(ROOT)], check=True
        )
        whole.write_text(str(ROOT))
    return python


def deaths_in_pipelines() -> str:
    """The victims whose expected cause lies in a pipeline, as pytest chooses them."""
    found = [
        path.stem
        for path in sorted((ROOT / "tests" / "causes").glob("*.py"))
        if re.search(rf"^# expect: ({SLUGS})", path.read_text(), re.MULTILINE)
    ]
    return " or ".join(found)


def run(version: str) -> tuple[str, str]:
    """How the tests went with this version, in one line."""
    try:
        python = environment(version)
    except subprocess.CalledProcessError:
        return version, "cannot be installed with this Python"
    told = subprocess.run(
        [str(python), "-c", "import tensorflow as tf; print(tf.__version__)"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"},
    ).stdout.strip()
    others = f"not test_causes or {deaths_in_pipelines()}"
    done = subprocess.run(
        [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS, "-k", others],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    print(done.stdout[-6000:], flush=True)
    return told or version, done.stdout.strip().splitlines()[-1].strip("= ")


def main(versions: list[str]) -> int:
    """Returns 1 when a test failed anywhere."""
    found = []
    for version in versions:
        print(f"── TensorFlow {version}, {time.strftime('%H:%M:%S')}", flush=True)
        found.append(run(version))
    for version, outcome in found:
        print(f"{version:10} {outcome}")
    return int(any("failed" in outcome or "error" in outcome for _, outcome in found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
