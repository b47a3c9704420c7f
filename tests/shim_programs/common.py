"""What the victim programs share: load the shim as the agent does, and talk to the test by pipes."""

import importlib.util
import os
import resource
import sys

if "OUTLIVE_TEST_CORE" not in os.environ:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def start():
    """Load the shim, or not: the test runs each program both ways. Gives the Shim or None."""
    library = os.environ.get("OUTLIVE_TEST_LIBRARY")
    if not library:
        return None
    spec = importlib.util.spec_from_file_location("shim", os.environ["OUTLIVE_TEST_MODULE"])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    shim = module.Shim.load(library, os.environ["OUTLIVE_TEST_DATA"])
    if shim is None:
        sys.exit("the shim did not load")
    return shim


def refresh(shim):
    if shim is not None:
        shim.refresh()


def ready(text="ready"):
    os.write(1, text.encode() + b"\n")


def wait_for_test():
    """Block until the test sends a byte or closes our stdin."""
    return os.read(0, 1)
