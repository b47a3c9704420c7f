"""The finders."""

import sys

print([getattr(one, "__name__", type(one).__name__) for one in sys.meta_path])
