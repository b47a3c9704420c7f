# needs: module numpy
"""Warnings and errors of arithmetic."""

import warnings
import numpy

warnings.simplefilter("error")
try:
    numpy.array([1.0]) / 0
except RuntimeWarning as error:
    print(error)
with numpy.errstate(all="raise"):
    try:
        numpy.float64(1) / 0
    except FloatingPointError as error:
        print(error)
