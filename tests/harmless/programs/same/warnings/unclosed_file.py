# python: -X dev
"""An unclosed file is told of."""

import gc

open("x.txt", "w")
gc.collect()
print("after")
