"""A program that is not there: the present one goes on."""

import os

try:
    os.execv("/no/such/program", ["x"])
except FileNotFoundError as error:
    print(error)
