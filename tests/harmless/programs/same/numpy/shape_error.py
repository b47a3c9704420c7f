# needs: module numpy
# status: 1
"""The trace of a wrong shape."""

import numpy

numpy.zeros((2, 3)) @ numpy.zeros((2, 3))
