"""time.time and sleep are replaced: nobody else calls them."""

import time
from unittest import mock

real = time.sleep
with (
    mock.patch("time.time", side_effect=AssertionError("called")),
    mock.patch("time.sleep", side_effect=AssertionError("called")),
    mock.patch("time.monotonic", side_effect=AssertionError("called")),
):
    real(0.4)
print("nobody called")
