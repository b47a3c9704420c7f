"""The place of a warning is the caller's."""

import warnings

warnings.simplefilter("always")
with warnings.catch_warnings(record=True) as seen:
    warnings.warn("x")
    warnings.warn("y", ResourceWarning)
print([(str(one.message), one.category.__name__, one.filename.rpartition("/")[2]) for one in seen])
