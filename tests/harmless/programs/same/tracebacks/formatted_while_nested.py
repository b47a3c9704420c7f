"""Contexts are formatted with each exception's text made as often as before."""

import traceback

asked = []


class Odd(Exception):
    def __str__(self):
        asked.append(self.args[0])
        return self.args[0]


try:
    try:
        raise Odd("first")
    except Odd:
        raise Odd("second")
except Odd as error:
    traceback.format_exception(type(error), error, error.__traceback__)
print(sorted(asked))
