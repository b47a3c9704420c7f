# needs: module numpy
"""A mapped array."""

import numpy

array = numpy.memmap("array.bin", dtype="int32", mode="w+", shape=(100,))
array[:] = range(100)
array.flush()
print(int(numpy.fromfile("array.bin", dtype="int32").sum()))
