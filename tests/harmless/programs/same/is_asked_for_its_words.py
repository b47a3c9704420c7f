# death
"""The words of an error are the program's own code: they are asked for as often as Python asks for them."""

import concurrent.futures
import sys
import threading
import traceback

asked = []


class Words:
    def __str__(self):
        asked.append("str")
        print("asked for words", len(asked), flush=True)
        return "the words"

    __repr__ = __str__


class Error(Exception):
    def __str__(self):
        asked.append("error")
        print("asked for the error's words", len(asked), flush=True)
        return "the error's words"


def fail(error):
    raise error


try:
    sys.exit(Words())
except SystemExit as error:
    print(type(error.code).__name__)
try:
    fail(Error())
except Error:
    traceback.print_exc()
try:
    fail(ValueError(Words()))
except ValueError as error:
    print(len(traceback.format_exception(ValueError, error, error.__traceback__)))
thread = threading.Thread(target=fail, args=(Error(),), name="worker")
thread.start()
thread.join()
with concurrent.futures.ThreadPoolExecutor(1) as pool:
    pool.submit(fail, Error())
    pool.submit(fail, KeyError(Words()))
print(asked)
fail(Error(Words()))
