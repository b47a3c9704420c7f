# needs: module numpy
"""Numbers, seeds, threads of the linear algebra."""

import numpy

generator = numpy.random.default_rng(3)
matrix = generator.random((200, 200))
print(generator.integers(0, 100, 5), float(numpy.linalg.det(matrix @ matrix.T) > 0), numpy.geterr())
