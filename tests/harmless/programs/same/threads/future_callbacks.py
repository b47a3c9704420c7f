"""Callbacks of futures, and the one that fails."""

import concurrent.futures

future = concurrent.futures.Future()
future.add_done_callback(lambda one: print("first", one.result()))
future.add_done_callback(lambda one: print("second"))
future.set_result(5)
try:
    future.set_result(6)
except concurrent.futures.InvalidStateError as error:
    print(type(error).__name__)
