"""A class below Future that overrides what is wrapped."""

import concurrent.futures


class Mine(concurrent.futures.Future):
    def set_exception(self, exception):
        print("mine", exception)
        super().set_exception(exception)

    def result(self, timeout=None):
        print("asked", timeout)
        return super().result(timeout)


future = Mine()
future.set_exception(ValueError("x"))
try:
    future.result(3)
except ValueError as error:
    print(error)
