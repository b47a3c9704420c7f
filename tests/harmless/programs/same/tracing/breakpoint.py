"""breakpoint() with a hook and without."""

import sys

sys.breakpointhook = lambda *a, **k: print("hook", a, k)
breakpoint(1, x=2)
