"""The tests that rest on TensorFlow's private parts, with other versions of it, each in an environment of its own outside the tree.

    python tests/helpers/tensorflow_versions.py 2.16 2.18 2.20        or:  make versions VERSIONS="2.16 2.18 2.20"
    python tests/helpers/tensorflow_versions.py --quick 2.16          or:  make versions VERSIONS=2.16 QUICK=1

``--quick`` asks only whether every private part is there and every stage can be built again (``test_tf_private.py``): one start of
TensorFlow. The environments are kept (OUTLIVE_VERSIONS names the folder, else the temporary one) and used again; each is half a gigabyte to
fetch. The exit status is 0 when all tests passed with all versions, 1 when one failed, 2 when a version could not be installed.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent

#: What Outlive itself and these tests need beside TensorFlow.
LIGHT = ("click", "rich", "tomli", "hatchling", "editables", "hypothesis", "pytest>=8.2", "pytest-timeout", "pillow", "google-crc32c", "simplejpeg")  # fmt: skip

#: The private parts themselves.
QUICK = ("tests/inside/test_tf_private.py",)
#: Whatever reads or rebuilds a pipeline, and the deaths in one.
TESTS = (*QUICK, "tests/keep/test_bound.py", "tests/keep/test_skip_bad.py", "tests/keep/test_heal.py", "tests/units/test_causes.py")  # fmt: skip
SLUGS = "prefetch-too-deep|shuffle-buffer-too-large|cache-in-memory|parallel-map-too-wide"

PASSED, FAILED, NOT_INSTALLED = 0, 1, 2


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


def run(version: str, quick: bool) -> tuple[str, str, int]:
    """How the tests went with this version, in one line, and as an exit status."""
    try:
        python = environment(version)
    except subprocess.CalledProcessError:
        return version, "cannot be installed with this Python", NOT_INSTALLED
    told = subprocess.run(
        [str(python), "-c", "import tensorflow as tf; print(tf.__version__)"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"},
    ).stdout.strip()
    chosen = QUICK if quick else (*TESTS, "-k", f"not test_causes or {deaths_in_pipelines()}")
    done = subprocess.run(
        [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", *chosen],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    print(done.stdout[-6000:], flush=True)
    last = (done.stdout.strip().splitlines() or ["pytest said nothing"])[-1].strip("= ")
    return told or version, last, PASSED if done.returncode == 0 else FAILED


def main(arguments: list[str]) -> int:
    """Run the tests with all versions. One that cannot be installed must not pass for one that was tried."""
    versions = [one for one in arguments if one != "--quick"]
    if not versions:
        print(__doc__)
        return NOT_INSTALLED
    found = []
    for version in versions:
        print(f"── TensorFlow {version}, {time.strftime('%H:%M:%S')}", flush=True)
        found.append(run(version, "--quick" in arguments))
    for version, outcome, _ in found:
        print(f"{version:10} {outcome}")
    return max(status for _, _, status in found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
