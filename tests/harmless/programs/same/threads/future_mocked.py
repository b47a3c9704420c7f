# ci
"""Methods of Future can be mocked with autospec."""

import concurrent.futures
from unittest import mock

future = concurrent.futures.Future()
for name in ("result", "exception", "cancel", "set_exception", "done"):
    with mock.patch.object(concurrent.futures.Future, name, autospec=True) as patched:
        patched.return_value = "mocked"
        arguments = (ValueError("x"),) if name == "set_exception" else ()
        print(name, getattr(future, name)(*arguments), patched.call_args[0][0] is future)
