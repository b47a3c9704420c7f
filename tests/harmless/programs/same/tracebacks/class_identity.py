"""TracebackException can be subclassed and its attributes are what they were."""

import traceback


class Mine(traceback.TracebackException):
    def format_exception_only(self, **rest):
        yield "mine\n"


try:
    1 / 0
except ZeroDivisionError as error:
    made = Mine.from_exception(error)
    print(
        list(made.format_exception_only()),
        made.exc_type.__name__,
        sorted(name for name in vars(made) if "outlive" in name),
    )
