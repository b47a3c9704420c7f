# needs: module numpy
"""resize refuses where somebody else holds the array: nobody does."""

import time
import numpy

array = numpy.zeros(1000)
time.sleep(0.4)
array.resize(2000)
print(array.size)
