"""Import in one thread while something fails in another: what was imported stays imported."""

import concurrent.futures
import importlib
import sys
import threading

NAMES = [
    *(
        "email.message",
        "http.client",
        "xml.dom.minidom",
        "unittest",
        "logging.config",
        "json",
        "csv",
    ),
    *(
        "tarfile",
        "zipfile",
        "decimal",
        "fractions",
        "statistics",
        "argparse",
        "configparser",
        "pprint",
    ),
    *(
        "difflib",
        "inspect",
        "typing",
        "dataclasses",
        "asyncio",
        "html.parser",
        "urllib.request",
        "re",
    ),
]


def fail():
    future = concurrent.futures.Future()
    future.set_exception(ValueError("in a future"))
    future.exception()  # asked for: it is not lost, and nobody is told of it


thread = threading.Thread(target=fail)
thread.start()
for name in NAMES:
    importlib.import_module(name)
thread.join()
print([name for name in NAMES if name not in sys.modules], sys.path)
